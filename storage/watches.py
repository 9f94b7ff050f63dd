r"""A watcher's own lease, and what deaths during its passes say about a mailbox.

    free --take--> held --release--> free
     |               \--- the process died ---> orphan --take alone--> held, alone --> free
     |                                             ^------- died again: takes + 1 -------/
     \<--- a person: retry --- set aside <--- takes = 3

A process that dies accuses nobody: something else may have killed it. So the next pass over that
mailbox is made alone, and only a death then counts. A mailbox that is set aside keeps its count in
the lease row, and is not watched until a person forgives it (``storage.fences.forgive``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import leases
from storage.dbtime import database_now_ms
from storage.leases import QUARANTINE_AFTER, Held
from storage.tables import leases as rows
from storage.words import WATCH_THREAD, IntegrationId, OwnerId

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of asking for a watcher's lease.

    ``orphan``: the last holder died, so ask again when nothing else is in work. ``set_aside``: this
    death was the last that is borne, and from now on the mailbox is not watched.
    """

    held: Held | None = None
    orphan: bool = False
    set_aside: bool = False


def take(
    conn: Connection, integration: IntegrationId, owner: OwnerId, ttl_ms: int, *, alone: bool
) -> Taken:
    """Take the lease of a mailbox's watcher, if it can be had. *alone*: nothing else is in work."""
    leases.ensure(conn, integration, WATCH_THREAD)
    row = leases.lock(conn, integration, WATCH_THREAD)
    died = row.owner is not None
    if died and row.expires_at > database_now_ms(conn):
        return Taken()
    orphan = died or row.orphaned
    takes = row.takes + (1 if died and row.alone else 0)
    if takes >= QUARANTINE_AFTER:
        _set_aside(conn, integration, takes)
        return Taken(set_aside=orphan)
    if orphan and not alone:
        return Taken(orphan=True)
    held = leases.acquire(conn, integration, WATCH_THREAD, owner, ttl_ms, alone=orphan)
    return Taken(held=held)


def is_set_aside(conn: Connection, integration: str) -> bool:
    """Whether a mailbox is not watched until a person wants it tried again."""
    takes = conn.scalar(
        sa.select(rows.c.takes).where(
            rows.c.integration == integration, rows.c.thread == WATCH_THREAD
        )
    )
    return takes is not None and int(takes) >= QUARANTINE_AFTER


def _set_aside(conn: Connection, integration: str, takes: int) -> None:
    conn.execute(
        sa.update(rows)
        .where(rows.c.integration == integration, rows.c.thread == WATCH_THREAD)
        .values(owner=None, expires_at=0, orphaned=0, alone=0, takes=takes)
    )
