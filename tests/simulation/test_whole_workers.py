"""Whole workers, killed at every await in turn and under seeds: the promises hold at the end.

``FENCEPOST_SCHEDULES`` sets how many seeds are run; ``FENCEPOST_SEED`` where they begin.
"""

from __future__ import annotations

import os

import pytest
from structlog.testing import capture_logs

from providers.memory import Behaviour
from storage.words import IntentState, ItemKind
from tests.simulation.ends import owed
from tests.simulation.schedule import Schedule, run, seeded_ids
from tests.support.clock import quiesce
from tests.support.invariants import broken
from tests.support.mails import question
from tests.support.scenes import note_question
from tests.support.world import World, _until_killed

SCHEDULES = int(os.environ.get("FENCEPOST_SCHEDULES", "60"))
FIRST = int(os.environ.get("FENCEPOST_SEED", "0"))
CHUNK = 10
HOW = [
    Behaviour.PASS,
    Behaviour.LOSE,
    Behaviour.DROP,
    Behaviour.BUSY,
    Behaviour.HANG_AFTER,
    Behaviour.TWICE_LOST,
    Behaviour.LATE_EFFECT,
]


def _end(world: World) -> None:
    """What is true whatever happened: nothing broken, nothing owed, nothing hidden."""
    assert broken(world) == []
    assert owed(world) == []
    assert IntentState.CALLING not in world.state_counts()
    shown = world.items(ItemKind.DRAFT_READY, ItemKind.OUTCOME_UNKNOWN, ItemKind.DUPLICATED)
    assert shown


async def _turn(world: World) -> int:
    """One orderly turn of work; how many crossings it has."""
    process = world.process()
    await note_question(world, process)
    before = process.gate.crossings
    await world.drive(process.work)
    return process.gate.crossings - before


@pytest.mark.parametrize("stages", [True, False], ids=["staged", "unstaged"])
@pytest.mark.parametrize("how", HOW)
async def test_a_kill_at_each_await_of_the_work_in_turn(stages: bool, how: Behaviour) -> None:
    with capture_logs():
        probe = World(stages=stages)
        probe.plan.add("create", how)
        crossings = await _turn(probe)
        assert crossings >= 14
        for number in range(1, crossings + 1):
            world = World(stages=stages, lag_s=40.0)
            world.plan.add("create", how)
            process = world.process()
            await note_question(world, process)
            process.gate.kill_at = process.gate.crossings + number
            await world.drive(process.work)
            assert process.gate.dead
            await world.pass_days(world.process(sole=number % 2 == 0))
            _end(world)


@pytest.mark.parametrize("stages", [True, False], ids=["staged", "unstaged"])
async def test_a_stop_at_each_await_of_the_work_in_turn(stages: bool) -> None:
    with capture_logs():
        crossings = await _turn(World(stages=stages))
        for number in range(1, crossings + 1):
            world = World(stages=stages, lag_s=40.0)
            async with world.background():
                process = world.process()
                await note_question(world, process)
                process.gate.stop_at = process.gate.crossings + number
                await world.drive(process.work)
                assert process.gate.stopped
                world.shift_lease()
                other = world.process()
                await world.drive(other.all)
                world.clock.skip(25)
                await world.drive(other.all)
                process.gate.go_on()
                await quiesce()
                await world.pass_days(other)
            _end(world)


@pytest.mark.parametrize("first", range(FIRST, FIRST + SCHEDULES, CHUNK))
async def test_seeds_break_no_promise(first: int) -> None:
    with capture_logs():
        for seed in range(first, first + CHUNK):
            found = await run(seed)
            if found is not None:
                pytest.fail(f"seed {seed}\n" + "\n".join(found.log))


async def test_without_faults_every_due_thread_is_drafted_and_nothing_else_is_told() -> None:
    with capture_logs():
        for seed in range(FIRST, FIRST + CHUNK):
            found = await run(seed, calm=True)
            if found is not None:
                pytest.fail(f"seed {seed}\n" + "\n".join(found.log))


async def test_the_same_seed_gives_the_same_schedule() -> None:
    logs = []
    with capture_logs():
        for _ in range(2):
            with seeded_ids(7):
                schedule = Schedule(7)
                await schedule.run()
            logs.append((schedule.log, schedule.world.processes[0].gate.crossed))
    assert logs[0] == logs[1]


async def test_a_worker_rests_while_an_orphan_waits_to_be_taken_alone() -> None:
    """Other work may last for minutes; asking the store meanwhile brings nothing."""
    with capture_logs():
        world = World()
        async with world.background() as group:
            world._behind = None
            first = world.process()
            first.gate.on["fetch done"] = lambda gate: setattr(gate, "dead", True)
            group.start_soon(_until_killed, first.loops)
            world.hands.put(question(1))
            await world.clock.advance(50)
            assert first.gate.dead
            first.gate.bury()
            world.shift_lease()
            second = world.process()
            # As if some other piece of work went on meanwhile.
            second.worker.in_work = 1
            group.start_soon(_until_killed, second.worker.run)
            await world.clock.advance(200)
            assert second.gate.counts["write"] < 50
