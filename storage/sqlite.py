"""The embedded store: one SQLite file, one writer thread, concurrent readers.

Every connection sets WAL, ``synchronous=FULL`` (the default depends on how SQLite was built),
foreign keys and a busy timeout, reads them back and refuses to work otherwise: a commit that is not
durable would break the first promise. Writes go through BEGIN IMMEDIATE on the one writer thread;
reads run on read-only connections that never checkpoint, each unit on one snapshot (a plain BEGIN).

It must not be opened twice for writing: storage.lock sees to that. A crash leaves whole commits.
A file that was removed or replaced while it is open takes no more commits: nobody would find them.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar, cast
from urllib.parse import quote

import sqlalchemy as sa
from anyio import CancelScope, CapacityLimiter, to_thread
from sqlalchemy.pool import NullPool, StaticPool

from storage.dbtime import TakesFunctions, VirtualClock, override_clock
from storage.errors import (
    DatabaseMissingError,
    StorageClosedError,
    StorageGoneError,
    StorageIllError,
    StorageSettingsError,
)
from storage.group_commit import BUSY_TRIES, GroupCommit
from storage.outlast import outlasting_cancellation
from storage.revisions import VERSIONS, require_head
from storage.sqlite_errors import explained
from storage.writer import MAX_BATCH, Writer

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.ext.asyncio import AsyncEngine
    from sqlalchemy.pool import ConnectionPoolEntry

    from storage.database import Hook

T = TypeVar("T")
Mode = Literal["rwc", "rw", "ro"]

FILE_NAME: Final = "fencepost.db"
"""The database's file in data_dir."""
BUSY_TIMEOUT_S: Final = 1.0
READERS: Final = 4
"""Units that read at the same time; each has a connection and a thread."""

Settings = tuple[tuple[str, str, str], ...]
"""(pragma, the value to set, what it must read back as)."""
_WRITING: Final[Settings] = (
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", "2"),
    # macOS keeps what fsync wrote in the drive's cache; elsewhere this changes nothing.
    ("fullfsync", "ON", "1"),
    ("foreign_keys", "ON", "1"),
    ("journal_size_limit", str(16 * 1024 * 1024), str(16 * 1024 * 1024)),
)
_READING: Final[Settings] = (
    ("query_only", "ON", "1"),
    ("wal_autocheckpoint", "0", "0"),
)
_IN_MEMORY: Final[Settings] = (("foreign_keys", "ON", "1"),)


class SqliteReader:
    """Reads of one file, each unit on a snapshot of its own; implements Reader."""

    def __init__(self, path: Path, *, virtual_clock: VirtualClock | None, readers: int) -> None:
        """Opens nothing yet."""
        self._engine = _async_engine(path, virtual_clock=virtual_clock, readers=readers)
        self._limiter = CapacityLimiter(readers)
        self._is_closed = False

    @property
    def dialect(self) -> str:
        """Always ``sqlite``."""
        return "sqlite"

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* on one snapshot; as storage.database.Reader.read says."""
        async with self._limiter:
            if self._is_closed:
                raise StorageClosedError("the store is closed: nothing was read")
            # A statement that is cancelled half-way leaves a task that never ends behind, or a
            # connection that nobody closes; so it is a task of its own, and always waited for.
            results: list[T] = []
            error = await outlasting_cancellation(asyncio.ensure_future(self._read(unit, results)))
        if error is not None:
            raise error
        return results[0]

    async def _read(
        self, unit: Callable[[Connection], T], results: list[T]
    ) -> BaseException | None:
        try:
            async with self._engine.connect() as conn:
                results.append(await conn.run_sync(unit))
        except BaseException as error:  # noqa: BLE001 - whatever a unit raises is its caller's
            return explained(error)
        return None

    async def close(self) -> None:
        """Let the reads under way end, then close the connections. May be called twice."""
        with CancelScope(shield=True):
            if not self._is_closed:
                self._is_closed = True
                for _ in range(int(self._limiter.total_tokens)):
                    await self._limiter.acquire_on_behalf_of(object())
                self._limiter.total_tokens = float("inf")
            await self._engine.dispose()


class SqliteDatabase:
    """One SQLite file, read and written; implements Database."""

    def __init__(self, writer: Writer, reader: SqliteReader) -> None:
        """Made by open_sqlite."""
        self._writer = writer
        self._reader = reader

    @property
    def dialect(self) -> str:
        """Always ``sqlite``."""
        return "sqlite"

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* on one snapshot; as storage.database.Reader.read says."""
        return await self._reader.read(unit)

    async def write(self, unit: Callable[[Connection], T], *, committed: Hook | None = None) -> T:
        """Run *unit* in a transaction; as storage.database.Database.write says."""
        return await self._writer.write(unit, committed=committed)

    async def close(self) -> None:
        """Readers first, so that the writer is the last to close and folds the WAL in."""
        with CancelScope(shield=True):
            await self._reader.close()
            await self._writer.close()


async def open_sqlite(
    path: Path,
    *,
    virtual_clock: VirtualClock | None = None,
    readers: int = READERS,
    max_batch: int = MAX_BATCH,
    busy_timeout_s: float = BUSY_TIMEOUT_S,
    busy_tries: int = BUSY_TRIES,
) -> SqliteDatabase:
    """Open the file at *path* for reading and writing; it is made (0600) where there is none.

    Migrations must have ended. Raises StorageSettingsError where durability cannot be had, and
    StorageIllError and StorageBusyError where the file cannot be opened.
    """
    await to_thread.run_sync(make_private, path)
    engine = sync_engine(path, virtual_clock=virtual_clock, busy_timeout_s=busy_timeout_s)
    commits = GroupCommit(engine.connect, busy_tries=busy_tries, check=_same_file(path))
    writer = Writer(commits, max_batch=max_batch)
    await writer.start()
    database = SqliteDatabase(
        writer, SqliteReader(path, virtual_clock=virtual_clock, readers=readers)
    )
    try:
        await database.read(lambda conn: conn.exec_driver_sql("SELECT 1").scalar_one())
    except BaseException:
        await database.close()
        raise
    return database


async def open_readonly(
    path: Path, *, virtual_clock: VirtualClock | None = None, versions: Path = VERSIONS
) -> SqliteReader:
    """Open the file at *path* for reading only, beside a daemon that writes it or without one.

    Never makes a database. Raises DatabaseMissingError where there is none yet, SchemaTooNewError
    and SchemaTooOldError where its tables are not the ones that this release reads.
    """
    await to_thread.run_sync(_need_database, path)
    reader = SqliteReader(path, virtual_clock=virtual_clock, readers=1)
    try:
        await reader.read(lambda conn: require_head(conn, versions))
    except BaseException:
        await reader.close()
        raise
    return reader


def sync_engine(
    path: Path | None,
    *,
    mode: Mode = "rwc",
    virtual_clock: VirtualClock | None = None,
    busy_timeout_s: float = BUSY_TIMEOUT_S,
    foreign_keys: bool = True,
) -> Engine:
    """A plain engine with the settings of the store; each ``begin`` is BEGIN IMMEDIATE.

    *path* None is a database in memory, on one connection, for tests of pure SQL. Migrations run
    with *foreign_keys* off, which can be set outside a transaction only.
    """
    args = {"isolation_level": None, "timeout": busy_timeout_s}
    if path is None:
        engine = sa.create_engine("sqlite://", connect_args=args, poolclass=StaticPool)
    else:
        url = _url("sqlite", path, mode)
        engine = sa.create_engine(url, connect_args=args, poolclass=NullPool)
    settings = _IN_MEMORY if path is None else _READING if mode == "ro" else _WRITING
    if not foreign_keys:
        settings = (*settings, ("foreign_keys", "OFF", "0"))
    _settle(engine, settings, reading=mode == "ro", virtual_clock=virtual_clock)
    return engine


def run_sync_unit(engine: Engine, unit: Callable[[Connection], T]) -> T:
    """Run *unit* in one transaction of *engine* on this thread, for tests that need speed."""
    with engine.begin() as conn:
        return unit(conn)


def sqlite_version() -> str:
    """The version of the SQLite library in use, for reports."""
    return sqlite3.sqlite_version


def _async_engine(path: Path, *, virtual_clock: VirtualClock | None, readers: int) -> AsyncEngine:
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(
        _url("sqlite+aiosqlite", path, "ro"),
        connect_args={"isolation_level": None, "timeout": BUSY_TIMEOUT_S},
        pool_size=readers,
        max_overflow=0,
    )
    _settle(engine.sync_engine, _READING, reading=True, virtual_clock=virtual_clock)
    return engine


def _url(driver: str, path: Path, mode: Mode) -> sa.URL:
    # A file: URI, so that the mode is SQLite's business and no name of a folder can break it.
    name = quote(os.path.abspath(path))
    return sa.URL.create(driver, database=f"file:{name}", query={"mode": mode, "uri": "true"})


def _settle(
    engine: Engine, settings: Settings, *, reading: bool, virtual_clock: VirtualClock | None
) -> None:
    """Set every new connection up, and say what ``begin`` means."""
    begin = "BEGIN" if reading else "BEGIN IMMEDIATE"

    @sa.event.listens_for(engine, "connect")
    def set_up(dbapi: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        apply_settings(dbapi, settings)
        if virtual_clock is not None:
            override_clock(cast("TakesFunctions", dbapi), virtual_clock)

    @sa.event.listens_for(engine, "begin")
    def begin_it(conn: Connection) -> None:
        conn.exec_driver_sql(begin)


def apply_settings(dbapi: DBAPIConnection, settings: Settings) -> None:
    """Set a new connection up and read it back.

    Raises StorageSettingsError where one does not hold, and StorageIllError or StorageBusyError.
    """
    cursor = dbapi.cursor()
    try:
        for name, value, wanted in settings:
            cursor.execute(f"PRAGMA {name}={value}")
            cursor.execute(f"PRAGMA {name}")
            row = cursor.fetchone()
            found = "nothing" if row is None else str(row[0])
            if found != wanted:
                raise StorageSettingsError(
                    f"SQLite {sqlite3.sqlite_version} keeps {name} at {found} instead of {value}, "
                    "so commits would not be safe here: put data_dir on a local disk with a "
                    "plain file system and use an SQLite that was built with WAL"
                )
    except sqlite3.Error as error:
        raise explained(error) from error
    finally:
        cursor.close()


def _same_file(path: Path) -> Callable[[], None]:
    """A check that raises StorageGoneError unless the file at *path* is the one that is there now.

    SQLite writes on into a file that has lost its name, and the lock beside it is gone as well:
    another process may be at work already on records of its own.
    """
    opened = _identity(path)

    def check() -> None:
        if opened is None or _identity(path) != opened:
            raise StorageGoneError(
                f"the database {path} was removed or replaced while it was open",
                remedy="put the right file in its place and start Fencepost again (without one, a "
                "new database is begun, and every thread is looked up before anything is drafted)",
            )

    return check


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _need_database(path: Path) -> None:
    if not path.is_file() or path.stat().st_size == 0:
        raise DatabaseMissingError(path)


def make_private(path: Path) -> None:
    """Make the database's file (0600) where there is none; its companions get the same mode.

    Raises StorageIllError.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StorageIllError(
            f"the database {path} cannot be opened ({error.strerror})",
            remedy="check that data_dir exists and that the daemon's user may write in it",
        ) from error
