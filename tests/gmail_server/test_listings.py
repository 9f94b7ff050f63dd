"""What is listed, searched and read, and how far behind a listing may be."""

from __future__ import annotations

from email.message import EmailMessage

import aiohttp
import pytest

from tests.gmail_server.caller import LETTER, Caller, reply, unpacked
from tests.support.gmail import GmailServer
from tests.support.gmail.clock import ServerClock


async def test_the_profile_names_the_newest_history_id(caller: Caller, google: GmailServer) -> None:
    caller.letter()
    got = (await caller.get("/profile")).body
    assert got["emailAddress"] == "robin@example.com"
    assert got["historyId"] == str(google.box().history_id)


async def test_a_raw_read_gives_the_octets_with_crlf(caller: Caller) -> None:
    letter = caller.letter()
    got = await caller.get(f"/messages/{letter['id']}", ("format", "raw"))
    assert unpacked(got.body["raw"]) == LETTER.replace(b"\n", b"\r\n")
    assert "payload" not in got.body


async def test_metadata_gives_the_fields_asked_for_and_no_body(caller: Caller) -> None:
    letter = caller.letter()
    query = [("format", "metadata"), ("metadataHeaders", "subject"), ("metadataHeaders", "X-No")]
    got = await caller.get(f"/messages/{letter['id']}", *query)
    assert got.body["payload"]["headers"] == [{"name": "Subject", "value": "The lease"}]
    assert "body" not in got.body["payload"]


async def test_minimal_gives_no_payload(caller: Caller) -> None:
    letter = caller.letter()
    got = (await caller.get(f"/messages/{letter['id']}", ("format", "minimal"))).body
    assert "payload" not in got
    assert got["labelIds"] == ["INBOX", "UNREAD"]
    assert got["sizeEstimate"] == len(LETTER.replace(b"\n", b"\r\n"))


async def test_full_gives_parts_with_base64url_bodies_and_attachment_ids(
    caller: Caller, google: GmailServer
) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Grüße"
    mail.set_content("größer\n", charset="iso-8859-1")
    mail.add_attachment(b"\x00\xff" * 9, maintype="application", subtype="x", filename="a.bin")
    name = google.owner().deliver(mail.as_bytes())["id"]
    got = await caller.get(f"/messages/{name}")
    text, file = got.body["payload"]["parts"]
    assert got.field("Subject") == "Grüße"
    assert unpacked(text["body"]["data"]).decode() == "größer\r\n"
    fetched = await caller.get(f"/messages/{name}/attachments/{file['body']['attachmentId']}")
    assert unpacked(fetched.body["data"]) == b"\x00\xff" * 9


@pytest.mark.parametrize(
    ("decoded", "shown"), [(True, "Grüße"), (False, "=?utf-8?q?Gr=C3=BC=C3=9Fe?=")]
)
async def test_encoded_words_are_decoded_or_not_as_the_server_is_set(
    caller: Caller, google: GmailServer, decoded: bool, shown: str
) -> None:
    google.settings.headers_decoded = decoded
    raw = LETTER.replace(b"The lease", b"=?utf-8?q?Gr=C3=BC=C3=9Fe?=")
    name = google.owner().deliver(raw)["id"]
    assert (await caller.get(f"/messages/{name}")).field("Subject") == shown
    assert (await caller.get(f"/messages/{name}", ("format", "metadata"))).field("Subject") == shown


async def test_a_message_that_is_not_there_is_not_found(caller: Caller) -> None:
    got = await caller.get("/messages/1989000000999999")
    assert (got.status, got.why, got.body["error"]["status"]) == (404, "notFound", "NOT_FOUND")


async def test_an_empty_listing_has_no_list(caller: Caller) -> None:
    assert (await caller.get("/messages")).body == {"resultSizeEstimate": 0}


async def test_listings_hide_the_trash_unless_asked(caller: Caller, google: GmailServer) -> None:
    google.owner().trash(caller.letter()["id"])
    assert "messages" not in (await caller.get("/messages")).body
    assert (await caller.get("/messages", ("includeSpamTrash", "true"))).body["messages"]
    assert (await caller.get("/messages", ("labelIds", "TRASH"))).body["messages"]


async def test_what_is_deleted_is_listed_no_more(caller: Caller, google: GmailServer) -> None:
    letter = caller.letter()
    google.owner().delete(letter["id"])
    assert (await caller.get("/messages")).body == {"resultSizeEstimate": 0}
    assert (await caller.get(f"/threads/{letter['threadId']}")).status == 404
    assert (await caller.get("/profile")).body["messagesTotal"] == 0


async def test_true_with_a_capital_is_refused(caller: Caller) -> None:
    got = await caller.get("/messages", ("includeSpamTrash", "True"))
    assert (got.status, got.why) == (400, "invalidArgument")


async def test_a_parameter_that_nobody_knows_is_refused(caller: Caller) -> None:
    assert (await caller.get("/messages", ("nope", "1"))).status == 400


async def test_several_labels_must_all_be_there(caller: Caller, google: GmailServer) -> None:
    letter = caller.letter()
    google.owner().relabel(letter["id"], add=["STARRED"])
    google.owner().deliver(LETTER.replace(b"lease-1", b"lease-2"))
    got = await caller.get("/messages", ("labelIds", "INBOX"), ("labelIds", "STARRED"))
    assert [one["id"] for one in got.body["messages"]] == [letter["id"]]


async def test_pages_together_are_the_whole(caller: Caller, google: GmailServer) -> None:
    made = google.owner().deliver_thread(7, "ada@example.org")["ids"]
    names: list[str] = []
    token = ""
    pages = 0
    while pages == 0 or token:
        more = [("pageToken", token)] if token else []
        got = (await caller.get("/messages", ("maxResults", "3"), *more)).body
        names += [one["id"] for one in got["messages"]]
        token = got.get("nextPageToken", "")
        pages += 1
    assert (names, pages) == (made[::-1], 3)


async def test_more_than_500_results_are_never_given(caller: Caller, google: GmailServer) -> None:
    google.owner().deliver_thread(501, "ada@example.org")
    got = await caller.get("/messages", ("maxResults", "2000"))
    assert len(got.body["messages"]) == 500
    assert got.body["nextPageToken"]


async def test_a_thread_of_1000_messages_is_given_whole_and_oldest_first(
    caller: Caller, google: GmailServer
) -> None:
    made = google.owner().deliver_thread(1_000, "ada@example.org")
    got = await caller.get(f"/threads/{made['threadId']}", ("format", "minimal"))
    assert [one["id"] for one in got.body["messages"]] == made["ids"]


async def test_a_thread_shows_its_draft_and_what_is_in_the_trash(
    caller: Caller, google: GmailServer
) -> None:
    letter = caller.letter()
    draft = await caller.draft(reply(), letter["threadId"])
    google.owner().trash(letter["id"])
    got = await caller.get(f"/threads/{letter['threadId']}", ("format", "metadata"))
    labels = {one["id"]: one["labelIds"] for one in got.body["messages"]}
    assert labels == {letter["id"]: ["UNREAD", "TRASH"], draft.body["message"]["id"]: ["DRAFT"]}


async def test_a_thread_cannot_be_read_raw(caller: Caller) -> None:
    letter = caller.letter()
    assert (await caller.get(f"/threads/{letter['threadId']}", ("format", "raw"))).status == 400


async def test_mail_that_answers_joins_the_thread_of_what_it_answers(
    caller: Caller, google: GmailServer
) -> None:
    letter = caller.letter()
    answer = reply().replace(b"robin@", b"ada@")
    assert google.owner().deliver(answer)["threadId"] == letter["threadId"]


@pytest.mark.parametrize(
    "query",
    [
        "rfc822msgid:lease-1@example.org",
        "rfc822msgid:<lease-1@example.org>",
        "in:inbox newer_than:1d",
        "after:1772438000 sign",
        "from:ada subject:lease -in:trash",
        '"sign the lease"',
        "is:unread",
        'subject:"the lease" AND lease',
        "older:2026/03/03 newer:2026/3/2",
    ],
)
async def test_search_finds(caller: Caller, clock: ServerClock, query: str) -> None:
    letter = caller.letter()
    clock.advance(60)
    got = await caller.get("/messages", ("q", query))
    assert [one["id"] for one in got.body["messages"]] == [letter["id"]]


@pytest.mark.parametrize("query", ["rfc822msgid:lease", "older_than:1d", "sig", "in:trash"])
async def test_search_does_not_find(caller: Caller, clock: ServerClock, query: str) -> None:
    caller.letter()
    clock.advance(60)
    assert "messages" not in (await caller.get("/messages", ("q", query))).body


async def test_an_apostrophe_is_no_quote(caller: Caller) -> None:
    assert (await caller.get("/messages", ("q", "it's"))).status == 200


@pytest.mark.parametrize("query", ["a OR b", "{a b}", "has:attachment"])
async def test_what_search_does_not_play_fails_the_test_and_not_the_call(
    caller: Caller, query: str
) -> None:
    with pytest.raises(aiohttp.ClientError):
        await caller.get("/messages", ("q", query))
    assert {type(error) for error in caller.google.wire.bugs} == {NotImplementedError}
    caller.google.wire.bugs.clear()


async def test_search_lags_and_the_listing_does_not(caller: Caller, clock: ServerClock) -> None:
    caller.letter()
    clock.advance(59)
    assert "messages" not in (await caller.get("/messages", ("q", "sign"))).body
    assert (await caller.get("/messages", ("labelIds", "INBOX"))).body["messages"]
    clock.advance(1)
    assert (await caller.get("/messages", ("q", "sign"))).body["messages"]


async def test_search_sees_labels_as_they_were(
    caller: Caller, google: GmailServer, clock: ServerClock
) -> None:
    letter = caller.letter()
    clock.advance(60)
    google.owner().trash(letter["id"])
    assert (await caller.get("/messages", ("q", "in:inbox"))).body["messages"]


async def test_search_still_shows_what_was_deleted(
    caller: Caller, google: GmailServer, clock: ServerClock
) -> None:
    letter = caller.letter()
    clock.advance(60)
    google.owner().delete(letter["id"])
    assert (await caller.get("/messages", ("q", "sign"))).body["messages"]
    assert (await caller.get(f"/messages/{letter['id']}")).status == 404


async def test_some_messages_are_never_indexed(
    caller: Caller, google: GmailServer, clock: ServerClock
) -> None:
    google.settings.never_indexed.append(caller.letter()["id"])
    clock.advance(3_000)
    got = await caller.get("/messages", ("q", "sign"))
    assert got.body == {"resultSizeEstimate": 0}


@pytest.mark.parametrize("finds", [True, False])
async def test_search_finds_drafts_or_not_as_the_server_is_set(
    caller: Caller, clock: ServerClock, finds: bool
) -> None:
    caller.google.settings.change({"search_finds_drafts": finds, "message_id_on_create": "keep"})
    await caller.draft(reply())
    clock.advance(60)
    got = await caller.get("/messages", ("q", "rfc822msgid:m1@example.com"))
    assert ("messages" in got.body) is finds


async def test_drafts_list_lags_as_it_is_set(caller: Caller, clock: ServerClock) -> None:
    caller.google.settings.lag_s["drafts.list"] = 30
    made = await caller.draft(reply())
    assert "drafts" not in (await caller.get("/drafts")).body
    assert (await caller.get(f"/drafts/{made.body['id']}")).status == 200
    clock.advance(30)
    assert (await caller.get("/drafts")).body["drafts"][0]["id"] == made.body["id"]


async def test_a_lagging_drafts_list_still_shows_what_was_deleted(
    caller: Caller, clock: ServerClock
) -> None:
    caller.google.settings.lag_s["drafts.list"] = 30
    made = await caller.draft(reply())
    clock.advance(30)
    await caller.call("DELETE", f"/drafts/{made.body['id']}")
    assert (await caller.get("/drafts")).body["drafts"][0]["id"] == made.body["id"]
    assert (await caller.get(f"/drafts/{made.body['id']}")).status == 404


async def test_threads_get_lags_as_it_is_set(caller: Caller, clock: ServerClock) -> None:
    caller.google.settings.lag_s["threads.get"] = 30
    letter = caller.letter()
    clock.advance(30)
    await caller.draft(reply(), letter["threadId"])
    got = await caller.get(f"/threads/{letter['threadId']}", ("format", "minimal"))
    assert [one["id"] for one in got.body["messages"]] == [letter["id"]]


async def test_messages_list_lags_as_it_is_set(caller: Caller, clock: ServerClock) -> None:
    caller.google.settings.lag_s["messages.list"] = 30
    caller.letter()
    assert "messages" not in (await caller.get("/messages", ("labelIds", "INBOX"))).body
    clock.advance(30)
    assert (await caller.get("/messages", ("labelIds", "INBOX"))).body["messages"]


async def test_fields_cuts_the_answer(caller: Caller) -> None:
    letter = caller.letter()
    path = f"/threads/{letter['threadId']}"
    got = await caller.get(path, ("fields", "id,messages(id,payload/headers/name)"))
    assert set(got.body) == {"id", "messages"}
    assert set(got.body["messages"][0]) == {"id", "payload"}
    assert set(got.body["messages"][0]["payload"]["headers"][0]) == {"name"}


async def test_send_as_gives_aliases_and_signatures(caller: Caller, google: GmailServer) -> None:
    google.owner().send_as(
        [
            {"address": "robin@example.com", "name": "Robin Vale", "primary": True},
            {"address": "hello@vale.example.net", "signature": "<b>Robin</b>", "default": True},
            {"address": "new@vale.example.net", "verified": False},
        ]
    )
    first, second, third = (await caller.get("/settings/sendAs")).body["sendAs"]
    assert (first["isPrimary"], first["isDefault"]) == (True, False)
    assert (second["signature"], second["isDefault"]) == ("<b>Robin</b>", True)
    assert third["verificationStatus"] == "pending"


async def test_the_signature_is_not_added_to_what_the_api_writes(
    caller: Caller, google: GmailServer
) -> None:
    entry = {"address": "robin@example.com", "signature": "Robin", "default": True}
    google.owner().send_as([entry | {"primary": True}])
    made = await caller.draft(reply())
    got = await caller.get(f"/drafts/{made.body['id']}", ("format", "raw"))
    assert unpacked(got.body["message"]["raw"]).endswith(b"\r\n\r\nYes, gladly.\r\n")


async def test_labels_are_the_systems_and_the_persons(caller: Caller, google: GmailServer) -> None:
    key = google.owner().label("Leases")["id"]
    told = {one["id"]: one for one in (await caller.get("/labels")).body["labels"]}
    assert told["DRAFT"]["type"] == "system"
    assert told[key] == {"id": key, "name": "Leases", "type": "user"}
