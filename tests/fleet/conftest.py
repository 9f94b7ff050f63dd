"""A site of a fleet on a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.hosts import Site, separable
from tests.support import postgres
from tests.support.dovecot import missing


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with postgres.new_database() as database:
        made = Site(root=tmp_path, database=database)
        made.make_boxes()
        yield made


@pytest.fixture
def hosts_apart() -> None:
    """Each process may have a host name of its own."""
    if not separable():
        missing("a host name of its own for each process needs root and unshare")
