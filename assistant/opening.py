"""Opens the store that the configuration names: a file in data_dir, or a PostgreSQL database.

Everything above gets a ``Database`` and asks no further; only whether there is a file lock differs.
Reads never make or change anything. The password is fetched when the store is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from anyio import to_thread

from config.secrets import resolve
from storage.fs import make_data_dir

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from config.loaded import Loaded
    from storage.database import Database, Reader
    from storage.pg_place import Place
    from storage.signals import Signal
    from storage.words import Clock

log = structlog.get_logger()

DATABASE: Final = "fencepost.db"
"""The file of an SQLite store in data_dir."""


def is_shared(loaded: Loaded) -> bool:
    """Whether the store is a server that many processes share, so that no file lock is taken."""
    return loaded.daemon.storage.url != "sqlite"


async def open_database(loaded: Loaded) -> Database:
    """Migrate the store and open it for reading and writing; SQLite only under the file lock.

    Raises ``config.secrets.SecretError`` and ``storage.errors.StorageError``.
    """
    data_dir = loaded.daemon.storage.data_dir
    if is_shared(loaded):
        from storage.postgres import open_postgres

        await to_thread.run_sync(make_data_dir, data_dir)
        place = await place_of(loaded)
        await migrate(loaded)
        return await open_postgres(place)
    from storage.sqlite import open_sqlite

    await migrate(loaded)
    return await open_sqlite(data_dir / DATABASE)


async def listen(database: Database, clock: Clock, ring: Callable[[Signal], None]) -> None:
    """Hear what other processes signal, for ever; returns at once where nobody can listen."""
    from storage.postgres import PostgresDatabase

    if not isinstance(database, PostgresDatabase):
        return
    if database.met.pooled:
        log.info("a pooler stands before PostgreSQL: others are not heard, polling remains")
        return
    from storage.listening import listen as listen_to

    await listen_to(database.place, clock, ring)


async def open_reader(loaded: Loaded) -> Reader:
    """Open the store for reading, beside whoever writes it. Raises as open_database does."""
    if is_shared(loaded):
        from storage.postgres import open_postgres

        return await open_postgres(await place_of(loaded), connections=1)
    from storage.sqlite import open_readonly

    return await open_readonly(_file(loaded))


async def migrate(loaded: Loaded) -> bool:
    """Bring the store to this release's tables; False when it was there."""
    from storage.migrate import upgrade, upgrade_postgres

    if is_shared(loaded):
        return await upgrade_postgres(await place_of(loaded))
    return await to_thread.run_sync(upgrade, _file(loaded))


async def revision_of(loaded: Loaded) -> str | None:
    """The schema revision that the store is at; None where there are no tables yet.

    Raises as open_database does: SchemaTooNewError and MigrationError where the tables are none
    that this release could migrate. Makes nothing.
    """
    from storage.revisions import current, is_at_head

    def unit(conn: Connection) -> str | None:
        is_at_head(conn)
        return current(conn)

    if not is_shared(loaded):
        return await to_thread.run_sync(_revision_of_file, _file(loaded), unit)
    from storage.postgres import open_postgres

    reader = await open_postgres(await place_of(loaded), connections=1, versions=None)
    try:
        return await reader.read(unit)
    finally:
        await reader.close()


def _revision_of_file(path: Path, unit: Callable[[Connection], str | None]) -> str | None:
    from sqlalchemy.exc import DBAPIError

    from storage.sqlite import sync_engine
    from storage.sqlite_errors import explained

    if not path.is_file() or not path.stat().st_size:
        return None
    engine = sync_engine(path, mode="ro")
    try:
        with engine.connect() as conn, conn.begin():
            return unit(conn)
    except DBAPIError as error:
        raise explained(error) from error
    finally:
        engine.dispose()


async def place_of(loaded: Loaded) -> Place:
    """The PostgreSQL database that is configured, with its password."""
    from storage.pg_place import Place

    storage = loaded.daemon.storage
    ref = storage.password
    secret = None if ref is None else await to_thread.run_sync(resolve, ref)
    return Place(url=storage.url, password=None if secret is None else secret.reveal())


def _file(loaded: Loaded) -> Path:
    return loaded.daemon.storage.data_dir / DATABASE
