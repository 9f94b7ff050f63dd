"""Threads and the messages in them: what changed, what is due, what was judged.

A thread's ``revision`` counts what others and the owner did; nothing of ours raises it. ``dues``
counts every time that the thread was made due, so that the end of a piece of work clears only the
due that it answered and never one that came meanwhile.

A crash between two transactions here repeats work; it never loses a change, because the cursor of
a mailbox moves in the same transaction that notes its changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import leases, locks
from storage.leases import Held
from storage.rows import (
    NUMBER,
    TEXT,
    ForEach,
    Given,
    Part,
    Place,
    columns_of,
    grouped,
    rows_of_threads,
)
from storage.tables import messages, threads
from storage.words import Identity, IntegrationId, ThreadId

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping


# Statements of the hot path are made once: to make one costs as much as to run it.
_IS = sa.and_(threads.c.integration == sa.bindparam("i"), threads.c.thread == sa.bindparam("t"))
_LOAD = rows_of_threads(threads)
_THERE = sa.select(sa.literal(1)).where(_IS)
_INSERT = sa.insert(threads)
_DUES = sa.select(threads.c.dues).where(_IS)


def _no_later(at: sa.ColumnElement[object]) -> sa.ColumnElement[object]:
    return sa.case((threads.c.due_at <= at, threads.c.due_at), else_=at)


_MAKE_DUE = (
    sa.update(threads)
    .where(_IS)
    .values(due_at=_no_later(sa.bindparam("at", type_=sa.BigInteger)), dues=threads.c.dues + 1)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRow:
    """A thread as the store knows it."""

    integration: IntegrationId
    thread: ThreadId
    provider_thread: str | None
    subject: str
    revision: int
    message_set: str
    due_at: int | None
    dues: int
    generation: int
    triage: Mapping[str, object] | None
    no_draft_because: str | None
    failures: int
    quarantined_at: int | None
    reconcile_first: bool


def from_datetime(at: datetime) -> int:
    """Epoch milliseconds of an aware datetime."""
    return int(at.timestamp() * 1000)


def ensure(
    conn: Connection,
    integration: IntegrationId,
    thread: ThreadId,
    now_ms: int,
    *,
    provider_thread: str | None,
    subject: str,
) -> None:
    """Make the thread and its lease row if they are new."""
    if conn.scalar(_THERE, {"i": integration, "t": thread}) is not None:
        return
    leases.ensure(conn, integration, thread)
    conn.execute(
        _INSERT,
        {
            "integration": integration,
            "thread": thread,
            "provider_thread": provider_thread,
            "subject": subject,
            "message_set": "",
            "changed_at": now_ms,
        },
    )


def answered_since(conn: Connection, integration: str, thread: str, since_ms: int) -> bool:
    """Whether a sent mail of the owner is noted in the thread that is not older than *since_ms*.

    The delivery time of a mail has whole seconds on some stores.
    """
    found = conn.scalar(
        sa.select(sa.literal(1))
        .where(
            messages.c.integration == integration,
            messages.c.thread == thread,
            messages.c.folder == "sent",
            messages.c.arrived_at + 1000 >= since_ms,
        )
        .limit(1)
    )
    return found is not None


def extended(message_set: str, identity: Identity) -> str:
    """The message set with one more identity: a running hash, so that adding costs nothing."""
    return hashlib.sha256(f"{message_set} {identity}".encode()).hexdigest()


def changed(
    conn: Connection,
    row: ThreadRow,
    now_ms: int,
    *,
    due_at: int,
    arrived: Sequence[Identity] = (),
    subject: str | None = None,
) -> None:
    """Raise the revision: somebody other than us did something in this thread."""
    message_set = row.message_set
    for identity in arrived:
        message_set = extended(message_set, identity)
    conn.execute(
        sa.update(threads)
        .where(threads.c.integration == row.integration, threads.c.thread == row.thread)
        .values(
            revision=threads.c.revision + 1,
            message_set=message_set,
            due_at=due_at,
            dues=threads.c.dues + 1,
            changed_at=now_ms,
            subject=row.subject if subject is None else subject,
        )
    )


def make_due(conn: Connection, integration: str, thread: str, at_ms: int) -> None:
    """Have the thread worked on at *at_ms*, or earlier if it is due earlier."""
    conn.execute(_MAKE_DUE, {"i": integration, "t": thread, "at": at_ms})


def raise_generation(conn: Connection, integration: str, thread: str, now_ms: int) -> None:
    """A person asked again: what is wanted from now on has new keys, and the thread is due."""
    conn.execute(
        sa.update(threads)
        .where(threads.c.integration == integration, threads.c.thread == thread)
        .values(
            generation=threads.c.generation + 1,
            due_at=now_ms,
            dues=threads.c.dues + 1,
            quarantined_at=None,
            failures=0,
        )
    )


def look_through(conn: Connection, integration: str, thread: str, now_ms: int) -> None:
    """Have what lies in the thread looked through before anything is created in it again."""
    conn.execute(
        sa.update(threads)
        .where(threads.c.integration == integration, threads.c.thread == thread)
        .values(reconcile_first=1, due_at=now_ms, dues=threads.c.dues + 1)
    )


def reconcile_everything(conn: Connection) -> None:
    """Commits were lost: every thread reconciles before anything is created in it again.

    Locks the lease row of every thread, in one order.
    """
    locks.lock_everything(conn)
    conn.execute(sa.update(threads).values(reconcile_first=1, due_at=0, dues=threads.c.dues + 1))


def load(conn: Connection, integration: str, thread: str) -> ThreadRow:
    """The thread's row. Raises LookupError when there is no such thread."""
    return load_all(conn, [(integration, thread)])[0]


def load_all(conn: Connection, places: Sequence[Place]) -> list[ThreadRow]:
    """The rows of threads, each named by its mailbox and itself; in that order.

    Raises LookupError when one does not exist.
    """
    found = grouped(conn, _LOAD, set(places))
    for (integration, thread), rows in found.items():
        if not rows:
            raise LookupError(f"no thread {thread} in {integration}")
    return [thread_row(found[place][0]) for place in places]


def thread_row(value: RowMapping) -> ThreadRow:
    """A ThreadRow from a mapping that holds the columns of the threads table."""
    return ThreadRow(
        integration=IntegrationId(str(value["integration"])),
        thread=ThreadId(str(value["thread"])),
        provider_thread=_opt_str(value["provider_thread"]),
        subject=str(value["subject"]),
        revision=_int(value["revision"]),
        message_set=str(value["message_set"]),
        due_at=_opt_int(value["due_at"]),
        dues=_int(value["dues"]),
        generation=_int(value["generation"]),
        triage=_opt_map(value["triage"]),
        no_draft_because=_opt_str(value["no_draft_because"]),
        failures=_int(value["failures"]),
        quarantined_at=_opt_int(value["quarantined_at"]),
        reconcile_first=bool(value["reconcile_first"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """How a piece of work on a thread ended.

    ``read_dues`` is the ``dues`` that the work read; ``again_at`` (epoch ms) asks for another turn;
    ``triage`` None leaves the old one; ``failed`` counts a failure, anything else clears the count.
    """

    read_dues: int
    revision: int
    triage: Mapping[str, object] | None = None
    no_draft_because: str | None = None
    again_at: int | None = None
    failed: bool = False
    quarantine: bool = False
    reconciled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A piece of work that ended at ``now_ms``; its lease row is locked and was ours.

    When somebody made the thread due after the work read it, that due stays. ``settled_due_at``:
    this transaction settled an intent, which makes the thread due at that time for everybody else.
    """

    held: Held
    end: Finish
    now_ms: int
    settled_due_at: int | None = None


def finishing(ended: Sequence[Finished]) -> list[Part]:
    """What ends pieces of work, each on a thread of its own: the threads' rows."""
    alike: dict[tuple[bool, ...], list[dict[str, object]]] = {}
    for one in ended:
        end = one.end
        kind = (
            end.triage is not None,
            end.failed,
            end.quarantine,
            end.reconciled,
            one.settled_due_at is not None,
        )
        alike.setdefault(kind, []).append(
            {
                "i": one.held.integration,
                "t": one.held.thread,
                "read": end.read_dues,
                "again": end.again_at,
                "at": one.settled_due_at,
                "now": one.now_ms,
                "triage": None if end.triage is None else dict(end.triage),
                "of_revision": end.revision,
                "because": end.no_draft_because,
            }
        )
    # In one order, so that what goes at once is one of a few statements.
    return [(_finishing(*kind), rows) for kind, rows in sorted(alike.items())]


_ENDS = {
    **dict.fromkeys(("i", "t", "because"), TEXT),
    **dict.fromkeys(("read", "again", "at", "now", "of_revision"), NUMBER),
    **columns_of(threads, "triage"),
}


@cache
def _finishing(
    judged: bool, failed: bool, quarantine: bool, reconciled: bool, settled: bool
) -> ForEach:
    """The UPDATE that ends pieces of work. What it compares it reads itself, under its own lock:
    whoever notes mail makes a thread due without its lease."""

    def build(given: Given, _: sa.FromClause) -> sa.Executable:
        as_read = threads.c.dues == given["read"]
        otherwise = _no_later(given["at"]) if settled else threads.c.due_at
        values: dict[str, object] = {
            "failures": threads.c.failures + 1 if failed else 0,
            "due_at": sa.case((as_read, given["again"]), else_=otherwise),
        }
        if settled:
            values["dues"] = threads.c.dues + 1
        if judged:
            values["triage"] = given["triage"]
            values["triaged_revision"] = given["of_revision"]
            values["no_draft_because"] = given["because"]
        if quarantine:
            values["quarantined_at"] = given["now"]
        if reconciled:
            # A second alarm after the work had read makes the thread due again, and stands.
            values["reconcile_first"] = sa.case((as_read, 0), else_=threads.c.reconcile_first)
        here = threads.c.integration == given["i"], threads.c.thread == given["t"]
        return sa.update(threads).where(*here).values(values)

    return ForEach(_ENDS, build)


def dues(conn: Connection, integration: str, thread: str) -> int:
    """How often the thread has been made due so far."""
    return int(conn.scalar(_DUES, {"i": integration, "t": thread}) or 0)


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"not a whole number: {value!r}")
    return value


def _opt_int(value: object) -> int | None:
    return None if value is None else _int(value)


def _opt_str(value: object) -> str | None:
    return None if value is None else str(value)


def _opt_map(value: object) -> Mapping[str, object] | None:
    return value if isinstance(value, dict) else None
