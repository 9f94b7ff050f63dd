"""Notices that wait to be sent: stored before they are sent, so that a crash loses none.

A notice is done when every receiver has had its one call. The calls are intents, and they alone say
who was told of what; quiet hours and digests are a matter of when, and leave nothing here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import notices, review_items
from storage.words import ItemKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

TIMED = frozenset({ItemKind.OUTCOME_UNKNOWN})
"""Kinds whose notice is asked for with the fact itself, at a time of its own."""


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


def next_due_at(conn: Connection, users: Collection[str], after_ms: int) -> int | None:
    """When the next notice of these users falls due after *after_ms* (epoch ms)."""
    when = conn.scalar(
        sa.select(sa.func.min(notices.c.due_at)).where(
            notices.c.state == "waiting",
            notices.c.user.in_(sorted(users)),
            notices.c.due_at > after_ms,
        )
    )
    return int(when) if when is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unasked:
    """An open item that no notice was asked for; ``opened_at`` in epoch milliseconds."""

    item: int
    kind: ItemKind
    opened_at: int


def unasked(conn: Connection, user: str, kinds: Collection[ItemKind]) -> list[Unasked]:
    """Open items of these kinds that no notice was asked for.

    Not the kinds in TIMED, and not refusals of notices: a receiver that refuses is not told so.
    """
    wanted = sorted(str(kind) for kind in kinds if kind not in TIMED)
    asked = sa.select(sa.literal(1)).where(notices.c.item == review_items.c.id).exists()
    about_a_notice = sa.and_(
        review_items.c.kind == str(ItemKind.REJECTED), review_items.c.integration == user
    )
    rows = conn.execute(
        sa.select(review_items.c.id, review_items.c.kind, review_items.c.opened_at)
        .where(
            review_items.c.user == user,
            review_items.c.state == "open",
            review_items.c.hidden == 0,
            review_items.c.kind.in_(wanted),
            ~about_a_notice,
            ~asked,
        )
        .order_by(review_items.c.id)
    )
    return [Unasked(item=row.id, kind=ItemKind(row.kind), opened_at=row.opened_at) for row in rows]


def end(conn: Connection, notice_ids: Collection[int], state: str) -> None:
    """Notices are ``sent`` (every receiver was called) or ``dropped`` (nothing left to tell)."""
    conn.execute(
        sa.update(notices)
        .where(notices.c.id.in_(sorted(notice_ids)), notices.c.state == "waiting")
        .values(state=state)
    )
