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
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from storage.migrate import upgrade
from storage.sqlite import _WRITING, _settle, _url, open_sqlite
from tests.bench.guarded_action import REQUEST, Counted, drive, prepare

T = TypeVar("T")
WORKERS = 16


class Awaited:
    """The naive store: every statement is awaited by itself, every unit is a transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._lock = anyio.Lock()

    async def write(self, unit: Callable[[Connection], T]) -> T:
        async with self._lock, self._engine.begin() as conn:
            return await conn.run_sync(unit)

    read = write


async def with_store(
    folder: Path, number: int, run: Callable[[Path], Awaitable[tuple[float, str]]]
) -> tuple[float, str]:
    path = folder / "bench.db"
    await anyio.to_thread.run_sync(upgrade, path)
    database = await open_sqlite(path)
    await database.write(prepare(number))
    await database.close()
    return await run(path)


async def ours(folder: Path, number: int) -> tuple[float, str]:
    async def run(path: Path) -> tuple[float, str]:
        database = await open_sqlite(path)
        counted = Counted(database)
        try:
            seconds = await drive(counted, number, in_work=WORKERS)
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
            return await drive(
                Awaited(engine), number, in_work=WORKERS
            ), "three transactions an action"
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
        conn.execute("INSERT INTO t VALUES (?, 'calling', ?)", (at, REQUEST))
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
