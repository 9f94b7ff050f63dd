"""The contract of a mailbox: every adapter passes all of this, now and later."""

from __future__ import annotations

from datetime import timedelta

import anyio
import pytest

from providers.ports import (
    Folder,
    Mailbox,
)
from storage.words import Ref
from tests.contracts.harness import Harness
from tests.contracts.mails import MARK, QUESTION, mail, owners, question
from tests.contracts.steps import OTHER, Notes, draft_ours, first_pass, ids, look, scope


async def test_account_is_the_same_after_a_restart(harness: Harness, box: Mailbox) -> None:
    again = harness.make()
    assert await again.account() == await box.account()
    await again.close()


async def test_first_pass_shows_each_mail_with_its_folder(harness: Harness, box: Mailbox) -> None:
    harness.deliver(question())
    harness.deliver(mail("<sent@example.com>"), Folder.SENT)
    harness.deliver(owners(), Folder.DRAFTS)
    harness.deliver(mail("<trashed@example.com>"), Folder.TRASH)
    changes = await first_pass(box, Notes())
    assert {(one.heads.message_id, one.folder) for one in changes.seen} == {
        (QUESTION, Folder.INBOX),
        ("<sent@example.com>", Folder.SENT),
        ("<own@example.com>", Folder.DRAFTS),
    }


async def test_mail_is_shown_in_the_order_of_its_arrival(harness: Harness, box: Mailbox) -> None:
    for number in range(12):
        harness.deliver(mail(f"<{number}@example.org>"))
    changes = await first_pass(box, Notes())
    assert ids(changes.seen) == [f"<{number}@example.org>" for number in range(12)]


async def test_second_pass_shows_nothing_again(harness: Harness, box: Mailbox) -> None:
    notes = Notes()
    harness.deliver(question())
    changes = await first_pass(box, notes)
    assert (await box.changes(changes.cursor, since=None, known=notes.known)).seen == ()


async def test_mail_after_the_cursor_is_shown_once(harness: Harness, box: Mailbox) -> None:
    notes = Notes()
    changes = await first_pass(box, notes)
    harness.deliver(question())
    changes = await box.changes(changes.cursor, since=None, known=notes.known)
    notes.note(changes)
    again = await box.changes(changes.cursor, since=None, known=notes.known)
    assert (ids(changes.seen), again.seen) == ([QUESTION], ())


async def test_mail_between_two_passes_is_not_missed_after_a_restart(
    harness: Harness, box: Mailbox
) -> None:
    notes = Notes()
    changes = await first_pass(box, notes)
    harness.deliver(question())
    other = harness.make()
    assert ids((await other.changes(changes.cursor, since=None, known=notes.known)).seen) == [
        QUESTION
    ]
    await other.close()


async def test_mail_is_shown_again_when_the_cursor_was_not_stored(
    harness: Harness, box: Mailbox
) -> None:
    harness.deliver(question())
    lost = await box.changes(None, since=None, known=Notes().known)
    again = await box.changes(None, since=None, known=Notes().known)
    assert ids(lost.seen) == ids(again.seen) == [QUESTION]


async def test_known_mail_is_not_shown_to_a_new_process(harness: Harness, box: Mailbox) -> None:
    notes = Notes()
    harness.deliver(question())
    await first_pass(box, notes)
    other = harness.make()
    assert (await other.changes(None, since=None, known=notes.known)).seen == ()
    await other.close()


async def test_a_pass_shows_only_what_the_store_does_not_know(
    harness: Harness, box: Mailbox
) -> None:
    notes = Notes()
    harness.deliver(question())
    await first_pass(box, notes)
    harness.deliver(mail("<second@example.org>"))
    again = await box.changes(None, since=None, known=notes.known)
    assert ids(again.seen) == ["<second@example.org>"]


async def test_first_pass_looks_back_by_arrival(harness: Harness, box: Mailbox) -> None:
    harness.deliver(mail("<old@example.org>"), days_ago=9)
    harness.deliver(question(), days_ago=1)
    since = harness.clock.now() - timedelta(days=3)
    changes = await box.changes(None, since=since, known=Notes().known)
    assert ids(changes.seen) == [QUESTION]


async def test_mail_from_before_the_look_back_stays_passed_over(
    harness: Harness, box: Mailbox
) -> None:
    harness.deliver(mail("<old@example.org>"), days_ago=9)
    since = harness.clock.now() - timedelta(days=3)
    first = await box.changes(None, since=since, known=Notes().known)
    harness.deliver(question())
    other = harness.make()
    second = await other.changes(first.cursor, since=since, known=Notes().known)
    assert ids(second.seen) == [QUESTION]
    await other.close()


async def test_a_pass_that_looks_further_back_finds_what_was_passed_over(
    harness: Harness, box: Mailbox
) -> None:
    harness.deliver(mail("<older@example.org>"), days_ago=20)
    harness.deliver(mail("<old@example.org>"), days_ago=9)
    harness.deliver(question(), days_ago=1)
    notes, now = Notes(), harness.clock.now()
    first = await box.changes(None, since=now - timedelta(days=3), known=notes.known)
    notes.note(first)
    further = await box.changes(first.cursor, since=now - timedelta(days=12), known=notes.known)
    assert ids(further.seen) == ["<old@example.org>"]
    notes.note(further)
    again = await box.changes(further.cursor, since=now - timedelta(days=12), known=notes.known)
    assert again.seen == ()


async def test_old_drafts_are_shown_whatever_the_look_back(harness: Harness, box: Mailbox) -> None:
    harness.deliver(owners(), Folder.DRAFTS, days_ago=90)
    since = harness.clock.now() - timedelta(days=3)
    changes = await box.changes(None, since=since, known=Notes().known)
    assert ids(changes.seen) == ["<own@example.com>"]


async def test_our_draft_is_shown_as_a_draft_with_its_mark(harness: Harness, box: Mailbox) -> None:
    await draft_ours(box)
    harness.settle()
    (seen,) = (await first_pass(box, Notes())).seen
    assert (seen.folder, seen.heads.mark) == (Folder.DRAFTS, MARK)


async def test_our_draft_has_the_reference_that_the_create_named(
    harness: Harness, box: Mailbox
) -> None:
    draft = await draft_ours(box)
    harness.settle()
    (seen,) = (await first_pass(box, Notes())).seen
    assert seen.ref == draft.ref


async def test_a_known_draft_that_is_gone_is_hinted_at(harness: Harness, box: Mailbox) -> None:
    notes = Notes()
    draft = await draft_ours(box)
    harness.settle()
    changes = await first_pass(box, notes)
    changes = await box.changes(changes.cursor, since=None, known=notes.known)
    harness.owner_deletes(draft.ref)
    changes = await box.changes(changes.cursor, since=None, known=notes.known)
    assert changes.vanished == (draft.ref,)


async def test_fetch_gives_the_bytes_in_the_order_asked(harness: Harness, box: Mailbox) -> None:
    raws = {i: mail(i) for i in ("<a@example.org>", "<b@example.org>")}
    for raw in raws.values():
        harness.deliver(raw)
    seen = (await first_pass(box, Notes())).seen
    asked = [one.ref for one in reversed(seen)]
    fetched = await box.fetch(asked)
    assert [one.ref for one in fetched] == asked
    raw = [(one.raw or b"").replace(b"\r\n", b"\n") for one in fetched]
    assert raw == list(reversed(raws.values()))


@pytest.mark.parametrize(
    "ref", ["", "nonsense", "INBOX/../x", "INBOX/%2e%2e%2fx", "a/b/c", "%00/x"]
)
async def test_fetch_of_what_is_not_there_gives_none(box: Mailbox, ref: str) -> None:
    (fetched,) = await box.fetch([Ref(ref)])
    assert fetched.raw is None


async def test_mail_stays_unread_whatever_we_do(harness: Harness, box: Mailbox) -> None:
    harness.deliver(question())
    (seen,) = (await first_pass(box, Notes())).seen
    await box.fetch([seen.ref])
    await box.snapshot(scope())
    draft = await draft_ours(box)
    await box.draft(draft)
    await look(box, harness)
    assert harness.unread() == 1


async def test_mails_that_cannot_be_read_never_stop_a_pass(harness: Harness, box: Mailbox) -> None:
    broken = harness.deliver_broken()
    harness.deliver(b"")
    harness.deliver(b"\xff\xfe\x00 no mail at all")
    harness.deliver(b"X: " + b"y" * 3_000_000)
    harness.deliver(question())
    seen = (await first_pass(box, Notes())).seen
    assert QUESTION in ids(seen)
    assert sum(one.unreadable is not None for one in seen) == broken
    assert len(seen) == broken + 4


async def test_each_mail_that_cannot_be_read_has_an_identity(
    harness: Harness, box: Mailbox
) -> None:
    broken = harness.deliver_broken()
    seen = (await first_pass(box, Notes())).seen
    assert len({one.heads.identity for one in seen}) == broken


async def test_a_wait_ends_when_mail_arrives(harness: Harness, box: Mailbox) -> None:
    if not harness.pushes:
        pytest.skip("this provider tells nobody of changes")
    await first_pass(box, Notes())
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.wait_all_tasks_blocked()
            harness.deliver(question())


async def test_a_wait_ends_with_its_time(harness: Harness, box: Mailbox) -> None:
    await first_pass(box, Notes())
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 30)
            await anyio.wait_all_tasks_blocked()
            harness.clock.skip(30)


async def test_a_wait_can_be_cancelled(box: Mailbox) -> None:
    await first_pass(box, Notes())
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()


async def test_closing_twice_is_safe(box: Mailbox) -> None:
    await first_pass(box, Notes())
    await box.close()
    await box.close()


async def test_snapshot_shows_the_owners_draft_in_the_thread_only(
    harness: Harness, box: Mailbox
) -> None:
    harness.deliver(owners(), Folder.DRAFTS)
    harness.deliver(mail("<else@example.com>", parent=OTHER), Folder.DRAFTS)
    snapshot = await box.snapshot(scope())
    assert [one.message_id for one in snapshot.drafts] == ["<own@example.com>"]


async def test_snapshot_shows_our_draft_with_mark_and_version(
    harness: Harness, box: Mailbox
) -> None:
    draft = await draft_ours(box)
    harness.settle()
    (seen,) = (await box.snapshot(scope())).drafts
    assert (seen.ref, seen.version, seen.mark) == (draft.ref, draft.version, MARK)


async def test_snapshot_shows_mail_that_the_scope_does_not_know(
    harness: Harness, box: Mailbox
) -> None:
    harness.deliver(question())
    (known,) = (await first_pass(box, Notes())).seen
    harness.deliver(mail("<second@example.org>", parent=QUESTION))
    harness.deliver(mail("<reply@example.com>", parent=QUESTION), Folder.SENT)
    harness.deliver(mail("<else@example.org>", parent=OTHER))
    news = (await box.snapshot(scope(known.ref))).news
    assert sorted(map(str, ids(news))) == ["<reply@example.com>", "<second@example.org>"]


async def test_snapshot_is_taken_in_an_empty_mailbox(box: Mailbox) -> None:
    snapshot = await box.snapshot(scope())
    assert (snapshot.drafts, snapshot.news) == ((), ())
