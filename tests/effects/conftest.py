"""The units of the store, tried alone in a world in memory and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.world import World
from tests.support.worlds import MEMORY, POSTGRESQL, Make


@pytest.fixture(params=[MEMORY, POSTGRESQL])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes worlds; what moved without leave fails the test."""
    worlds: list[World] = []
    yield Make(request.param, tmp_path, worlds.append)
    for world in worlds[-1:]:
        assert not world.db.watch.broken
