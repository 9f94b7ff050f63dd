"""Each connection is durable or refused, and reads neither write nor see half a commit."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import cast

import anyio
import pytest
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection

from storage.database import Database, Reader
from storage.errors import (
    StorageClosedError,
    StorageGoneError,
    StorageIllError,
    StorageSettingsError,
)
from storage.sqlite import (
    SqliteDatabase,
    SqliteReader,
    apply_settings,
    open_sqlite,
    run_sync_unit,
    sqlite_version,
    sync_engine,
)
from tests.storage.notes import add, make, metadata, stored, texts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "notes.db"
    make(file)
    return file


@pytest.fixture
async def database(path: Path) -> AsyncIterator[SqliteDatabase]:
    opened = await open_sqlite(path)
    yield opened
    await opened.close()


@pytest.fixture
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    conn = sqlite3.connect(path, isolation_level=None)
    yield conn
    conn.close()


def pragma(name: str) -> sa.TextClause:
    return sa.text(f"PRAGMA {name}")


def test_database_and_reader_are_what_the_house_asks_for() -> None:
    database: type[Database] = SqliteDatabase
    reader: type[Reader] = SqliteReader
    assert database is not reader


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("fullfsync", 1),
        ("foreign_keys", 1),
        ("busy_timeout", 1000),
    ],
)
async def test_writing_connection_is_durable(
    database: SqliteDatabase, name: str, value: object
) -> None:
    assert await database.write(lambda conn: conn.scalar(pragma(name))) == value


@pytest.mark.parametrize(
    ("name", "value"), [("query_only", 1), ("wal_autocheckpoint", 0), ("journal_mode", "wal")]
)
async def test_reading_connection_neither_writes_nor_checkpoints(
    database: SqliteDatabase, name: str, value: object
) -> None:
    assert await database.read(lambda conn: conn.scalar(pragma(name))) == value


async def test_connection_that_replaces_another_is_durable_too(database: SqliteDatabase) -> None:
    commits = database._writer._commits
    await database.write(lambda _: None)
    commits.close()
    assert await database.write(lambda conn: conn.scalar(pragma("synchronous"))) == 2


@pytest.mark.parametrize("name", ["journal_mode", "synchronous", "foreign_keys"])
def test_setting_that_does_not_hold_is_refused_with_a_remedy(
    raw: sqlite3.Connection, name: str
) -> None:
    def deny(action: int, first: str | None, second: str | None, *_: object) -> int:
        asked = action == sqlite3.SQLITE_PRAGMA and first == name and second is not None
        return sqlite3.SQLITE_IGNORE if asked else sqlite3.SQLITE_OK

    raw.execute("PRAGMA journal_mode=DELETE")
    raw.execute("PRAGMA synchronous=NORMAL")
    raw.set_authorizer(deny)
    wanted = (
        ("journal_mode", "WAL", "wal"),
        ("synchronous", "FULL", "2"),
        ("foreign_keys", "ON", "1"),
    )
    with pytest.raises(StorageSettingsError, match=f"{name} at .*: put data_dir"):
        apply_settings(cast("DBAPIConnection", raw), wanted)


async def test_store_whose_settings_do_not_hold_does_not_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.sqlite._WRITING", (("synchronous", "NORMAL", "2"),))
    with pytest.raises(StorageSettingsError, match="synchronous"):
        await open_sqlite(path)


def test_version_of_sqlite_can_be_told() -> None:
    assert sqlite_version() == sqlite3.sqlite_version


async def test_file_and_its_companions_are_for_the_owner_only(
    database: SqliteDatabase, path: Path, tmp_path: Path
) -> None:
    other = await open_sqlite(tmp_path / "new.db")
    await other.write(metadata.create_all)
    modes = {name: os.stat(tmp_path / name).st_mode & 0o777 for name in os.listdir(tmp_path)}
    await other.close()
    assert [modes[f"new.db{tail}"] for tail in ("", "-wal", "-shm")] == [0o600] * 3


async def test_folder_of_any_name_can_hold_the_database(tmp_path: Path) -> None:
    folder = tmp_path / "ä ?mode=memory#50%25&x"
    folder.mkdir()
    database = await open_sqlite(folder / "notes.db")
    await database.write(metadata.create_all)
    assert await database.read(texts) == []
    await database.close()
    assert os.listdir(folder) == ["notes.db"]


async def test_commit_into_a_file_that_was_removed_is_refused(
    database: SqliteDatabase, path: Path
) -> None:
    os.unlink(path)
    with pytest.raises(StorageGoneError, match="removed or replaced"):
        await database.write(add("nobody would find it"))


async def test_commit_into_a_file_that_was_replaced_is_refused(
    database: SqliteDatabase, path: Path
) -> None:
    other = path.with_name("other.db")
    make(other)
    other.rename(path)
    with pytest.raises(StorageGoneError, match="start Fencepost again"):
        await database.write(add("into neither"))
    assert stored(path) == []


async def test_read_cannot_write(database: SqliteDatabase, path: Path) -> None:
    with pytest.raises(StorageIllError):
        await database.read(add("a"))
    assert stored(path) == []


async def test_read_sees_what_was_written_before(database: SqliteDatabase) -> None:
    await database.write(add("a"))
    assert await database.read(texts) == ["a"]


async def test_read_sees_one_moment(database: SqliteDatabase, path: Path) -> None:
    def twice(conn: sa.Connection) -> list[list[str]]:
        first = texts(conn)
        other = sync_engine(path, mode="rw")
        run_sync_unit(other, add("between"))
        other.dispose()
        return [first, texts(conn)]

    assert await database.read(twice) == [[], []]


async def test_reads_run_side_by_side(database: SqliteDatabase) -> None:
    steps: list[str] = []

    async def one(name: str) -> None:
        def step_by_step(conn: sa.Connection) -> None:
            for _ in range(400):
                texts(conn)
                steps.append(name)

        await database.read(step_by_step)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one, "a")
        tasks.start_soon(one, "b")
    assert steps not in (["a"] * 400 + ["b"] * 400, ["b"] * 400 + ["a"] * 400)


async def test_error_of_a_read_is_its_callers(database: SqliteDatabase) -> None:
    with pytest.raises(sa.exc.OperationalError, match="no such table"):
        await database.read(lambda conn: conn.exec_driver_sql("SELECT * FROM missing").all())


async def test_fault_that_is_no_exception_in_a_read_is_its_callers(
    database: SqliteDatabase,
) -> None:
    def dies(_: sa.Connection) -> None:
        raise SystemExit(7)

    with pytest.raises(SystemExit):
        await database.read(dies)
    assert await database.read(texts) == []


async def test_hundreds_of_reads_at_once_are_all_answered(database: SqliteDatabase) -> None:
    answers: list[list[str]] = []

    async def one() -> None:
        answers.append(await database.read(texts))

    async with anyio.create_task_group() as tasks:
        for _ in range(300):
            tasks.start_soon(one)
    assert answers == [[]] * 300


async def test_closing_waits_for_reads(database: SqliteDatabase) -> None:
    answers: list[object] = []

    async def one() -> None:
        try:
            answers.append(await database.read(texts))
        except StorageClosedError:
            answers.append("closed")

    async with anyio.create_task_group() as tasks:
        for _ in range(40):
            tasks.start_soon(one)
        tasks.start_soon(database.close)
    assert len(answers) == 40


async def test_store_in_memory_serves_pure_tests() -> None:
    engine = sync_engine(None)
    metadata.create_all(engine)
    run_sync_unit(engine, add("a"))
    assert run_sync_unit(engine, texts) == ["a"]
    engine.dispose()


def test_unit_that_fails_in_a_pure_test_is_rolled_back(path: Path) -> None:
    engine = sync_engine(path)
    with pytest.raises(sa.exc.IntegrityError):
        run_sync_unit(engine, lambda conn: [add("a", number=1)(conn), add("b", number=1)(conn)])
    engine.dispose()
    assert stored(path) == []


def reader_beside(path: Path, program: str) -> subprocess.Popen[str]:
    """Another process that prints a line and then waits for the end of its input."""
    return subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


WRITER = """
import pathlib, sys, anyio
from storage.sqlite import open_sqlite
from tests.storage.notes import add
async def main():
    database = await open_sqlite(pathlib.Path(sys.argv[1]))
    await database.write(add("by the daemon"))
    print("written", flush=True)
    await anyio.to_thread.run_sync(sys.stdin.read)
    await database.close()
anyio.run(main)
"""


@pytest.fixture
def daemon(path: Path) -> Iterator[subprocess.Popen[str]]:
    with reader_beside(path, WRITER) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        yield process
        process.kill()


async def read_only(path: Path) -> list[str]:
    reader = SqliteReader(path, virtual_clock=None, readers=1)
    try:
        return await reader.read(texts)
    finally:
        await reader.close()


async def test_file_is_read_beside_a_daemon_that_writes_it(
    path: Path, daemon: subprocess.Popen[str]
) -> None:
    assert await read_only(path) == ["by the daemon"]


async def test_file_is_read_after_an_orderly_end(path: Path, daemon: subprocess.Popen[str]) -> None:
    daemon.communicate("")
    assert await read_only(path) == ["by the daemon"]


async def test_file_is_read_after_a_kill(path: Path, daemon: subprocess.Popen[str]) -> None:
    daemon.kill()
    daemon.wait()
    assert await read_only(path) == ["by the daemon"]


async def test_reading_after_a_kill_leaves_the_log_to_the_writer(
    path: Path, daemon: subprocess.Popen[str]
) -> None:
    daemon.kill()
    daemon.wait()
    size = path.with_name("notes.db-wal").stat().st_size
    await read_only(path)
    assert path.with_name("notes.db-wal").stat().st_size == size


async def test_reader_does_not_stop_the_daemon_from_writing(
    path: Path, database: SqliteDatabase
) -> None:
    engine = sync_engine(path, mode="ro")
    with engine.connect() as conn:
        assert texts(conn) == []
        await database.write(add("meanwhile"))
    engine.dispose()
    assert stored(path) == ["meanwhile"]


async def test_two_processes_that_write_wait_for_each_other(
    path: Path, database: SqliteDatabase
) -> None:
    program = """
import pathlib, sys
from storage.sqlite import run_sync_unit, sync_engine
from tests.storage.notes import add
engine = sync_engine(pathlib.Path(sys.argv[1]), mode="rw", busy_timeout_s=20)
for number in range(50):
    run_sync_unit(engine, add("theirs"))
"""
    async with await anyio.open_process(
        [sys.executable, "-c", program, str(path)], cwd=ROOT, stdout=None, stderr=None
    ) as process:
        for _ in range(50):
            await database.write(add("ours"))
        assert await process.wait() == 0
    assert sorted(stored(path)) == ["ours"] * 50 + ["theirs"] * 50
