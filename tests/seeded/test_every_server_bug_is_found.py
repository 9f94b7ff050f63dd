"""The gate of PostgreSQL's own paths: a planted bug that no test of a server finds fails here."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.seeded.bugs import planted
from tests.seeded.server_bugs import SERVER_BUGS, ServerBug
from tests.seeded.server_cases import ServerCase, server_cases


def near(bug: ServerBug) -> list[ServerCase]:
    """The tests that should find it."""
    return [case for case in server_cases() if case.name.startswith(bug.near)]


PLANTED = [
    pytest.param(bug, way, id=f"{bug.name.replace(' ', '-')}-{way}")
    for bug in SERVER_BUGS
    for way in bug.ways
]


@pytest.mark.parametrize(("bug", "way"), PLANTED)
async def test_a_planted_bug_is_found_on_the_server(
    bug: ServerBug, way: str, tmp_path: Path
) -> None:
    with planted(bug), capture_logs():
        for number, case in enumerate(near(bug)):
            (tmp_path / str(number)).mkdir()
            if await case.finds(tmp_path / str(number), way) is not None:
                return
    pytest.fail(f"the bug {bug.name!r} survived its tests; it breaks {bug.rule}")


@pytest.mark.parametrize("bug", SERVER_BUGS, ids=[bug.name for bug in SERVER_BUGS])
def test_a_server_bug_names_tests_that_exist(bug: ServerBug) -> None:
    assert all(any(case.name.startswith(name) for case in near(bug)) for name in bug.near)
    assert bug.near


@pytest.mark.parametrize("way", ["direct", "pgbouncer"])
async def test_the_tests_that_find_server_bugs_find_none_in_sound_code(
    way: str, tmp_path: Path
) -> None:
    names = {case.name: case for bug in SERVER_BUGS if way in bug.ways for case in near(bug)}
    found = []
    with capture_logs():
        for number, case in enumerate(names.values()):
            (tmp_path / str(number)).mkdir()
            found.append(await case.finds(tmp_path / str(number), way))
    assert [one for one in found if one is not None] == []
