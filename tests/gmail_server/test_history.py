"""The change feed: typed, not contiguous, in pages, late, and forgotten after a while."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gmail_server.caller import LETTER, Caller, reply
from tests.support.gmail import GmailServer
from tests.support.gmail.clock import ServerClock


async def since(caller: Caller, start: str, *query: tuple[str, str]) -> dict[str, Any]:
    got = await caller.get("/history", ("startHistoryId", start), *query)
    assert got.status == 200
    assert isinstance(got.body, dict)
    return got.body


async def now(caller: Caller) -> str:
    return str((await caller.get("/profile")).body["historyId"])


def kinds(told: dict[str, Any]) -> list[str]:
    typed = {"messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved"}
    return [key for one in told.get("history", []) for key in one if key in typed]


async def test_nothing_new_has_no_list_and_the_same_id(caller: Caller) -> None:
    caller.letter()
    start = await now(caller)
    assert await since(caller, start) == {"historyId": start}


async def test_a_letter_is_one_message_added(caller: Caller) -> None:
    start = await now(caller)
    letter = caller.letter()
    told = await since(caller, start)
    added = told["history"][0]["messagesAdded"][0]["message"]
    assert added == letter | {"labelIds": ["INBOX", "UNREAD"]}
    assert told["history"][0]["messages"] == [letter]
    assert told["historyId"] == told["history"][0]["id"]


async def test_ids_are_not_contiguous(caller: Caller) -> None:
    start = await now(caller)
    caller.letter()
    caller.google.owner().deliver(LETTER.replace(b"lease-1", b"lease-2"))
    ids = [int(one["id"]) for one in (await since(caller, start))["history"]]
    assert ids[1] > ids[0] + 1


async def test_an_update_deletes_one_message_and_adds_another(
    caller: Caller, google: GmailServer
) -> None:
    made = await caller.draft(reply())
    start = await now(caller)
    google.owner().edit_draft(made.body["id"], body="No.\n")
    assert kinds(await since(caller, start)) == ["messagesDeleted", "messagesAdded"]


async def test_autosave_floods_it(caller: Caller, google: GmailServer) -> None:
    made = await caller.draft(reply())
    start = await now(caller)
    google.owner().autosave(made.body["id"], 20)
    told = await since(caller, start)
    assert len(told["history"]) == 40
    names = [one["messagesAdded"][0]["message"]["id"] for one in told["history"][1::2]]
    states = [(await caller.get(f"/messages/{name}")).status for name in names]
    assert states == [404] * 19 + [200]


async def test_a_send_deletes_the_draft_and_adds_the_sent_message(caller: Caller) -> None:
    made = await caller.draft(reply())
    start = await now(caller)
    await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    gone, came = (await since(caller, start))["history"]
    assert gone["messagesDeleted"][0]["message"]["labelIds"] == ["DRAFT"]
    assert came["messagesAdded"][0]["message"]["labelIds"] == ["SENT"]


async def test_labels_put_on_and_taken_off_are_two_kinds(
    caller: Caller, google: GmailServer
) -> None:
    letter = caller.letter()
    start = await now(caller)
    google.owner().relabel(letter["id"], add=["STARRED"], remove=["UNREAD"])
    told = await since(caller, start)
    assert kinds(told) == ["labelsAdded", "labelsRemoved"]
    assert told["history"][0]["labelsAdded"][0]["labelIds"] == ["STARRED"]


async def test_only_the_kinds_asked_for_are_told(caller: Caller, google: GmailServer) -> None:
    start = await now(caller)
    google.owner().trash(caller.letter()["id"])
    told = await since(caller, start, ("historyTypes", "messageAdded"))
    assert kinds(told) == ["messagesAdded"]


async def test_a_kind_that_is_none_is_refused(caller: Caller) -> None:
    got = await caller.get("/history", ("startHistoryId", "1"), ("historyTypes", "messagesAdded"))
    assert got.status == 400


async def test_a_label_narrows_it_and_an_unknown_one_is_not_found(caller: Caller) -> None:
    start = await now(caller)
    caller.letter()
    await caller.draft(reply())
    assert len((await since(caller, start, ("labelId", "INBOX")))["history"]) == 1
    got = await caller.get("/history", ("startHistoryId", start), ("labelId", "Label_9"))
    assert (got.status, got.why) == (404, "notFound")


async def test_pages_are_in_order_and_all_name_the_newest_id(
    caller: Caller, google: GmailServer
) -> None:
    start = await now(caller)
    made = google.owner().deliver_thread(5, "ada@example.org")["ids"]
    first = await since(caller, start, ("maxResults", "3"))
    token = ("pageToken", first["nextPageToken"])
    second = await since(caller, start, ("maxResults", "3"), token)
    both = first["history"] + second["history"]
    assert [one["messages"][0]["id"] for one in both] == made
    assert first["historyId"] == second["historyId"] == both[-1]["id"]
    assert "nextPageToken" not in second


async def test_an_expired_id_is_not_found_and_nothing_says_expired(
    caller: Caller, google: GmailServer
) -> None:
    start = await now(caller)
    caller.letter()
    google.owner().expire_history()
    got = await caller.get("/history", ("startHistoryId", start))
    assert (got.status, got.why) == (404, "notFound")
    assert "xpired" not in got.octets.decode()


async def test_the_newest_id_outlives_the_expiry(caller: Caller, google: GmailServer) -> None:
    caller.letter()
    google.owner().expire_history()
    start = await now(caller)
    assert await since(caller, start) == {"historyId": start}


async def test_a_lagging_feed_names_the_last_record_that_it_shows(
    caller: Caller, clock: ServerClock
) -> None:
    caller.google.settings.lag_s["history.list"] = 30
    start = await now(caller)
    caller.letter()
    assert await since(caller, start) == {"historyId": start}
    clock.advance(30)
    assert kinds(await since(caller, start)) == ["messagesAdded"]


async def test_a_lagging_feed_names_the_newest_record_where_the_server_is_set_so(
    caller: Caller,
) -> None:
    caller.google.settings.change({"lag_s": {"history.list": 30}, "history_cursor": "current"})
    start = await now(caller)
    caller.letter()
    assert await since(caller, start) == {"historyId": await now(caller)}


@pytest.mark.parametrize("start", ["", "abc", "-4"])
async def test_a_start_that_is_no_number_is_refused(caller: Caller, start: str) -> None:
    assert (await caller.get("/history", ("startHistoryId", start))).status == 400
