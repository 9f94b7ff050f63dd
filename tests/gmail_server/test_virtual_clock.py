"""The server runs on the clock of the test that holds it, and the test waits for nothing real."""

from __future__ import annotations

import aiohttp

from tests.gmail_server.caller import Caller, reply
from tests.support.clock import FakeClock
from tests.support.gmail import running
from tests.support.gmail.driving import drive


async def test_an_hour_of_a_held_answer_passes_by_the_tests_own_clock() -> None:
    clock = FakeClock()
    async with running(clock=clock) as google, aiohttp.ClientSession() as session:
        caller = Caller(google, session)
        google.fault("drafts.create", delay_s=3_600)
        begun_s = clock.boot_s()
        made = await drive(google, clock, lambda: caller.draft(reply()))
        assert made.status == 200
        assert clock.boot_s() - begun_s == 3_600


async def test_lag_and_expiry_follow_the_tests_own_clock() -> None:
    clock = FakeClock()
    async with running(clock=clock) as google, aiohttp.ClientSession() as session:
        caller = Caller(google, session)
        caller.letter()
        clock.skip(3_598)
        found = await drive(google, clock, lambda: caller.get("/messages", ("q", "sign")))
        assert found.body["messages"]
        clock.skip(1)
        assert (await drive(google, clock, lambda: caller.get("/profile"))).status == 401


async def test_latency_of_every_call_follows_it_too() -> None:
    clock = FakeClock()
    async with running(clock=clock) as google, aiohttp.ClientSession() as session:
        caller = Caller(google, session)
        google.world.latency_s = 2.0
        begun_s = clock.boot_s()
        await drive(google, clock, lambda: caller.get("/labels"))
        await drive(google, clock, lambda: caller.get("/labels"))
        assert clock.boot_s() - begun_s == 4.0
