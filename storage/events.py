"""The append-only log: everything that happens to a thread, for ``fencepost explain``.

Written in the transaction that makes the thing true, never beside it. Holds no mail text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import events

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

_INSERT = sa.insert(events)


def log(
    conn: Connection,
    now_ms: int,
    integration: str,
    thread: str,
    kind: str,
    /,
    **detail: object,
) -> None:
    """Append one event to the thread's story."""
    conn.execute(
        _INSERT,
        {
            "at": now_ms,
            "integration": integration,
            "thread": thread,
            "kind": kind,
            "detail": detail,
        },
    )


def story(conn: Connection, integration: str, thread: str) -> list[Mapping[str, object]]:
    """All events of one thread, oldest first: ``{"at", "kind", "detail"}``."""
    rows: list[RowMapping] = list(
        conn.execute(
            sa.select(events.c.at, events.c.kind, events.c.detail)
            .where(events.c.integration == integration, events.c.thread == thread)
            .order_by(events.c.id)
        ).mappings()
    )
    return [dict(row) for row in rows]
