"""What the server does to a draft is what Gmail was seen to do."""

from __future__ import annotations

import pytest

from tests.gmail_server.caller import Caller, packed, reply, unpacked
from tests.support.gmail import GmailServer
from tests.support.gmail.clock import ServerClock


async def test_create_answers_draft_id_message_id_and_thread(caller: Caller) -> None:
    letter = caller.letter()
    made = await caller.draft(reply(), letter["threadId"])
    assert made.status == 200
    assert made.body["id"].startswith("r")
    assert made.body["message"]["threadId"] == letter["threadId"]
    assert made.body["message"]["labelIds"] == ["DRAFT"]


async def test_create_replaces_the_message_id(caller: Caller) -> None:
    made = await caller.draft(reply())
    got = await caller.get(f"/drafts/{made.body['id']}")
    assert got.field("Message-ID").endswith("@mail.gmail.com>")  # type: ignore[union-attr]


async def test_create_keeps_the_message_id_where_the_server_is_set_so(caller: Caller) -> None:
    caller.google.settings.message_id_on_create = "keep"
    made = await caller.draft(reply())
    got = await caller.get(f"/drafts/{made.body['id']}")
    assert got.field("Message-ID") == "<m1@example.com>"


async def test_create_keeps_x_fields(caller: Caller) -> None:
    made = await caller.draft(reply("m7"))
    assert (await caller.get(f"/drafts/{made.body['id']}")).field("X-Fencepost-Intent") == "m7"


async def test_create_drops_x_fields_where_the_server_is_set_so(caller: Caller) -> None:
    caller.google.settings.x_headers_on_create = "drop"
    made = await caller.draft(reply())
    assert (await caller.get(f"/drafts/{made.body['id']}")).field("X-Fencepost-Intent") is None


async def test_create_refuses_a_thread_that_is_not_there(caller: Caller) -> None:
    made = await caller.draft(reply(), "1989000000999999")
    assert (made.status, made.why) == (404, "notFound")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(reply(subject="Another matter"), id="subject"),
        pytest.param(reply().replace(b"<lease-1@", b"<other@"), id="references"),
    ],
)
async def test_a_draft_that_does_not_match_gets_a_thread_of_its_own(
    caller: Caller, raw: bytes
) -> None:
    letter = caller.letter()
    made = await caller.draft(raw, letter["threadId"])
    assert made.body["message"]["threadId"] == made.body["message"]["id"]


async def test_the_thread_id_alone_decides_where_the_server_is_set_so(caller: Caller) -> None:
    caller.google.settings.threading = "thread_id"
    letter = caller.letter()
    made = await caller.draft(reply(subject="Another matter"), letter["threadId"])
    assert made.body["message"]["threadId"] == letter["threadId"]


async def test_without_thread_id_a_draft_joins_none(caller: Caller) -> None:
    letter = caller.letter()
    made = await caller.draft(reply())
    assert made.body["message"]["threadId"] != letter["threadId"]


async def test_update_keeps_the_draft_id_and_rotates_the_message_id(caller: Caller) -> None:
    made = await caller.draft(reply())
    body = {"message": {"raw": packed(reply())}}
    again = await caller.call("PUT", f"/drafts/{made.body['id']}", body)
    assert again.body["id"] == made.body["id"]
    assert again.body["message"]["id"] != made.body["message"]["id"]


async def test_an_updated_drafts_old_message_is_gone(caller: Caller) -> None:
    made = await caller.draft(reply())
    body = {"message": {"raw": packed(reply())}}
    await caller.call("PUT", f"/drafts/{made.body['id']}", body)
    assert (await caller.get(f"/messages/{made.body['message']['id']}")).status == 404


async def test_update_without_the_thread_leaves_it(caller: Caller) -> None:
    letter = caller.letter()
    made = await caller.draft(reply(), letter["threadId"])
    body = {"message": {"raw": packed(reply())}}
    again = await caller.call("PUT", f"/drafts/{made.body['id']}", body)
    assert again.body["message"]["threadId"] != letter["threadId"]


async def test_delete_is_for_good(caller: Caller) -> None:
    made = await caller.draft(reply())
    gone = await caller.call("DELETE", f"/drafts/{made.body['id']}")
    assert (gone.status, gone.octets) == (204, b"")
    assert (await caller.get(f"/messages/{made.body['message']['id']}")).status == 404


async def test_send_makes_another_message_in_the_same_thread(caller: Caller) -> None:
    letter = caller.letter()
    made = await caller.draft(reply(), letter["threadId"])
    sent = await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    assert sent.body["id"] != made.body["message"]["id"]
    assert sent.body["threadId"] == letter["threadId"]
    assert sent.body["labelIds"] == ["SENT"]


async def test_a_sent_draft_is_a_draft_no_more(caller: Caller) -> None:
    made = await caller.draft(reply())
    await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    again = await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    assert (again.status, again.why) == (404, "notFound")


async def test_send_replaces_the_message_id_once_more(caller: Caller) -> None:
    made = await caller.draft(reply())
    before = (await caller.get(f"/drafts/{made.body['id']}")).field("Message-ID")
    sent = await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    after = (await caller.get(f"/messages/{sent.body['id']}")).field("Message-ID")
    assert after != before


@pytest.mark.parametrize(("rule", "kept"), [("keep", "m1"), ("drop", None)])
async def test_send_keeps_or_drops_x_fields_as_the_server_is_set(
    caller: Caller, rule: str, kept: str | None
) -> None:
    caller.google.settings.change({"x_headers_on_send": rule})
    made = await caller.draft(reply())
    sent = await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    assert (await caller.get(f"/messages/{sent.body['id']}")).field("X-Fencepost-Intent") == kept


async def test_send_without_a_recipient_is_refused_and_keeps_the_draft(caller: Caller) -> None:
    made = await caller.draft(reply().replace(b"To: ada@example.org\n", b""))
    sent = await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    assert (sent.status, sent.body["error"]["message"]) == (400, "Recipient address required")
    assert (await caller.get(f"/drafts/{made.body['id']}")).status == 200


async def test_send_to_something_that_is_no_address_is_refused(caller: Caller) -> None:
    made = await caller.draft(reply().replace(b"To: ada@example.org", b"To: nobody"))
    sent = await caller.call("POST", "/drafts/send", {"id": made.body["id"]})
    assert (sent.status, sent.body["error"]["message"]) == (400, "Invalid To header")


async def test_a_foreign_sender_is_replaced_by_the_default_address(caller: Caller) -> None:
    made = await caller.draft(reply().replace(b"From: robin@example.com", b"From: eve@example.net"))
    assert (await caller.get(f"/drafts/{made.body['id']}")).field("From") == "robin@example.com"


async def test_the_web_page_keeps_the_draft_id_and_rotates_the_message_id(
    caller: Caller, google: GmailServer
) -> None:
    made = await caller.draft(reply())
    google.owner().edit_draft(made.body["id"], body="No.\n")
    got = await caller.get(f"/drafts/{made.body['id']}")
    assert got.body["message"]["id"] != made.body["message"]["id"]


async def test_the_web_page_drops_x_fields(caller: Caller, google: GmailServer) -> None:
    made = await caller.draft(reply())
    google.owner().edit_draft(made.body["id"], body="No.\n")
    got = await caller.get(f"/drafts/{made.body['id']}")
    assert got.field("X-Fencepost-Intent") is None
    assert got.field("In-Reply-To") == "<lease-1@example.org>"


async def test_the_web_page_takes_a_draft_with_another_subject_out_of_its_thread(
    caller: Caller, google: GmailServer
) -> None:
    letter = caller.letter()
    made = await caller.draft(reply(), letter["threadId"])
    edited = google.owner().edit_draft(made.body["id"], subject="Something else")
    assert edited["threadId"] != letter["threadId"]


async def test_the_person_sends_without_x_fields(caller: Caller, google: GmailServer) -> None:
    made = await caller.draft(reply())
    sent = google.owner().send_draft(made.body["id"])
    got = await caller.get(f"/messages/{sent['id']}")
    assert got.field("X-Fencepost-Intent") is None
    assert got.body["labelIds"] == ["SENT"]


async def test_a_plain_draft_is_wrapped_when_the_person_sends_it(
    caller: Caller, google: GmailServer
) -> None:
    made = await caller.draft(reply(text="word " * 40))
    sent = google.owner().send_draft(made.body["id"])
    raw = unpacked((await caller.get(f"/messages/{sent['id']}", ("format", "raw"))).body["raw"])
    assert max(len(line) for line in raw.partition(b"\r\n\r\n")[2].split(b"\r\n")) <= 70


async def test_a_draft_discarded_and_written_again_has_another_draft_id(
    caller: Caller, google: GmailServer
) -> None:
    made = await caller.draft(reply())
    again = google.owner().recreate_draft(made.body["id"])
    assert again["draft"] != made.body["id"]
    assert (await caller.get(f"/drafts/{made.body['id']}")).status == 404


async def test_trash_takes_a_draft_out_of_drafts(caller: Caller) -> None:
    made = await caller.draft(reply())
    name = made.body["message"]["id"]
    got = await caller.call("POST", f"/messages/{name}/trash")
    assert got.body["labelIds"] == ["TRASH"]
    assert (await caller.get(f"/drafts/{made.body['id']}")).status == 404


async def test_trash_leaves_a_draft_in_the_trash_where_the_server_is_set_so(caller: Caller) -> None:
    caller.google.settings.trash_draft = "stays"
    made = await caller.draft(reply())
    await caller.call("POST", f"/messages/{made.body['message']['id']}/trash")
    got = await caller.get(f"/drafts/{made.body['id']}")
    assert got.body["message"]["labelIds"] == ["DRAFT", "TRASH"]
    assert "drafts" not in (await caller.get("/drafts")).body
    assert (await caller.get("/drafts", ("includeSpamTrash", "true"))).body["drafts"]


async def test_trash_refuses_a_draft_where_the_server_is_set_so(caller: Caller) -> None:
    caller.google.settings.trash_draft = "refused"
    made = await caller.draft(reply())
    got = await caller.call("POST", f"/messages/{made.body['message']['id']}/trash")
    assert (got.status, got.why) == (400, "failedPrecondition")
    assert (await caller.get(f"/drafts/{made.body['id']}")).status == 200


async def test_trash_of_an_edited_draft_hits_nothing(caller: Caller, google: GmailServer) -> None:
    made = await caller.draft(reply())
    google.owner().edit_draft(made.body["id"], body="Mine now.\n")
    got = await caller.call("POST", f"/messages/{made.body['message']['id']}/trash")
    assert (got.status, got.why) == (404, "notFound")
    assert (await caller.get(f"/drafts/{made.body['id']}")).status == 200


async def test_a_draft_cannot_be_labelled(caller: Caller, google: GmailServer) -> None:
    label = google.owner().label("Ours")["id"]
    made = await caller.draft(reply())
    name = made.body["message"]["id"]
    got = await caller.call("POST", f"/messages/{name}/modify", {"addLabelIds": [label]})
    assert got.status == 400


@pytest.mark.parametrize("label", ["SENT", "DRAFT"])
async def test_sent_and_draft_are_nobodys_to_set(caller: Caller, label: str) -> None:
    letter = caller.letter()
    got = await caller.call("POST", f"/messages/{letter['id']}/modify", {"addLabelIds": [label]})
    assert got.status == 400
    raw = {"raw": packed(reply()), "labelIds": [label]}
    assert (await caller.call("POST", "/messages", raw)).status == 400


async def test_insert_keeps_the_message_id(caller: Caller) -> None:
    made = await caller.call("POST", "/messages", {"raw": packed(reply()), "labelIds": ["INBOX"]})
    got = await caller.get(f"/messages/{made.body['id']}")
    assert got.field("Message-ID") == "<m1@example.com>"


async def test_messages_send_replaces_the_message_id_and_keeps_x_fields(caller: Caller) -> None:
    made = await caller.call("POST", "/messages/send", {"raw": packed(reply())})
    got = await caller.get(f"/messages/{made.body['id']}")
    assert got.field("Message-ID") != "<m1@example.com>"
    assert got.field("X-Fencepost-Intent") == "m1"


@pytest.mark.parametrize("code", [413, 400])
async def test_a_message_over_the_limit_is_refused(caller: Caller, code: int) -> None:
    caller.google.settings.change({"max_raw": 500, "too_large": code})
    made = await caller.draft(reply(text="x" * 500))
    assert made.status == made.body["error"]["code"] == code
    assert "drafts" not in (await caller.get("/drafts")).body


@pytest.mark.parametrize("raw", ["not base64!", 7, None])
async def test_raw_that_is_no_base64url_is_refused(caller: Caller, raw: object) -> None:
    got = await caller.call("POST", "/drafts", {"message": {"raw": raw, "threadId": ""}})
    assert (got.status, got.why) == (400, "invalidArgument")


async def test_a_media_upload_is_the_same_create(caller: Caller, clock: ServerClock) -> None:
    letter = caller.letter()
    parts = [b'{"message": {"threadId": "%s"}}' % letter["threadId"].encode(), reply()]
    kinds = [b"application/json", b"message/rfc822"]
    body = b"".join(
        b"--cut\r\nContent-Type: " + kind + b"\r\n\r\n" + part + b"\r\n"
        for kind, part in zip(kinds, parts, strict=True)
    )
    made = await caller.call(
        "POST",
        f"{caller.google.root}/upload/gmail/v1/users/me/drafts?uploadType=multipart",
        data=body + b"--cut--\r\n",
        headers={"Content-Type": 'multipart/related; boundary="cut"'},
    )
    assert made.body["message"]["threadId"] == letter["threadId"]
