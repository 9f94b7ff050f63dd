"""The units of the store, tried alone in a world in memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.world import World
from tests.support.worlds import MEMORY, Make


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes worlds in memory; what moved without leave fails the test."""
    worlds: list[World] = []
    yield Make(MEMORY, tmp_path, worlds.append)
    for world in worlds[-1:]:
        assert not world.db.watch.broken
