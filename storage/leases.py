"""Lease rows: who may work on a thread, until when, under which fence.

The database's clock alone decides expiry. A fence only rises, rows are never deleted, and every
fenced write first locks the row here and checks in a second statement, because a check inside the
same statement is a race (a takeover can commit between its snapshot and its write).

A crash anywhere leaves either the old holder until its time is over, or the new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import fences
from storage.dbtime import NowMs, database_now_ms
from storage.rows import NUMBER, TEXT, ByBytes, ForEach, Given, Part, Place, at_once
from storage.tables import leases
from storage.taking import COLUMNS, DUE, HUNGRY, LONGEST_CALL, NEXT_DUE, SERVED
from storage.words import IntegrationId, OwnerId, ThreadId

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


def _mine(given: Given) -> sa.ColumnElement[bool]:
    return sa.and_(
        leases.c.integration == given["i"],
        leases.c.thread == given["t"],
        leases.c.owner == given["o"],
        leases.c.fence == given["f"],
    )


_lease_is = sa.and_(leases.c.integration == sa.bindparam("i"), leases.c.thread == sa.bindparam("t"))
_ROW = sa.select(*COLUMNS).where(_lease_is)
_LOCK = _ROW.with_for_update()
_THERE = sa.select(sa.literal(1)).where(_lease_is)
_INSERT = sa.insert(leases)
_WHOSE = (leases.c.integration, leases.c.thread, leases.c.fence)
_PLACE = {"i": TEXT, "t": TEXT, "o": TEXT, "f": NUMBER}


def _in_order(given: Given, source: sa.FromClause) -> sa.Select[tuple[object, ...]]:
    here = sa.and_(leases.c.integration == given["i"], leases.c.thread == given["t"])
    return (
        sa.select(leases.c.fence.label("locked"))
        .join_from(source, leases, here)
        .order_by(ByBytes(leases.c.integration), ByBytes(leases.c.thread))
        .with_for_update(of=leases)
    )


_LOCK_ALL = ForEach(
    {"i": TEXT, "t": TEXT}, lambda given, source: sa.select(given["t"]), locking=_in_order
)
_KEEP = ForEach(
    {**_PLACE, "ttl": NUMBER},
    lambda given, _: (
        sa.update(leases)
        .where(_mine(given))
        .values(expires_at=NowMs() + given["ttl"])
        .returning(*_WHOSE, leases.c.grace_until)
    ),
    locking=_in_order,
)


def _taking(given: Given, _: sa.FromClause) -> sa.Executable:
    died = leases.c.owner.is_not(None)
    grace = given["n"] + LONGEST_CALL
    longer = sa.and_(sa.or_(died, leases.c.orphaned == 1), grace > leases.c.grace_until)
    return (
        sa.update(leases)
        .where(leases.c.integration == given["i"], leases.c.thread == given["t"])
        .values(
            owner=given["o"],
            fence=leases.c.fence + 1,
            expires_at=given["n"] + given["ttl"],
            grace_until=sa.case((longer, grace), else_=leases.c.grace_until),
            # Only a death while nothing else was in work accuses this thread.
            takes=leases.c.takes + sa.case((sa.and_(died, leases.c.alone == 1), 1), else_=0),
            alone=given["alone"],
            orphaned=0,
        )
        .returning(leases.c.thread, leases.c.fence, leases.c.takes)
    )


_TAKE = ForEach(
    {"i": TEXT, "t": TEXT, "o": TEXT, "n": NUMBER, "ttl": NUMBER, "alone": NUMBER}, _taking
)
_GIVE_BACK = ForEach(
    _PLACE,
    lambda given, _: (
        sa.update(leases)
        .where(_mine(given))
        .values(owner=None, expires_at=NowMs(), orphaned=0, takes=0, alone=0)
        .returning(*_WHOSE, leases.c.expires_at)
    ),
    locking=_in_order,
)


def ensure(conn: Connection, integration: str, thread: str) -> None:
    """Make the lease row of a thread if there is none yet."""
    if conn.scalar(_THERE, {"i": integration, "t": thread}) is None:
        conn.execute(
            _INSERT,
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


def lock_all(conn: Connection, places: Collection[Place]) -> None:
    """Lock the lease rows of several threads in the one order in which everybody locks them."""
    if len(places) > 1:
        rows = [{"i": integration, "t": thread} for integration, thread in places]
        _LOCK_ALL.run(conn, rows).all()


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


def keep(conn: Connection, held: Held, ttl_ms: int) -> int | None:
    """As ``keep_all``, of one lease; gives its ``grace_until``, None when it is another's."""
    return keep_all(conn, {held: ttl_ms}).get(held)


def keep_all(conn: Connection, wanted: Mapping[Held, int]) -> dict[Held, int]:
    """Lock the rows of leases, in order, and renew each that is still ours by its length (ms).

    Gives the ``grace_until`` of each; what is missing is another's by now. A compare-and-set on
    owner and fence: an expired lease that nobody took over may be renewed. What else has to be
    checked is read in a later statement.
    """
    rows = [{**_row_of(held), "ttl": wanted[held]} for held in wanted]
    return _each(wanted, _KEEP.run(conn, rows))


def release(conn: Connection, held: Held) -> bool:
    """Give the lease back in order; a stale holder's release changes nothing (False)."""
    return give_back(conn, held) is not None


def give_back(conn: Connection, held: Held) -> int | None:
    """As ``give_back_all``, of one lease; gives the database's time, None when it is another's."""
    return give_back_all(conn, [held]).get(held)


def give_back_all(conn: Connection, helds: Collection[Held]) -> dict[Held, int]:
    """Lock the rows of leases, in order, and release those still ours; gives the database's time.

    What is missing is another's by now. Until the transaction commits nobody else can take these
    leases, so what follows in it is still done under their locks.
    """
    rows = [_row_of(held) for held in helds]
    return _each(helds, _GIVE_BACK.run(conn, rows))


def _row_of(held: Held) -> dict[str, object]:
    return {"i": held.integration, "t": held.thread, "o": held.owner, "f": held.fence}


def _each(helds: Iterable[Held], found: Iterable[Sequence[object]]) -> dict[Held, int]:
    places = {(name, thread, fence): _int(value) for name, thread, fence, value in found}
    by_row = {held: (held.integration, held.thread, held.fence) for held in helds}
    return {held: places[row] for held, row in by_row.items() if row in places}


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
    return _take(conn, integration, [thread], owner, now, ttl_ms, alone=alone)[0]


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
    for integration, now in _hungry(conn, allowed):
        rows = _due(conn, integration, now, limit)
        orphans = [row for row in rows if row.owner is not None or row.orphaned]
        if orphans and not alone:
            return Taken(orphans=True)
        wanted = [row.thread for row in orphans[:1] or rows]
        if not wanted:
            continue
        served: Part = SERVED, [{"i": integration, "n": now}]
        held = _take(conn, integration, wanted, owner, now, ttl_ms, [served], alone=bool(orphans))
        return Taken(held=held, orphans=bool(orphans))
    return Taken()


def next_due_at(conn: Connection, allowed: Collection[IntegrationId]) -> int | None:
    """When the next thread that can be taken falls due (epoch ms), or None.

    A thread in somebody's hands can be taken when that lease is over, at the earliest.
    """
    when = conn.scalar(NEXT_DUE, {"allowed": sorted(allowed)})
    return int(when) if when is not None else None


def _hungry(
    conn: Connection, allowed: Collection[IntegrationId]
) -> list[tuple[IntegrationId, int]]:
    """Mailboxes with due threads, the one that was served longest ago first; with the time."""
    rows = conn.execute(HUNGRY, {"allowed": sorted(allowed)})
    return [(IntegrationId(integration), int(now)) for integration, now in rows]


def _due(conn: Connection, integration: str, now: int, limit: int) -> list[LeaseRow]:
    rows = conn.execute(DUE, {"i": integration, "n": now, "limit": limit})
    return [_lease_row(row) for row in rows]


def _take(
    conn: Connection,
    integration: IntegrationId,
    wanted: Sequence[ThreadId],
    owner: OwnerId,
    now: int,
    ttl_ms: int,
    beside: Sequence[Part] = (),
    *,
    alone: bool,
) -> tuple[Held, ...]:
    """Take leases whose rows are locked and free, and run *beside*; in the order of *wanted*."""
    rows = [
        {"i": integration, "t": thread, "o": owner, "n": now, "ttl": ttl_ms, "alone": int(alone)}
        for thread in wanted
    ]
    found = at_once(conn, [*beside, (_TAKE, rows)])
    taken: Sequence[Sequence[object]] = [] if found is None else found.all()
    held = {
        str(row[0]): Held(
            integration=integration,
            thread=ThreadId(str(row[0])),
            owner=owner,
            fence=_int(row[1]),
            takes=_int(row[2]),
        )
        for row in taken
    }
    return tuple(held[thread] for thread in wanted)


def held_until(conn: Connection, integration: str, thread: str) -> int | None:
    """When a lease that somebody holds now runs out (epoch ms); never to decide who may act."""
    found = conn.scalar(
        sa.select(leases.c.expires_at).where(
            leases.c.integration == integration,
            leases.c.thread == thread,
            leases.c.owner.is_not(None),
            leases.c.expires_at > database_now_ms(conn),
        )
    )
    return None if found is None else int(found)


def is_held(conn: Connection, integration: str, thread: str) -> bool:
    """Whether somebody holds this lease now; for showing, never to decide anything."""
    return held_until(conn, integration, thread) is not None
