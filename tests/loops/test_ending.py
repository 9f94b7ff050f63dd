"""The end of a turn of work clears what it answered, and nothing that came after it had read."""

from __future__ import annotations

from structlog.testing import capture_logs

from storage import threads
from storage.words import FaultPoint
from tests.support.clock import quiesce
from tests.support.gate import stop
from tests.support.invariants import check
from tests.support.scenes import note_question
from tests.support.world import World


async def test_an_alarm_that_comes_during_the_work_is_not_cleared_by_its_end() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        await note_question(world, process)
        async with world.background():
            world.db.run(threads.reconcile_everything)
            process.gate.at[FaultPoint.READ] = stop
            await world.drive(process.work)
            world.db.run(threads.reconcile_everything)
            process.gate.at[FaultPoint.LEASED] = stop
            process.gate.go_on()
            await quiesce()
            world.clock.skip(2.0)
            await quiesce()
            assert process.gate.stopped
            assert world.thread.reconcile_first
        check(world)
