"""Guarded actions on SQLite against three ways of writing the same, in one run.

    python -m tests.bench.bench_guarded [threads]

Each action is what the worker does for one draft, less reading and judging: a lease taken, an
intent claimed, a call (which costs nothing here), its outcome with draft record, review item, end
of work and release. Beside it: the same units of work awaited statement by statement through the
async engine in three transactions; and raw ``sqlite3`` with two durable commits, the floor.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.lowlevel
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from assistant.effects import settle
from assistant.effects.claim import Asked
from assistant.effects.guard import Effect, Store, guarded
from assistant.effects.settle import Timing
from assistant.timing import SystemClock
from leases.keeper import Grip, Keeper
from storage import leases, mailboxes, threads
from storage.dbtime import database_now_ms
from storage.intents import Intent
from storage.leases import Held
from storage.migrate import upgrade
from storage.sqlite import _WRITING, _settle, _url, open_sqlite
from storage.threads import Finish
from storage.words import (
    NO_FAULTS,
    Accepted,
    Identity,
    IntegrationId,
    IntentId,
    IntentKey,
    Kind,
    Outcome,
    OwnerId,
    Ref,
    ThreadId,
    UserName,
    Version,
)

T = TypeVar("T")
WORKERS = 16
MAILBOX = IntegrationId("bench/mail")
TTL_MS = 60_000
TIMING = Timing(first_look_ms=5_000, notice_delay_ms=120_000)


class Counted:
    """A store that counts the units it was asked to write."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.writes = 0

    async def write(self, unit: Callable[[Connection], T]) -> T:
        self.writes += 1
        return await self._inner.write(unit)

    async def read(self, unit: Callable[[Connection], T]) -> T:
        return await self._inner.read(unit)


class Awaited:
    """The naive store: every statement is awaited by itself, every unit is a transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._lock = anyio.Lock()

    async def write(self, unit: Callable[[Connection], T]) -> T:
        async with self._lock, self._engine.begin() as conn:
            return await conn.run_sync(unit)

    read = write


def prepare(path: Path, number: int) -> Callable[[Connection], None]:
    """A unit that makes *number* due threads."""

    def unit(conn: Connection) -> None:
        mailboxes.ensure(conn, MAILBOX, UserName("bench"), "memory")
        now = database_now_ms(conn)
        for at in range(number):
            thread = ThreadId(f"{at:08d}")
            threads.ensure(conn, MAILBOX, thread, now, provider_thread=None, subject=f"s{at}")
            row = threads.load(conn, MAILBOX, thread)
            threads.changed(conn, row, now, due_at=now - 1, arrived=[Identity(f"{at:064d}")])

    return unit


async def act(store: Store, clock: SystemClock, keeper: Keeper, held: Held) -> None:
    """One guarded action, as the worker makes it."""
    row = await store.read(lambda conn: threads.load(conn, held.integration, held.thread))
    with keeper.holding(held, started_s=clock.boot_s()) as grip:
        await guarded(store, clock, NO_FAULTS, grip, effect(grip, row.dues, row.message_set))


def effect(grip: Grip, dues: int, message_set: str) -> Effect:
    held = grip.held

    async def call(_claimed: Intent) -> Outcome:
        return Accepted(ref=Ref(f"Drafts/{held.thread}"), version=Version("1"))

    async def unclaimed() -> None:
        return None

    def record(conn: Connection, claimed: Intent, outcome: Outcome) -> None:
        leases.lock(conn, held.integration, held.thread)
        before = threads.dues(conn, held.integration, held.thread)
        settle.record_outcome(conn, claimed.id, claimed.attempt, outcome, TIMING)
        now = database_now_ms(conn)
        leases.release_locked(conn, held, now)
        end = Finish(read_dues=dues, revision=1, triage={"category": "needs_reply"})
        threads.finish(conn, held, end, now, dues_before=before)

    asked = Asked(
        intent=IntentId(f"{held.thread:>032}"),
        key=IntentKey(f"create_draft-{held.thread}"),
        kind=Kind.CREATE_DRAFT,
        user=UserName("bench"),
        held=held,
        fingerprint="f",
        request=b"x" * 2_000,
        plan={"answers": held.thread, "shown": {"subject": "s"}},
        call_timeout_s=20.0,
        lease_ttl_ms=TTL_MS,
        message_set=message_set,
        mark="mark",
        content_hash="hash",
        token={},
        place={},
    )
    return Effect(asked=asked, call=call, unclaimed=unclaimed, record=record)


async def drive(store: Store, number: int) -> float:
    """Work through every due thread with WORKERS at once; gives the seconds it took."""
    clock = SystemClock()
    keeper = Keeper(store, clock, ttl_s=TTL_MS / 1000)
    owner = OwnerId("bench:1")
    slots = anyio.Semaphore(WORKERS)
    left = number

    async def one(held: Held) -> None:
        try:
            await act(store, clock, keeper, held)
        finally:
            slots.release()

    started = time.perf_counter()
    async with anyio.create_task_group() as group:
        while left > 0:
            await slots.acquire()
            free = 1 + slots.value
            taken = await store.write(
                lambda conn, free=free: leases.take_due(
                    conn, owner, ttl_ms=TTL_MS, limit=free, allowed={MAILBOX}, alone=False
                )
            )
            for at, held in enumerate(taken.held):
                if at:
                    await slots.acquire()
                group.start_soon(one, held)
                left -= 1
            if not taken.held:
                slots.release()
                await anyio.lowlevel.checkpoint()
    return time.perf_counter() - started


async def with_store(
    folder: Path, number: int, run: Callable[[Path], Awaitable[tuple[float, str]]]
) -> tuple[float, str]:
    path = folder / "bench.db"
    await anyio.to_thread.run_sync(upgrade, path)
    database = await open_sqlite(path)
    await database.write(prepare(path, number))
    await database.close()
    return await run(path)


async def ours(folder: Path, number: int) -> tuple[float, str]:
    async def run(path: Path) -> tuple[float, str]:
        database = await open_sqlite(path)
        counted = Counted(database)
        try:
            seconds = await drive(counted, number)
        finally:
            await database.close()
        return seconds, f"{counted.writes / number:.2f} units of work an action"

    return await with_store(folder, number, run)


async def naive(folder: Path, number: int) -> tuple[float, str]:
    async def run(path: Path) -> tuple[float, str]:
        engine = create_async_engine(
            _url("sqlite+aiosqlite", path, "rwc"),
            connect_args={"isolation_level": None, "timeout": 5.0},
            pool_size=1,
            max_overflow=0,
        )
        _settle(engine.sync_engine, _WRITING, reading=False, virtual_clock=None)
        try:
            return await drive(Awaited(engine), number), "three transactions an action"
        finally:
            await engine.dispose()

    return await with_store(folder, number, run)


def floor(folder: Path, number: int) -> float:
    """Two durable commits an action, and nothing else."""
    conn = sqlite3.connect(folder / "raw.db", isolation_level=None)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = FULL")
    conn.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, state TEXT, request BLOB)")
    started = time.perf_counter()
    for at in range(number):
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("INSERT INTO t VALUES (?, 'calling', ?)", (at, b"x" * 2_000))
        conn.execute("COMMIT")
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("UPDATE t SET state = 'accepted' WHERE id = ?", (at,))
        conn.execute("COMMIT")
    seconds = time.perf_counter() - started
    conn.close()
    return seconds


async def main(number: int) -> None:
    rows: list[tuple[str, float, str]] = []
    for name, run in (("guarded", ours), ("awaited", naive)):
        with tempfile.TemporaryDirectory() as folder:
            seconds, note = await run(Path(folder), number)
            rows.append((name, seconds, note))
    with tempfile.TemporaryDirectory() as folder:
        rows.append(("raw sqlite3", floor(Path(folder), number), "two commits an action"))
    for name, seconds, note in rows:
        print(f"{name:12} {number / seconds:8.0f} actions/s   {note}")
    print(
        f"guarded is {rows[1][1] / rows[0][1]:.1f} x awaited, "
        f"{rows[2][1] / rows[0][1]:.2f} x raw sqlite3 with two commits"
    )


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 400)
