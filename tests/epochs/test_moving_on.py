"""An epoch that is moved on at each beat: what a start and a process at work make of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storage.database import Database
from storage.epochs import AlarmKind, renew
from storage.errors import CommitUnknownError, StorageGoneError
from storage.witness import WITNESS_NAME, read_witness, write_witness
from tests.epochs.steps import Silent, alarm_of, lose, moved, put_ahead, set_back

FAR_MS = 1 << 50
"""A time that no clock of a test has come to."""


async def test_an_epoch_that_was_moved_on_raises_no_alarm(store: Database, tmp_path: Path) -> None:
    own = await renew(store, tmp_path)
    for _ in range(3):
        own = await moved(store, tmp_path, own)
    assert await alarm_of(store, tmp_path) is None


async def test_moving_on_writes_the_witness(store: Database, tmp_path: Path) -> None:
    first = await renew(store, tmp_path)
    own = await moved(store, tmp_path, first)
    assert read_witness(tmp_path) == own
    assert own.at > first.at


async def test_a_database_that_has_the_epoch_of_an_hour_ago_and_lacks_its_last_beat_is_noticed(
    store: Database, tmp_path: Path
) -> None:
    own = await moved(store, tmp_path, await renew(store, tmp_path))
    await set_back(store, own)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT


async def test_a_crash_between_moving_on_and_the_witness_raises_no_alarm(
    store: Database, tmp_path: Path
) -> None:
    own = await moved(store, tmp_path, await renew(store, tmp_path))
    await moved(store, tmp_path, own)
    write_witness(tmp_path, own)
    assert await alarm_of(store, tmp_path) is None


async def test_a_commit_that_said_nothing_is_no_alarm(store: Database, tmp_path: Path) -> None:
    silent = Silent(store)
    own = await renew(silent, tmp_path)
    silent.silent = True
    with pytest.raises(CommitUnknownError):
        await moved(silent, tmp_path, own)
    assert await alarm_of(store, tmp_path) is None
    silent.silent = False
    await moved(silent, tmp_path, own)
    assert await alarm_of(store, tmp_path) is None


async def test_a_database_whose_clock_was_set_back_is_moved_on_all_the_same(
    store: Database, tmp_path: Path
) -> None:
    own = await renew(store, tmp_path)
    await put_ahead(store, own, FAR_MS)
    own = await moved(store, tmp_path, own)
    assert own.at == FAR_MS + 1
    assert (await moved(store, tmp_path, own)).at == FAR_MS + 2


async def test_a_process_whose_database_went_back_in_time_ends(
    store: Database, tmp_path: Path
) -> None:
    own = await moved(store, tmp_path, await renew(store, tmp_path))
    await set_back(store, own)
    with pytest.raises(StorageGoneError, match="start Fencepost again"):
        await moved(store, tmp_path, own)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT


async def test_a_process_that_its_database_never_saw_ends(store: Database, tmp_path: Path) -> None:
    own = await renew(store, tmp_path)
    await lose(store, own)
    with pytest.raises(StorageGoneError):
        await moved(store, tmp_path, own)


async def test_the_alarm_outlives_the_witness_of_another_process_of_the_folder(
    store: Database, tmp_path: Path
) -> None:
    """That one's beat may be older than the copy, or it may have come after it."""
    own = await moved(store, tmp_path, await renew(store, tmp_path))
    await set_back(store, own)
    other = await renew(store, tmp_path)
    with pytest.raises(StorageGoneError):
        await moved(store, tmp_path, own)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT
    with pytest.raises(StorageGoneError):
        await moved(store, tmp_path, other)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT


async def test_processes_that_share_a_folder_move_on_side_by_side(
    store: Database, tmp_path: Path
) -> None:
    one, two = await renew(store, tmp_path), await renew(store, tmp_path)
    for _ in range(2):
        one, two = await moved(store, tmp_path, one), await moved(store, tmp_path, two)
    assert await alarm_of(store, tmp_path) is None


async def test_each_host_finds_what_its_own_last_beat_lacks(
    store: Database, tmp_path: Path
) -> None:
    """What the other writes after the database was set back makes up for nothing."""
    for host in ("one", "two"):
        (tmp_path / host).mkdir()
    first = await renew(store, tmp_path / "one")
    second = await moved(store, tmp_path / "two", await renew(store, tmp_path / "two"))
    await set_back(store, second)
    for _ in range(3):
        first = await moved(store, tmp_path / "one", first)
    assert await alarm_of(store, tmp_path / "one") is None
    assert await alarm_of(store, tmp_path / "two") is AlarmKind.EPOCH_ABSENT


async def test_a_witness_of_an_older_release_stays_readable(
    store: Database, tmp_path: Path
) -> None:
    await renew(store, tmp_path)
    file = tmp_path / WITNESS_NAME
    told = json.loads(file.read_bytes())
    del told["at"]
    file.write_text(json.dumps(told))
    assert await alarm_of(store, tmp_path) is None
    (found,) = [read_witness(tmp_path)]
    assert found is not None
    await lose(store, found)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT


@pytest.mark.parametrize("at", ["text", None, [1]])
def test_a_number_that_makes_no_sense_counts_as_not_known(tmp_path: Path, at: object) -> None:
    told = {"epoch": "e", "fence": 1, "database": "d", "server": "", "at": at}
    (tmp_path / WITNESS_NAME).write_text(json.dumps(told))
    found = read_witness(tmp_path)
    assert found is not None
    assert (found.epoch, found.at) == ("e", 0)
