"""What every mailbox finds of a call whose answer was lost."""

from __future__ import annotations

import pytest

from providers.ports import (
    Folder,
    Mailbox,
)
from storage.words import Accepted, Unknown
from tests.contracts.harness import Harness
from tests.contracts.mails import MARK, mail, ours, owners
from tests.contracts.steps import OTHER, draft_ours, look, scope, stage


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


async def test_look_finds_what_lies_unsent_beside_a_sent_copy(
    harness: Harness, box: Mailbox
) -> None:
    draft = await draft_ours(box)
    await draft_ours(box)
    harness.owner_sends(draft.ref)
    found = (await look(box, harness)).found
    assert sorted(one.folder for one in found) == [Folder.DRAFTS, Folder.SENT]


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
