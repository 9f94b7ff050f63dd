"""A store that is ill is told once with its remedy, however many loops meet it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import pytest
from sqlalchemy import Connection
from structlog.testing import capture_logs

from assistant.minded import FLAPPING_S, TELL_EVERY_S, MindedStore
from storage.errors import CommitUnknownError, StorageError, StorageGoneError, StorageIllError
from tests.support.clock import FakeClock

T = TypeVar("T")
FULL = StorageIllError("the disk is full", remedy="free some space")


class Ailing:
    """A store whose units all fail with ``error`` while there is one."""

    def __init__(self) -> None:
        self.error: StorageError | None = None

    async def write(self, unit: Callable[[Connection], T]) -> T:
        if self.error is not None:
            raise self.error
        return unit(None)  # type: ignore[arg-type]

    read = write


async def use(store: MindedStore, times: int = 1) -> None:
    for _ in range(times):
        try:
            await store.write(lambda _: None)
            await store.read(lambda _: None)
        except StorageError:
            pass


async def test_an_ill_store_is_told_once_a_minute_with_its_remedy() -> None:
    ailing, clock = Ailing(), FakeClock()
    store = MindedStore(ailing, clock)
    ailing.error = FULL
    with capture_logs() as told:
        await use(store, 50)
        clock.skip(TELL_EVERY_S)
        await use(store, 50)
    assert [line["problem"] for line in told] == ["the disk is full: free some space"] * 2


async def test_a_store_that_works_again_is_told_once() -> None:
    ailing = Ailing()
    store = MindedStore(ailing, FakeClock())
    ailing.error = FULL
    with capture_logs() as told:
        await use(store, 3)
        ailing.error = None
        await use(store, 3)
    assert [line["log_level"] for line in told] == ["warning", "info"]


async def test_reading_does_not_end_what_a_failed_write_began() -> None:
    ailing, clock = Ailing(), FakeClock()
    readable = Ailing()
    store = MindedStore(ailing, clock)
    ailing.read = readable.read  # type: ignore[method-assign]
    ailing.error = FULL
    with capture_logs() as told:
        for _ in range(3):
            await use(store)
            await store.read(lambda _: None)
        ailing.error = None
        await use(store)
    assert [line["log_level"] for line in told] == ["warning", "info"]


async def test_what_a_commit_said_is_not_quoted() -> None:
    ailing = Ailing()
    store = MindedStore(ailing, FakeClock())
    ailing.error = CommitUnknownError("robin@example.com is there already")
    with capture_logs() as told:
        await use(store)
    assert "robin" not in str(told)
    assert told[0]["problem"] == "CommitUnknownError"


async def test_a_store_that_a_reader_finds_gone_is_gone() -> None:
    ailing = Ailing()
    store = MindedStore(ailing, FakeClock())
    ailing.error = StorageGoneError("another one", remedy="start again")
    with pytest.raises(StorageGoneError):
        await store.read(lambda _: None)
    with anyio.fail_after(5):
        assert await store.until_lost() is ailing.error


async def test_that_it_is_over_is_told_with_how_many_waited_and_for_how_long() -> None:
    ailing, clock = Ailing(), FakeClock()
    store = MindedStore(ailing, clock)
    ailing.error = FULL
    with capture_logs() as told:
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(use, store, 3)
        clock.skip(7)
        ailing.error = None
        await use(store)
    [line] = [one for one in told if one["log_level"] == "info"]
    assert (line["waited"], line["away_s"]) == (5, 7.0)


async def test_who_waited_once_is_not_counted_the_next_time() -> None:
    ailing, clock = Ailing(), FakeClock()
    store = MindedStore(ailing, clock)
    with capture_logs() as told:
        for number in (3, 2):
            ailing.error = FULL
            async with anyio.create_task_group() as group:
                for _ in range(number):
                    group.start_soon(use, store)
            ailing.error = None
            await use(store)
            clock.skip(TELL_EVERY_S)
    assert [one["waited"] for one in told if one["log_level"] == "info"] == [3, 2]


async def test_an_outage_soon_after_another_is_told_as_well() -> None:
    ailing, clock = Ailing(), FakeClock()
    store = MindedStore(ailing, clock)
    with capture_logs() as told:
        for _ in range(3):
            ailing.error = FULL
            await use(store, 3)
            ailing.error = None
            await use(store, 3)
            clock.skip(FLAPPING_S)
    assert [line["log_level"] for line in told] == ["warning", "info"] * 3


async def test_a_store_that_comes_and_goes_all_the_time_is_not_told_each_time() -> None:
    ailing, clock = Ailing(), FakeClock()
    store = MindedStore(ailing, clock)
    with capture_logs() as told:
        for _ in range(10):
            ailing.error = FULL
            await use(store, 3)
            ailing.error = None
            await use(store, 3)
            clock.skip(FLAPPING_S / 100)
    assert len(told) == 2
