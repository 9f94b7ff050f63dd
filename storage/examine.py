"""A database file looked at from outside: is it whole, of this release, and the one written last?

For ``fencepost check``, which answers before anything is started. Only reads, beside a daemon or
without one, and makes nothing where there is nothing. The pages of a big file are read for a
bounded time; what was not read is said.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage import epochs
from storage.errors import DatabaseMissingError, StorageIllError
from storage.revisions import VERSIONS, current, require_head
from storage.sqlite import sync_engine
from storage.sqlite_errors import explained, primary_code
from storage.tables import meta
from storage.witness import read_witness

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from storage.epochs import Alarm

WITHIN_S: Final = 10.0
"""How long the pages of a file are read."""
_STEPS: Final = 20_000
"""Steps of SQLite's machine between two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A database that can be worked with.

    ``complete``: every page was read, not only as many as the time allowed. ``alarm`` says that it
    is not the one written last. ``key`` is the fingerprint of the installation key that it was
    begun with, None before that.
    """

    revision: str
    size: int
    complete: bool
    alarm: Alarm | None
    key: str | None


def examine(path: Path, *, within_s: float = WITHIN_S, versions: Path = VERSIONS) -> Examined:
    """Look at the file at *path*. Blocks, for *within_s* seconds and a little.

    Raises DatabaseMissingError, SchemaTooNewError, SchemaTooOldError, MigrationError (not ours)
    and StorageIllError (damaged, or not to be read).
    """
    size = path.stat().st_size if path.is_file() else 0
    if not size:
        raise DatabaseMissingError(path)
    # Before the database, which then knows all that it tells, however long the pages take.
    witness = read_witness(path.parent)
    engine = sync_engine(path, mode="ro")
    try:
        with engine.connect() as conn, conn.begin():
            require_head(conn, versions)
            complete = _read_pages(conn, within_s)
            return Examined(
                revision=current(conn) or "",
                size=size,
                complete=complete,
                alarm=epochs.judge(witness, epochs.look(conn, witness)),
                key=conn.scalar(sa.select(meta.c.value).where(meta.c.name == "installation_key")),
            )
    except sa.exc.DBAPIError as error:
        raise explained(error) from error
    finally:
        engine.dispose()


def _read_pages(conn: Connection, within_s: float) -> bool:
    """Have SQLite read every page; whether it came to the end. Raises StorageIllError."""
    until = time.monotonic() + within_s
    dbapi = conn.connection.dbapi_connection
    if not isinstance(dbapi, sqlite3.Connection):
        raise TypeError(f"not SQLite's own driver: {type(dbapi).__name__}")
    dbapi.set_progress_handler(lambda: int(time.monotonic() > until), _STEPS)
    try:
        faults = conn.exec_driver_sql("PRAGMA quick_check(3)").scalars().all()
    except sa.exc.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_INTERRUPT:
            raise
        return False
    finally:
        dbapi.set_progress_handler(None, 0)
    if faults != ["ok"]:
        raise StorageIllError(
            f"the database file is damaged ({'; '.join(str(fault) for fault in faults)})",
            remedy="stop the daemon and restore data_dir from a backup; keep the damaged file",
        )
    return True
