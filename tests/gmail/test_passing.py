"""A pass over a Gmail account: what is news, what is not, and what is told of a gap."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from anyio import CapacityLimiter

from providers.gmail import GmailMailbox
from providers.gmail.api import History
from providers.gmail.cursor import Cursor
from providers.gmail.items import item_of
from providers.gmail.passing import Pass
from providers.gmail.shelf import Shelf
from providers.ports import Changes, Folder, Json, TransientError
from storage.words import Ref
from tests.contracts.mails import QUESTION, mail, owners, question
from tests.gmail.conftest import Site, scope
from tests.gmail.drafts import make, thread_of


async def run(site: Site, mailbox: GmailMailbox, cursor: Json | None = None) -> Changes:
    """One pass, noted."""
    changes = await mailbox.changes(cursor, since=None, known=site.known)
    site.refs |= {one.ref for one in changes.seen}
    site.refs -= set(changes.vanished)
    return changes


def ids(changes: Changes) -> list[str | None]:
    return [one.heads.message_id for one in changes.seen]


async def test_a_first_pass_shows_the_conversation_behind_each_mail(site: Site) -> None:
    site.deliver(question(), [], days_ago=40)
    site.deliver(mail("<second@example.org>", parent=QUESTION))
    since = site.clock.now() - timedelta(days=3)
    changes = await site.mailbox().changes(None, since=since, known=site.known)
    assert ids(changes) == [QUESTION, "<second@example.org>"]
    assert {one.folder for one in changes.seen} == {Folder.INBOX}
    assert len({one.thread for one in changes.seen}) == 1


async def test_mail_that_the_search_has_not_indexed_is_found_by_its_label(site: Site) -> None:
    message = site.deliver(question(), days_ago=1)
    site.google.settings.never_indexed.append(message)
    since = site.clock.now() - timedelta(days=3)
    changes = await site.mailbox().changes(None, since=since, known=site.known)
    assert ids(changes) == [QUESTION]


async def test_a_first_pass_ends_where_old_mail_begins(site: Site) -> None:
    for number in range(40):
        site.deliver(mail(f"<old{number}@example.org>"), days_ago=30 + number)
    site.deliver(question())
    since = site.clock.now() - timedelta(days=3)
    changes = await site.mailbox().changes(None, since=since, known=site.known)
    assert ids(changes) == [QUESTION]
    assert site.requests("messages.get") < 10


async def test_an_answer_that_a_filter_put_aside_is_news_of_its_conversation(site: Site) -> None:
    site.deliver(question(), days_ago=1)
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(mail("<aside@example.org>", parent=QUESTION), ["UNREAD"])
    assert ids(await run(site, mailbox, first.cursor)) == ["<aside@example.org>"]


async def test_a_conversation_that_a_filter_put_aside_is_no_news_and_costs_nothing(
    site: Site,
) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(mail("<newsletter@example.org>"), ["UNREAD"])
    before = site.units
    assert (await run(site, mailbox, first.cursor)).seen == ()
    assert site.units - before == 2


async def test_mail_that_is_moved_into_the_inbox_is_news(site: Site) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    message = site.deliver(question(), ["UNREAD"])
    second = await run(site, mailbox, first.cursor)
    site.google.owner().relabel(message, add=["INBOX"])
    assert ids(await run(site, mailbox, second.cursor)) == [QUESTION]


async def test_archiving_reading_and_starring_are_no_news(site: Site) -> None:
    message = site.deliver(question())
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.google.owner().relabel(message, add=["STARRED"], remove=["INBOX", "UNREAD"])
    second = await run(site, mailbox, first.cursor)
    assert (second.seen, second.vanished) == ((), ())


@pytest.mark.parametrize("label", ["SPAM", "TRASH"])
async def test_spam_and_trash_are_never_watched(site: Site, label: str) -> None:
    site.deliver(mail("<first@example.org>"), [label])
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(mail("<second@example.org>"), [label])
    site.deliver(question())
    site.deliver(mail("<third@example.org>", parent=QUESTION), [label])
    second = await run(site, mailbox, first.cursor)
    assert [ids(first), ids(second)] == [[], [QUESTION]]


async def test_mail_that_is_no_spam_after_all_is_news(site: Site) -> None:
    message = site.deliver(question(), ["SPAM"])
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.google.owner().relabel(message, add=["INBOX"], remove=["SPAM"])
    assert ids(await run(site, mailbox, first.cursor)) == [QUESTION]


async def test_mail_that_goes_into_the_trash_vanishes_and_comes_back(site: Site) -> None:
    message = site.deliver(question())
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.google.owner().trash(message)
    second = await run(site, mailbox, first.cursor)
    assert second.vanished == (first.seen[0].ref,)
    site.google.owner().untrash(message)
    site.google.owner().relabel(message, add=["INBOX"])
    third = await run(site, mailbox, second.cursor)
    assert [one.ref for one in third.seen] == [first.seen[0].ref]


async def test_deleted_mail_vanishes(site: Site) -> None:
    message = site.deliver(question())
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.google.owner().delete(message)
    assert (await run(site, mailbox, first.cursor)).vanished == (first.seen[0].ref,)


async def test_mail_that_is_gone_before_it_is_read_is_nothing(site: Site) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    for number in range(3):
        site.google.owner().delete(site.deliver(mail(f"<{number}@example.org>")))
    second = await run(site, mailbox, first.cursor)
    assert (second.seen, second.vanished, second.gap) == ((), (), None)


async def test_a_mail_that_disappears_between_list_and_get_is_nothing(site: Site) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(question())
    site.google.fault("messages.get", answer="not_found", effect="before")
    assert (await run(site, mailbox, first.cursor)).seen == ()


async def test_what_the_owner_sends_is_shown_as_sent(site: Site) -> None:
    site.deliver(question())
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    draft = await make(mailbox, scope(first.seen[0].thread, first.seen[0].ref))
    second = await run(site, mailbox, first.cursor)
    site.google.owner().send_draft(draft.ref.removeprefix("draft/"))
    third = await run(site, mailbox, second.cursor)
    assert [one.folder for one in third.seen] == [Folder.SENT]
    assert third.vanished == (draft.ref,)


async def test_a_mail_to_oneself_is_the_owners(site: Site) -> None:
    site.deliver(mail("<self@example.com>", to="robin@example.com"), ["SENT", "INBOX"])
    changes = await run(site, site.mailbox())
    assert [one.folder for one in changes.seen] == [Folder.SENT]


async def test_every_save_while_the_owner_types_is_no_news(site: Site) -> None:
    site.deliver(question(), days_ago=1)
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    draft = site.google.owner().write_draft(owners(), first.seen[0].thread)
    second = await run(site, mailbox, first.cursor)
    assert [one.folder for one in second.seen] == [Folder.DRAFTS]
    site.google.owner().autosave(draft["draft"], 30)
    before = site.units
    third = await run(site, mailbox, second.cursor)
    assert (third.seen, third.vanished) == ((), ())
    assert site.units - before == 2 + 5


async def test_a_draft_that_the_owner_discards_vanishes(site: Site) -> None:
    draft = site.google.owner().write_draft(owners())
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.google.owner().discard_draft(draft["draft"])
    assert (await run(site, site.mailbox(), first.cursor)).vanished == (first.seen[0].ref,)


async def test_a_draft_keeps_its_reference_and_identity_through_edits(site: Site) -> None:
    draft = site.google.owner().write_draft(owners())
    first = await run(site, site.mailbox())
    site.google.owner().edit_draft(draft["draft"], body="Something else.\n")
    site.refs.clear()
    second = await run(site, site.mailbox())
    assert [one.ref for one in first.seen] == [one.ref for one in second.seen]
    assert first.seen[0].heads.identity == second.seen[0].heads.identity


async def test_a_gap_is_told_and_read_anew_since_the_last_good_pass(site: Site) -> None:
    site.deliver(question(), days_ago=1)
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    at = site.clock.now()
    site.clock.skip(3600)
    site.deliver(mail("<second@example.org>", parent=QUESTION))
    site.deliver(mail("<other@example.org>"))
    site.google.owner().expire_history()
    second = await run(site, mailbox, first.cursor)
    assert ids(second) == ["<second@example.org>", "<other@example.org>"]
    assert second.gap is not None
    assert second.gap.covered_from is not None
    assert timedelta(0) < at - second.gap.covered_from < timedelta(minutes=11)


async def test_a_gap_covers_thirty_days_at_most(site: Site) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.clock.skip(60 * 86_400)
    site.deliver(mail("<old@example.org>"), days_ago=40)
    site.deliver(question(), days_ago=20)
    site.google.owner().expire_history()
    second = await run(site, mailbox, first.cursor)
    assert ids(second) == [QUESTION]
    assert second.gap is not None
    assert second.gap.covered_from is not None
    covered = site.clock.now() - second.gap.covered_from
    assert abs(covered - timedelta(days=30)) < timedelta(minutes=1)


async def test_an_answer_put_aside_within_a_gap_is_news(site: Site) -> None:
    site.deliver(question(), days_ago=1)
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(mail("<aside@example.org>", parent=QUESTION), ["UNREAD"])
    site.google.owner().expire_history()
    site.clock.skip(120)
    assert ids(await run(site, mailbox, first.cursor)) == ["<aside@example.org>"]


async def test_after_a_gap_the_history_is_followed_again(site: Site) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(question())
    site.google.owner().expire_history()
    second = await run(site, mailbox, first.cursor)
    site.deliver(mail("<next@example.org>"))
    third = await run(site, mailbox, second.cursor)
    assert (ids(third), third.gap) == (["<next@example.org>"], None)


async def test_a_cursor_that_is_none_of_ours_is_a_gap(site: Site) -> None:
    site.deliver(question())
    changes = await run(site, site.mailbox(), {"folders": {}})
    assert changes.gap is not None
    assert ids(changes) == [QUESTION]


async def test_a_history_that_lags_and_names_the_newest_id_loses_nothing(site: Site) -> None:
    mailbox = site.mailbox()
    site.deliver(mail("<first@example.org>"))
    first = await run(site, mailbox)
    site.google.settings.history_cursor = "current"
    site.google.settings.lag_s["history.list"] = 120
    site.deliver(question())
    second = await run(site, mailbox, first.cursor)
    assert second.seen == ()
    site.clock.skip(180)
    assert ids(await run(site, mailbox, second.cursor)) == [QUESTION]


async def test_a_thread_that_lags_behind_the_history_loses_nothing(site: Site) -> None:
    site.deliver(question(), days_ago=1)
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.google.settings.lag_s["threads.get"] = 120
    site.deliver(mail("<second@example.org>", parent=QUESTION))
    assert ids(await run(site, mailbox, first.cursor)) == ["<second@example.org>"]


@pytest.mark.parametrize(("days", "point"), [(0.5, "5"), (1.5, "9")])
def test_the_present_id_is_believed_after_a_day_without_a_record(days: float, point: str) -> None:
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    then = now.timestamp() - days * 86_400
    held = Cursor(history="5", moved=then, at=then, floor=0.0, drafts=None)
    under_way = Pass(
        api=None,  # type: ignore[arg-type]
        shelf=Shelf(CapacityLimiter(1)),
        known=None,  # type: ignore[arg-type]
        now=now,
        stumbles={},
        point="5",
    )
    quiet = History(events=(), last="5", current="9")
    assert under_way._following(held, quiet, None).history == point


async def test_many_pages_are_all_read(site: Site) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    for number in range(520):
        site.deliver(mail(f"<{number}@example.org>", parent="<0@example.org>"))
    changes = await run(site, mailbox, first.cursor)
    assert len(changes.seen) == 520
    assert site.requests("history.list") == 2


async def test_a_thread_of_a_thousand_messages_is_one_call(site: Site) -> None:
    made = site.google.owner().deliver_thread(1_000, "mina@example.org")
    mailbox = site.mailbox()
    changes = await run(site, mailbox)
    assert len(changes.seen) == 1_000
    assert {thread_of(one.ref) for one in changes.seen} == {made["threadId"]}
    fetched = await mailbox.fetch([one.ref for one in changes.seen])
    assert all(one.raw for one in fetched)
    assert site.requests("threads.get") == 1


async def test_a_thread_that_is_too_large_is_read_mail_by_mail(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("providers.gmail.api.THREAD_OCTETS", 8_000)
    for number in range(3):
        site.deliver(mail(f"<{number}@example.org>", parent="<0@example.org>", body="long " * 1000))
    mailbox = site.mailbox()
    changes = await run(site, mailbox)
    assert len(changes.seen) == 3
    fetched = await mailbox.fetch([one.ref for one in changes.seen])
    assert [b"long long" in (one.raw or b"") for one in fetched] == [True] * 3


async def test_a_thread_that_google_cannot_give_is_told_and_stops_nothing(site: Site) -> None:
    site.deliver(question(), days_ago=1)
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(mail("<second@example.org>", parent=QUESTION))
    site.deliver(mail("<fine@example.org>"))
    site.google.fault("threads.get", answer="backend_error", effect="before", times=99)
    for _ in range(2):
        with pytest.raises(TransientError):
            await run(site, mailbox, first.cursor)
    changes = await run(site, mailbox, first.cursor)
    told = {one.heads.message_id: one.unreadable for one in changes.seen}
    assert told["<fine@example.org>"] is None
    assert told[None]


async def test_a_pass_that_fails_moves_no_cursor(site: Site) -> None:
    mailbox = site.mailbox()
    first = await run(site, mailbox)
    site.deliver(question())
    site.google.fault("messages.get", end="reset", effect="before")
    with pytest.raises(TransientError):
        await run(site, mailbox, first.cursor)
    assert ids(await run(site, mailbox, first.cursor)) == [QUESTION]


async def test_a_token_that_ended_early_costs_a_read_nothing(site: Site) -> None:
    site.deliver(question())
    site.google.fault("messages.list", answer="unauthorized", effect="before")
    assert ids(await run(site, site.mailbox())) == [QUESTION]
    assert site.tokens.told == [site.tokens.access]


async def test_a_token_that_is_refused_again_is_told(site: Site) -> None:
    site.google.fault("messages.list", answer="unauthorized", effect="before", times=9)
    with pytest.raises(TransientError):
        await run(site, site.mailbox())
    assert site.requests("messages.list") == 2


async def test_a_longer_look_back_shows_older_mail(site: Site) -> None:
    site.deliver(mail("<old@example.org>"), days_ago=9)
    site.deliver(question(), days_ago=1)
    mailbox = site.mailbox()
    now = site.clock.now()
    first = await mailbox.changes(None, since=now - timedelta(days=3), known=site.known)
    site.refs |= {one.ref for one in first.seen}
    second = await mailbox.changes(first.cursor, since=now - timedelta(days=30), known=site.known)
    assert [ids(first), ids(second)] == [[QUESTION], ["<old@example.org>"]]


async def test_unreadable_bytes_are_mail_all_the_same(site: Site) -> None:
    site.deliver(b"\xff\xfe no header at all")
    changes = await run(site, site.mailbox())
    assert len(changes.seen) == 1
    assert isinstance(changes.seen[0].ref, str)
    assert Ref(changes.seen[0].ref)


async def test_an_edited_draft_is_told_with_every_edit(site: Site) -> None:
    mailbox = site.mailbox()
    site.deliver(question())
    first = await run(site, mailbox)
    made = await make(mailbox, scope(thread_of(first.seen[0].ref)))
    second = await run(site, mailbox, first.cursor)
    name = str(made.ref).removeprefix("draft/")
    cursor, told = second.cursor, []
    for text in ("one", "two"):
        site.google.owner().edit_draft(name, body=text)
        changes = await run(site, site.mailbox(), cursor)
        cursor = changes.cursor
        told.append((changes.edited, ids(changes), changes.vanished))
    assert second.edited == ()
    assert told == [((made.ref,), [], ())] * 2


async def test_a_server_without_history_is_a_gap_once(site: Site) -> None:
    mailbox = site.mailbox()
    cursor: Json | None = (await run(site, mailbox)).cursor
    gaps, seen = [], []
    for number in range(3):
        site.deliver(mail(f"<{number}@example.org>"))
        site.google.fault(method="history.list", effect="before", answer="plain_404", times=1)
        changes = await run(site, mailbox, cursor)
        cursor = changes.cursor
        gaps.append(changes.gap is not None)
        seen += ids(changes)
        site.clock.skip(7_200)
    assert gaps == [True, False, False]
    assert seen == ["<0@example.org>", "<1@example.org>", "<2@example.org>"]


async def test_a_history_that_expires_long_after_is_a_gap_again(site: Site) -> None:
    mailbox = site.mailbox()
    cursor: Json | None = (await run(site, mailbox)).cursor
    gaps = []
    for rest_s in (60, 7_200, 0):
        site.google.fault(method="history.list", effect="before", answer="not_found", times=1)
        changes = await run(site, mailbox, cursor)
        cursor = changes.cursor
        gaps.append(changes.gap is not None)
        site.clock.skip(rest_s)
    assert gaps == [True, False, True]


async def test_a_mail_without_internal_date_arrived_when_it_says(site: Site) -> None:
    value = {"id": "1", "payload": {"headers": [
        {"name": "Date", "value": "Mon, 30 Nov 2026 05:00:00 +0100"}]}}  # fmt: skip
    item = item_of(value)
    assert item is not None
    assert item.arrived_at == datetime(2026, 11, 30, 4, tzinfo=UTC)
