"""What every store promises: an SQLite file, PostgreSQL, and PostgreSQL through PgBouncer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import anyio
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from storage import fences
from storage.database import Database
from storage.errors import StorageClosedError, StorageIllError, UnitMisuseError
from storage.postgres import PostgresDatabase
from storage.sqlite import SqliteDatabase, open_sqlite
from storage.tables import meta, metadata
from tests.support.postgres import new_database, opened


@pytest.fixture(params=["sqlite", "postgresql", "pgbouncer"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    if request.param == "sqlite":
        file = await open_sqlite(tmp_path / "fencepost.db")
        await file.write(metadata.create_all)
        yield file
        await file.close()
        return
    with new_database() as name:
        database = await opened(name, pooled=request.param == "pgbouncer")
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


def conforms(file: SqliteDatabase, server: PostgresDatabase) -> tuple[Database, Database]:
    """The port that both are; checked by the type checker."""
    return file, server


async def test_what_was_written_is_read(store: Database) -> None:
    await store.write(remember("a"))
    assert await store.read(names) == ["a"]


async def test_an_error_of_a_unit_undoes_its_work_and_is_raised(store: Database) -> None:
    def unit(conn: Connection) -> None:
        _remember(conn, "a", "x")
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await store.write(unit)
    assert await store.read(names) == []


async def test_a_unique_key_taken_reaches_the_unit_s_caller(store: Database) -> None:
    await store.write(remember("a"))
    with pytest.raises(sa.exc.IntegrityError):
        await store.write(remember("a"))


async def test_what_all_make_at_once_is_made_by_one(store: Database) -> None:
    """Nobody's look for the row and their insert are one step on a server."""
    told: list[str] = []

    async def ask(value: str) -> None:
        told.append(await store.write(partial(fences.remembered, name="k", value=value)))

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(ask, str(number))
    assert len(told) == 8
    assert len(set(told)) == 1


async def test_a_savepoint_keeps_the_rest_of_the_unit(store: Database) -> None:
    def unit(conn: Connection) -> None:
        _remember(conn, "a", "x")
        with pytest.raises(sa.exc.IntegrityError), conn.begin_nested():
            _remember(conn, "a", "y")
        _remember(conn, "b", "x")

    await store.write(unit)
    assert await store.read(names) == ["a", "b"]


@pytest.mark.parametrize("end", ["commit", "rollback", "begin_nested"])
async def test_a_unit_that_ends_or_leaves_a_transaction_is_refused(
    store: Database, end: str
) -> None:
    def unit(conn: Connection) -> None:
        _remember(conn, "a", "x")
        getattr(conn, end)()

    with pytest.raises(UnitMisuseError):
        await store.write(unit)
    assert await store.read(names) == []


async def test_a_reading_unit_cannot_write(store: Database) -> None:
    with pytest.raises(StorageIllError):
        await store.read(remember("a"))


async def test_the_hook_runs_after_the_commit_and_its_error_is_raised(store: Database) -> None:
    def hook() -> None:
        raise LookupError("late")

    with pytest.raises(LookupError, match="late"):
        await store.write(remember("a"), committed=hook)
    assert await store.read(names) == ["a"]


async def test_a_failed_unit_runs_no_hook(store: Database) -> None:
    ran = []

    def unit(_: Connection) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError):
        await store.write(unit, committed=lambda: ran.append(1))
    assert ran == []


async def test_a_caller_that_was_cancelled_before_writes_nothing(store: Database) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await store.write(remember("a"))
    assert await store.read(names) == []


async def test_text_of_every_kind_comes_back(store: Database) -> None:
    text = "Grüße, 你好 😀 \u202e %s :x ? $1 \\ '"
    await store.write(remember("a", text))
    assert await store.read(lambda conn: conn.scalar(sa.select(meta.c.value))) == text


async def test_a_closed_store_says_so(store: Database) -> None:
    await store.close()
    with pytest.raises(StorageClosedError):
        await store.write(remember("a"))
    await store.close()


async def test_whoever_closes_a_store_second_waits_for_the_units_as_the_first_does(
    store: Database,
) -> None:
    ended: list[str] = []

    async def work() -> None:
        await store.write(remember("a"))
        ended.append("unit")

    async def close() -> None:
        await store.close()
        ended.append("closed")

    async with anyio.create_task_group() as group:
        group.start_soon(work)
        await anyio.lowlevel.cancel_shielded_checkpoint()
        group.start_soon(close)
        group.start_soon(close)
    assert ended == ["unit", "closed", "closed"]


async def test_many_units_at_once_are_all_stored(store: Database) -> None:
    async with anyio.create_task_group() as group:
        for number in range(240):
            group.start_soon(store.write, remember(f"{number:03}"))
    assert len(await store.read(names)) == 240
