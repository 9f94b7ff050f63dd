"""A mailbox under another id: all that is known of it goes along, in one transaction.

Intents, drafts and blocks keep threads from getting a second draft, so none may be left behind and
none may be counted under both names. Every table that names a mailbox is renamed by the list of
tables itself, so that a new one can't be forgotten. Three things stay under the old name: a lease
row where the new name has one already (rows of leases are never deleted; the fence goes on above
both), a sealed login, which names its row, and what the new name has of its own.

Only for a mailbox that nobody works on: ``hindrance`` says what stands in the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage import intents as intent_rows
from storage import mailboxes as mailbox_rows
from storage import reviews
from storage.dbtime import database_now_ms
from storage.tables import intents, leases, mailboxes, metadata, threads, tokens

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from storage.intents import Intent
    from storage.words import IntegrationId, IntentKey

Rekey = Callable[["Intent"], tuple["IntentKey", str]]
"""The key and the fingerprint that an intent has under the new name."""

RENAMED: Final = tuple(
    table
    for table in metadata.sorted_tables
    if "integration" in table.c and table not in (tokens, leases)
)
"""Every table whose rows go along as they are."""


def hindrance(conn: Connection, old: IntegrationId, new: IntegrationId) -> str | None:
    """Why *old* can't become *new* now; None where nothing stands in the way."""
    before, after = mailbox_rows.load(conn, old), mailbox_rows.load(conn, new)
    if before is None or before.account is None:
        return f"there is no record of a mailbox {old}"
    if after is not None and after.account is not None:
        return f"{new} has an account of its own already"
    if conn.execute(sa.select(threads.c.thread).where(threads.c.integration == new)).first():
        return f"{new} has threads of its own already"
    held = conn.execute(
        sa.select(leases.c.owner).where(
            leases.c.integration.in_([old, new]),
            leases.c.owner.is_not(None),
            leases.c.expires_at > database_now_ms(conn),
        )
    ).first()
    return None if held is None else f"{held.owner} is at work on it: stop it first"


def rename(conn: Connection, old: IntegrationId, new: IntegrationId, rekey: Rekey) -> int:
    """Rename *old* to *new*, which has no history; gives the number of threads that went along."""
    for intent in intent_rows.of_integration(conn, old):
        key, fingerprint = rekey(intent)
        conn.execute(
            sa.update(intents)
            .where(intents.c.id == intent.id)
            .values(key=key, fingerprint=fingerprint)
        )
    # What was said of the new name was said because it could not have this account.
    reviews.close(conn, database_now_ms(conn), "facts", integration=new)
    conn.execute(sa.delete(mailboxes).where(mailboxes.c.integration == new))
    _rename_leases(conn, old, new)
    for table in RENAMED:
        _rename_rows(conn, table, old, new)
    moved = sa.select(sa.func.count()).where(threads.c.integration == new)
    return int(conn.scalar(moved) or 0)


def _rename_leases(conn: Connection, old: str, new: str) -> None:
    """Every lease row; where both names have one, the new one's fence goes on above both."""
    there = leases.alias()
    higher = sa.select(there.c.fence).where(
        there.c.integration == old,
        there.c.thread == leases.c.thread,
        there.c.fence > leases.c.fence,
    )
    conn.execute(
        sa.update(leases)
        .where(leases.c.integration == new, higher.exists())
        .values(fence=higher.scalar_subquery())
    )
    _rename_rows(conn, leases, old, new)


def _rename_rows(conn: Connection, table: sa.Table, old: str, new: str) -> None:
    """The rows of *table*, except where the new name has a row of the same key."""
    there = table.alias()
    others = [column.name for column in table.primary_key if column.name != "integration"]
    where = [table.c.integration == old]
    if "integration" in table.primary_key.columns:
        same = [there.c[name] == table.c[name] for name in others]
        where.append(~sa.select(there).where(there.c.integration == new, *same).exists())
    conn.execute(sa.update(table).where(*where).values(integration=new))
