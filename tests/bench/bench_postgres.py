"""Guarded actions on PostgreSQL against the floor and two peers, in one run on one server.

    python -m tests.bench.bench_postgres [--actions 1000] [--rounds 3] [--peers PYTHON]

The server is private, with fsync and synchronous_commit on; everybody connects over TCP and has a
fresh database. ``--peers`` names an interpreter that has dbos, procrastinate and psycopg installed
(a venv of its own); without it the floor alone is measured beside ours. In each round the
contenders follow each other at 4 and at 16 in work; the fastest of the rounds counts, for what else
runs on a machine only slows. How each peer is run says its file in ``tests/bench/peers``.

The floor is raw asyncpg: two durable commits an action, once as single prepared statements (the
least that can be sent) and once in transactions (BEGIN, statement, COMMIT, as anybody would write).
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence

import asyncpg

from storage.postgres import open_postgres
from tests.bench.guarded_action import REQUEST, Counted, drive, prepare
from tests.bench.peers.run import PeerError, run
from tests.support.pgcount import Counts, counting_cluster, counts, reset
from tests.support.postgres import PASSWORD, USER, Cluster, aside

IN_WORK = (4, 16)
HISTORY = 1000
"""Actions that lie in our database already."""
DBOS_WAYS = ("threads", "tasks", "queue")
Rates = dict[tuple[str, int], list[float]]


def dsn(cluster: Cluster, database: str) -> str:
    """The address over TCP, with the password."""
    return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{cluster.port}/{database}"


async def floor(address: str, number: int, in_work: int, *, transactions: bool) -> float:
    """Two durable commits an action, and nothing else; seconds."""
    connections = [await asyncpg.connect(address) for _ in range(in_work)]
    await connections[0].execute(
        "CREATE TABLE action (id bigint PRIMARY KEY, state text, request bytea)"
    )
    begin = "INSERT INTO action VALUES ($1, 'calling', $2)"
    end = "UPDATE action SET state = 'accepted' WHERE id = $1"
    left = iter(range(number))

    async def single(conn: asyncpg.Connection) -> None:
        insert, update = await conn.prepare(begin), await conn.prepare(end)
        for at in left:
            await insert.fetch(at, REQUEST)
            await update.fetch(at)

    async def whole(conn: asyncpg.Connection) -> None:
        for at in left:
            async with conn.transaction():
                await conn.execute(begin, at, REQUEST)
            async with conn.transaction():
                await conn.execute(end, at)

    started = time.perf_counter()
    await asyncio.gather(*((whole if transactions else single)(conn) for conn in connections))
    seconds = time.perf_counter() - started
    for conn in connections:
        await conn.close()
    return seconds


async def ours(cluster: Cluster, database: str, number: int, in_work: int) -> tuple[float, Counts]:
    """Seconds for *number* guarded actions, and what the server counted."""
    # The server's own clock_timestamp(), not the one that tests can set.
    cluster.sql(f"ALTER DATABASE {database} RESET search_path")
    filled = await open_postgres(cluster.place(database))
    await filled.write(prepare(HISTORY + IN_WORK[-1] + number))
    await drive(filled, HISTORY, in_work=IN_WORK[-1])
    await filled.close()
    # As autovacuum does; the plans of a database that has just begun are no one's day.
    cluster.sql("VACUUM ANALYZE", database=database)
    reset(cluster)
    store = await open_postgres(cluster.place(database))
    try:
        seconds = await drive(Counted(store), number, in_work=in_work)
    finally:
        await store.close()
    return seconds, counts(cluster, database)


class Bench:
    """One run: its server, its options, its rates (actions a second)."""

    def __init__(self, cluster: Cluster, actions: int, peers: str | None) -> None:
        self.cluster = cluster
        self.actions = actions
        self.peers = peers
        self.rates: Rates = {}
        self.counts: dict[int, Counts] = {}
        self.notes: set[str] = set()

    def note(self, name: str, in_work: int, seconds: float) -> None:
        rate = self.actions / seconds
        self.rates.setdefault((name, in_work), []).append(rate)
        print(f"  {name:24} {in_work:3} in work {rate:8.0f} actions/s", flush=True)

    def round(self, in_work: int) -> None:
        """Each contender once, on a fresh database each."""
        self.floor("floor", in_work, transactions=False)
        self.floor("floor, transactions", in_work, transactions=True)
        database = self.cluster.new_database()
        seconds, self.counts[in_work] = aside(
            lambda: ours(self.cluster, database, self.actions, in_work)
        )
        self.note("ours", in_work, seconds)
        self.cluster.drop(database)
        if self.peers is not None:
            self.peer(self.peers, "procrastinate", "procrastinate_lock.py", in_work, ("",))
            for way in DBOS_WAYS:
                steps = ("fill", way) if way == "queue" else (way,)
                self.peer(self.peers, f"dbos, {way}", "dbos_workflow.py", in_work, steps)

    def floor(self, name: str, in_work: int, *, transactions: bool) -> None:
        database = self.cluster.new_database(empty=True)
        address = dsn(self.cluster, database)
        seconds = aside(lambda: floor(address, self.actions, in_work, transactions=transactions))
        self.note(name, in_work, seconds)
        self.cluster.drop(database)

    def peer(self, python: str, name: str, script: str, in_work: int, steps: Sequence[str]) -> None:
        """Run the peer's steps; the last one is what is measured."""
        database = self.cluster.new_database(empty=True)
        address = dsn(self.cluster, database)
        try:
            runs = [run(python, script, address, in_work, self.actions, step) for step in steps]
        except PeerError as error:
            self.notes.add(f"{name} was not measured: {error}")
        else:
            self.notes.add(f"{name.split(',')[0]} {runs[-1].version}")
            self.note(name, in_work, runs[-1].seconds)
        self.cluster.drop(database)

    def tell(self) -> None:
        """The ratios and the counts."""
        [server] = self.cluster.sql("SHOW server_version")
        print(f"\nPostgreSQL {server[0]}; " + "; ".join(sorted(self.notes)))
        for in_work in IN_WORK:
            best = {name: max(found) for (name, at), found in self.rates.items() if at == in_work}
            mine = best.pop("ours")
            print(f"\n{in_work} in work: ours {mine:.0f} actions/s")
            for name, rate in sorted(best.items(), key=lambda one: -one[1]):
                print(f"  {mine / rate:6.2f} x {name} ({rate:.0f})")
            seen = self.counts[in_work]
            print(
                f"  an action: {seen.statements / self.actions:.2f} statements, "
                f"{seen.commits / self.actions:.2f} commits (reading ones too), "
                f"{seen.control / self.actions:.2f} others that begin, end and set up, "
                f"{seen.wal_syncs / self.actions:.2f} syncs of the log"
            )


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--actions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", metavar="PYTHON")
    options = parser.parse_args()
    bench = Bench(counting_cluster(), options.actions, options.peers)
    for _ in range(options.rounds):
        for in_work in IN_WORK:
            bench.round(in_work)
    bench.tell()


if __name__ == "__main__":
    main()
