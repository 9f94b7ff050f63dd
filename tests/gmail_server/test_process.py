"""The server as another process: its control path, and what outlives a kill."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from typing import Any

import pytest

from tests.gmail_server.caller import LETTER, reply
from tests.support.gmail.process import Process
from tests.support.sink import PATIENCE_S


@pytest.fixture
def google(tmp_path: Path) -> Iterator[Process]:
    with Process.started(tmp_path / "gmail.json", clock="still") as process:
        yield process


def call(google: Process, token: str, verb: str, path: str, body: object = None) -> Any:
    link = HTTPConnection("127.0.0.1", google.port, timeout=20)
    try:
        sent = {"Authorization": f"Bearer {token}"}
        octets = None if body is None else json.dumps(body)
        link.request(verb, f"/gmail/v1/users/me{path}", octets, sent)
        answer = link.getresponse()
        got = answer.read()
        return answer.status, json.loads(got) if got else None
    finally:
        link.close()


def draft(google: Process, token: str, mark: str = "m1") -> Any:
    raw = base64.urlsafe_b64encode(reply(mark)).decode()
    return call(google, token, "POST", "/drafts", {"message": {"raw": raw}})[1]


def test_a_letter_is_delivered_and_read(google: Process) -> None:
    made = google.say("deliver", raw=LETTER.decode())
    token = google.say("login")["access_token"]
    assert call(google, token, "GET", f"/messages/{made['id']}")[1]["threadId"] == made["threadId"]


def test_the_person_edits_and_sends_a_draft(google: Process) -> None:
    token = google.say("login")["access_token"]
    made = draft(google, token)
    google.say("edit_draft", draft=made["id"], body="No.\n")
    google.say("autosave", draft=made["id"], times=3)
    sent = google.say("send_draft", draft=made["id"])
    assert call(google, token, "GET", f"/messages/{sent['id']}")[1]["labelIds"] == ["SENT"]


def test_settings_faults_and_the_clock_are_set(google: Process) -> None:
    assert google.say("settings", trash_draft="stays")["trash_draft"] == "stays"
    before = google.say("counters")["now_s"]
    assert google.say("advance", seconds=90)["now_s"] == before + 90
    google.say("fault", method="labels.list", answer="empty_503")
    token = google.say("login")["access_token"]
    assert call(google, token, "GET", "/labels")[0] == 503


def test_counters_and_effects_are_read(google: Process) -> None:
    token = google.say("login")["access_token"]
    draft(google, token, "one")
    assert google.say("counters")["requests"] == {"drafts.create": 1}
    assert google.say("effects", header="x-fencepost-intent") == {"one": 1}
    assert google.say("log")["lines"][0]["effect"] is True


def test_mail_tokens_and_the_log_outlive_a_kill_on_the_same_port(google: Process) -> None:
    token = google.say("login")["access_token"]
    made = draft(google, token, "one")
    port = google.port
    google.kill()
    google.start()
    assert google.port == port
    assert call(google, token, "GET", f"/drafts/{made['id']}")[0] == 200
    assert google.say("effects", header="x-fencepost-intent") == {"one": 1}


def test_new_ids_after_a_kill_are_new(google: Process) -> None:
    token = google.say("login")["access_token"]
    first = draft(google, token)
    google.kill()
    google.start()
    second = draft(google, token)
    assert first["id"] != second["id"]
    assert first["message"]["id"] != second["message"]["id"]


def test_an_effect_whose_answer_was_lost_outlives_a_kill(google: Process) -> None:
    token = google.say("login")["access_token"]
    google.say("fault", method="drafts.create", end="drop")
    with pytest.raises(RemoteDisconnected):
        draft(google, token)
    google.kill()
    google.start()
    assert len(call(google, token, "GET", "/drafts")[1]["drafts"]) == 1


def test_connections_are_refused_for_a_while(google: Process) -> None:
    google.say("refuse", seconds=0.3)
    with pytest.raises(ConnectionRefusedError):
        call(google, "", "GET", "/labels")
    until_s = time.monotonic() + PATIENCE_S
    status = 0
    while status == 0 and time.monotonic() < until_s:
        with suppress(ConnectionRefusedError):
            status = call(google, "", "GET", "/labels")[0]
    assert status == 401


def test_a_mute_server_still_hears_its_test(google: Process) -> None:
    google.say("mute")
    google.say("mute", quiet=False)
    assert google.say("counters")["requests"] == {}


def test_a_word_that_is_none_is_an_error_that_names_the_words(google: Process) -> None:
    with pytest.raises(AssertionError, match="deliver_thread"):
        google.say("dance")
