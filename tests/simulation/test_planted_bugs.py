"""Each planted bug that a schedule can show is found by one that finds nothing in sound code."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from tests.seeded.bugs import BUGS
from tests.simulation.found import FOUND, HIDDEN, run, shows

BY_NAME = {bug.name: bug for bug in BUGS}


@pytest.mark.parametrize("name", FOUND, ids=[name.replace(" ", "-") for name in FOUND])
async def test_its_schedule_finds_a_planted_bug(name: str) -> None:
    style, seed = FOUND[name]
    with capture_logs():
        assert await shows(BY_NAME[name], style, seed) is not None


@pytest.mark.parametrize(("style", "seed"), sorted(set(FOUND.values())))
async def test_a_schedule_that_finds_a_bug_finds_none_in_sound_code(style: str, seed: int) -> None:
    with capture_logs():
        log = await run(style, seed)
    if log is not None:
        pytest.fail("\n".join(log))


def test_every_bug_is_found_by_a_schedule_or_says_why_not() -> None:
    assert FOUND.keys() | HIDDEN.keys() == BY_NAME.keys()
    assert not FOUND.keys() & HIDDEN.keys()
