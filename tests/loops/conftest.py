"""A world in memory whose promises, and whose silence about mail, are checked at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from tests.support.invariants import check
from tests.support.mails import CANARY
from tests.support.world import World


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    with capture_logs() as logs:
        yield made
    check(made)
    assert CANARY not in str(logs)
