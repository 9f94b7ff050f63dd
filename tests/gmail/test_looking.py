"""Snapshots, looks and direct gets at a Gmail that replaces ids, drops headers and lags."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from providers.gmail import GmailMailbox
from providers.mime.compose import content_hash
from providers.ports import Folder, Snapshot, ThreadScope, Whereabouts
from storage.words import Accepted, IntentId, Rejected, Unknown
from tests.contracts.mails import ANSWER, INTENT, MARK, QUESTION, mail, ours, owners, question
from tests.gmail.conftest import ALL, Site, scope
from tests.gmail.drafts import make, request
from tests.support.gmail import headers


@dataclass
class Talk:
    """A conversation with a question, and its place before a call."""

    site: Site
    mailbox: GmailMailbox
    where: ThreadScope
    before: Snapshot

    @property
    def thread(self) -> str:
        assert self.where.thread is not None
        return self.where.thread

    async def lose(self, effect: str = "after") -> None:
        """A create whose answer is lost."""
        self.site.google.fault("drafts.create", effect=effect, end="reset")
        staged = await self.mailbox.stage(ours(), intent=INTENT, attempt=1)
        assert isinstance(await self.mailbox.create(staged, scope=self.where), Unknown)

    async def look(self, **other: object) -> object:
        at = self.site.clock.now()
        self.site.clock.skip(30)
        return await self.mailbox.look(
            request(self.where, at, before=self.before, **other)  # type: ignore[arg-type]
        )

    @property
    def draft_ids(self) -> list[str]:
        box = self.site.google.box()
        return list(box.drafts_at(box.now_s()))


@pytest.fixture
async def talk(site: Site) -> Talk:
    site.deliver(question())
    mailbox = site.mailbox()
    changes = await mailbox.changes(None, since=None, known=site.known)
    where = scope(changes.seen[0].thread, changes.seen[0].ref)
    return Talk(site, mailbox, where, await mailbox.snapshot(where))


async def test_a_lost_draft_is_found_by_its_header_field(talk: Talk) -> None:
    await talk.lose()
    found = await talk.look()
    assert [one.mark for one in found.found] == [MARK]
    assert found.found[0].message_id != ANSWER
    assert found.found[0].thread == talk.thread


async def test_a_lost_draft_is_found_by_what_it_says_where_fields_are_dropped(talk: Talk) -> None:
    talk.site.google.settings.x_headers_on_create = "drop"
    await talk.lose()
    (found,) = (await talk.look()).found
    assert (found.mark, found.content_hash) == (None, content_hash(ours()))


async def test_a_lost_draft_that_was_edited_is_a_candidate(talk: Talk) -> None:
    await talk.lose()
    (draft,) = talk.draft_ids
    talk.site.google.owner().edit_draft(draft, body="Another day?\n")
    found = await talk.look()
    assert (found.found, [one.ref for one in found.candidates]) == ((), [f"draft/{draft}"])


async def test_a_lost_draft_whose_subject_was_edited_has_left_its_thread_and_is_a_candidate(
    talk: Talk,
) -> None:
    await talk.lose()
    (draft,) = talk.draft_ids
    talk.site.google.owner().edit_draft(draft, subject="Wednesday")
    found = await talk.look()
    assert [one.ref for one in (*found.found, *found.candidates)] == [f"draft/{draft}"]


async def test_a_lost_draft_that_was_sent_is_found(talk: Talk) -> None:
    await talk.lose()
    talk.site.google.owner().send_draft(talk.draft_ids[0])
    assert [one.folder for one in (await talk.look()).found] == [Folder.SENT]


async def test_a_lost_draft_in_the_trash_is_found(talk: Talk) -> None:
    await talk.lose()
    box = talk.site.google.box()
    talk.site.google.owner().trash(box.draft(talk.draft_ids[0]).id)
    assert [one.folder for one in (await talk.look()).found] == [Folder.TRASH]


async def test_a_trashed_draft_that_stays_a_draft_is_no_unsent_one(talk: Talk) -> None:
    talk.site.google.settings.trash_draft = "stays"
    await talk.lose()
    box = talk.site.google.box()
    talk.site.google.owner().trash(box.draft(talk.draft_ids[0]).id)
    assert [one.folder for one in (await talk.look()).found] == [Folder.TRASH]
    assert (await talk.mailbox.snapshot(talk.where)).drafts == ()


async def test_what_never_arrived_is_not_found_and_that_is_no_proof(talk: Talk) -> None:
    await talk.lose("before")
    found = await talk.look()
    assert (found.found, found.candidates, found.complete, found.proof) == ((), (), True, None)


async def test_a_draft_that_came_and_went_is_told_and_proves_nothing(talk: Talk) -> None:
    await talk.lose()
    talk.site.google.owner().discard_draft(talk.draft_ids[0])
    found = await talk.look()
    assert (found.found, found.proof, found.delivered) == ((), None, False)
    assert "came into the thread and went again" in found.detail


async def test_two_drafts_under_one_mark_are_both_told(talk: Talk) -> None:
    await talk.lose()
    await talk.lose()
    assert len((await talk.look()).found) == 2


async def test_a_list_of_drafts_that_lags_makes_no_absence(talk: Talk) -> None:
    talk.site.google.settings.lag_s["drafts.list"] = 120
    await talk.lose()
    found = await talk.look()
    assert (found.found, found.complete) == ((), False)
    talk.site.clock.skip(200)
    assert len((await talk.look()).found) == 1


async def test_a_thread_that_lags_hides_nothing_that_the_list_shows(talk: Talk) -> None:
    talk.site.google.settings.lag_s["threads.get"] = 120
    await talk.lose()
    assert len((await talk.look()).found) == 1


async def test_an_expired_history_is_noted_and_the_look_is_complete(talk: Talk) -> None:
    await talk.lose("before")
    talk.site.deliver(mail("<other@example.org>"))
    talk.site.google.owner().expire_history()
    found = await talk.look()
    assert found.complete
    assert "does not reach back" in found.detail


async def test_a_draft_that_was_there_before_is_no_candidate(site: Site) -> None:
    site.deliver(question())
    mailbox = site.mailbox()
    changes = await mailbox.changes(None, since=None, known=site.known)
    where = scope(changes.seen[0].thread, changes.seen[0].ref)
    site.google.owner().write_draft(owners(), where.thread)
    talk = Talk(site, mailbox, where, await mailbox.snapshot(where))
    found = await talk.look()
    assert (found.found, found.candidates) == ((), ())


async def test_a_mark_in_the_inbox_is_not_believed(talk: Talk) -> None:
    talk.site.deliver(ours())
    assert (await talk.look()).found == ()


async def test_the_search_is_one_more_chance(talk: Talk) -> None:
    """A draft elsewhere, of which neither list nor history says anything new."""
    talk.site.google.settings.message_id_on_create = "keep"
    box = talk.site.google.box()
    made = box.add(headers.crlf(ours(mark=None)), ["SENT"], None)
    assert made.thread != talk.thread
    talk.before.place["history"] = None  # type: ignore[index]
    talk.site.clock.skip(120)
    assert [one.folder for one in (await talk.look()).found] == [Folder.SENT]


async def test_a_server_without_search_is_noted(talk: Talk) -> None:
    talk.site.google.fault("messages.list", answer="plain_404", effect="before", times=9)
    found = await talk.look()
    assert found.complete
    assert "no search" in found.detail


async def test_a_snapshot_shows_mail_that_came_since(talk: Talk) -> None:
    talk.site.deliver(mail("<second@example.org>", parent=QUESTION))
    news = (await talk.mailbox.snapshot(talk.where)).news
    assert [one.heads.message_id for one in news] == ["<second@example.org>"]


async def test_a_snapshot_shows_the_owners_own_draft(talk: Talk) -> None:
    made = talk.site.google.owner().write_draft(owners(), talk.thread)
    (seen,) = (await talk.mailbox.snapshot(talk.where)).drafts
    assert (seen.ref, seen.mark) == (f"draft/{made['draft']}", None)


async def test_a_snapshot_is_right_after_the_history_was_lost(talk: Talk) -> None:
    talk.site.deliver(mail("<second@example.org>", parent=QUESTION))
    talk.site.google.owner().expire_history()
    news = (await talk.mailbox.snapshot(talk.where)).news
    assert [one.heads.message_id for one in news] == ["<second@example.org>"]


async def test_a_draft_is_made_in_its_thread_with_all_that_binds_it(talk: Talk) -> None:
    draft = await make(talk.mailbox, talk.where)
    message = talk.site.google.box().draft(draft.ref.removeprefix("draft/"))
    assert message.thread == talk.thread
    assert headers.first(message.raw, "In-Reply-To") == QUESTION


async def test_a_draft_that_gmail_puts_elsewhere_is_accepted_and_told(talk: Talk) -> None:
    raw = ours().replace(b"Subject: Tuesday", b"Subject: Wednesday")
    staged = await talk.mailbox.stage(raw, intent=INTENT, attempt=1)
    outcome = await talk.mailbox.create(staged, scope=talk.where)
    assert isinstance(outcome, Accepted)
    assert "a conversation of its own" in outcome.detail


@pytest.mark.parametrize("known", [True, False])
async def test_a_draft_that_the_owner_sent_is_sent(talk: Talk, known: bool) -> None:
    draft = await make(talk.mailbox, talk.where)
    sent = talk.site.google.owner().send_draft(draft.ref.removeprefix("draft/"))
    where = talk.where
    if known:
        where = scope(talk.thread, *where.refs, f"mail/{talk.thread}/{sent['id']}")  # type: ignore[arg-type]
    fresh = talk.site.mailbox()
    now = await fresh.draft(
        type(draft)(
            ref=draft.ref,
            version=draft.version,
            content_hash=draft.content_hash,
            mark=draft.mark,
            scope=where,
        )
    )
    assert now.where is Whereabouts.SENT


async def test_a_draft_that_was_recreated_is_the_owners(talk: Talk) -> None:
    draft = await make(talk.mailbox, talk.where)
    made = talk.site.google.owner().recreate_draft(draft.ref.removeprefix("draft/"))
    now = await talk.mailbox.draft(draft)
    assert now.where is Whereabouts.EDITED
    assert now.sight is not None
    assert now.sight.ref == f"draft/{made['draft']}"


async def test_a_discarded_draft_is_absent(talk: Talk) -> None:
    draft = await make(talk.mailbox, talk.where)
    talk.site.google.owner().discard_draft(draft.ref.removeprefix("draft/"))
    assert (await talk.site.mailbox().draft(draft)).where is Whereabouts.ABSENT


REMOVAL = IntentId("2e" * 16)


async def test_nothing_is_removed_before_a_probe_has_seen_it_work(talk: Talk) -> None:
    draft = await make(talk.mailbox, talk.where)
    mailbox = talk.site.mailbox(kept=None)
    outcome = await mailbox.remove(draft, intent=REMOVAL, attempt=1)
    assert isinstance(outcome, Rejected)
    assert "check --probe" in outcome.reason
    assert talk.site.requests("messages.trash") == 0
    assert not mailbox.profile.versioned_removal


@pytest.mark.parametrize("how", ["leaves", "stays"])
async def test_a_removal_trashes_the_message_and_can_be_undone(talk: Talk, how: str) -> None:
    talk.site.google.settings.trash_draft = how  # type: ignore[assignment]
    draft = await make(talk.mailbox, talk.where)
    outcome = await talk.mailbox.remove(draft, intent=REMOVAL, attempt=1)
    assert isinstance(outcome, Accepted)
    assert "TRASH" in talk.site.google.box().get(draft.version).now
    assert talk.site.requests("drafts.delete") == talk.site.requests("drafts.update") == 0
    assert talk.site.requests("messages.trash") == 1


async def test_a_draft_that_gmail_will_not_trash_is_left(talk: Talk) -> None:
    talk.site.google.settings.trash_draft = "refused"
    draft = await make(talk.mailbox, talk.where)
    outcome = await talk.mailbox.remove(draft, intent=REMOVAL, attempt=1)
    assert not isinstance(outcome, Accepted)
    assert (await talk.mailbox.draft(draft)).where is Whereabouts.UNTOUCHED


@pytest.mark.parametrize("saves", [1, 5])
async def test_an_edit_at_the_last_moment_is_never_removed(talk: Talk, saves: int) -> None:
    draft = await make(talk.mailbox, talk.where)
    talk.site.google.owner().autosave(draft.ref.removeprefix("draft/"), saves)
    outcome = await talk.mailbox.remove(draft, intent=REMOVAL, attempt=1)
    assert isinstance(outcome, Rejected)
    assert len(talk.draft_ids) == 1


async def test_a_removal_whose_answer_is_lost_is_settled_by_a_direct_get(talk: Talk) -> None:
    draft = await make(talk.mailbox, talk.where)
    talk.site.google.fault("messages.trash", effect="after", end="reset")
    assert isinstance(await talk.mailbox.remove(draft, intent=REMOVAL, attempt=1), Accepted)
    assert talk.site.requests("messages.trash") == 1


async def test_a_removal_that_may_still_land_stays_unknown(talk: Talk) -> None:
    draft = await make(talk.mailbox, talk.where)
    talk.site.google.fault("messages.trash", effect="before", end="reset")
    assert isinstance(await talk.mailbox.remove(draft, intent=REMOVAL, attempt=1), Unknown)


async def test_a_removal_that_nobody_can_look_up_stays_unknown(talk: Talk) -> None:
    draft = await make(talk.mailbox, talk.where)
    talk.site.google.fault("messages.trash", effect="after", end="reset")
    talk.site.google.fault("drafts.get", effect="before", end="reset")
    assert isinstance(await talk.mailbox.remove(draft, intent=REMOVAL, attempt=1), Unknown)


async def test_what_a_probe_found_decides_what_is_done(talk: Talk) -> None:
    mailbox = talk.site.mailbox(kept=None)
    mailbox.learn(ALL)
    assert mailbox.profile.versioned_removal
    assert mailbox.profile.marks == ALL.marks
