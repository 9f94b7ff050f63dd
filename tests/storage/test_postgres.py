"""The PostgreSQL store, directly and through PgBouncer: whole units, or nothing of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial

import anyio
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from storage.dbtime import database_now_ms
from storage.errors import (
    CommitUnknownError,
    StorageBusyError,
    UnitMisuseError,
)
from storage.postgres import PostgresDatabase
from storage.tables import leases, meta
from tests.support.postgres import cluster, new_database, nobody_answers, opened


@pytest.fixture
def name() -> Iterator[str]:
    with new_database() as made:
        yield made


@pytest.fixture(params=[False, True], ids=["direct", "pgbouncer"])
async def store(request: pytest.FixtureRequest, name: str) -> AsyncIterator[PostgresDatabase]:
    database = await opened(name, pooled=request.param)
    yield database
    await database.close()


def remember(name: str, value: str = "x") -> partial[None]:
    """A unit that writes one row."""
    return partial(_remember, name=name, value=value)


def _remember(conn: Connection, name: str, value: str) -> None:
    conn.execute(sa.insert(meta).values(name=name, value=value))


def names(conn: Connection) -> list[str]:
    """A unit that reads every row."""
    return list(conn.scalars(sa.select(meta.c.name).order_by(meta.c.name)))


def sleep(conn: Connection, seconds: float) -> None:
    conn.execute(sa.select(sa.func.pg_sleep(seconds)))


def left_prepared(conn: Connection) -> int | None:
    """How many statements the session has by name."""
    return conn.scalar(sa.text("SELECT count(*) FROM pg_prepared_statements"))


async def test_a_unit_that_goes_on_after_an_error_of_sql_stores_nothing(
    store: PostgresDatabase,
) -> None:
    def unit(conn: Connection) -> None:
        _remember(conn, "a", "x")
        with pytest.raises(sa.exc.IntegrityError):
            _remember(conn, "a", "y")

    with pytest.raises(UnitMisuseError):
        await store.write(unit)
    assert await store.read(names) == []


async def test_options_of_a_unit_are_not_those_of_the_next(store: PostgresDatabase) -> None:
    with pytest.raises(UnitMisuseError):
        await store.read(lambda conn: conn.execution_options(stream_results=True))
    assert not await store.read(lambda conn: conn.get_execution_options().get("stream_results"))


async def test_a_column_that_changes_its_type_is_read_on_a_connection_at_hand(
    store: PostgresDatabase, name: str
) -> None:
    server = cluster()
    server.sql("CREATE TABLE public.changing (one int)", database=name)
    server.sql("INSERT INTO public.changing VALUES (7)", database=name)

    def everything(conn: Connection) -> object:
        return conn.scalar(sa.text("SELECT * FROM public.changing"))

    assert await store.read(everything) == 7
    server.sql("ALTER TABLE public.changing ALTER COLUMN one TYPE text", database=name)
    assert await store.read(everything) == "7"


async def test_a_read_sees_one_snapshot(store: PostgresDatabase, name: str) -> None:
    def unit(conn: Connection) -> tuple[list[str], list[str]]:
        first = names(conn)
        cluster().sql("INSERT INTO public.meta VALUES ('new', 'x')", database=name)
        return first, names(conn)

    assert await store.read(unit) == ([], [])
    assert await store.read(names) == ["new"]


async def test_the_hook_runs_after_the_commit_and_its_error_is_raised(
    store: PostgresDatabase, name: str
) -> None:
    def hook() -> None:
        rows = cluster().sql("SELECT name FROM public.meta", database=name)
        raise LookupError(str([row["name"] for row in rows]))

    with pytest.raises(LookupError, match="'a'"):
        await store.write(remember("a"), committed=hook)


async def test_the_clock_goes_on_inside_a_transaction(store: PostgresDatabase) -> None:
    def unit(conn: Connection) -> int:
        before = database_now_ms(conn)
        sleep(conn, 0.02)
        return database_now_ms(conn) - before

    assert await store.write(unit) >= 20


async def test_a_cancelled_write_is_stored_before_the_cancellation(
    store: PostgresDatabase,
) -> None:
    def unit(conn: Connection) -> None:
        sleep(conn, 0.2)
        _remember(conn, "a", "x")

    done = []
    with anyio.move_on_after(0.05) as scope:
        await store.write(unit)
        done.append("told")
        await anyio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert done == ["told"]
    assert await store.read(names) == ["a"]


async def test_a_native_cancel_waits_for_the_result_too(store: PostgresDatabase) -> None:
    def unit(conn: Connection) -> None:
        sleep(conn, 0.2)
        _remember(conn, "a", "x")

    async def cut_short() -> None:
        async with asyncio.timeout(0.05):
            await store.write(unit)
            await asyncio.sleep(1)

    with pytest.raises(TimeoutError):
        await cut_short()
    assert await store.read(names) == ["a"]


async def test_a_write_that_waits_for_a_connection_can_be_cancelled(name: str) -> None:
    store = await opened(name, connections=1)
    async with anyio.create_task_group() as group:
        group.start_soon(store.write, partial(sleep, seconds=0.3))
        await anyio.sleep(0.05)
        with anyio.move_on_after(0.05):
            await store.write(remember("never"))
    assert await store.read(names) == []
    await store.close()


async def test_two_processes_behind_one_pooler_do_not_meet(name: str) -> None:
    """P5: 87 of 240 failed with the driver's defaults."""
    stores = [await opened(name, pooled=True) for _ in range(2)]
    assert all(store.met.pooled for store in stores)
    async with anyio.create_task_group() as group:
        for number in range(240):
            group.start_soon(stores[number % 2].write, remember(f"{number:03}"))
    assert len(await stores[0].read(names)) == 240
    assert await stores[0].read(left_prepared) == 0
    for store in stores:
        await store.close()


async def test_a_unit_costs_two_messages_more_than_its_statements(name: str) -> None:
    """P6: nothing is reset on release, and the limits come with BEGIN."""
    server = cluster()
    store = await opened(name, connections=1)
    await store.write(remember("warm"))
    server.sql(f"ALTER DATABASE {name} SET log_statement = 'all'")
    logged = await opened(name, connections=1)
    await logged.write(remember("warm2"))
    start = (server.base / "log").stat().st_size
    await logged.write(remember("a"))
    text = (server.base / "log").read_text()[start:]
    lines = [line for line in text.splitlines() if "LOG:" in line]
    assert len(lines) == 3, lines
    assert "BEGIN" in lines[0]
    assert "INSERT" in lines[1]
    assert lines[2].endswith("COMMIT")
    await store.close()
    await logged.close()


async def test_directly_connected_statements_stay_prepared(name: str) -> None:
    store = await opened(name, connections=1)
    for number in range(3):
        await store.write(remember(str(number)))
    count = await store.read(
        lambda conn: conn.scalar(
            sa.text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'")
        )
    )
    assert count == 1
    await store.close()


async def test_text_with_nul_is_stored_with_a_sign_in_its_place(store: PostgresDatabase) -> None:
    await store.write(remember("a", "x\0y"))
    value = await store.read(lambda conn: conn.scalar(sa.select(meta.c.value)))
    assert value == "x\N{REPLACEMENT CHARACTER}y"


# locks


def locked(conn: Connection, row: str, seconds: float = 0.0) -> None:
    """Lock one row, and keep it for a while."""
    conn.execute(sa.select(meta).where(meta.c.name == row).with_for_update())
    if seconds:
        sleep(conn, seconds)


async def test_a_deadlock_is_solved_by_running_one_unit_again(store: PostgresDatabase) -> None:
    await store.write(remember("a"))
    await store.write(remember("b"))
    runs = []

    def crosswise(conn: Connection, first: str, second: str) -> None:
        runs.append(first)
        locked(conn, first, 0.1)
        locked(conn, second)

    async with anyio.create_task_group() as group:
        group.start_soon(store.write, partial(crosswise, first="a", second="b"))
        group.start_soon(store.write, partial(crosswise, first="b", second="a"))
    assert len(runs) == 3


async def test_a_row_that_stays_locked_ends_as_busy(name: str) -> None:
    store = await opened(name, lock_timeout_s=0.05)
    await store.write(remember("a"))
    tries = []

    def unit(conn: Connection) -> None:
        tries.append(1)
        locked(conn, "a")

    async with anyio.create_task_group() as group:
        group.start_soon(store.write, partial(locked, row="a", seconds=1.5))
        await anyio.sleep(0.2)
        with pytest.raises(StorageBusyError):
            await store.write(unit)
    assert len(tries) == 4
    await store.close()


async def test_a_statement_that_takes_too_long_is_ended_by_the_server(name: str) -> None:
    store = await opened(name, statement_timeout_s=0.1)
    with pytest.raises(StorageBusyError, match="statement_timeout"):
        await store.write(partial(sleep, seconds=5.0))
    await store.write(remember("a"))
    await store.close()


async def test_a_stale_holder_that_checks_under_the_lock_sees_the_takeover(name: str) -> None:
    """P3: an EXISTS check in the writing statement itself would let it pass."""
    here, there = await opened(name), await opened(name)
    row = {"integration": "i", "thread": "t", "owner": "old", "fence": 1,
           "expires_at": 0, "grace_until": 0}  # fmt: skip
    await here.write(lambda conn: conn.execute(sa.insert(leases), row))

    def takeover(conn: Connection) -> None:
        conn.execute(sa.select(leases.c.fence).with_for_update())
        conn.execute(sa.update(leases).values(owner="new", fence=2))
        sleep(conn, 0.3)

    def stale(conn: Connection) -> int | None:
        conn.execute(sa.select(leases.c.fence).with_for_update())
        return conn.scalar(sa.select(leases.c.fence).where(leases.c.owner == "old"))

    async with anyio.create_task_group() as group:
        group.start_soon(here.write, takeover)
        await anyio.sleep(0.1)
        started = time.monotonic()
        assert await there.write(stale) is None
    assert time.monotonic() - started > 0.1
    await here.close()
    await there.close()


# COMMIT


async def test_any_error_from_commit_is_unknown(store: PostgresDatabase, name: str) -> None:
    cluster().script(FAILS_AT_COMMIT, database=name)
    with pytest.raises(CommitUnknownError):
        await store.write(remember("a"))
    assert await store.read(names) == []


async def test_a_backend_killed_in_commit_that_did_not_land_is_unknown(
    store: PostgresDatabase, name: str
) -> None:
    cluster().script(DIES_AT_COMMIT, database=name)
    with pytest.raises(CommitUnknownError):
        await store.write(remember("a"))
    assert await store.read(names) == []


async def test_a_backend_killed_in_commit_that_landed_is_unknown(
    store: PostgresDatabase, name: str
) -> None:
    """The commit is durable here and waits for a standby that never answers."""
    with nobody_answers(name) as waiting:
        async with anyio.create_task_group() as group:
            group.start_soon(_told_while_they_wait, waiting, "pg_terminate_backend")
            with pytest.raises(CommitUnknownError):
                await store.write(remember("a"))
    assert await store.read(names) == ["a"]


async def test_a_wait_for_a_standby_that_is_cut_short_is_unknown(
    store: PostgresDatabase, name: str
) -> None:
    """PostgreSQL says yes then, with a warning that the standby may not have it."""
    with nobody_answers(name) as waiting:
        async with anyio.create_task_group() as group:
            group.start_soon(_told_while_they_wait, waiting, "pg_cancel_backend")
            with pytest.raises(CommitUnknownError, match="synchronous replication"):
                await store.write(remember("a"))
    assert await store.read(names) == ["a"]


async def test_a_commit_without_an_answer_is_given_up_as_unknown(name: str) -> None:
    store = await opened(name, answer_s=0.3)
    with nobody_answers(name), pytest.raises(CommitUnknownError):
        await store.write(remember("a"))
    assert await store.read(names) == ["a"]
    await store.close()


async def _told_while_they_wait(waiting: Callable[[], list[int]], what: str) -> None:
    while not waiting():  # noqa: ASYNC110 - a server's backends
        await anyio.sleep(0.02)
    for pid in waiting():
        cluster().sql(f"SELECT {what}({pid})")


FAILS_AT_COMMIT = """
CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON public.meta DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION public.fail();
"""
DIES_AT_COMMIT = """
CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER die AFTER INSERT ON public.meta DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION public.die();
"""
