"""Every named fault point: killed there, stopped there, and what the next process makes of it."""

from __future__ import annotations

import pytest

from storage.words import DraftState, FaultPoint, IntentState, ItemKind, Kind
from tests.support.clock import quiesce
from tests.support.gate import Action, kill, stop
from tests.support.scenes import CLAIMED, DISCARDING, WAYS
from tests.support.world import Process, World
from tests.support.worlds import Make

POINTS = [point for point in FaultPoint if point is not FaultPoint.REMOVAL_ASIDE]


def test_every_fault_point_has_a_way() -> None:
    assert set(WAYS) == set(FaultPoint)


async def _die(world: World, point: FaultPoint) -> Process:
    process = world.process()
    process.gate.at[point] = kill
    await WAYS[point](world, process)
    assert process.gate.points[point] == 1
    assert process.gate.dead
    return process


def _expect_end(world: World, make: Make, point: FaultPoint, *, asked: bool = False) -> None:
    """What a day later is true; *asked*: the command at whose point it stopped was carried out."""
    made = world.journal.effects
    if point is FaultPoint.RELEASED:
        assert not made
        assert world.thread.due_at is None
    elif point in CLAIMED | {FaultPoint.SWEEP_WRITTEN, FaultPoint.SWEPT} and not make.stages:
        # Nobody can ever prove it: it stays unknown and shown, and is never made again.
        assert not made
        assert world.intent.state is IntentState.UNKNOWN
        assert world.item(ItemKind.OUTCOME_UNKNOWN).about == world.intent.id
    elif point is FaultPoint.COMMAND_WRITTEN and not asked:
        assert len(world.drafts()) == 1
        assert world.records()[0].state is DraftState.HELD
    elif point in DISCARDING:
        assert not world.drafts()
        assert world.records()[0].state is DraftState.DISCARDED
    else:
        assert len(world.drafts()) == 1
        assert world.intent.state is IntentState.ACCEPTED
        assert world.item(ItemKind.DRAFT_READY)


@pytest.mark.parametrize("point", POINTS)
async def test_after_a_kill_the_next_process_finishes(make: Make, point: FaultPoint) -> None:
    """Rows 18-29."""
    world = make()
    await _die(world, point)
    await world.pass_days(world.process(sole=True))
    _expect_end(world, make, point)


@pytest.mark.parametrize("point", POINTS)
async def test_after_a_kill_another_host_takes_over_by_time(make: Make, point: FaultPoint) -> None:
    """Rows 18-29 without the file lock's word that everybody else is dead."""
    world = make()
    await _die(world, point)
    await world.pass_days(world.process())
    _expect_end(world, make, point)


@pytest.mark.parametrize("point", POINTS)
async def test_a_process_that_slept_past_its_lease_does_no_harm(
    make: Make, point: FaultPoint
) -> None:
    """Rows 33-37: SIGSTOP, a takeover, and the old process goes on where it was."""
    world = make()
    async with world.background():
        sleeper = world.process()
        sleeper.gate.at[point] = stop
        await WAYS[point](world, sleeper)
        world.shift_lease()
        other = world.process()
        await world.drive(other.all)
        world.clock.skip(25)
        await world.drive(other.all)
        sleeper.gate.go_on()
        await quiesce()
        await world.pass_days(other)
    assert sleeper.gate.points[point] == 1
    assert len(world.drafts()) <= 1
    assert len([one for one in world.journal.effects if one.kind is Kind.CREATE_DRAFT]) <= 1
    _expect_end(world, make, point, asked=True)


@pytest.mark.parametrize("act", [kill, stop], ids=["killed", "stopped"])
async def test_a_draft_that_lay_aside_at_the_end_is_removed_or_put_back(
    make: Make, act: Action
) -> None:
    """Row 23 for a removal, on the adapter that has the point."""
    if not make.is_files:
        pytest.skip("only a Maildir lays drafts aside")
    world = make()
    async with world.background():
        process = world.process()
        process.gate.at[FaultPoint.REMOVAL_ASIDE] = act
        await WAYS[FaultPoint.REMOVAL_ASIDE](world, process)
        assert process.gate.points[FaultPoint.REMOVAL_ASIDE] == 1
        world.shift_lease()
        other = world.process()
        await world.drive(other.all)
        process.gate.go_on()
        await quiesce()
        await world.pass_days(other)
    _expect_end(world, make, FaultPoint.REMOVAL_ASIDE)
