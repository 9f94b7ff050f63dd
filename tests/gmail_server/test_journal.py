"""The log says what arrived, what took effect and how it ended."""

from __future__ import annotations

import aiohttp
import pytest

from tests.gmail_server.caller import Caller, reply
from tests.support.gmail import GmailServer


async def test_effects_are_counted_by_mark(caller: Caller, google: GmailServer) -> None:
    await caller.draft(reply("one"))
    await caller.draft(reply("two"))
    await caller.draft(reply("two"))
    counted = {
        key: len(lines) for key, lines in google.journal.effects("x-fencepost-intent").items()
    }
    assert counted == {"one": 1, "two": 2}


async def test_effects_know_the_message_id_that_was_brought_and_not_kept(caller: Caller) -> None:
    await caller.draft(reply("one"))
    assert list(caller.google.journal.effects()) == ["<one@example.com>"]


async def test_a_lost_answer_is_still_an_effect(caller: Caller, google: GmailServer) -> None:
    google.fault("drafts.create", end="reset")
    with pytest.raises(aiohttp.ClientError):
        await caller.draft(reply("one"))
    (line,) = google.journal.effects("x-fencepost-intent")["one"]
    assert (line.effect, line.ended, line.status) == (True, "reset", 0)
    assert line.made in google.box().drafts


async def test_a_refusal_is_no_effect(caller: Caller, google: GmailServer) -> None:
    await caller.draft(reply("one"), "1989000000999999")
    (line,) = google.journal.of("drafts.create")
    assert (line.effect, line.ended, line.status) == (False, "answered", 404)
    assert line.marks["x-fencepost-intent"] == "one"
    assert google.journal.effects("x-fencepost-intent") == {}


async def test_reads_are_no_effects(caller: Caller, google: GmailServer) -> None:
    await caller.get("/profile")
    (line,) = google.journal.lines
    assert (line.method, line.effect, line.ended) == ("getProfile", False, "answered")


async def test_what_no_method_has_is_logged_and_not_found(
    caller: Caller, google: GmailServer
) -> None:
    got = await caller.get("/nothing")
    assert (got.status, got.body) == (404, None)
    assert google.journal.counts() == {"unknown": 1}


async def test_octets_of_the_body_are_counted(caller: Caller, google: GmailServer) -> None:
    await caller.draft(reply())
    assert google.journal.lines[0].octets > len(reply())


async def test_a_mistake_of_the_server_itself_is_not_taken_for_a_fault(
    caller: Caller, google: GmailServer
) -> None:
    google.box().messages = None  # type: ignore[assignment]
    with pytest.raises(aiohttp.ClientError):
        await caller.get("/messages")
    assert {type(error) for error in google.wire.bugs} == {AttributeError}
    google.wire.bugs.clear()
