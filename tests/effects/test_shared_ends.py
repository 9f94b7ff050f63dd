"""Ends of calls, and calls not begun, of several threads that share their statements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import anyio
import pytest
from sqlalchemy import Connection

from assistant.effects import settle
from assistant.loops.turn import Result
from storage import intents
from storage.dbtime import database_now_ms
from storage.words import (
    By,
    EvidenceKind,
    FaultPoint,
    IntentState,
    Unknown,
)
from tests.effects.test_shared import TIMING
from tests.support.database import CommitFault
from tests.support.gate import Gate
from tests.support.mails import question
from tests.support.scenes import SETTLED_S
from tests.support.world import Process, World
from tests.support.worlds import Make


async def ready(make: Make, number: int) -> tuple[World, Process]:
    """A process, and that many threads that are due."""
    world = make()
    process = world.process()
    for at in range(1, number + 1):
        world.hands.put(question(at))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    return world, process


def sweep_one(conn: Connection) -> None:
    """The lease of one call is taken to be over."""
    one = intents.everything(conn)[0]
    now = database_now_ms(conn)
    settle.become_unknown(conn, one, By.SWEEP, now, TIMING, Unknown(reason="no word came"))


@pytest.mark.parametrize("fault", [CommitFault.LANDED, CommitFault.LOST])
async def test_an_answer_that_came_after_a_sweep_is_not_lost_with_its_commit(
    make: Make, fault: CommitFault
) -> None:
    world, process = await ready(make, 3)

    def swept(_: Gate) -> None:
        world.db.run(sweep_one)

    process.gate.at[FaultPoint.ANSWERED] = swept
    process.gate.commits[process.gate.counts["write"] + 3] = fault
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}
    for intent in world.intents():
        kinds = [fact.kind for fact in world.facts(intent.id)]
        assert kinds in ([EvidenceKind.ANSWER], [EvidenceKind.LATE_ANSWER])
    assert len(world.calls) == len(world.drafts()) == 3


@pytest.mark.parametrize("fault", [CommitFault.LANDED, CommitFault.LOST])
async def test_claims_of_an_unknown_commit_are_read_again_once_the_store_is_back(
    make: Make, fault: CommitFault
) -> None:
    world, process = await ready(make, 3)
    writes, sleeps = process.gate.counts["write"], process.gate.counts["slept"]

    async def down(is_down: bool) -> None:
        world.db.down = is_down

    process.gate.commits[writes + 2] = fault
    process.gate.holds["write", writes + 3] = partial(down, True)
    process.gate.holds["slept", sleeps + 1] = partial(down, False)
    await world.drive(process.work)
    world.clock.skip(60)
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}
    assert len(world.calls) == len(world.drafts()) == 3


async def test_claims_whose_work_is_cancelled_before_their_calls_have_never_left(
    make: Make,
) -> None:
    world, process = await ready(make, 3)
    scope = anyio.CancelScope()

    async def cancel() -> None:
        # As the claims' commit returns: what was claimed is known, and nothing was called.
        scope.cancel()

    async def work() -> list[Result]:
        with scope:
            return await process.work()
        return []

    process.gate.holds["written", process.gate.counts["written"] + 2] = cancel
    await world.drive(work)
    assert world.calls == []
    assert {(one.state, one.passing) for one in world.intents()} == {(IntentState.REJECTED, True)}
    world.clock.skip(60)
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}


async def test_a_worker_that_is_told_to_drain_while_it_waits_takes_nothing_more(
    make: Make,
) -> None:
    world, process = await ready(make, 2)

    async def drain() -> None:
        # Somebody's set is under way, so the worker waits for its end.
        await anyio.lowlevel.checkpoint()
        process.worker.drain()

    process.gate.holds["read", process.gate.counts["read"] + 1] = drain

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(partial(process.house.together.read, nothing, 1))
            group.start_soon(process.worker.run)

    await world.drive(both)
    assert world.intents() == []
    assert world.read(leased) == 0


def nothing(_: Connection, items: Sequence[int]) -> Sequence[int]:
    """A unit that asks nothing."""
    return items


def leased(conn: Connection) -> int:
    """How many threads have been taken so far."""
    found = conn.exec_driver_sql(
        "SELECT count(*) FROM leases l JOIN threads t ON t.thread = l.thread WHERE l.fence > 0"
    )
    return int(found.scalar_one())
