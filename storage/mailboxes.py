"""Mailboxes as the store knows them: cursor, account, health, the kill switch.

A mailbox stays bound to the account that it was first seen with, and no two mailboxes share one.
The cursor moves only in the transaction that notes what it passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import mailboxes, pauses, threads
from storage.words import IntegrationId, UserName

if TYPE_CHECKING:
    from sqlalchemy import Connection

_LOAD = sa.select(mailboxes).where(mailboxes.c.integration == sa.bindparam("i"))
_LOCK = _LOAD.with_for_update()
_CURSOR = (
    sa.select(mailboxes.c.cursor)
    .where(mailboxes.c.integration == sa.bindparam("i"))
    .with_for_update()
)
_STOPPED = (
    sa.select(sa.literal(1)).where(pauses.c.integration.in_(["*", sa.bindparam("i")])).limit(1)
)

ALL = "*"
"""The pause that stops every mailbox."""


class AccountError(Exception):
    """The account behind a mailbox is not the one that it may have."""

    def __init__(self, problem: str, *, remedy: str) -> None:
        super().__init__(f"{problem}: {remedy}")
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxRow:
    """One mailbox; times are epoch milliseconds. ``problem`` None means that it works."""

    integration: IntegrationId
    user: UserName
    provider: str
    account: str | None
    cursor: Mapping[str, object] | None
    last_pass_at: int | None
    problem: str | None
    remedy: str | None
    unknowns_in_a_row: int
    calls_paused_until: int | None
    look_needed: bool
    pauses: int


def ensure(
    conn: Connection, integration: IntegrationId, user: UserName, provider: str
) -> MailboxRow:
    """The mailbox's row, made if it is new."""
    found = load(conn, integration)
    if found is None:
        conn.execute(
            sa.insert(mailboxes),
            {"integration": integration, "user": user, "provider": provider},
        )
        found = load(conn, integration)
    if found is None:
        raise LookupError(integration)
    return found


def load(conn: Connection, integration: str) -> MailboxRow | None:
    """The mailbox's row, or None."""
    return _one(conn, _LOAD, integration)


def lock(conn: Connection, integration: str) -> MailboxRow | None:
    """The mailbox's row under a lock of this transaction; after the lease row, never before it."""
    return _one(conn, _LOCK, integration)


def _one(conn: Connection, query: sa.Select[tuple[object, ...]], name: str) -> MailboxRow | None:
    row = conn.execute(query, {"i": name}).one_or_none()
    if row is None:
        return None
    return MailboxRow(
        integration=IntegrationId(row.integration),
        user=UserName(row.user),
        provider=row.provider,
        account=row.account,
        cursor=row.cursor,
        last_pass_at=row.last_pass_at,
        problem=row.problem,
        remedy=row.remedy,
        unknowns_in_a_row=row.unknowns_in_a_row,
        calls_paused_until=row.calls_paused_until,
        look_needed=bool(row.look_needed),
        pauses=row.pauses,
    )


def everything(conn: Connection) -> list[MailboxRow]:
    """All mailboxes that were ever watched."""
    names = conn.scalars(sa.select(mailboxes.c.integration).order_by(mailboxes.c.integration)).all()
    return [row for row in (load(conn, name) for name in names) if row is not None]


def accounts(conn: Connection) -> dict[IntegrationId, str]:
    """The account of each mailbox that is bound to one."""
    rows = conn.execute(
        sa.select(mailboxes.c.integration, mailboxes.c.account).where(
            mailboxes.c.account.is_not(None)
        )
    )
    return {IntegrationId(name): str(account) for name, account in rows}


def bound_names(conn: Connection) -> frozenset[str]:
    """The mailboxes that are bound to an account."""
    rows = conn.scalars(sa.select(mailboxes.c.integration).where(mailboxes.c.account.is_not(None)))
    return frozenset(rows)


def bind(conn: Connection, integration: IntegrationId, account: str) -> None:
    """Bind the mailbox to its account. Raises AccountError when either is bound to another."""
    if not is_bound(conn, integration, account):
        conn.execute(
            sa.update(mailboxes)
            .where(mailboxes.c.integration == integration)
            .values(account=account)
        )


def is_bound(conn: Connection, integration: str, account: str) -> bool:
    """Whether the mailbox is bound to this account; False: neither is bound to anything.

    Raises AccountError when either is bound to another.
    """
    other = conn.scalar(
        sa.select(mailboxes.c.integration).where(
            mailboxes.c.account == account, mailboxes.c.integration != integration
        )
    )
    if other is not None:
        raise AccountError(
            f"{integration} is the same account as {other}",
            remedy=f"if it is {other} under a new id, stop the daemon and run: fencepost rebind "
            f"{other} {integration}; else remove one of the two mailboxes",
        )
    mine = conn.scalar(sa.select(mailboxes.c.account).where(mailboxes.c.integration == integration))
    if mine is not None and mine != account:
        raise AccountError(
            f"{integration} is bound to another account than the one it now leads to",
            remedy="give the new account a new mailbox id",
        )
    return mine is not None


def move_cursor(
    conn: Connection,
    integration: str,
    came_from: Mapping[str, object] | None,
    cursor: Mapping[str, object],
    now_ms: int,
) -> bool:
    """Move the cursor: the pass that led to it is noted in this same transaction.

    False when it is not the one any more from which the pass began (a person wants the mailbox
    looked through again): then it stays.
    """
    stands = conn.execute(_CURSOR, {"i": integration}).scalar_one_or_none()
    update(conn, integration, last_pass_at=now_ms)
    if stands != came_from:
        return False
    update(conn, integration, cursor=dict(cursor))
    return True


def update(conn: Connection, integration: str, **values: object) -> None:
    """Change what is known of a mailbox."""
    row = {f"to_{name}": value for name, value in values.items()}
    conn.execute(_changing(tuple(values)), {"i": integration, **row})


@cache
def _changing(names: tuple[str, ...]) -> sa.Update:
    return (
        sa.update(mailboxes)
        .where(mailboxes.c.integration == sa.bindparam("i"))
        .values({name: sa.bindparam(f"to_{name}") for name in names})
    )


def pause(conn: Connection, integration: str, now_ms: int) -> None:
    """Stop every call into this mailbox (or ALL) until it is resumed."""
    if not is_paused(conn, integration):
        conn.execute(sa.insert(pauses), {"integration": integration, "paused_at": now_ms})


def resume(conn: Connection, integration: str) -> bool:
    """Lift a pause; False when there was none."""
    done = conn.execute(sa.delete(pauses).where(pauses.c.integration == integration))
    return bool(done.rowcount)


def is_paused(conn: Connection, integration: str) -> bool:
    """Whether this very name is paused (a mailbox, or ALL)."""
    found = conn.scalar(sa.select(pauses.c.integration).where(pauses.c.integration == integration))
    return found is not None


def stopped(conn: Connection, integration: str) -> bool:
    """Whether calls into this mailbox are stopped, by its own pause or by the one for all."""
    found = conn.scalar(_STOPPED, {"i": integration})
    return found is not None


def due_counts(conn: Connection) -> dict[str, int]:
    """How many threads of each mailbox are due or will be."""
    rows = conn.execute(
        sa.select(threads.c.integration, sa.func.count())
        .where(threads.c.due_at.is_not(None), threads.c.quarantined_at.is_(None))
        .group_by(threads.c.integration)
    )
    return {integration: int(number) for integration, number in rows}
