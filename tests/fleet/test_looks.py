"""In a fleet one process at a time looks for a mailbox's lost answers."""

from __future__ import annotations

from providers.memory import Behaviour
from storage.words import EvidenceKind, FaultPoint, IntentState
from tests.support.clock import quiesce
from tests.support.gate import stop
from tests.support.scenes import lose
from tests.support.world import World


async def test_a_second_process_leaves_a_look_to_the_first() -> None:
    world = World(stages=False)
    async with world.background():
        first, second = world.process(), world.process()
        await lose(world, first, Behaviour.DROP)
        world.clock.skip(6)
        first.gate.at[FaultPoint.LOOKED] = stop
        await world.drive(first.reconcile)
        assert await world.drive(second.reconcile) == 0
        first.gate.go_on()
        await quiesce()
        assert len(looks(world)) == 1


async def test_the_looks_of_a_process_that_stands_still_go_to_another() -> None:
    world = World()
    async with world.background():
        first, second = world.process(), world.process()
        await lose(world, first, Behaviour.LOSE)
        world.clock.skip(6)
        first.gate.at[FaultPoint.LOOKED] = stop
        await world.drive(first.reconcile)
        world.shift_lease()
        assert await world.drive(second.reconcile) == 1
        assert world.intent.state is IntentState.ACCEPTED


def looks(world: World) -> list[EvidenceKind]:
    told = [fact.kind for fact in world.facts(world.intent.id)]
    return [kind for kind in told if kind is EvidenceKind.ABSENCE]
