"""Lease rows: who may work on a thread, until when, under which fence.

The database's clock alone decides expiry. A fence only rises, rows are never deleted, and every
fenced write first locks the row here and checks in a second statement, because a check inside the
same statement is a race (a takeover can commit between its snapshot and its write).

A crash anywhere leaves either the old holder until its time is over, or the new one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import fences
from storage.dbtime import database_now_ms
from storage.tables import intents, leases, mailboxes, pauses, threads
from storage.words import IntegrationId, IntentState, OwnerId, ThreadId

if TYPE_CHECKING:
    from sqlalchemy import Connection

QUARANTINE_AFTER = 3
"""Deaths of a process while it worked on one thread alone, before that thread is set aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A lease as its holder knows it; ``takes`` counts deaths while it was alone in work."""

    integration: IntegrationId
    thread: ThreadId
    owner: OwnerId
    fence: int
    takes: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one round of taking gave: ``held`` leases; ``orphans`` wait to be taken alone."""

    held: tuple[Held, ...] = ()
    orphans: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRow:
    """A lease row as it stands under this transaction's lock."""

    thread: ThreadId
    owner: OwnerId | None
    fence: int
    expires_at: int
    grace_until: int
    takes: int
    orphaned: bool
    alone: bool

    def is_held_by(self, held: Held) -> bool:
        """Whether the row still names this holder and fence."""
        return self.owner == held.owner and self.fence == held.fence


class LeaseLostError(Exception):
    """Somebody else holds the lease now: stop, and leave the thread to them."""


_lease_is = sa.and_(leases.c.integration == sa.bindparam("i"), leases.c.thread == sa.bindparam("t"))
_same_thread = sa.and_(
    threads.c.integration == leases.c.integration, threads.c.thread == leases.c.thread
)
_paused = (
    sa.select(sa.literal(1))
    .where(pauses.c.integration.in_(["*", mailboxes.c.integration]))
    .exists()
)
_COLUMNS = (
    leases.c.thread,
    leases.c.owner,
    leases.c.fence,
    leases.c.expires_at,
    leases.c.grace_until,
    leases.c.takes,
    leases.c.orphaned,
    leases.c.alone,
)
_ROW = sa.select(*_COLUMNS).where(_lease_is)
_LOCK = _ROW.with_for_update()
_MINE = sa.and_(_lease_is, leases.c.owner == sa.bindparam("o"), leases.c.fence == sa.bindparam("f"))
_RENEW = sa.update(leases).where(_MINE).values(expires_at=sa.bindparam("e"))
_RELEASE = (
    sa.update(leases)
    .where(_MINE)
    .values(owner=None, expires_at=sa.bindparam("n"), orphaned=0, takes=0, alone=0)
)
_TAKE = (
    sa.update(leases)
    .where(_lease_is)
    .values(
        owner=sa.bindparam("o"),
        fence=sa.bindparam("f"),
        expires_at=sa.bindparam("e"),
        grace_until=sa.bindparam("g"),
        takes=sa.bindparam("k"),
        alone=sa.bindparam("a"),
        orphaned=0,
    )
)


def ensure(conn: Connection, integration: str, thread: str) -> None:
    """Make the lease row of a thread if there is none yet."""
    found = conn.scalar(
        sa.select(sa.literal(1)).where(
            leases.c.integration == integration, leases.c.thread == thread
        )
    )
    if found is None:
        conn.execute(
            sa.insert(leases),
            {
                "integration": integration,
                "thread": thread,
                "owner": None,
                "fence": fences.floor(conn),
                "expires_at": 0,
                "grace_until": 0,
            },
        )


def lock(conn: Connection, integration: str, thread: str) -> LeaseRow:
    """Lock the thread's lease row; every change of an intent begins with this.

    Raises LookupError when the thread has no lease row, which is a fault of ours.
    """
    return _found(conn, _LOCK, integration, thread)


def seen(conn: Connection, integration: str, thread: str) -> LeaseRow:
    """The thread's lease row without a lock: for showing, or where this transaction has it.

    Raises LookupError as lock does.
    """
    return _found(conn, _ROW, integration, thread)


def _found(
    conn: Connection, query: sa.Select[tuple[object, ...]], integration: str, thread: str
) -> LeaseRow:
    row = conn.execute(query, {"i": integration, "t": thread}).one_or_none()
    if row is None:
        raise LookupError(f"no lease row for {integration} {thread}")
    return _lease_row(row)


def _lease_row(row: Sequence[object]) -> LeaseRow:
    thread, owner, fence, expires_at, grace_until, takes, orphaned, alone = row
    return LeaseRow(
        thread=ThreadId(str(thread)),
        owner=None if owner is None else OwnerId(str(owner)),
        fence=_int(fence),
        expires_at=_int(expires_at),
        grace_until=_int(grace_until),
        takes=_int(takes),
        orphaned=bool(orphaned),
        alone=bool(alone),
    )


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"not a whole number: {value!r}")
    return value


def renew_locked(conn: Connection, held: Held, now_ms: int, ttl_ms: int) -> None:
    """Renew a lease whose row is locked and ours."""
    conn.execute(
        _RENEW,
        {
            "i": held.integration,
            "t": held.thread,
            "o": held.owner,
            "f": held.fence,
            "e": now_ms + ttl_ms,
        },
    )


def renew(conn: Connection, held: Sequence[Held], ttl_ms: int) -> frozenset[Held]:
    """Renew many leases in one transaction; gives back those that are still ours.

    A compare-and-set on owner and fence: an expired lease that nobody took over may be renewed.
    """
    kept = set()
    for one in sorted(held, key=lambda each: (each.integration, each.thread)):
        row = lock(conn, one.integration, one.thread)
        if row.is_held_by(one):
            renew_locked(conn, one, database_now_ms(conn), ttl_ms)
            kept.add(one)
    return frozenset(kept)


def release(conn: Connection, held: Held) -> bool:
    """Give the lease back in order; a stale holder's release changes nothing (False)."""
    lock(conn, held.integration, held.thread)
    return release_locked(conn, held, database_now_ms(conn))


def release_locked(conn: Connection, held: Held, now_ms: int) -> bool:
    """Give back a lease whose row is locked by this transaction."""
    done = conn.execute(
        _RELEASE,
        {
            "i": held.integration,
            "t": held.thread,
            "o": held.owner,
            "f": held.fence,
            "n": now_ms,
        },
    )
    return bool(done.rowcount)


def acquire(
    conn: Connection,
    integration: IntegrationId,
    thread: ThreadId,
    owner: OwnerId,
    ttl_ms: int,
    *,
    alone: bool = False,
) -> Held | None:
    """Take one named lease (a watcher's, a user's notices); None while another holds it.

    *alone*: nothing else is in work in this process, so that its death would be this lease's own.
    """
    ensure(conn, integration, thread)
    row = lock(conn, integration, thread)
    now = database_now_ms(conn)
    if row.owner is not None and row.expires_at > now:
        return None
    return _take(conn, integration, thread, owner, row, now, ttl_ms, alone=alone)


def take_due(
    conn: Connection,
    owner: OwnerId,
    *,
    ttl_ms: int,
    limit: int,
    allowed: Collection[IntegrationId],
    alone: bool,
) -> Taken:
    """Take up to *limit* due threads of the integration that was served longest ago.

    *alone*: nothing else is in work in this process. A thread whose last lease ended without an
    orderly end is taken only then, and then nothing beside it, so that a mail which kills the
    process is found out and does not take others with it.
    """
    now = database_now_ms(conn)
    for integration in _hungry(conn, now, allowed):
        rows = _due(conn, integration, now, limit)
        orphans = [row for row in rows if row.owner is not None or row.orphaned]
        if orphans:
            if not alone:
                return Taken(orphans=True)
            rows = orphans[:1]
        held = tuple(
            _take(conn, integration, row.thread, owner, row, now, ttl_ms, alone=bool(orphans))
            for row in rows
        )
        conn.execute(
            sa.update(mailboxes)
            .where(mailboxes.c.integration == integration)
            .values(last_served_at=now)
        )
        return Taken(held=held, orphans=bool(orphans))
    return Taken()


def next_due_at(conn: Connection, allowed: Collection[IntegrationId]) -> int | None:
    """When the next thread that can be taken falls due (epoch ms), or None.

    A thread in somebody's hands can be taken when that lease is over, at the earliest.
    """
    at = sa.case(
        (
            sa.and_(leases.c.owner.is_not(None), leases.c.expires_at > threads.c.due_at),
            leases.c.expires_at,
        ),
        else_=threads.c.due_at,
    )
    when = conn.scalar(
        sa.select(sa.func.min(at))
        .join(leases, _same_thread)
        .join(mailboxes, mailboxes.c.integration == threads.c.integration)
        .where(
            threads.c.integration.in_(sorted(allowed)),
            threads.c.due_at.is_not(None),
            threads.c.quarantined_at.is_(None),
            mailboxes.c.problem.is_(None),
            ~_paused,
        )
    )
    return int(when) if when is not None else None


def _hungry(conn: Connection, now: int, allowed: Collection[IntegrationId]) -> list[IntegrationId]:
    due = (
        sa.select(sa.literal(1))
        .where(
            threads.c.integration == mailboxes.c.integration,
            threads.c.due_at <= now,
            threads.c.quarantined_at.is_(None),
        )
        .exists()
    )
    rows = conn.execute(
        sa.select(mailboxes.c.integration)
        .where(
            mailboxes.c.integration.in_(sorted(allowed)),
            mailboxes.c.problem.is_(None),
            due,
            ~_paused,
        )
        .order_by(mailboxes.c.last_served_at.asc().nulls_first(), mailboxes.c.integration)
    )
    return [IntegrationId(row.integration) for row in rows]


def _due(conn: Connection, integration: str, now: int, limit: int) -> list[LeaseRow]:
    rows = conn.execute(
        sa.select(*_COLUMNS)
        .join(threads, _same_thread)
        .where(
            threads.c.integration == integration,
            threads.c.due_at <= now,
            threads.c.quarantined_at.is_(None),
            sa.or_(leases.c.owner.is_(None), leases.c.expires_at <= now),
        )
        .order_by(threads.c.due_at)
        .limit(limit)
        .with_for_update(of=leases, skip_locked=True)
    )
    return [_lease_row(row) for row in rows]


def _take(
    conn: Connection,
    integration: IntegrationId,
    thread: ThreadId,
    owner: OwnerId,
    row: LeaseRow,
    now: int,
    ttl_ms: int,
    *,
    alone: bool,
) -> Held:
    died = row.owner is not None
    grace = row.grace_until
    if died or row.orphaned:
        grace = max(grace, _grace(conn, integration, thread, now))
    # Only a death while nothing else was in work accuses this thread.
    takes = row.takes + (1 if died and row.alone else 0)
    fence = row.fence + 1
    conn.execute(
        _TAKE,
        {
            "i": integration,
            "t": thread,
            "o": owner,
            "f": fence,
            "e": now + ttl_ms,
            "g": grace,
            "k": takes,
            "a": 1 if alone else 0,
        },
    )
    return Held(integration=integration, thread=thread, owner=owner, fence=fence, takes=takes)


def _grace(conn: Connection, integration: str, thread: str, now: int) -> int:
    # A paused process may still write to its socket, and no fence can stop it there.
    longest = conn.scalar(
        sa.select(sa.func.max(intents.c.call_timeout_ms)).where(
            intents.c.integration == integration,
            intents.c.thread == thread,
            intents.c.ended_at.is_(None),
            intents.c.state.in_([IntentState.CALLING, IntentState.UNKNOWN]),
        )
    )
    return now + int(longest) if longest is not None else 0


def is_held(conn: Connection, integration: str, thread: str) -> bool:
    """Whether somebody holds this lease now; for showing, never to decide anything."""
    found = conn.scalar(
        sa.select(sa.literal(1)).where(
            leases.c.integration == integration,
            leases.c.thread == thread,
            leases.c.owner.is_not(None),
            leases.c.expires_at > database_now_ms(conn),
        )
    )
    return found is not None
