"""Notices that wait to be sent: stored before they are sent, so that a crash loses none.

A notice is done when every receiver has had its one call; the calls themselves are intents.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import notices
from storage.words import ItemKind

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One notice about a review item; ``due_at`` in epoch milliseconds."""

    id: int
    user: str
    item: int
    kind: ItemKind
    due_at: int


def due(conn: Connection, user: str, now_ms: int) -> list[Waiting]:
    """The user's notices that are due, oldest first."""
    rows = conn.execute(
        sa.select(notices)
        .where(notices.c.user == user, notices.c.state == "waiting", notices.c.due_at <= now_ms)
        .order_by(notices.c.due_at, notices.c.id)
    )
    return [
        Waiting(id=row.id, user=row.user, item=row.item, kind=ItemKind(row.kind), due_at=row.due_at)
        for row in rows
    ]


def next_due_at(conn: Connection, users: Collection[str]) -> int | None:
    """When the next notice of these users falls due (epoch ms)."""
    when = conn.scalar(
        sa.select(sa.func.min(notices.c.due_at)).where(
            notices.c.state == "waiting", notices.c.user.in_(sorted(users))
        )
    )
    return int(when) if when is not None else None


def put_off(conn: Connection, notice: int, until_ms: int) -> None:
    """Have a notice wait longer."""
    conn.execute(sa.update(notices).where(notices.c.id == notice).values(due_at=until_ms))


def end(conn: Connection, notice: int, state: str) -> None:
    """A notice is ``sent`` (every receiver was called) or ``dropped`` (nothing left to tell)."""
    conn.execute(sa.update(notices).where(notices.c.id == notice).values(state=state))
