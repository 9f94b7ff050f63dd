"""Lease rows as locks: one that must still be ours, and many in an order that cannot deadlock.

Whatever reads a thread, an intent or a draft and then writes what follows from it holds the
thread's lease row meanwhile, because READ COMMITTED lets another commit fall between the two. Many
rows are locked in one order, a watcher's own before those of its threads. On SQLite the one
writer's BEGIN IMMEDIATE is the lock, and these statements only read.

A crash lets go of every lock together with its transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import leases
from storage.leases import Held, LeaseLostError
from storage.rows import ByBytes
from storage.tables import leases as rows
from storage.words import WATCH_THREAD

if TYPE_CHECKING:
    from sqlalchemy import Connection

_CHUNK = 400
_SOME = (
    sa.select(rows.c.thread)
    .where(
        rows.c.integration == sa.bindparam("i"),
        rows.c.thread.in_(sa.bindparam("t", expanding=True)),
    )
    .order_by(ByBytes(rows.c.thread))
    .with_for_update()
)
_EVERY = (
    sa.select(sa.literal(1))
    .where(rows.c.thread != WATCH_THREAD)
    .order_by(ByBytes(rows.c.integration), ByBytes(rows.c.thread))
    .with_for_update()
)


def require(conn: Connection, held: Held) -> None:
    """Lock the row of *held* and see that it still is. Raises LeaseLostError."""
    if not leases.lock(conn, held.integration, held.thread).is_held_by(held):
        raise LeaseLostError(f"{held.integration}: another process holds this lease now")


def lock_threads(conn: Connection, integration: str, threads: Collection[str]) -> None:
    """Lock the lease rows of several threads, always in the same order."""
    wanted = sorted(set(threads))
    for start in range(0, len(wanted), _CHUNK):
        conn.execute(_SOME, {"i": integration, "t": wanted[start : start + _CHUNK]}).all()


def lock_everything(conn: Connection) -> None:
    """Lock the lease rows of every thread, watchers' own excepted."""
    conn.execute(_EVERY).all()
