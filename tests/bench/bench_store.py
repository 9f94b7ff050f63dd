"""How many threads a second the store can take through three small transactions each.

    python -m tests.bench.bench_store [seconds]

A thread here is what a drafted thread costs: take its lease; check the lease and write the intent;
write outcome, evidence and draft, and release. Four ways, 16 threads in work, one machine, one run:

* awaited: statement by statement through SQLAlchemy's async engine, as one would write it first
* one hop: each transaction whole on the writer thread, a commit for each
* group commit: the store as it is
* raw: the sqlite3 module alone, the same statements as text, one task, a commit for each

All are durable (WAL, synchronous=FULL). Only ratios mean something: the disk decides the rest.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import anyio
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from storage.sqlite import open_sqlite, sync_engine

TASKS: Final = 16
metadata = sa.MetaData()
leases = sa.Table(
    "leases",
    metadata,
    sa.Column("thread", sa.Integer, primary_key=True),
    sa.Column("owner", sa.Text),
    sa.Column("fence", sa.Integer),
)
intents = sa.Table(
    "intents",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("thread", sa.Integer),
    sa.Column("state", sa.Text),
    sa.Column("request", sa.LargeBinary),
)
evidence = sa.Table(
    "evidence",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text),
    sa.Column("detail", sa.Text),
)
drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text),
    sa.Column("state", sa.Text),
)
REQUEST: Final = b"x" * 2000

_this_lease = leases.c.thread == sa.bindparam("t")
TAKE: Final = sa.insert(leases).values(thread=sa.bindparam("t"), owner="me", fence=1)
HELD: Final = sa.select(leases.c.owner, leases.c.fence).where(_this_lease)
RENEW: Final = sa.update(leases).where(_this_lease).values(fence=leases.c.fence)
INTEND: Final = sa.insert(intents).values(
    key=sa.bindparam("k"), thread=sa.bindparam("t"), state="calling", request=REQUEST
)
SETTLE: Final = (
    sa.update(intents).where(intents.c.key == sa.bindparam("k")).values(state="accepted")
)
NOTE: Final = sa.insert(evidence).values(key=sa.bindparam("k"), detail="answer")
RECORD: Final = sa.insert(drafts).values(key=sa.bindparam("k"), state="held")
RELEASE: Final = sa.update(leases).where(_this_lease).values(owner=None)

Steps = tuple[tuple[sa.Executable, str], ...]
"""Statements of one transaction and which parameters each takes."""
TRANSACTIONS: Final[tuple[Steps, ...]] = (
    ((TAKE, "t"),),
    ((HELD, "t"), (RENEW, "t"), (INTEND, "kt")),
    ((HELD, "t"), (SETTLE, "k"), (NOTE, "k"), (RECORD, "k"), (RELEASE, "t")),
)
_HELD_RAW: Final = "SELECT owner, fence FROM leases WHERE thread = :t"
RAW: Final = (
    ("INSERT INTO leases VALUES (:t, 'me', 1)",),
    (
        _HELD_RAW,
        "UPDATE leases SET fence = fence WHERE thread = :t",
        "INSERT INTO intents VALUES (:k, :t, 'calling', :request)",
    ),
    (
        _HELD_RAW,
        "UPDATE intents SET state = 'accepted' WHERE key = :k",
        "INSERT INTO evidence (key, detail) VALUES (:k, 'answer')",
        "INSERT INTO drafts (key, state) VALUES (:k, 'held')",
        "UPDATE leases SET owner = NULL WHERE thread = :t",
    ),
)
"""The same three transactions as text."""


def parameters(names: str, thread: int) -> dict[str, object]:
    """The values of one statement's parameters."""
    values: dict[str, object] = {"t": thread, "k": f"key-{thread}"}
    return {name: values[name] for name in names}


def run_steps(conn: sa.Connection, steps: Steps, thread: int) -> None:
    """One transaction as a unit of work."""
    for statement, names in steps:
        result = conn.execute(statement, parameters(names, thread))
        if result.returns_rows:
            result.all()


async def drive(one: Callable[[int], Awaitable[None]], seconds: float) -> float:
    """Threads a second of *one*, with TASKS in work."""
    done = 0
    start = time.perf_counter()

    async def work() -> None:
        nonlocal done
        while time.perf_counter() - start < seconds:
            number = done
            done += 1
            await one(number)

    async with anyio.create_task_group() as tasks:
        for _ in range(TASKS):
            tasks.start_soon(work)
    return done / (time.perf_counter() - start)


def fresh(folder: str, name: str) -> Path:
    """A new file with the tables."""
    path = Path(folder) / name
    engine = sync_engine(path)
    metadata.create_all(engine)
    engine.dispose()
    return path


def async_engine(path: Path) -> AsyncEngine:
    """The async engine as one would set it up for safe writes."""
    engine = create_async_engine(
        f"sqlite+aiosqlite:///{path}",
        connect_args={"isolation_level": None, "timeout": 30},
        pool_size=1,
        max_overflow=0,
    )

    @sa.event.listens_for(engine.sync_engine, "connect")
    def settle(raw: sqlite3.Connection, _: object) -> None:
        cursor = raw.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine.sync_engine, "begin")
    def begin(conn: sa.Connection) -> None:
        conn.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


async def awaited(path: Path, seconds: float) -> float:
    """Statement by statement."""
    engine = async_engine(path)

    async def transaction(conn: AsyncConnection, steps: Steps, thread: int) -> None:
        for statement, names in steps:
            result = await conn.execute(statement, parameters(names, thread))
            if result.returns_rows:
                result.all()

    async def one(thread: int) -> None:
        for steps in TRANSACTIONS:
            async with engine.begin() as conn:
                await transaction(conn, steps, thread)

    try:
        return await drive(one, seconds)
    finally:
        await engine.dispose()


async def stored(path: Path, seconds: float, *, max_batch: int) -> float:
    """Through the store."""
    database = await open_sqlite(path, max_batch=max_batch)

    async def one(thread: int) -> None:
        for steps in TRANSACTIONS:
            await database.write(lambda conn, steps=steps: run_steps(conn, steps, thread))  # type: ignore[misc]

    try:
        return await drive(one, seconds)
    finally:
        await database.close()


def raw(path: Path, seconds: float) -> float:
    """The sqlite3 module alone."""
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("PRAGMA synchronous=FULL")
    done = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        values = {"t": done, "k": f"key-{done}", "request": REQUEST}
        for texts in RAW:
            conn.execute("BEGIN IMMEDIATE")
            for text in texts:
                conn.execute(text, values).fetchall()
            conn.execute("COMMIT")
        done += 1
    rate = done / (time.perf_counter() - start)
    conn.close()
    return rate


async def main(seconds: float) -> None:
    """Run every way for so many seconds and print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        rates = {
            "awaited": await awaited(fresh(folder, "awaited.db"), seconds),
            "one hop": await stored(fresh(folder, "hop.db"), seconds, max_batch=1),
            "group commit": await stored(fresh(folder, "group.db"), seconds, max_batch=64),
            "raw": await anyio.to_thread.run_sync(raw, fresh(folder, "raw.db"), seconds),
        }
    print(f"{'way':<14}{'threads/s':>10}{'x awaited':>11}{'x raw':>8}")
    for name, rate in rates.items():
        print(f"{name:<14}{rate:>10.0f}{rate / rates['awaited']:>11.2f}{rate / rates['raw']:>8.2f}")


if __name__ == "__main__":
    anyio.run(main, float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
