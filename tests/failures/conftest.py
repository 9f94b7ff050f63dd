"""A world for each adapter and each store in turn; after each test every promise is checked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.support.invariants import check
from tests.support.mails import CANARY
from tests.support.world import World
from tests.support.worlds import KINDS, PGBOUNCER, Make

POOLED = frozenset({"test_matrix_store", "test_matrix_plain"})
"""Behind PgBouncer the same statements run; these rows show it."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every row on every kind of world."""
    if "make" in metafunc.fixturenames:
        pooled = metafunc.module.__name__.rpartition(".")[2] in POOLED
        metafunc.parametrize("make", (*KINDS, *([PGBOUNCER] if pooled else [])), indirect=True)


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes the world of a test, of each kind in turn."""
    worlds: list[World] = []

    def made(world: World) -> None:
        worlds.append(world)

    with capture_logs() as logs:
        yield Make(request.param, tmp_path, made)
    for world in worlds[-1:]:
        check(world)
    assert CANARY not in str(logs)
