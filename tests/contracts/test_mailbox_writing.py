"""What every mailbox does when it is written to, and where a draft of ours is afterwards."""

from __future__ import annotations

import anyio
import pytest

from providers.mime.compose import content_hash
from providers.ports import (
    DraftRef,
    Folder,
    Mailbox,
    MailboxIllError,
    Whereabouts,
)
from storage.words import Accepted, Rejected, Unknown
from tests.contracts.harness import Harness
from tests.contracts.mails import ANSWER, ours, owners
from tests.contracts.steps import REMOVAL, Notes, draft_ours, first_pass, look, scope, stage


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
