"""Units are counted for each user and minute, and calls at once have an end."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from tests.gmail_server.caller import Caller, Told, reply
from tests.support.gmail import GmailServer
from tests.support.gmail.clock import ServerClock
from tests.support.gmail.settings import OLD_UNITS

ME = "robin@example.com"


async def test_each_method_costs_its_units(caller: Caller, google: GmailServer) -> None:
    letter = caller.letter()
    await caller.get("/profile")
    await caller.get(f"/messages/{letter['id']}")
    await caller.get(f"/threads/{letter['threadId']}")
    await caller.draft(reply())
    assert google.world.quota.total[ME] == 1 + 20 + 40 + 10


async def test_older_projects_pay_less(caller: Caller, google: GmailServer) -> None:
    google.settings.units = dict(OLD_UNITS)
    letter = caller.letter()
    await caller.get(f"/messages/{letter['id']}")
    await caller.get(f"/threads/{letter['threadId']}")
    assert google.world.quota.total[ME] == 5 + 10


async def test_a_spent_minute_is_403_without_retry_after(
    caller: Caller, google: GmailServer
) -> None:
    google.settings.units_per_minute = 20
    await caller.draft(reply("a"))
    await caller.draft(reply("b"))
    got = await caller.draft(reply("c"))
    assert (got.status, got.why) == (403, "rateLimitExceeded")
    assert "retry-after" not in got.headers
    assert len(google.box().drafts) == 2


async def test_the_next_minute_is_a_new_one(
    caller: Caller, google: GmailServer, clock: ServerClock
) -> None:
    google.settings.units_per_minute = 10
    await caller.draft(reply())
    clock.advance(60)
    assert (await caller.draft(reply())).status == 200


async def test_each_user_has_a_minute_of_their_own(caller: Caller, google: GmailServer) -> None:
    google.settings.units_per_minute = 10
    await caller.draft(reply())
    caller.token = google.login("kim@example.org")["access_token"]
    assert (await caller.draft(reply())).status == 200


@pytest.mark.parametrize("number", [10, 11])
async def test_more_than_ten_at_once_is_429(
    caller: Caller, google: GmailServer, number: int
) -> None:
    google.fault("labels.list", times=99, gate="g")
    got: list[Told] = []

    async def labels() -> None:
        got.append(await caller.get("/labels"))

    async with anyio.create_task_group() as group:
        for _ in range(number):
            group.start_soon(labels)
        with anyio.fail_after(10):
            while google.world.quota.under_way[ME] + len(got) < number:
                await anyio.lowlevel.checkpoint()
        google.open("g")
    refused = [one for one in got if one.status == 429]
    assert len(refused) == number - 10
    assert all(one.why == "rateLimitExceeded" for one in refused)
    assert all(one.body["error"]["status"] == "RESOURCE_EXHAUSTED" for one in refused)
    assert google.world.quota.most_at_once[ME] == 10
