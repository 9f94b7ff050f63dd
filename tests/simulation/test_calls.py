"""The guarded call under every single fault in turn, and under several that are drawn.

``FENCEPOST_CALLS`` sets how many numbers are run; ``FENCEPOST_SEED`` where they begin.
"""

from __future__ import annotations

import os

import pytest
from structlog.testing import capture_logs

from storage.words import FaultPoint
from tests.simulation.calls import Calls, Runner
from tests.simulation.faults import AT_AWAITS, AT_POINTS, COMMITS
from tests.simulation.opening import opening
from tests.simulation.schedule import seeded_ids

CALLS = int(os.environ.get("FENCEPOST_CALLS", "1500"))
FIRST = int(os.environ.get("FENCEPOST_SEED", "0"))
CHUNK = 100


@pytest.fixture(scope="module")
async def runner() -> Runner:
    with capture_logs():
        return await Runner.made()


@pytest.mark.parametrize("first", range(FIRST, FIRST + CALLS, CHUNK))
async def test_numbers_break_no_promise(runner: Runner, first: int) -> None:
    with capture_logs():
        for number in range(first, first + CHUNK):
            found = await runner.run(number)
            if found is not None:
                pytest.fail(f"number {number}\n" + "\n".join(found.log))


async def test_every_fault_happens_alone_at_every_await_commit_and_point(runner: Runner) -> None:
    alone = {fault for case in runner.first for _, fault in case.faults}
    awaits = {fault.where for fault in alone if fault.what in AT_AWAITS}
    numbers = {where for where in awaits if isinstance(where, int)}
    assert numbers == set(range(1, max(numbers) + 1))
    assert len(numbers) >= 16
    assert {fault.what for fault in alone} == {*AT_AWAITS, *AT_POINTS, *COMMITS}
    assert {where for where in awaits if isinstance(where, FaultPoint)} >= {
        FaultPoint.CLAIM_WRITTEN,
        FaultPoint.CLAIM_COMMITTED,
        FaultPoint.CALL_ALLOWED,
        FaultPoint.EFFECT_DONE,
        FaultPoint.ANSWERED,
        FaultPoint.OUTCOME_WRITTEN,
        FaultPoint.OUTCOME_COMMITTED,
    }


async def test_the_same_number_gives_the_same_schedule(runner: Runner) -> None:
    logs = []
    with capture_logs():
        for number in [len(runner.first) + 7] * 2:
            with seeded_ids(number):
                calls = Calls(runner.case(number), await opening())
                await calls.run()
            crossed = [one.gate.crossed for one in calls.world.processes]
            logs.append((calls.log, crossed, calls.world.db.ask("SELECT * FROM evidence")))
    assert logs[0] == logs[1]
