"""``once`` beside other processes of a fleet: what it waits for, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import anyio
import pytest
from sqlalchemy import Connection
from structlog.testing import capture_logs

from assistant.once import HORIZON_S, Progress, Summary, run_once
from storage import mailboxes, overview, workers
from storage.dbtime import database_now_ms
from storage.words import FaultPoint
from tests.support.gate import kill
from tests.support.mails import question
from tests.support.world import BOX, ROBIN, SETTINGS, Process, World


@pytest.fixture
def world() -> Iterator[World]:
    with capture_logs():
        world = World()
        world.hands.put(question(1))
        yield world


async def once(world: World, process: Process) -> Summary:
    """The summary of one pass over the mailbox, without a look."""

    async def run() -> list[Summary]:
        return await run_once(process.house, look_horizon_s=None)

    summaries = await world.drive(run)
    assert summaries is not None
    [summary] = summaries
    return summary


async def test_a_mailbox_whose_watcher_was_killed_just_now_is_waited_for(world: World) -> None:
    dead = world.process()
    dead.gate.at[FaultPoint.NOTE_WRITTEN] = kill
    await world.drive(dead.note)
    started_s = world.clock.boot_s()
    summary = await once(world, world.process())
    assert (summary.failed, summary.threads) == (False, 1)
    assert world.clock.boot_s() - started_s >= SETTINGS.lease_ttl_s - 1


async def test_a_mailbox_that_a_live_process_watches_is_left_to_it_at_once(world: World) -> None:
    other = world.process()
    started_s = world.clock.boot_s()
    async with anyio.create_task_group() as group:
        group.start_soon(other.house.keeper.run)
        group.start_soon(other.watcher.run)
        await world.clock.advance(1)
        summary = await once(world, world.process())
        group.cancel_scope.cancel()
    assert (summary.failed, summary.problems) == (False, ())
    assert summary.as_json()["left_to"] == other.house.worker
    assert world.clock.boot_s() - started_s < SETTINGS.lease_ttl_s


def shows_itself(world: World, process: Process) -> None:
    """A sign of life of a member of the fleet."""

    def unit(conn: Connection) -> None:
        workers.seen(
            conn,
            database_now_ms(conn),
            name=process.house.worker,
            host="host-b",
            role="all",
            serves=[ROBIN],
            lease_ms=SETTINGS.lease_ttl_ms,
        )

    world.db.run(unit)


async def test_a_mailbox_that_a_member_of_the_fleet_watches_is_left_to_it_without_a_wait(
    world: World,
) -> None:
    other = world.process()
    async with anyio.create_task_group() as group:
        group.start_soon(other.house.keeper.run)
        group.start_soon(other.watcher.run)
        await world.clock.advance(1)
        shows_itself(world, other)
        started_s = world.clock.boot_s()
        with capture_logs() as told:
            summary = await once(world, world.process())
        group.cancel_scope.cancel()
    assert (summary.failed, summary.left_to) == (False, other.house.worker)
    assert world.clock.boot_s() - started_s < SETTINGS.renew_s
    assert [one for one in told if one["log_level"] == "warning"] == []


async def test_a_member_that_is_proved_to_be_dead_is_waited_for_though_it_was_just_seen(
    world: World,
) -> None:
    dead = world.process()
    dead.gate.at[FaultPoint.NOTE_WRITTEN] = kill
    await world.drive(dead.note)
    shows_itself(world, dead)
    mine = world.process()
    mine.house.known_dead = lambda owner: owner == dead.house.worker
    summary = await once(world, mine)
    assert (summary.failed, summary.left_to, summary.threads) == (False, None, 1)


async def test_a_member_that_is_live_but_renews_its_lease_no_more_is_waited_for(
    world: World,
) -> None:
    dead = world.process()
    dead.gate.at[FaultPoint.NOTE_WRITTEN] = kill
    await world.drive(dead.note)
    await world.clock.advance(SETTINGS.lease_ttl_s / 2)
    shows_itself(world, dead)
    summary = await once(world, world.process())
    assert (summary.failed, summary.left_to, summary.threads) == (False, None, 1)


async def test_a_mailbox_that_is_set_aside_is_not_waited_for(world: World) -> None:
    for _ in range(4):
        dead = world.process()
        dead.gate.at[FaultPoint.NOTE_WRITTEN] = kill
        await world.drive(dead.note)
        world.shift_lease()
    started_s = world.clock.boot_s()
    summary = await once(world, world.process())
    assert "set aside" in summary.problems[0]
    assert world.clock.boot_s() - started_s < SETTINGS.renew_s


async def left(world: World) -> float:
    """A mailbox whose watcher was killed just now; how long it is waited for at most."""
    dead = world.process()
    dead.gate.at[FaultPoint.NOTE_WRITTEN] = kill
    await world.drive(dead.note)
    return SETTINGS.lease_ttl_s + SETTINGS.renew_s


async def test_what_is_waited_for_and_how_long_at_most_is_logged_where_nobody_watches(
    world: World,
) -> None:
    at_most_s = await left(world)
    with capture_logs() as told:
        await once(world, world.process())
    [line] = [one for one in told if "waiting for the lease" in one["event"]]
    waited_s = SETTINGS.renew_s
    assert (line["log_level"], line["at_most_s"]) == ("warning", at_most_s - waited_s)


async def test_who_watches_a_pass_is_told_what_it_waits_for_and_how_long_at_most(
    world: World,
) -> None:
    at_most_s = await left(world)
    told: list[tuple[str, float]] = []
    progress = Progress(waits=lambda mailbox, seconds: told.append((mailbox, seconds)))
    process = world.process()
    await world.drive(lambda: run_once(process.house, progress, look_horizon_s=None))
    assert told == [(process.account.integration, at_most_s)]


async def test_a_pass_ends_though_a_mailbox_rests_until_a_look_has_succeeded(
    world: World,
) -> None:
    process = world.process()
    await world.drive(process.note)
    world.db.run(lambda conn: mailboxes.update(conn, BOX, look_needed=1, unknowns_in_a_row=3))

    async def run() -> list[Summary]:
        return await run_once(process.house)

    started_s = world.clock.boot_s()
    summaries = await world.drive(run, limit_s=600)
    assert summaries is not None
    assert "it rests until a look into it has succeeded" in summaries[0].problems[0]
    assert world.clock.boot_s() - started_s <= 3 * HORIZON_S


async def test_a_pass_that_is_stopped_ends_its_calls_takes_no_more_and_leaves_no_lease(
    world: World,
) -> None:
    world.hands.put(question(2))
    process = world.process(settings=replace(SETTINGS, concurrency=1))
    stop = anyio.Event()
    process.gate.at[FaultPoint.PLANNED] = lambda _: stop.set()
    summaries = await world.drive(lambda: run_once(process.house, stop=stop))
    assert summaries is not None
    assert summaries[0].as_json()["drafted"] == 1
    assert world.db.run(overview.workers) == []


async def test_a_pass_that_waits_for_a_dead_watcher_is_stopped_at_once(world: World) -> None:
    await left(world)
    stop = anyio.Event()
    process = world.process()
    progress = Progress(waits=lambda _, __: stop.set())
    started_s = world.clock.boot_s()
    await world.drive(lambda: run_once(process.house, progress, stop=stop))
    assert world.clock.boot_s() == started_s
