"""What a refused attempt had staged goes with its refusal; what may still land stays."""

from __future__ import annotations

import pytest

from providers.memory import Behaviour
from storage.words import FaultPoint, IntentState
from tests.support.clock import quiesce
from tests.support.gate import kill, stop
from tests.support.hands import MaildirHands
from tests.support.scenes import draft
from tests.support.world import World
from tests.support.worlds import Make


def staged(world: World) -> list[str]:
    assert isinstance(world.hands, MaildirHands)
    return world.hands.hidden()


@pytest.fixture
def world(make: Make) -> World:
    if not make.is_files:
        pytest.skip("only a Maildir stages where one can see it")
    return make()


@pytest.mark.parametrize("how", [Behaviour.REFUSE, Behaviour.BUSY, Behaviour.QUOTA])
async def test_a_refused_attempt_leaves_nothing_staged(world: World, how: Behaviour) -> None:
    world.plan.add("create", how)
    await draft(world, world.process())
    assert world.intent.state is IntentState.REJECTED
    assert staged(world) == []


@pytest.mark.parametrize("how", [Behaviour.DROP, Behaviour.HANG])
async def test_an_unknown_attempt_keeps_what_it_staged(world: World, how: Behaviour) -> None:
    world.plan.add("create", how)
    await draft(world, world.process())
    assert world.intent.state is IntentState.UNKNOWN
    assert len(staged(world)) == 1


@pytest.mark.parametrize("point", [FaultPoint.OUTCOME_WRITTEN, FaultPoint.OUTCOME_COMMITTED])
async def test_a_kill_around_the_refusal_leaves_it_for_the_next_start(
    world: World, point: FaultPoint
) -> None:
    world.plan.add("create", Behaviour.BUSY)
    process = world.process()
    process.gate.at[point] = kill
    await draft(world, process)
    assert process.gate.dead
    assert len(staged(world)) == 1
    await world.pass_days(world.process(sole=True))
    assert len(world.drafts()) == 1


async def test_a_process_that_wakes_after_its_refusal_drops_nothing_of_the_next_attempt(
    world: World,
) -> None:
    world.plan.add("create", Behaviour.BUSY)
    async with world.background():
        sleeper = world.process()
        sleeper.gate.at[FaultPoint.OUTCOME_COMMITTED] = stop
        await draft(world, sleeper)
        assert len(staged(world)) == 1
        world.shift_lease()
        other = world.process()
        world.plan.add("create", Behaviour.DROP)
        world.clock.skip(60)
        await world.drive(other.all)
        assert (world.intent.attempt, world.intent.state) == (2, IntentState.UNKNOWN)
        assert len(staged(world)) == 2
        sleeper.gate.go_on()
        await quiesce()
        assert len(staged(world)) == 2
        await world.pass_days(other)
    assert len(world.drafts()) == 1
