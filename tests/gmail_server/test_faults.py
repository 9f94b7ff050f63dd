"""Faults happen on the call that was named, before or after the effect, and to the octet."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import anyio
import anyio.lowlevel
import pytest

from tests.gmail_server.caller import Caller, Told, reply
from tests.support.gmail import NAMED, GmailServer
from tests.support.gmail.clock import ServerClock

LOST = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)


def drafts(google: GmailServer) -> int:
    """How many drafts there are."""
    return len(google.box().drafts_at(google.world.now_s()))


@pytest.mark.parametrize(("effect", "made"), [("before", 0), ("after", 1)])
@pytest.mark.parametrize("end", ["drop", "reset"])
async def test_an_answer_is_lost_before_or_after_the_effect(
    caller: Caller, effect: str, made: int, end: str
) -> None:
    caller.google.fault("drafts.create", effect=effect, end=end)
    with pytest.raises(LOST):
        await caller.draft(reply())
    assert drafts(caller.google) == made


async def test_a_dropped_post_is_not_sent_twice(caller: Caller) -> None:
    caller.google.fault("drafts.create", end="drop", times=9)
    with pytest.raises(LOST):
        await caller.draft(reply())
    assert caller.google.journal.counts()["drafts.create"] == 1


async def test_aiohttp_sends_a_dropped_put_twice(caller: Caller) -> None:
    made = await caller.draft(reply())
    caller.google.fault("drafts.update", end="drop", times=9)
    with pytest.raises(LOST):
        await caller.call("PUT", f"/drafts/{made.body['id']}", {"message": {"raw": ""}})
    assert caller.google.journal.counts()["drafts.update"] == 2


async def raw_call(google: GmailServer, head: bytes) -> bytes:
    """What stands on the wire until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", google.wire.port)
    writer.write(head)
    try:
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_an_answer_is_cut_at_the_named_octet(google: GmailServer) -> None:
    google.fault("labels.list", answer="bare_502", cut=17)
    got = await raw_call(google, b"GET /gmail/v1/users/me/labels HTTP/1.1\r\n\r\n")
    assert got == b"HTTP/1.1 502 \r\nCo"[:17]


async def test_a_truncated_200_comes_after_the_effect(caller: Caller) -> None:
    caller.google.fault("drafts.create", cut=-10)
    with pytest.raises(aiohttp.ClientPayloadError):
        await caller.draft(reply())
    assert drafts(caller.google) == 1


async def test_a_call_is_cut_off_in_its_own_body_without_effect(caller: Caller) -> None:
    caller.google.fault("drafts.create", at_body=20)
    with pytest.raises(LOST):
        await caller.draft(reply(text="x" * 9_000))
    (line,) = caller.google.journal.of("drafts.create")
    assert (line.octets, line.effect, line.ended) == (20, False, "reset")
    assert drafts(caller.google) == 0


@pytest.mark.parametrize("name", sorted(NAMED))
async def test_every_named_answer_reaches_the_client_as_it_is(caller: Caller, name: str) -> None:
    caller.google.fault("drafts.create", effect="after", answer=name)
    got = await caller.draft(reply())
    assert (got.status, got.octets) == (NAMED[name].status, NAMED[name].body)
    assert drafts(caller.google) == 1


async def test_a_bare_502_has_no_reason_phrase(google: GmailServer) -> None:
    google.fault("labels.list", answer="bare_502", end="drop", cut=100_000)
    got = await raw_call(google, b"GET /gmail/v1/users/me/labels HTTP/1.1\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 502 \r\n")


@pytest.mark.parametrize("name", ["rate_limit", "user_rate_limit", "daily_limit", "too_many"])
async def test_a_quota_refusal_does_not_say_when_to_come_back(caller: Caller, name: str) -> None:
    caller.google.fault("drafts.create", effect="before", answer=name)
    got = await caller.draft(reply())
    assert "retry-after" not in got.headers
    assert got.why.endswith("Exceeded")
    assert drafts(caller.google) == 0


async def test_a_429_can_say_when_to_come_back(caller: Caller) -> None:
    caller.google.fault("labels.list", answer="too_many_wait")
    assert (await caller.get("/labels")).headers["retry-after"] == "30"


async def test_an_answer_of_the_tests_own(caller: Caller) -> None:
    answer = {"status": 451, "reason": "No", "body": {"a": 1}, "headers": {"X-A": "b"}}
    caller.google.fault("labels.list", answer=answer)
    got = await caller.get("/labels")
    assert (got.status, got.reason, got.body, got.headers["x-a"]) == (451, "No", {"a": 1}, "b")


async def test_an_answer_that_nobody_named_is_an_error(google: GmailServer) -> None:
    with pytest.raises(ValueError, match="bare_502"):
        google.fault("labels.list", answer="nope")


async def statuses(caller: Caller, number: int) -> list[int]:
    return [(await caller.get("/labels")).status for _ in range(number)]


async def test_only_the_nth_call_fails(caller: Caller) -> None:
    caller.google.fault("labels.list", nth=2, answer="empty_503")
    assert await statuses(caller, 4) == [200, 503, 200, 200]


async def test_every_second_call_fails(caller: Caller) -> None:
    caller.google.fault("labels.list", every=2, times=99, answer="empty_503")
    assert await statuses(caller, 5) == [200, 503, 200, 503, 200]


async def test_the_next_calls_fail(caller: Caller) -> None:
    caller.google.fault("labels.list", times=2, answer="empty_503")
    assert await statuses(caller, 3) == [503, 503, 200]


async def test_a_fault_of_another_method_waits(caller: Caller) -> None:
    caller.google.fault("drafts.*", answer="empty_503")
    assert (await caller.get("/labels")).status == 200
    assert (await caller.get("/drafts")).status == 503


async def test_heal_takes_faults_away(caller: Caller) -> None:
    caller.google.fault("*", times=99, answer="empty_503")
    caller.google.heal()
    assert await statuses(caller, 1) == [200]


async def until(caller: Caller, condition: Any) -> None:
    """Let the loop run until *condition* holds."""
    with anyio.fail_after(10):
        while not condition():
            await anyio.lowlevel.checkpoint()


async def test_an_answer_is_held_until_the_gate_opens_after_the_effect(caller: Caller) -> None:
    google = caller.google
    google.fault("drafts.create", gate="g")
    got: list[Told] = []

    async def draft() -> None:
        got.append(await caller.draft(reply()))

    async with anyio.create_task_group() as group:
        group.start_soon(draft)
        await until(caller, lambda: drafts(google) == 1)
        assert got == []
        google.open("g")
    assert got[0].status == 200


async def test_an_effect_is_held_until_the_gate_opens(caller: Caller) -> None:
    google = caller.google
    google.fault("drafts.create", effect="before", gate="g")
    async with anyio.create_task_group() as group:
        group.start_soon(caller.draft, reply())
        await until(caller, lambda: google.journal.of("drafts.create"))
        assert drafts(google) == 0
        google.open("g")
    assert drafts(google) == 1


async def test_a_held_effect_happens_though_the_client_has_given_up(
    caller: Caller, clock: ServerClock
) -> None:
    google = caller.google
    google.fault("drafts.create", effect="before", delay_s=89)
    async with anyio.create_task_group() as group:
        group.start_soon(caller.draft, reply())
        await until(caller, lambda: google.journal.of("drafts.create"))
        await until(caller, lambda: google.journal.lines[0].octets > 0)
        group.cancel_scope.cancel()
    assert drafts(google) == 0
    clock.advance(89)
    await until(caller, lambda: drafts(google) == 1)


async def test_a_delay_lasts_by_the_servers_clock(caller: Caller, clock: ServerClock) -> None:
    caller.google.fault("labels.list", delay_s=30)
    got: list[Told] = []

    async def labels() -> None:
        got.append(await caller.get("/labels"))

    async with anyio.create_task_group() as group:
        group.start_soon(labels)
        await until(caller, lambda: caller.google.world.quota.under_way["robin@example.com"] == 1)
        clock.advance(29)
        await anyio.wait_all_tasks_blocked()
        assert got == []
        clock.advance(1)
    assert got[0].status == 200


async def test_connections_are_refused_and_accepted_again(caller: Caller) -> None:
    await caller.google.refuse()
    with pytest.raises(aiohttp.ClientConnectorError):
        await caller.get("/labels")
    await caller.google.accept()
    assert (await caller.get("/labels")).status == 200


async def test_a_mute_server_accepts_and_does_nothing_until_it_speaks_again(
    caller: Caller,
) -> None:
    google = caller.google
    google.mute()
    got: list[Told] = []

    async def draft() -> None:
        got.append(await caller.draft(reply()))

    async with anyio.create_task_group() as group:
        group.start_soon(draft)
        await until(caller, lambda: google.journal.of("drafts.create"))
        assert drafts(google) == 0
        google.mute(quiet=False)
    assert got[0].status == 200


async def test_a_stale_connection_closes_as_the_client_writes(google: GmailServer) -> None:
    google.fault("labels.list", stale=True)
    token = google.login()["access_token"]
    async with aiohttp.ClientSession(google.root) as session:
        session.headers["Authorization"] = f"Bearer {token}"
        async with session.get("/gmail/v1/users/me/labels") as answer:
            assert answer.status == 200
            await answer.read()
        with pytest.raises(LOST):
            await session.post("/gmail/v1/users/me/drafts", json={"message": {"raw": ""}})
    assert google.journal.of("drafts.create") == []


async def test_connections_are_kept_alive_otherwise(google: GmailServer) -> None:
    token = google.login()["access_token"]
    async with aiohttp.ClientSession(google.root) as session:
        for _ in range(3):
            kept = {"Authorization": f"Bearer {token}"}
            async with session.get("/gmail/v1/users/me/labels", headers=kept) as answer:
                assert answer.status == 200
    assert google.wire.connections == 1


async def test_a_reset_is_a_reset(google: GmailServer) -> None:
    google.fault("labels.list", end="reset")
    reader, writer = await asyncio.open_connection("127.0.0.1", google.wire.port)
    writer.write(b"GET /gmail/v1/users/me/labels HTTP/1.1\r\n\r\n")
    with pytest.raises(ConnectionResetError):
        await reader.read()
    writer.close()


async def test_a_followed_redirect_looks_like_a_success(caller: Caller) -> None:
    caller.google.fault("drafts.create", effect="before", answer="redirect_302")
    got = await caller.draft(reply())
    followed = await caller.call("GET", caller.google.root + got.headers["location"])
    assert (got.status, followed.status) == (302, 200)
    assert drafts(caller.google) == 0


@pytest.mark.parametrize("cut", [None, 30, -5])
async def test_an_answer_that_stops_leaves_the_connection_open(
    caller: Caller, cut: int | None
) -> None:
    caller.google.fault("drafts.create", cut=cut, end="hang")
    async with anyio.create_task_group() as group:
        group.start_soon(caller.draft, reply())
        await until(caller, lambda: caller.google.journal.of("drafts.create"))
        await until(caller, lambda: caller.google.journal.lines[0].ended)
        group.cancel_scope.cancel()
    assert caller.google.journal.lines[0].ended == ("hung" if cut is None else "cut")
    assert drafts(caller.google) == 1
