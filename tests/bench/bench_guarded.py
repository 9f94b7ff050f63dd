"""Guarded actions on SQLite against the floor, DBOS and the naive way, in one run.

    python -m tests.bench.bench_guarded [--actions 400] [--rounds 3] [--peers PYTHON]

What an action is says ``tests.bench.guarded_action``. Beside it: the same work written as one would
write it first (``tests.bench.awaited``: three transactions and a read, some forty statements, each
awaited through the async engine; code of its own, so that what the house saves in statements counts
in the ratio); raw ``sqlite3`` with two durable commits, the floor; and, with ``--peers`` (an
interpreter that has dbos installed, in a venv of its own), DBOS on an SQLite file, run as
``tests/bench/peers/dbos_workflow.py`` says; it leaves SQLite's journal (DELETE) and ``synchronous``
(FULL) at their defaults. The fastest of the rounds counts, for what else runs on a machine only
slows.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from sqlalchemy.ext.asyncio import create_async_engine

from storage.migrate import upgrade
from storage.sqlite import _WRITING, _settle, _url, open_sqlite
from tests.bench.awaited import Awaited
from tests.bench.guarded_action import MAILBOX, REQUEST, Counted, drive, prepare
from tests.bench.peers.run import PeerError, run

IN_WORK = (4, 16)
DBOS_WAYS = ("threads", "tasks", "queue")


async def with_store(
    folder: Path, number: int, run: Callable[[Path], Awaitable[tuple[float, str]]]
) -> tuple[float, str]:
    path = folder / "bench.db"
    await anyio.to_thread.run_sync(upgrade, path)
    database = await open_sqlite(path)
    await database.write(prepare(number))
    await database.close()
    return await run(path)


async def ours(folder: Path, number: int, in_work: int) -> tuple[float, str]:
    async def run(path: Path) -> tuple[float, str]:
        database = await open_sqlite(path)
        counted = Counted(database)
        try:
            seconds = await drive(counted, number, in_work=in_work)
        finally:
            await database.close()
        return seconds, f"{counted.writes / number:.2f} units of work an action"

    return await with_store(folder, number, run)


async def naive(folder: Path, number: int, in_work: int) -> tuple[float, str]:
    async def run(path: Path) -> tuple[float, str]:
        engine = create_async_engine(
            _url("sqlite+aiosqlite", path, "rwc"),
            connect_args={"isolation_level": None, "timeout": 5.0},
            pool_size=1,
            max_overflow=0,
        )
        _settle(engine.sync_engine, _WRITING, reading=False, virtual_clock=None)
        try:
            peer = Awaited(engine, MAILBOX)
            seconds = await peer.drive(number, in_work)
            return seconds, f"{peer.statements / number:.1f} statements an action"
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


class Bench:
    """One run: its options and its rates (actions a second)."""

    def __init__(self, actions: int, peers: str | None) -> None:
        self.actions = actions
        self.peers = peers
        self.rates: dict[tuple[str, int], list[float]] = {}
        self.notes: set[str] = {f"SQLite {sqlite3.sqlite_version}"}

    def note(self, name: str, in_work: int, seconds: float) -> None:
        rate = self.actions / seconds
        self.rates.setdefault((name, in_work), []).append(rate)
        print(f"  {name:16} {in_work:3} in work {rate:8.0f} actions/s", flush=True)

    def round(self, in_work: int) -> None:
        """Each contender once, on a fresh file each."""
        for name, way in (("ours", ours), ("awaited", naive)):
            with tempfile.TemporaryDirectory() as folder:
                seconds, note = anyio.run(way, Path(folder), self.actions, in_work)
            self.notes.add(f"{name}: {note}")
            self.note(name, in_work, seconds)
        with tempfile.TemporaryDirectory() as folder:
            self.note("floor", in_work, floor(Path(folder), self.actions))
        if self.peers is not None:
            for dbos_way in DBOS_WAYS:
                self.dbos(self.peers, in_work, dbos_way)

    def dbos(self, python: str, in_work: int, way: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/dbos.db"
            steps = ("fill", way) if way == "queue" else (way,)
            script = "dbos_workflow.py"
            try:
                runs = [run(python, script, url, in_work, self.actions, step) for step in steps]
            except PeerError as error:
                self.notes.add(f"dbos, {way} with {in_work} in work was not measured: {error}")
            else:
                self.notes.add(f"dbos {runs[-1].version} on SQLite {runs[-1].sqlite}")
                self.note(f"dbos, {way}", in_work, runs[-1].seconds)

    def tell(self) -> None:
        """The ratios."""
        print("\n" + "\n".join(sorted(self.notes)))
        for in_work in IN_WORK:
            best = {name: max(found) for (name, at), found in self.rates.items() if at == in_work}
            mine = best.pop("ours")
            print(f"\n{in_work} in work: ours {mine:.0f} actions/s")
            for name, rate in sorted(best.items(), key=lambda one: -one[1]):
                print(f"  {mine / rate:6.2f} x {name} ({rate:.0f})")


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--actions", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", metavar="PYTHON")
    options = parser.parse_args()
    bench = Bench(options.actions, options.peers)
    for _ in range(options.rounds):
        for in_work in IN_WORK:
            bench.round(in_work)
    bench.tell()


if __name__ == "__main__":
    main()
