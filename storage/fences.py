"""Fences across the whole database: at a start, after a restore, and when a person forgives.

A fence never restarts: what may have been given out before this database began is remembered as a
floor, and every new lease row begins there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import leases, meta

if TYPE_CHECKING:
    from sqlalchemy import Connection

_FLOOR = sa.select(meta.c.value).where(meta.c.name == "fence_floor")


def floor(conn: Connection) -> int:
    """The highest fence that may ever have been given out before this database began.

    Raised after a restore, so that a fence never restarts.
    """
    value = conn.scalar(_FLOOR)
    return int(value) if value is not None else 0


def take_over_all(conn: Connection) -> int:
    """Void every lease that a dead process of this data folder held; gives their number.

    Only for the holder of the file lock, who alone may know that every other holder is dead.
    """
    done = conn.execute(
        sa.update(leases)
        .where(leases.c.owner.is_not(None))
        .values(
            owner=None,
            expires_at=0,
            fence=leases.c.fence + 1,
            takes=leases.c.takes + leases.c.alone,
            alone=0,
            orphaned=1,
        )
    )
    return int(done.rowcount)


def raise_all(conn: Connection, highest: int) -> None:
    """After a restore: no fence at or below *highest* is ever given out again."""
    above = max(highest, floor(conn))
    conn.execute(sa.update(leases).values(fence=leases.c.fence + above))
    conn.execute(sa.delete(meta).where(meta.c.name == "fence_floor"))
    conn.execute(sa.insert(meta), {"name": "fence_floor", "value": str(above)})


def highest(conn: Connection) -> int:
    """The highest fence given out so far."""
    return int(conn.scalar(sa.select(sa.func.max(leases.c.fence))) or floor(conn))


def forgive(conn: Connection, integration: str, thread: str) -> None:
    """A person wants a thread tried again: earlier deaths no longer count against it."""
    conn.execute(
        sa.update(leases)
        .where(leases.c.integration == integration, leases.c.thread == thread)
        .values(takes=0, orphaned=0)
    )


def remembered(conn: Connection, name: str, value: str) -> str:
    """What this database remembers under *name*; *value* when it remembers nothing yet."""
    found = conn.scalar(sa.select(meta.c.value).where(meta.c.name == name))
    if found is None:
        conn.execute(sa.insert(meta), {"name": name, "value": value})
        return value
    return str(found)
