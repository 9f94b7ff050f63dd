"""Every store that an epoch can be in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from storage.database import Database
from storage.migrate import upgrade
from storage.sqlite import FILE_NAME, open_sqlite
from tests.cli.conftest import Place, place
from tests.cli.test_postgres import use
from tests.epochs.stores import Disk, File, Kept
from tests.support.postgres import PASSWORD, Cluster, new_database, opened

__all__ = ["kept", "place", "store"]


@pytest.fixture(params=["sqlite", "postgresql", "pgbouncer"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    if request.param == "sqlite":
        upgrade(tmp_path / FILE_NAME)
        file = await open_sqlite(tmp_path / FILE_NAME)
        yield file
        await file.close()
        return
    with new_database() as name:
        database = await opened(name, pooled=request.param == "pgbouncer")
        yield database
        await database.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(
    request: pytest.FixtureRequest, place: Place, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Kept]:
    """The store of ``place``, which a test may set back."""
    if request.param == "sqlite":
        yield File(place.data_dir / FILE_NAME)
        return
    # Durable, or ``check`` would complain of the server.
    server = Cluster(durable=True)
    monkeypatch.setenv("FENCEPOST_TEST_PASSWORD", PASSWORD)
    database = server.new_database(empty=True)
    use(place, server.url(database))
    yield Disk(server, database)
    server.remove()
