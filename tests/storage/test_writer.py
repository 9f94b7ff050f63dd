"""Cancellation never makes a commit unknown, leaves no task behind and hangs no caller."""

from __future__ import annotations

import asyncio
import gc
import random
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import anyio
import pytest
import sqlalchemy as sa

from storage.errors import CommitUnknownError, StorageClosedError, StorageIllError
from storage.sqlite import SqliteDatabase, open_sqlite
from tests.storage.notes import (
    add,
    breaks_the_commit,
    loses_the_transaction,
    make,
    stored,
    texts,
)


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


class Gate:
    """A unit that waits on the writer thread until it is let through."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()

    def __call__(self, conn: sa.Connection) -> str:
        self.entered.set()
        assert self.open.wait(20)
        add("gated")(conn)
        return "stored"

    async def wait(self) -> None:
        await anyio.to_thread.run_sync(self.entered.wait)


def commits_of(database: SqliteDatabase) -> list[str]:
    """Says "commit" for every COMMIT from now on."""
    seen: list[str] = []
    session = database._writer._commits._session
    assert session is not None
    sa.event.listen(session.conn, "commit", lambda _: seen.append("commit"))
    return seen


async def test_result_of_a_unit_is_its_callers(database: SqliteDatabase, path: Path) -> None:
    assert await database.write(add("a")) == 1
    assert stored(path) == ["a"]


async def test_error_of_a_unit_is_its_callers(database: SqliteDatabase) -> None:
    await database.write(add("a", number=1))
    with pytest.raises(sa.exc.IntegrityError):
        await database.write(add("b", number=1))


async def test_units_that_wait_together_share_one_commit(
    database: SqliteDatabase, path: Path
) -> None:
    seen = commits_of(database)
    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(database.write, add(str(number)))
    assert len(stored(path)) == 20
    assert seen == ["commit"]


async def test_units_asked_for_in_one_turn_of_the_loop_make_one_hop(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    hops: list[int] = []
    hand_over = database._writer._hand_over

    def counted() -> None:
        hops.append(len(database._writer._fresh))
        hand_over()

    monkeypatch.setattr(database._writer, "_hand_over", counted)
    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(database.write, add(str(number)))
    monkeypatch.undo()
    assert hops == [20]


async def test_units_are_run_in_the_order_in_which_they_were_asked_for(
    database: SqliteDatabase, path: Path
) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(100):
            tasks.start_soon(database.write, add(str(number)))
    assert stored(path) == [str(number) for number in range(100)]


async def test_batch_is_bounded(path: Path) -> None:
    database = await open_sqlite(path, max_batch=8)
    seen = commits_of(database)
    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(database.write, add(str(number)))
    await database.close()
    assert len(seen) == 3


async def test_error_in_one_unit_does_not_reach_its_neighbours(
    database: SqliteDatabase, path: Path
) -> None:
    failed: list[BaseException] = []

    async def one(unit: Callable[[sa.Connection], object]) -> None:
        try:
            await database.write(unit)
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    def dies(_: sa.Connection) -> None:
        raise SystemExit(7)

    async with anyio.create_task_group() as tasks:
        for unit in (add("a"), dies, add("b"), loses_the_transaction, add("c")):
            tasks.start_soon(one, unit)
    assert stored(path) == ["a", "b", "c"]
    assert sorted(type(error).__name__ for error in failed) == ["IntegrityError", "SystemExit"]


async def test_no_answer_leaves_before_the_commit(database: SqliteDatabase, path: Path) -> None:
    seen: list[list[str]] = []
    await database.write(add("a"), committed=lambda: seen.append(stored(path)))
    assert seen == [["a"]]


async def test_fault_between_commit_and_answer_reaches_the_caller(
    database: SqliteDatabase, path: Path
) -> None:
    def die() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await database.write(add("a"), committed=die)
    assert stored(path) == ["a"]


async def test_error_from_commit_reaches_every_caller_of_the_batch(
    database: SqliteDatabase, path: Path
) -> None:
    errors: list[CommitUnknownError] = []

    async def one(unit: Callable[[sa.Connection], object]) -> None:
        try:
            await database.write(unit)
        except CommitUnknownError as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        for unit in (add("a"), breaks_the_commit, add("b")):
            tasks.start_soon(one, unit)
    assert len(set(map(id, errors))) == 3
    assert await database.read(texts) == []


async def test_cancellation_before_the_write_means_that_nothing_happens(
    database: SqliteDatabase, path: Path
) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await database.write(add("a"))
    await database.write(add("b"))
    assert stored(path) == ["b"]


async def test_result_is_known_before_a_cancellation_is_delivered(
    database: SqliteDatabase,
) -> None:
    gate = Gate()
    results: list[object] = []
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:

            async def write() -> None:
                results.append(await database.write(gate))
                await anyio.lowlevel.checkpoint()
                results.append("went on")

            tasks.start_soon(write)
            await gate.wait()
            scope.cancel()
            gate.open.set()
    assert results == ["stored"]


async def test_native_cancel_is_delivered_after_the_result(database: SqliteDatabase) -> None:
    gate = Gate()
    results: list[object] = []

    async def write() -> None:
        results.append(await database.write(gate))
        await asyncio.sleep(0)
        results.append("went on")

    task = asyncio.ensure_future(write())
    await gate.wait()
    task.cancel()
    task.cancel()
    gate.open.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert results == ["stored"]
    assert task.cancelled()


async def test_timeout_of_asyncio_around_a_write_is_still_a_timeout(
    database: SqliteDatabase, path: Path
) -> None:
    gate = Gate()

    async def write() -> None:
        async with asyncio.timeout(0.01):
            asyncio.get_running_loop().call_later(0.02, gate.open.set)
            await database.write(gate)
            await asyncio.sleep(0)

    with pytest.raises(TimeoutError):
        await write()
    assert stored(path) == ["gated"]


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_hundreds_of_cancellations_lose_nothing_and_leak_nothing(
    database: SqliteDatabase, path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    before = asyncio.all_tasks()
    told: list[str] = []
    read: list[int] = []

    async def one(name: str) -> None:
        await database.write(add(name))
        told.append(name)
        read.append(len(await database.read(texts)))

    async def cancelled(name: str) -> None:
        with anyio.CancelScope() as scope:
            asyncio.get_running_loop().call_later(chance.random() * 0.004, scope.cancel)
            await one(name)

    async def natively_cancelled(name: str) -> None:
        task = asyncio.ensure_future(one(name))
        asyncio.get_running_loop().call_later(chance.random() * 0.004, task.cancel)
        await asyncio.wait([task])

    async with anyio.create_task_group() as tasks:
        for number in range(300):
            how = cancelled if chance.random() < 0.7 else natively_cancelled
            tasks.start_soon(how, str(number))
            if chance.random() < 0.3:
                await asyncio.sleep(chance.random() * 0.002)
    # Who was told "stored" is right, and who is stored was told so.
    assert sorted(told) == sorted(stored(path))
    assert asyncio.all_tasks() == before
    assert database._reader._limiter.borrowed_tokens == 0
    assert await database.read(texts) == stored(path)
    gc.collect()


def test_process_ends_after_hundreds_of_cancellations_and_an_interrupt(path: Path) -> None:
    program = """
import itertools, os, pathlib, random, signal, sys, anyio
from storage.sqlite import open_sqlite
from tests.storage.notes import add, texts

async def main():
    database = await open_sqlite(pathlib.Path(sys.argv[1]))
    rounds = itertools.count()
    async def one():
        while True:
            with anyio.move_on_after(random.random() * 0.003):
                await database.write(add("x"))
                await database.read(texts)
            if next(rounds) == 400:
                os.kill(os.getpid(), signal.SIGINT)
    try:
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(one)
    finally:
        await database.close()
try:
    anyio.run(main)
except KeyboardInterrupt:
    print("ended", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("ended\n", "", 0)


async def test_closed_store_refuses_and_says_so(database: SqliteDatabase) -> None:
    await database.close()
    with pytest.raises(StorageClosedError):
        await database.write(add("a"))
    with pytest.raises(StorageClosedError):
        await database.read(texts)


async def test_store_can_be_closed_twice(database: SqliteDatabase) -> None:
    await database.close()
    await database.close()


async def test_closing_finishes_what_was_asked_for(database: SqliteDatabase, path: Path) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(100):
            tasks.start_soon(database.write, add(str(number)))
        tasks.start_soon(database.close)
    assert len(stored(path)) == 100


async def test_closing_in_a_cancelled_scope_closes(database: SqliteDatabase) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await database.close()
    assert not database._writer._thread.is_alive()


async def test_folding_in_of_the_log_at_the_end_leaves_one_file(
    database: SqliteDatabase, path: Path
) -> None:
    await database.write(add("a"))
    await database.read(texts)
    await database.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_file_that_cannot_be_opened_leaves_no_thread(tmp_path: Path) -> None:
    with pytest.raises(StorageIllError, match="data_dir exists"):
        await open_sqlite(tmp_path / "missing" / "notes.db")
    assert not any(thread.name == "fencepost-writer" for thread in threading.enumerate())


async def test_file_that_is_no_database_leaves_no_thread(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_bytes(b"Dear Robin, " * 1000)
    with pytest.raises(StorageIllError, match="not an SQLite database"):
        await open_sqlite(tmp_path / "notes.db")
    assert not any(thread.name == "fencepost-writer" for thread in threading.enumerate())
