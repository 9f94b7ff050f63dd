"""What holds between transactions that run side by side, which SQLite has none of.

Each was found wrong once with the bug planted that it guards against (``tests.seeded``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager

import anyio
import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from assistant.opening import listen
from storage import leases, locks, threads
from storage.errors import StorageBusyError
from storage.leases import Held, LeaseLostError
from storage.mailboxes import ensure
from storage.postgres import PostgresDatabase
from storage.rows import ByBytes
from storage.tables import leases as rows
from storage.tables import meta
from storage.words import IntegrationId, OwnerId, ThreadId, UserName
from tests.support.clock import FakeClock
from tests.support.postgres import PASSWORD, POOL_SIZE, USER, cluster, new_database, opened

BOX, ROBIN = IntegrationId("robin/mail"), UserName("robin")
FIRST, SECOND = ThreadId("t1"), ThreadId("t2")
OLD, NEW = OwnerId("a:1:x"), OwnerId("b:1:x")
TTL_MS = 60_000
IMPATIENT_S = 0.05
"""How long a store of these tests waits for a lock at each of its tries."""
TOGETHER_S = 0.3
"""How long a transaction stays open so that another one meets it."""


@pytest.fixture
def name() -> Iterator[str]:
    with new_database() as made:
        yield made


@pytest.fixture(params=[False, True], ids=["direct", "pgbouncer"])
async def store(request: pytest.FixtureRequest, name: str) -> AsyncIterator[PostgresDatabase]:
    database = await opened(name, pooled=request.param, lock_timeout_s=IMPATIENT_S)
    yield database
    await database.close()


def two_due(conn: Connection) -> None:
    """A mailbox with two threads that are due."""
    ensure(conn, BOX, ROBIN, "memory")
    for thread in (FIRST, SECOND):
        threads.ensure(conn, BOX, thread, 1, provider_thread=None, subject="s")
        leases.ensure(conn, BOX, thread)
    conn.execute(sa.text("UPDATE threads SET due_at = 1"))


def take(conn: Connection, owner: OwnerId = NEW) -> list[ThreadId]:
    """Take all that can be taken."""
    taken = leases.take_due(conn, owner, ttl_ms=TTL_MS, limit=9, allowed=[BOX], alone=True)
    return [held.thread for held in taken.held]


@asynccontextmanager
async def locked(name: str, thread: str) -> AsyncIterator[None]:
    """Another process has that thread's lease row locked meanwhile."""
    server = cluster()
    conn = await asyncpg.connect(host=str(server.base), port=server.port, user=USER, database=name)
    try:
        async with conn.transaction():
            await conn.execute("SELECT 1 FROM public.leases WHERE thread = $1 FOR UPDATE", thread)
            yield
    finally:
        await conn.close()


def lingering(unit: Callable[[Connection], object]) -> Callable[[Connection], object]:
    """*unit*, in a transaction that stays open for a while."""

    def run(conn: Connection) -> object:
        result = unit(conn)
        conn.execute(sa.select(sa.func.pg_sleep(TOGETHER_S)))
        return result

    return run


async def test_rows_that_another_has_locked_are_passed_over(
    store: PostgresDatabase, name: str
) -> None:
    await store.write(two_due)
    async with locked(name, FIRST):
        assert await store.write(take) == [SECOND]


async def test_two_who_take_at_once_take_no_thread_twice(name: str) -> None:
    stores = [await opened(name) for _ in range(2)]
    await stores[0].write(two_due)
    taken: list[list[ThreadId]] = []

    async def run(one: PostgresDatabase) -> None:
        found = await one.write(lingering(take))
        assert isinstance(found, list)
        taken.append(found)

    async with anyio.create_task_group() as group:
        for one in stores:
            group.start_soon(run, one)
    assert sorted(taken, key=len) == [[], [FIRST, SECOND]]
    for one in stores:
        await one.close()


async def test_a_stale_holder_waits_for_a_takeover_under_way_and_is_refused(name: str) -> None:
    """P3."""
    here, there = await opened(name), await opened(name)
    await here.write(two_due)
    held = await here.write(lambda conn: leases.acquire(conn, BOX, FIRST, OLD, 0))
    assert held is not None
    stale: Held = held
    async with anyio.create_task_group() as group:
        group.start_soon(
            here.write, lingering(lambda conn: leases.acquire(conn, BOX, FIRST, NEW, TTL_MS))
        )
        await anyio.sleep(TOGETHER_S / 3)
        with pytest.raises(LeaseLostError):
            await there.write(lambda conn: locks.require(conn, stale))
    await here.close()
    await there.close()


@pytest.mark.parametrize(
    "ask",
    [
        lambda conn, held: leases.keep_all(conn, dict.fromkeys(held, TTL_MS)),
        leases.give_back_all,
    ],
    ids=["keep", "give_back"],
)
async def test_of_a_set_only_what_is_still_held_after_a_takeover_under_way_is_changed(
    name: str, ask: Callable[[Connection, Sequence[Held]], dict[Held, int]]
) -> None:
    here, there = await opened(name), await opened(name)
    await here.write(two_due)
    helds = [
        await here.write(lambda conn, t=thread: leases.acquire(conn, BOX, t, OLD, 0))  # type: ignore[misc]
        for thread in (FIRST, SECOND)
    ]
    stale, kept = (held for held in helds if held is not None)
    async with anyio.create_task_group() as group:
        group.start_soon(
            here.write, lingering(lambda conn: leases.acquire(conn, BOX, FIRST, NEW, TTL_MS))
        )
        await anyio.sleep(TOGETHER_S / 3)
        assert list(await there.write(lambda conn: ask(conn, [stale, kept]))) == [kept]
    owner = await here.read(lambda conn: leases.seen(conn, BOX, FIRST).owner)
    assert owner == NEW
    await here.close()
    await there.close()


async def test_whoever_locks_everything_waits_for_every_row(
    store: PostgresDatabase, name: str
) -> None:
    await store.write(two_due)
    async with locked(name, SECOND):
        with pytest.raises(StorageBusyError):
            await store.write(locks.lock_everything)


async def test_whoever_locks_threads_waits_for_each(store: PostgresDatabase, name: str) -> None:
    await store.write(two_due)
    async with locked(name, SECOND):
        with pytest.raises(StorageBusyError):
            await store.write(lambda conn: locks.lock_threads(conn, BOX, [FIRST, SECOND]))


async def test_a_unit_that_waited_for_a_lock_sees_what_was_committed_meanwhile(name: str) -> None:
    """In its first run: one snapshot for the whole transaction would have to run again."""
    here, there = await opened(name), await opened(name)
    await here.write(two_due)
    runs: list[int] = []

    def unit(conn: Connection) -> OwnerId | None:
        runs.append(1)
        # The snapshot of a REPEATABLE READ transaction is that of its first statement.
        conn.execute(sa.select(meta.c.name)).all()
        return leases.lock(conn, BOX, FIRST).owner

    async with anyio.create_task_group() as group:
        group.start_soon(
            here.write, lingering(lambda conn: leases.acquire(conn, BOX, FIRST, NEW, TTL_MS))
        )
        await anyio.sleep(TOGETHER_S / 3)
        assert await there.write(unit) == NEW
    assert len(runs) == 1
    await here.close()
    await there.close()


async def test_a_key_that_stays_taken_is_tried_twice(store: PostgresDatabase) -> None:
    runs: list[int] = []

    def unit(conn: Connection) -> None:
        runs.append(1)
        conn.execute(sa.insert(meta).values(name="a", value="x"))

    await store.write(unit)
    runs.clear()
    with pytest.raises(sa.exc.IntegrityError):
        await store.write(unit)
    assert len(runs) == 2


LIMITS = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")


@pytest.mark.parametrize("limit", LIMITS)
async def test_every_transaction_has_its_limits(store: PostgresDatabase, limit: str) -> None:
    query = sa.text("SELECT setting::int FROM pg_settings WHERE name = :name")

    def unit(conn: Connection) -> int:
        return int(conn.execute(query, {"name": limit}).scalar_one())

    for run in (store.read, store.write):
        assert await run(unit)


async def test_limits_are_gone_with_their_transaction(name: str) -> None:
    """Behind a pooler the session goes to somebody else next."""
    server = cluster()
    store = await opened(name, pooled=True)
    async with anyio.create_task_group() as group:
        for _ in range(6):
            group.start_soon(store.write, lambda conn: conn.execute(sa.select(sa.func.now())))
    url = server.url(name, port=server.bouncer.port)
    # One transaction for each session that the pooler may have, so that all of them are seen.
    every = [
        await asyncpg.connect(url, password=PASSWORD, statement_cache_size=0)
        for _ in range(POOL_SIZE)
    ]
    for conn in every:
        await conn.execute("BEGIN")
    found = {await conn.fetchval(f"SHOW {limit}") for conn in every for limit in LIMITS}
    assert found == {"0"}
    for conn in every:
        await conn.close()
    await store.close()


async def test_nobody_listens_through_a_pooler(name: str) -> None:
    """PgBouncer would give the session, and what it hears, to somebody else."""
    store = await opened(name, pooled=True)
    try:
        with anyio.fail_after(5):
            await listen(store, FakeClock(), lambda _: None)
    finally:
        await store.close()


async def test_a_lock_of_one_row_leaves_the_others(store: PostgresDatabase, name: str) -> None:
    await store.write(two_due)
    async with locked(name, FIRST):
        await store.write(lambda conn: leases.lock(conn, BOX, SECOND))
    owners = await store.read(lambda conn: conn.scalars(sa.select(rows.c.owner)).all())
    assert owners == [None, None]


def _held(thread: ThreadId) -> Held:
    return Held(integration=BOX, thread=thread, owner=OwnerId("p"), fence=1, takes=0)


BACKWARDS = [_held(SECOND), _held(FIRST)]


@pytest.mark.parametrize(
    "locks",
    [
        lambda conn: leases.lock_all(conn, [(str(BOX), str(SECOND)), (str(BOX), str(FIRST))]),
        lambda conn: leases.keep_all(conn, dict.fromkeys(BACKWARDS, 1000)),
        lambda conn: leases.give_back_all(conn, BACKWARDS),
    ],
    ids=["lock", "keep", "give_back"],
)
async def test_several_rows_are_locked_in_one_order_whatever_the_order_they_are_named_in(
    store: PostgresDatabase, name: str, locks: Callable[[Connection], object]
) -> None:
    await store.write(two_due)
    await store.write(lambda conn: conn.execute(sa.update(rows).values(owner="p", fence=1)))
    patient = await opened(name)
    waiting = sa.text("SELECT 1 FROM pg_locks WHERE NOT granted")
    async with anyio.create_task_group() as group, locked(name, FIRST):
        group.start_soon(patient.write, locks)
        while await store.read(lambda conn: conn.scalar(waiting)) is None:
            await anyio.lowlevel.checkpoint()
        row = await store.write(lambda conn: leases.lock(conn, BOX, SECOND))
        assert row.thread == SECOND
    await patient.close()


async def test_locks_go_by_bytes_whatever_the_collation(store: PostgresDatabase) -> None:
    """As Python sorts what it locks in several statements."""
    names = ["B", "a", "C", "b", "_x", "-y"]
    name = sa.column("name", sa.Text)
    given = sa.values(name, name="given").data([(one,) for one in names])
    natural = name.collate("en-x-icu")

    def ordered(conn: Connection, by: sa.ColumnElement[str]) -> list[str]:
        return [str(one) for one in conn.scalars(sa.select(name).select_from(given).order_by(by))]

    assert await store.read(lambda conn: ordered(conn, natural)) != sorted(names)
    assert await store.read(lambda conn: ordered(conn, ByBytes(natural))) == sorted(names)
