"""The shared store: a PostgreSQL database, any number of processes, a small pool in each.

    BEGIN + time limits (one message) --> the unit's statements --> COMMIT --> hook --> result

A write is READ COMMITTED: each statement sees what is committed, and the row locks that every
fenced unit begins with do the rest. A read is REPEATABLE READ READ ONLY: one snapshot for all of
its statements. Time limits are set inside each transaction, for behind PgBouncer a session is not
ours; directly connected, statements stay prepared. The pool sends nothing on release.

A whole unit is run again after a deadlock, a serialization failure or a lock timeout, a few times,
and once when a key was taken that it had not seen; only before COMMIT was sent. Any error from
COMMIT, even "the backend was killed", may come from a commit that is durable: it is
CommitUnknownError, and the connection is thrown away.

A result is known before a cancellation is delivered; what bounds the wait is statement_timeout on
the server, the time that BEGIN and COMMIT may take (a standby that never confirms keeps a COMMIT
waiting for ever) and, when the server's host is gone, the kernel (see storage.pg_place). A crash
leaves a transaction whole or not at all.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, TypeVar, cast

from anyio import CancelScope, CapacityLimiter, Lock

from storage.errors import (
    CommitUnknownError,
    StorageBusyError,
    StorageClosedError,
    UnitMisuseError,
)
from storage.outlast import outlasting_cancellation
from storage.pg_errors import explained, may_run_again
from storage.pg_place import PLANS, Driver, Met, Place, connect, meet
from storage.revisions import VERSIONS, require_head

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from storage.database import Hook

T = TypeVar("T")

CONNECTIONS: Final = 8
"""Units at work at the same time in one process; each has a connection."""
TRIES: Final = 4
"""How often a unit is run in all when locks get into its way."""
LOCK_TIMEOUT_S: Final = 5.0
STATEMENT_TIMEOUT_S: Final = 20.0
IDLE_TIMEOUT_S: Final = 20.0
"""A process that stops in the middle of a transaction lets go of its locks after that."""
ROLLBACK_S: Final = 5.0
ANSWER_S: Final = 30.0
"""How long BEGIN and COMMIT may take; statement_timeout does not bound them."""
# Units go by keys. A plan is kept as it is made first, and then tables may be small or not counted.
_WRITE: Final = (
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL enable_seqscan = off; "
    "SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off"
)
_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresDatabase:
    """One database of PostgreSQL, read and written; implements storage.database.Database."""

    def __init__(
        self,
        engine: AsyncEngine,
        place: Place,
        met: Met,
        *,
        limits: str,
        connections: int,
        answer_s: float,
    ) -> None:
        """Made by open_postgres."""
        self._answer_s = answer_s
        self._engine = engine
        self._place = place
        self._limits = limits
        self._limiter = CapacityLimiter(connections)
        self._is_closed = False
        self._closing = Lock()
        self._at_hand: list[tuple[AsyncConnection, Driver]] = []
        self.met = met

    @property
    def dialect(self) -> str:
        """Always ``postgresql``."""
        return "postgresql"

    @property
    def place(self) -> Place:
        """Where it is."""
        return self._place

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* on one snapshot; as storage.database.Reader.read says."""
        return await self._run(_READ, unit, None)

    async def write(self, unit: Callable[[Connection], T], *, committed: Hook | None = None) -> T:
        """Run *unit* in a transaction; as storage.database.Database.write says."""
        return await self._run(_WRITE, unit, committed)

    async def close(self) -> None:
        """Let the units under way end, then close the connections. May be called twice."""
        self._is_closed = True
        with CancelScope(shield=True):
            async with self._closing:
                if self._limiter.total_tokens != float("inf"):
                    for _ in range(int(self._limiter.total_tokens)):
                        await self._limiter.acquire_on_behalf_of(object())
                    self._limiter.total_tokens = float("inf")
            while self._at_hand:
                await self._at_hand.pop()[0].close()
            await self._engine.dispose()

    async def _run(self, begin: str, unit: Callable[[Connection], T], hook: Hook | None) -> T:
        async with self._limiter:
            if self._is_closed:
                raise StorageClosedError("the store is closed: nothing happened")
            results: list[T] = []
            work = self._finish(begin, unit, hook, results)
            error = await outlasting_cancellation(asyncio.ensure_future(work))
        if error is not None:
            raise error
        return results[0]

    async def _finish(
        self, begin: str, unit: Callable[[Connection], T], hook: Hook | None, results: list[T]
    ) -> BaseException | None:
        try:
            results.append(await self._try(begin, unit))
        except BaseException as error:  # noqa: BLE001 - whatever a unit raises is its caller's
            return explained(error)
        try:
            if hook is not None:
                hook()
        except BaseException as error:  # noqa: BLE001 - the fault that a test asked for
            return error
        return None

    async def _try(self, begin: str, unit: Callable[[Connection], T]) -> T:
        for tried in range(1, TRIES):
            try:
                return await self._once(begin, unit)
            except Exception as error:
                if not may_run_again(error, tried=tried):
                    raise
            # Two that met in a deadlock must not meet again at once.
            await asyncio.sleep(random.uniform(0.001, 0.02) * tried)  # noqa: S311
        return await self._once(begin, unit)

    async def _once(self, begin: str, unit: Callable[[Connection], T]) -> T:
        async with self._connection() as (conn, driver):
            try:
                await self._begin(driver, begin)
                result = await conn.run_sync(_whole(unit))
            except BaseException:
                await _undo(conn, driver)
                raise
            await _commit(conn, driver, self._answer_s)
        return result

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[tuple[AsyncConnection, Driver]]:
        """A connection of the pool, kept at hand for the next unit unless this one fails."""
        # To give one back to the pool and take it again costs as much as BEGIN and COMMIT.
        conn, driver = self._at_hand.pop() if self._at_hand else await self._connected()
        if driver.is_closed():
            await conn.close()
            conn, driver = await self._connected()
        try:
            yield conn, driver
        except BaseException:
            await conn.close()
            raise
        self._at_hand.append((conn, driver))

    async def _connected(self) -> tuple[AsyncConnection, Driver]:
        conn = await self._engine.connect()
        return conn, cast("Driver", (await conn.get_raw_connection()).driver_connection)

    async def _begin(self, driver: Driver, begin: str) -> None:
        clock = self._place.virtual_clock
        told = "" if clock is None else f"; SET LOCAL fencepost.now = '{clock():.6f}'"
        try:
            await driver.execute(f"{begin}{self._limits}{told}", timeout=self._answer_s)
        except TimeoutError as error:
            raise StorageBusyError(
                f"PostgreSQL at {self._place.shown} had no time for a transaction: nothing "
                "happened and it may be tried again"
            ) from error


async def open_postgres(
    place: Place,
    *,
    connections: int = CONNECTIONS,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
    statement_timeout_s: float = STATEMENT_TIMEOUT_S,
    answer_s: float = ANSWER_S,
    versions: Path | None = VERSIONS,
) -> PostgresDatabase:
    """Open the database at *place*; migrations must have ended (None: any tables will do).

    Raises StorageIllError and StorageBusyError where it cannot be reached or used,
    StorageSettingsError where commits would not be durable, SchemaTooNewError, SchemaTooOldError.
    """
    met = await meet(place)
    limits = (
        f"; SET LOCAL lock_timeout = {round(lock_timeout_s * 1000)}"
        f"; SET LOCAL statement_timeout = {round(statement_timeout_s * 1000)}"
        f"; SET LOCAL idle_in_transaction_session_timeout = {round(IDLE_TIMEOUT_S * 1000)}"
    )
    engine = _engine(place, met, connections)
    database = PostgresDatabase(
        engine, place, met, limits=limits, connections=connections, answer_s=answer_s
    )
    if versions is not None:
        try:
            await database.read(lambda conn: require_head(conn, versions))
        except BaseException:
            await database.close()
            raise
    return database


def _engine(place: Place, met: Met, connections: int) -> AsyncEngine:
    import sqlalchemy as sa
    from sqlalchemy.ext.asyncio import create_async_engine

    async def new(*_: object, **__: object) -> Driver:
        return await connect(place, met)

    engine = create_async_engine(
        "postgresql+asyncpg://",
        # Without a cache the driver names no statement: one that is prepared and used inside one
        # transaction is safe behind a pooler and leaves nothing there.
        connect_args={
            "async_creator_fn": new,
            "prepared_statement_cache_size": 0 if met.pooled else PLANS,
        },
        # The transaction is begun and ended here, by hand: SQLAlchemy sends nothing of its own.
        isolation_level="AUTOCOMMIT",
        pool_size=connections,
        max_overflow=0,
        pool_use_lifo=True,
    )

    @sa.event.listens_for(engine.sync_engine, "checkout")
    def still_there(dbapi: DBAPIConnection, *_: object) -> None:
        if cast("Driver", dbapi.driver_connection).is_closed():
            raise sa.exc.DisconnectionError

    @sa.event.listens_for(engine.sync_engine, "before_cursor_execute", retval=True)
    def without_nul(
        _conn: object, _cursor: object, statement: str, values: object, *_: object
    ) -> tuple[str, object]:
        return statement, _without_nul(values)

    @sa.event.listens_for(engine.sync_engine, "commit")
    def refuse(_: Connection) -> None:
        raise UnitMisuseError("a unit of work must not commit: the store does that")

    return engine


def _without_nul(values: object) -> object:
    """Parameters as PostgreSQL's text can hold them: everything but NUL, which SQLite keeps."""
    if isinstance(values, str):
        return values.replace("\0", "\N{REPLACEMENT CHARACTER}") if "\0" in values else values
    if isinstance(values, tuple | list):
        return type(values)(map(_without_nul, values))
    return values


def _whole(unit: Callable[[Connection], T]) -> Callable[[Connection], T]:
    """*unit*, held to leaving the transaction as it found it."""

    def run(conn: Connection) -> T:
        begun, options = conn.begin(), conn.get_execution_options()
        result = unit(conn)
        same = begun.is_active and conn.get_transaction() is begun
        if not same or conn.in_nested_transaction():
            raise UnitMisuseError(
                "a unit of work must leave the transaction open and close its savepoints"
            )
        if conn.get_execution_options() != options:
            raise UnitMisuseError("a unit of work must not set options of its connection")
        # Its own idea of a transaction; the database's goes on until the COMMIT that comes next.
        begun.close()
        return result

    return run


async def _undo(conn: AsyncConnection, driver: Driver) -> None:
    """Roll back; a connection that cannot even do that is thrown away."""
    try:
        await driver.execute("ROLLBACK", timeout=ROLLBACK_S)
    except BaseException:  # noqa: BLE001 - the first error is the one to tell
        await conn.invalidate()


async def _commit(conn: AsyncConnection, driver: Driver, answer_s: float) -> None:
    """COMMIT, or CommitUnknownError."""
    warnings: list[str] = []

    def note(_: object, notice: object) -> None:
        warnings.append(str(notice))

    driver.add_log_listener(note)
    try:
        tag = await driver.execute("COMMIT", timeout=answer_s)
    except BaseException as error:
        await conn.invalidate()
        raise CommitUnknownError(str(explained(error)) or type(error).__name__) from error
    driver.remove_log_listener(note)
    if warnings:
        # A wait for a standby that was cut short: committed here, and not known to be there.
        raise CommitUnknownError(warnings[0])
    if tag != "COMMIT":
        raise UnitMisuseError(
            "a unit of work went on after an error of SQL, so PostgreSQL stored nothing of it"
        )
