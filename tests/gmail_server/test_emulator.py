"""Where the other emulator is installed, both agree on what both play."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gmail_server.caller import LETTER, reply
from tests.support.gmail.emulator import Emulator


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[Emulator]:
    with Emulator.started(tmp_path) as running:
        yield running


def call(emulator: Emulator, verb: str, path: str, body: object = None) -> tuple[int, Any]:
    token = emulator.login()["access_token"]
    octets = None if body is None else json.dumps(body).encode()
    kind = {"Content_Type": "application/json", "Authorization": f"Bearer {token}"}
    status, told, _ = emulator.ask(verb, f"/gmail/v1/users/me{path}", octets, **kind)
    return status, told


def draft(emulator: Emulator, thread: str) -> Any:
    message = {"raw": base64.urlsafe_b64encode(reply()).decode(), "threadId": thread}
    return call(emulator, "POST", "/drafts", {"message": message})[1]


def test_a_draft_joins_the_thread_that_it_names(emulator: Emulator) -> None:
    letter = emulator.deliver(emulator.login()["access_token"], LETTER)
    made = draft(emulator, letter["threadId"])
    assert made["message"]["threadId"] == letter["threadId"]
    assert made["message"]["labelIds"] == ["DRAFT"]


def test_a_sent_draft_is_not_found_and_its_message_is_in_the_thread(emulator: Emulator) -> None:
    letter = emulator.deliver(emulator.login()["access_token"], LETTER)
    made = draft(emulator, letter["threadId"])
    sent = call(emulator, "POST", "/drafts/send", {"id": made["id"]})[1]
    assert call(emulator, "GET", f"/drafts/{made['id']}")[0] == 404
    thread = call(emulator, "GET", f"/threads/{letter['threadId']}")[1]
    labels = {one["id"]: one["labelIds"] for one in thread["messages"]}
    assert labels[sent["id"]] == ["SENT"]


def test_what_is_not_there_is_refused_in_the_envelope(emulator: Emulator) -> None:
    status, told = call(emulator, "GET", "/messages/1989000000999999")
    assert status == told["error"]["code"] == 404
    assert told["error"]["errors"][0]["reason"] == "notFound"


def test_a_refresh_gives_another_token(emulator: Emulator) -> None:
    login = emulator.login()
    body = f"grant_type=refresh_token&client_id=client-1&refresh_token={login['refresh_token']}"
    kind = {"Content_Type": "application/x-www-form-urlencoded"}
    told = emulator.ask("POST", "/oauth2/token", body.encode(), **kind)[1]
    assert told["access_token"] != login["access_token"]
