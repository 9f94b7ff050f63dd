"""The contract of a mailbox: every adapter passes all of this, now and later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import anyio
import pytest

from providers.mime.compose import content_hash
from providers.ports import (
    Changes,
    DraftRef,
    Folder,
    Look,
    LookRequest,
    Mailbox,
    MailboxIllError,
    Sighting,
    Staged,
    ThreadScope,
    Whereabouts,
)
from storage.words import Accepted, IntentId, Ref, Rejected, Unknown, Version
from tests.contracts.harness import Harness
from tests.contracts.mails import ANSWER, INTENT, MARK, QUESTION, mail, ours, owners, question

REMOVAL = IntentId("2e" * 16)
OTHER = "<other@example.org>"


@dataclass
class Notes:
    """A store of noted references."""

    refs: set[Ref] = field(default_factory=set)

    async def known(self, refs: Sequence[Ref]) -> frozenset[Ref]:
        return frozenset(refs) & self.refs

    def note(self, changes: Changes) -> None:
        self.refs |= {one.ref for one in changes.seen}


def scope(*refs: Ref) -> ThreadScope:
    return ThreadScope(thread=None, message_ids=frozenset({QUESTION}), refs=frozenset(refs))


async def first_pass(box: Mailbox, notes: Notes) -> Changes:
    changes = await box.changes(None, since=None, known=notes.known)
    notes.note(changes)
    return changes


async def stage(box: Mailbox, raw: bytes | None = None) -> Staged:
    return await box.stage(ours() if raw is None else raw, intent=INTENT, attempt=1)


async def draft_ours(box: Mailbox, raw: bytes | None = None) -> DraftRef:
    content = ours() if raw is None else raw
    outcome = await box.create(await stage(box, content), scope=scope())
    assert isinstance(outcome, Accepted)
    return recorded(outcome.ref, outcome.version, content)


def recorded(ref: Ref, version: Version, content: bytes) -> DraftRef:
    return DraftRef(
        ref=ref, version=version, content_hash=content_hash(content), mark=MARK, scope=scope()
    )


def request(harness: Harness, staged: Staged | None = None, **other: object) -> LookRequest:
    given = {
        "intent": INTENT,
        "attempt": 1,
        "scope": scope(),
        "mark": MARK,
        "message_id": ANSWER,
        "content_hash": content_hash(ours()),
        "place": {},
        "before": frozenset(),
        "token": {} if staged is None else staged.token,
        "claimed_at": harness.clock.now(),
        "may_withdraw": True,
        "caller_ended": True,
        **other,
    }
    return LookRequest(**given)  # type: ignore[arg-type]


async def look(
    box: Mailbox, harness: Harness, staged: Staged | None = None, **other: object
) -> Look:
    claimed = {"claimed_at": harness.clock.now(), **other}
    harness.settle()
    return await box.look(request(harness, staged, **claimed))


def ids(seen: Sequence[Sighting]) -> list[str | None]:
    return [one.heads.message_id for one in seen]


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


async def test_staged_bytes_show_nowhere(harness: Harness, box: Mailbox) -> None:
    await stage(box)
    assert harness.list_drafts() == []
    assert (await first_pass(box, Notes())).seen == ()


async def test_create_makes_exactly_one_draft_of_the_bytes_given(
    harness: Harness, box: Mailbox
) -> None:
    await draft_ours(box)
    assert [content_hash(raw) for raw in harness.list_drafts()] == [content_hash(ours())]


async def test_create_says_the_message_id(box: Mailbox) -> None:
    outcome = await box.create(await stage(box), scope=scope())
    assert isinstance(outcome, Accepted)
    # Where the provider may put in an id of its own, nobody says what was not seen.
    assert outcome.message_id == (ANSWER if "message_id" in box.profile.marks else None)


async def test_create_of_unstaged_bytes_is_refused(harness: Harness, box: Mailbox) -> None:
    if not harness.stages:
        pytest.skip("this provider has no place to stage bytes")
    staged = await stage(box)
    await box.unstage(staged)
    outcome = await box.create(staged, scope=scope())
    expected = Unknown if box.profile.network else Rejected
    assert isinstance(outcome, expected)
    assert harness.list_drafts() == []


async def test_unstaging_twice_is_safe(box: Mailbox) -> None:
    staged = await stage(box)
    await box.unstage(staged)
    await box.unstage(staged)


async def test_staged_bytes_survive_a_restart(harness: Harness, box: Mailbox) -> None:
    staged = await stage(box)
    other = harness.make()
    assert isinstance(await other.create(staged, scope=scope()), Accepted)
    assert len(harness.list_drafts()) == 1
    await other.close()


async def test_a_full_mailbox_is_ill_and_says_what_to_do(harness: Harness, box: Mailbox) -> None:
    harness.fill()
    with pytest.raises(MailboxIllError) as caught:
        await stage(box, ours(body="long " * 20_000))
    assert caught.value.remedy
    assert harness.list_drafts() == []


async def test_a_cancelled_create_leaves_at_most_one_draft(harness: Harness, box: Mailbox) -> None:
    staged = await stage(box)
    with anyio.CancelScope() as cancelled:
        cancelled.cancel()
        await box.create(staged, scope=scope())
    drafts = harness.list_drafts()
    seen = await look(box, harness, staged)
    assert len(drafts) <= 1
    assert len(seen.found) == len(drafts)


async def test_look_finds_a_draft_whose_answer_was_lost(harness: Harness, box: Mailbox) -> None:
    staged = await stage(box)
    harness.lose_next_answer("after")
    assert isinstance(await box.create(staged, scope=scope()), Unknown)
    assert [one.mark for one in (await look(box, harness, staged)).found] == [MARK]


async def test_look_finds_nothing_of_a_call_that_never_arrived(
    harness: Harness, box: Mailbox
) -> None:
    staged = await stage(box)
    harness.lose_next_answer("before")
    assert isinstance(await box.create(staged, scope=scope()), Unknown)
    seen = await look(box, harness, staged)
    assert (seen.found, seen.complete) == ((), True)


async def test_look_proves_what_was_staged_and_never_delivered(
    harness: Harness, box: Mailbox
) -> None:
    if not harness.stages:
        pytest.skip("this provider has no place to stage bytes")
    staged = await stage(box)
    assert (await look(box, harness, staged)).proof


async def test_look_proves_it_again_as_long_as_nobody_unstaged(
    harness: Harness, box: Mailbox
) -> None:
    if not harness.stages:
        pytest.skip("this provider has no place to stage bytes")
    staged = await stage(box)
    await look(box, harness, staged)
    assert (await look(box, harness, staged)).proof


async def test_a_call_after_the_proof_does_nothing(harness: Harness, box: Mailbox) -> None:
    if not harness.stages:
        pytest.skip("this provider has no place to stage bytes")
    staged = await stage(box)
    await look(box, harness, staged)
    outcome = await box.create(staged, scope=scope())
    assert not isinstance(outcome, Accepted)
    assert harness.list_drafts() == []


async def test_look_proves_nothing_while_it_may_not_withdraw(
    harness: Harness, box: Mailbox
) -> None:
    staged = await stage(box)
    assert (await look(box, harness, staged, may_withdraw=False)).proof is None
    assert isinstance(await box.create(staged, scope=scope()), Accepted)


async def test_look_never_proves_what_was_delivered(harness: Harness, box: Mailbox) -> None:
    staged = await stage(box)
    outcome = await box.create(staged, scope=scope())
    assert isinstance(outcome, Accepted)
    harness.owner_deletes(outcome.ref)
    seen = await look(box, harness, staged)
    assert (seen.found, seen.proof) == ((), None)


async def test_look_knows_that_vanished_bytes_were_delivered(
    harness: Harness, box: Mailbox
) -> None:
    if not harness.stages or box.profile.network:
        pytest.skip("here nothing follows from staged bytes that are gone")
    staged = await stage(box)
    outcome = await box.create(staged, scope=scope())
    assert isinstance(outcome, Accepted)
    harness.owner_deletes(outcome.ref)
    assert (await look(box, harness, staged)).delivered


async def test_each_mark_that_survives_finds_the_draft_alone(
    harness: Harness, box: Mailbox
) -> None:
    await draft_ours(box, ours(mark=None))
    asked: dict[str, dict[str, object]] = {
        "message_id": {"mark": "no", "content_hash": "no"},
        "content": {"mark": "no", "message_id": None},
    }
    for mark in box.profile.marks - {"header"}:
        assert len((await look(box, harness, **asked[mark])).found) == 1, mark


async def test_the_mark_header_finds_a_draft_that_the_owner_changed(
    harness: Harness, box: Mailbox
) -> None:
    await draft_ours(box, ours(body="Changed.", message_id="<changed@example.com>"))
    assert len((await look(box, harness)).found) == 1


async def test_look_counts_what_the_provider_made_twice(harness: Harness, box: Mailbox) -> None:
    staged = await stage(box)
    harness.execute_next_twice()
    await box.create(staged, scope=scope())
    assert len((await look(box, harness, staged)).found) == 2


async def test_look_finds_a_draft_that_the_owner_sent(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_sends(draft.ref)
    assert [one.folder for one in (await look(box, harness)).found] == [Folder.SENT]


async def test_two_unsent_drafts_are_counted_though_a_third_was_sent(
    harness: Harness, box: Mailbox
) -> None:
    await draft_ours(box)
    await draft_ours(box)
    harness.deliver(ours(), Folder.SENT)
    assert len((await look(box, harness)).found) == 2


async def test_look_finds_a_draft_in_the_trash(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_deletes(draft.ref, trash=True)
    assert [one.folder for one in (await look(box, harness)).found] == [Folder.TRASH]


async def test_look_believes_no_mark_in_the_inbox(harness: Harness, box: Mailbox) -> None:
    harness.deliver(ours())
    assert (await look(box, harness)).found == ()


async def test_look_offers_a_new_draft_without_marks_as_a_candidate(
    harness: Harness, box: Mailbox
) -> None:
    harness.deliver(owners(), Folder.DRAFTS)
    seen = await look(box, harness)
    assert (seen.found, len(seen.candidates)) == ((), 1)


async def test_look_offers_no_draft_that_the_snapshot_showed(
    harness: Harness, box: Mailbox
) -> None:
    harness.deliver(owners(), Folder.DRAFTS)
    before = frozenset(one.ref for one in (await box.snapshot(scope())).drafts)
    assert (await look(box, harness, before=before)).candidates == ()


async def test_look_offers_no_draft_of_another_thread(harness: Harness, box: Mailbox) -> None:
    harness.deliver(mail("<else@example.com>", parent=OTHER), Folder.DRAFTS)
    assert (await look(box, harness)).candidates == ()


async def test_look_changes_no_draft(harness: Harness, box: Mailbox) -> None:
    await draft_ours(box)
    harness.deliver(owners(), Folder.DRAFTS)
    before = harness.list_drafts()
    await look(box, harness)
    assert harness.list_drafts() == before


async def test_a_draft_nobody_touched_is_untouched(box: Mailbox) -> None:
    assert (await box.draft(await draft_ours(box))).where is Whereabouts.UNTOUCHED


async def test_an_edited_draft_is_edited(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_edits(draft.ref, ours(body="Another day?"))
    assert (await box.draft(draft)).where is Whereabouts.EDITED


async def test_a_draft_saved_anew_without_our_mark_is_edited(
    harness: Harness, box: Mailbox
) -> None:
    draft = await draft_ours(box)
    harness.owner_edits(draft.ref, owners())
    assert (await box.draft(draft)).where is Whereabouts.EDITED


async def test_a_sent_draft_is_sent(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_sends(draft.ref)
    assert (await box.draft(draft)).where is Whereabouts.SENT


async def test_a_draft_in_the_trash_is_trashed(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_deletes(draft.ref, trash=True)
    assert (await box.draft(draft)).where is Whereabouts.TRASHED


async def test_a_deleted_draft_is_absent(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_deletes(draft.ref)
    assert (await box.draft(draft)).where is Whereabouts.ABSENT


async def remove(box: Mailbox, draft: DraftRef, attempt: int = 1) -> object:
    return await box.remove(draft, intent=REMOVAL, attempt=attempt)


async def test_removal_takes_the_version_named(harness: Harness, box: Mailbox) -> None:
    assert isinstance(await remove(box, await draft_ours(box)), Accepted)
    assert harness.list_drafts() == []


async def test_removal_leaves_every_other_draft(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.deliver(owners(), Folder.DRAFTS)
    await remove(box, draft)
    assert harness.list_drafts() == [owners()]


async def test_an_edited_draft_is_never_removed(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_edits(draft.ref, ours(body="Another day?"))
    assert isinstance(await remove(box, draft), Rejected)
    assert [content_hash(raw) for raw in harness.list_drafts()] == [
        content_hash(ours(body="Another day?"))
    ]


async def test_a_draft_saved_anew_without_our_mark_is_never_removed(
    harness: Harness, box: Mailbox
) -> None:
    draft = await draft_ours(box)
    harness.owner_edits(draft.ref, owners())
    assert isinstance(await remove(box, draft), Rejected)
    assert len(harness.list_drafts()) == 1


async def test_removal_of_a_sent_draft_is_refused(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_sends(draft.ref)
    assert isinstance(await remove(box, draft), Rejected)
    assert len(harness.lying_in(Folder.SENT)) == 1


async def test_removal_of_a_trashed_draft_is_accepted(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_deletes(draft.ref, trash=True)
    assert isinstance(await remove(box, draft), Accepted)


async def test_removal_of_a_draft_that_is_gone_is_accepted(harness: Harness, box: Mailbox) -> None:
    draft = await draft_ours(box)
    harness.owner_deletes(draft.ref)
    assert isinstance(await remove(box, draft), Accepted)


async def test_a_repeated_removal_is_accepted(box: Mailbox) -> None:
    draft = await draft_ours(box)
    await remove(box, draft)
    assert isinstance(await remove(box, draft, attempt=2), Accepted)


async def test_a_removed_draft_is_absent_or_in_the_trash(box: Mailbox) -> None:
    draft = await draft_ours(box)
    await remove(box, draft)
    assert (await box.draft(draft)).where in (Whereabouts.ABSENT, Whereabouts.TRASHED)


async def test_a_cancelled_removal_leaves_the_draft_or_takes_it(
    harness: Harness, box: Mailbox
) -> None:
    draft = await draft_ours(box)
    with anyio.CancelScope() as cancelled:
        cancelled.cancel()
        await remove(box, draft)
    held = (await box.draft(draft)).where is Whereabouts.UNTOUCHED
    assert held == (len(harness.list_drafts()) == 1)
