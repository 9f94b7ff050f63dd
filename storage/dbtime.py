"""The database's clock, the only one that decides whether a lease is over.

Worker clocks are never compared. On SQLite database time is the host's clock; it is read through
``julianday``, because ``unixepoch('subsec')`` is NULL before 3.42. The sum is rounded to the
nearest millisecond: a Julian day near today has steps of 0.04 ms, so cutting would lose one now
and then. On PostgreSQL it is ``clock_timestamp()``: ``now()`` stands still inside a transaction.

Tests replace ``julianday`` on each connection and so give the database a clock of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy import Connection

VirtualClock = Callable[[], float]
"""Gives epoch seconds in place of the database's own clock."""

_UNIX_EPOCH_DAY: Final = 2440587.5
_DAY_S: Final = 86400
_NOW_SQL: Final = {
    "sqlite": "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
    "postgresql": "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)",
}


def database_now_ms(conn: Connection) -> int:
    """Epoch milliseconds by the database's clock, read now (not at the transaction's start)."""
    return int(conn.exec_driver_sql(f"SELECT {_NOW_SQL[conn.dialect.name]}").scalar_one())


class NowMs(FunctionElement[int]):
    """Epoch milliseconds by the database's clock, as an expression inside a statement.

    PostgreSQL reads it once for each row, and may do so before it waits for that row's lock.
    """

    name = "now_ms"
    type = sa.BigInteger()
    inherit_cache = True


@compiles(NowMs)
def _now_ms(_element: NowMs, compiler: sa.Compiled, **_: object) -> str:
    return _NOW_SQL[compiler.dialect.name]


class TakesFunctions(Protocol):
    """A connection of the sqlite3 module, or SQLAlchemy's stand-in for one of aiosqlite."""

    def create_function(self, name: str, narg: int, func: Callable[..., float], /) -> None:
        """Define an SQL function on this connection."""


def override_clock(raw: TakesFunctions, clock: VirtualClock) -> None:
    """Make ``julianday`` of this one connection tell the time of *clock*."""

    def julianday(*_: object) -> float:
        return clock() / _DAY_S + _UNIX_EPOCH_DAY

    raw.create_function("julianday", -1, julianday)
