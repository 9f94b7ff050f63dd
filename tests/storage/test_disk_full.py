"""A full disk at any write: nothing is half done, nobody is told "stored", work goes on after."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
import sqlalchemy as sa

from storage import migrate
from storage.errors import CommitUnknownError, StorageError, StorageIllError
from storage.group_commit import GroupCommit, Work
from storage.lock import try_lock
from storage.sqlite import open_sqlite, sync_engine
from storage.witness import Witness, read_witness, write_witness
from tests.storage.notes import add, make, stored, texts

PAGE = 4096
LONG = "x" * (2 * PAGE)


class Disk:
    """A very small disk with a ballast that can be put on and taken off."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self, *, leave_pages: int) -> None:
        """Leave room for so many pages and no more."""
        free = os.statvfs(self.folder)
        size = max(0, free.f_bavail * free.f_frsize - leave_pages * PAGE)
        with self._ballast.open("ab") as file:
            os.posix_fallocate(file.fileno(), file.tell(), size) if size else None

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield Disk(folder)
    subprocess.run(["umount", str(folder)], check=True)


def shrink_cache(engine: sa.Engine) -> None:
    """Let SQLite write before COMMIT, so that a unit meets the full disk."""

    @sa.event.listens_for(engine, "connect")
    def small(raw: object, _: object) -> None:
        cursor = raw.cursor()  # type: ignore[attr-defined]
        cursor.execute("PRAGMA cache_size=5")
        cursor.close()


@pytest.mark.parametrize("pages", range(14))
async def test_full_disk_at_a_commit_stores_nothing_and_tells_nobody(
    disk: Disk, pages: int
) -> None:
    path = disk.folder / "notes.db"
    make(path)
    database = await open_sqlite(path)
    await database.write(add("before"))
    told: list[str] = []
    refused: list[BaseException] = []

    async def one(name: str) -> None:
        try:
            await database.write(add(name + LONG))
            told.append(name + LONG)
        except StorageError as error:
            refused.append(error)

    disk.fill(leave_pages=pages)
    async with anyio.create_task_group() as tasks:
        for name in "abc":
            tasks.start_soon(one, name)
    assert await database.read(texts) == ["before", *told]
    assert len(refused) in (0, 3)
    assert all("disk is full" in str(error) for error in refused)

    disk.free()
    await database.write(add("after"))
    await database.close()
    assert stored(path) == ["before", *told, "after"]


def test_some_of_these_disks_are_too_small_and_some_are_not(disk: Disk) -> None:
    """The rows above reach both ends."""
    ends = set()
    for pages in (0, 13):
        path = disk.folder / f"{pages}.db"
        make(path)
        engine = sync_engine(path)
        commits = GroupCommit(engine.connect)
        commits.run([Work(unit=lambda _: None)])
        batch = [Work(unit=silent(add(name + LONG))) for name in "abc"]
        disk.fill(leave_pages=pages)
        commits.run(batch)
        ends.add(tuple(type(work.error) for work in batch))
        disk.free()
        commits.close()
        engine.dispose()
    assert ends == {(type(None),) * 3, (CommitUnknownError,) * 3}


def silent(unit: Callable[[sa.Connection], object]) -> Callable[[sa.Connection], None]:
    def run(conn: sa.Connection) -> None:
        unit(conn)

    return run


@pytest.mark.parametrize("pages", [0, 1, 2, 5, 10, 20, 40])
def test_full_disk_inside_a_unit_runs_every_other_unit_again_alone(disk: Disk, pages: int) -> None:
    path = disk.folder / "notes.db"
    make(path)
    engine = sync_engine(path)
    shrink_cache(engine)
    commits = GroupCommit(engine.connect)
    commits.run([Work(unit=silent(add("before")))])

    def huge(conn: sa.Connection) -> None:
        for _ in range(60):
            add("half" + LONG)(conn)

    batch = [Work(unit=silent(add("a"))), Work(unit=huge), Work(unit=silent(add("c")))]
    disk.fill(leave_pages=pages)
    commits.run(batch)
    done = [text for text, work in zip("a-c", batch, strict=True) if work.error is None]
    assert batch[1].error is not None
    assert "disk is full" in str(batch[1].error)
    assert stored(path) == ["before", *done]

    disk.free()
    commits.run([Work(unit=silent(add("after")))])
    commits.close()
    engine.dispose()
    assert stored(path) == ["before", *done, "after"]


def test_unit_that_met_the_full_disk_certainly_did_not_happen(disk: Disk) -> None:
    path = disk.folder / "notes.db"
    make(path)
    engine = sync_engine(path)
    shrink_cache(engine)
    commits = GroupCommit(engine.connect)
    commits.run([Work(unit=silent(add("before")))])

    def huge(conn: sa.Connection) -> None:
        for _ in range(60):
            add("half" + LONG)(conn)

    batch = [Work(unit=silent(add("a"))), Work(unit=huge)]
    disk.fill(leave_pages=20)
    commits.run(batch)
    commits.close()
    engine.dispose()
    assert [type(work.error) for work in batch] == [type(None), StorageIllError]


@pytest.mark.parametrize("pages", range(0, 12, 2))
def test_full_disk_during_a_migration_leaves_what_was_there(disk: Disk, pages: int) -> None:
    path = disk.folder / "fencepost.db"
    disk.fill(leave_pages=pages)
    with pytest.raises(StorageIllError, match=r"disk is full|input/output error|opened"):
        migrate.upgrade(path)
    disk.free()
    assert migrate.upgrade(path)


def test_full_disk_at_the_witness_keeps_the_old_one(disk: Disk) -> None:
    old = Witness(epoch="e", fence=1, database="d")
    write_witness(disk.folder, old)
    disk.fill(leave_pages=0)
    with pytest.raises(StorageIllError, match="free some space"):
        write_witness(disk.folder, Witness(epoch="f", fence=2, database="d"))
    assert read_witness(disk.folder) == old


def test_full_disk_does_not_keep_the_lock_from_its_holder(disk: Disk) -> None:
    disk.fill(leave_pages=0)
    lock = try_lock(disk.folder)
    assert lock is not None
    lock.release()
