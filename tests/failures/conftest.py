"""A world for each adapter in turn; after each test every promise is checked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.support.invariants import check
from tests.support.mails import CANARY
from tests.support.world import World
from tests.support.worlds import KINDS, Make


@pytest.fixture(params=KINDS)
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
