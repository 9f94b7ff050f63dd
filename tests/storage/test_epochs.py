"""A database that was restored, lost or exchanged raises an alarm; a healthy one never does."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from storage.epochs import (
    FENCE_MARGIN,
    Alarm,
    AlarmKind,
    Sight,
    add_epoch,
    check,
    judge,
    renew,
)
from storage.errors import StorageIllError
from storage.sqlite import SqliteDatabase, open_sqlite
from storage.tables import epochs, leases, metadata
from storage.witness import UNREADABLE, WITNESS_NAME, Witness, read_witness, write_witness

HEALTHY = Sight(is_embedded=True, has_leases=True, has_epoch=True, identity="a", fence=7)
WITNESS = Witness(epoch="e", fence=9, database="a")


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    opened = await open_sqlite(tmp_path / "fencepost.db")
    await opened.write(metadata.create_all)
    yield opened
    await opened.close()


def work(conn: sa.Connection, fence: int = 5) -> None:
    row = {"integration": "robin/work", "thread": f"t{fence}", "fence": fence}
    conn.execute(sa.insert(leases).values(**row, expires_at=0, grace_until=0))


def kind(alarm: Alarm | None) -> AlarmKind | None:
    return None if alarm is None else alarm.kind


def test_healthy_database_raises_no_alarm() -> None:
    assert judge(WITNESS, HEALTHY) is None


@pytest.mark.parametrize(
    ("witness", "sight", "expected"),
    [
        (
            WITNESS,
            Sight(is_embedded=True, has_leases=True, has_epoch=False, identity="a", fence=7),
            AlarmKind.EPOCH_ABSENT,
        ),
        (None, HEALTHY, AlarmKind.WITNESS_MISSING),
        (UNREADABLE, HEALTHY, AlarmKind.WITNESS_UNREADABLE),
        (
            WITNESS,
            Sight(is_embedded=True, has_leases=False, has_epoch=False, identity="", fence=0),
            AlarmKind.DATABASE_EMPTY,
        ),
        (
            WITNESS,
            Sight(is_embedded=False, has_leases=True, has_epoch=True, identity="b", fence=7),
            AlarmKind.OTHER_DATABASE,
        ),
    ],
)
def test_each_way_of_losing_a_database_has_its_alarm(
    witness: Witness | None, sight: Sight, expected: AlarmKind
) -> None:
    alarm = judge(witness, sight)
    assert kind(alarm) is expected


def test_host_that_joins_a_fleet_raises_no_alarm() -> None:
    joined = Sight(is_embedded=False, has_leases=True, has_epoch=False, identity="a", fence=7)
    assert judge(None, joined) is None


@pytest.mark.parametrize("seen", [3, 30])
def test_fences_go_on_above_the_highest_that_anybody_has_seen(seen: int) -> None:
    witness = Witness(epoch="e", fence=seen, database="z")
    alarm = judge(witness, HEALTHY)
    assert alarm is not None
    assert alarm.fence >= max(seen, 7) + FENCE_MARGIN


@pytest.mark.parametrize("cause", list(AlarmKind))
def test_every_alarm_says_what_follows(cause: AlarmKind) -> None:
    assert "before anything is drafted again" in Alarm(kind=cause, fence=0).message


async def test_first_start_raises_no_alarm(database: SqliteDatabase, tmp_path: Path) -> None:
    assert await check(database, tmp_path) is None


async def test_restart_after_work_raises_no_alarm(database: SqliteDatabase, tmp_path: Path) -> None:
    await renew(database, tmp_path)
    await database.write(work)
    assert await check(database, tmp_path) is None


async def test_crash_between_the_epoch_and_its_witness_raises_no_alarm(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    await renew(database, tmp_path)
    await database.write(work)
    await database.write(add_epoch)
    assert await check(database, tmp_path) is None


async def test_crash_between_the_very_first_epoch_and_its_witness_raises_no_alarm(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    await database.write(add_epoch)
    assert await check(database, tmp_path) is None


async def test_restored_backup_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "fencepost.db"
    database = await open_sqlite(path)
    await database.write(metadata.create_all)
    await renew(database, tmp_path)
    await database.close()
    shutil.copy(path, tmp_path / "backup")
    database = await open_sqlite(path)
    await database.write(lambda conn: work(conn, fence=40))
    await renew(database, tmp_path)
    await database.close()
    shutil.copy(tmp_path / "backup", path)
    database = await open_sqlite(path)
    alarm = await check(database, tmp_path)
    await database.close()
    assert alarm == Alarm(kind=AlarmKind.EPOCH_ABSENT, fence=40 + FENCE_MARGIN)


async def test_lost_witness_is_noticed(database: SqliteDatabase, tmp_path: Path) -> None:
    await renew(database, tmp_path)
    await database.write(work)
    (tmp_path / WITNESS_NAME).unlink()
    assert kind(await check(database, tmp_path)) is AlarmKind.WITNESS_MISSING


async def test_lost_database_is_noticed(database: SqliteDatabase, tmp_path: Path) -> None:
    write_witness(tmp_path, WITNESS)
    assert kind(await check(database, tmp_path)) is AlarmKind.DATABASE_EMPTY


async def test_database_of_another_folder_is_noticed(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    await renew(database, tmp_path)
    write_witness(tmp_path, WITNESS)
    assert kind(await check(database, tmp_path)) is AlarmKind.OTHER_DATABASE


async def test_alarm_is_raised_again_until_it_was_acted_upon(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    write_witness(tmp_path, WITNESS)
    await check(database, tmp_path)
    assert await check(database, tmp_path) is not None


async def test_renewing_ends_an_alarm_and_keeps_its_fence(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    write_witness(tmp_path, WITNESS)
    alarm = await check(database, tmp_path)
    assert alarm is not None
    witness = await renew(database, tmp_path, fence=alarm.fence)
    assert witness.fence == alarm.fence
    assert await check(database, tmp_path) is None


async def test_witness_holds_the_highest_fence_of_the_table(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    await database.write(lambda conn: work(conn, fence=12))
    await renew(database, tmp_path)
    found = read_witness(tmp_path)
    assert found is not None
    assert found.fence == 12


async def test_epochs_are_only_added(database: SqliteDatabase, tmp_path: Path) -> None:
    made = [(await renew(database, tmp_path)).epoch for _ in range(3)]
    stored = await database.read(lambda conn: conn.scalars(sa.select(epochs.c.id)).all())
    assert sorted(stored) == sorted(made)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"epoch": 1, "fence": "x"}', b"\xff\xfe", b'"text"']
)
def test_witness_that_makes_no_sense_is_not_a_missing_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / WITNESS_NAME).write_bytes(content)
    assert read_witness(tmp_path) == UNREADABLE


def test_witness_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StorageIllError, match="free some space"):
        write_witness(tmp_path / "missing", WITNESS)
