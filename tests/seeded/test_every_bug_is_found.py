"""The gate: a planted bug that the matrix does not find fails here, by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.seeded.bug import Bug
from tests.seeded.bugs import BUGS, planted
from tests.seeded.cases import Case, cases

CASES = cases()


def _in_order(bug: Bug) -> list[Case]:
    """The cases that should find it first, then all the others."""
    near = [case for case in CASES if case.name.startswith(bug.near)]
    return near + [case for case in CASES if case not in near]


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name.replace(" ", "-") for bug in BUGS])
async def test_a_planted_bug_is_found(bug: Bug, tmp_path: Path) -> None:
    with planted(bug), capture_logs():
        for case in _in_order(bug):
            if await case.finds(tmp_path) is not None:
                return
    pytest.fail(f"the bug {bug.name!r} survived every case; it breaks {bug.rule}")


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name.replace(" ", "-") for bug in BUGS])
def test_a_bug_names_cases_that_exist(bug: Bug) -> None:
    assert all(any(case.name.startswith(name) for case in CASES) for name in bug.near)


async def test_the_cases_that_find_bugs_find_none_in_sound_code(tmp_path: Path) -> None:
    near = {name for bug in BUGS for name in bug.near}
    with capture_logs():
        found = [await case.finds(tmp_path) for case in CASES if case.name.startswith(tuple(near))]
    assert [one for one in found if one is not None] == []
