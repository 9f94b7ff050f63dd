"""Reading across threads, for what a person is shown; nothing here changes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import intents as intent_rows
from storage.dbtime import database_now_ms
from storage.tables import intents, leases, threads
from storage.threads import ThreadRow, thread_row
from storage.words import Kind

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from storage.intents import Intent
    from storage.reviews import Item


def now(conn: Connection) -> int:
    """The database's time, epoch milliseconds."""
    return database_now_ms(conn)


def all_threads(conn: Connection, mailbox: str | None = None) -> list[ThreadRow]:
    """Every thread, the one that changed last first."""
    query = sa.select(threads).order_by(threads.c.changed_at.desc(), threads.c.thread)
    if mailbox is not None:
        query = query.where(threads.c.integration == mailbox)
    return [thread_row(row) for row in conn.execute(query).mappings()]


def intent_counts(conn: Connection) -> dict[str, int]:
    """How many intents there are in each state."""
    rows = conn.execute(sa.select(intents.c.state, sa.func.count()).group_by(intents.c.state))
    return {state: int(number) for state, number in rows}


def notices_about(conn: Connection, item: Item) -> list[Intent]:
    """The notices that were sent about one review item, alone or in a digest."""
    # A day of room for a database's clock that was put back.
    since_ms = item.opened_at - 86_400_000
    return [
        intent
        for intent in intent_rows.of_integration(conn, item.user, since_ms=since_ms)
        if intent.kind is Kind.NOTIFY and item.id in _items(intent)
    ]


def _items(intent: Intent) -> list[object]:
    items = intent.plan.get("items")
    return items if isinstance(items, list) else []


def workers(conn: Connection) -> list[tuple[str, int, int]]:
    """Who holds leases now: worker, number of leases, the latest expiry (epoch ms)."""
    rows = conn.execute(
        sa.select(leases.c.owner, sa.func.count(), sa.func.max(leases.c.expires_at))
        .where(leases.c.owner.is_not(None), leases.c.expires_at > database_now_ms(conn))
        .group_by(leases.c.owner)
        .order_by(leases.c.owner)
    )
    return [(str(owner), int(number), int(expires)) for owner, number, expires in rows]
