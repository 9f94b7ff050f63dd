"""The keeper beside a store that answers, hangs or says that a lease is another's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import anyio
import pytest
from sqlalchemy import Connection

from leases.keeper import Grip, Keeper
from storage import leases as rows
from storage.leases import Held
from storage.words import IntegrationId, OwnerId, ThreadId
from tests.support.clock import FakeClock, quiesce

T = TypeVar("T")
TTL_S = 60.0
TICK_S = TTL_S / 8
HELD = Held(
    integration=IntegrationId("robin/local"), thread=ThreadId("t"), owner=OwnerId("w"), fence=1
)


class Store:
    """Renews as the test says; ``hang`` keeps every write waiting."""

    def __init__(self) -> None:
        self.asked = 0
        self.hang: anyio.Event | None = None

    async def write(self, unit: Callable[[Connection], T]) -> T:
        self.asked += 1
        if self.hang is not None:
            await self.hang.wait()
        return unit(None)  # type: ignore[arg-type]


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> set[Held]:
    """The leases that the database says are ours."""
    ours = {HELD}

    def keep_all(_: Connection, wanted: Mapping[Held, int]) -> dict[Held, int]:
        return {held: 0 for held in wanted if held in ours}

    monkeypatch.setattr(rows, "keep_all", keep_all)
    return ours


class Scene:
    """A keeper at work on one lease."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.store = Store()
        self.keeper = Keeper(self.store, self.clock, ttl_s=TTL_S)

    @contextmanager
    def holding(self) -> Iterator[Grip]:
        with self.keeper.holding(HELD, started_s=self.clock.boot_s()) as grip:
            yield grip

    async def pass_ticks(self, number: int) -> None:
        await quiesce()
        for _ in range(number):
            self.clock.skip(TICK_S)
            await quiesce()


async def test_a_lease_that_is_renewed_is_kept(mine: set[Held]) -> None:
    scene = Scene()
    async with anyio.create_task_group() as group:
        group.start_soon(scene.keeper.run)
        with scene.holding() as grip:
            await scene.pass_ticks(40)
        # The scope of a lost lease swallows its cancellation, and all that stood behind it.
        assert not grip.lost
        group.cancel_scope.cancel()


async def test_work_stops_on_time_while_the_renewing_write_hangs(mine: set[Held]) -> None:
    scene = Scene()
    scene.store.hang = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(scene.keeper.run)
        with scene.holding() as grip:
            await scene.pass_ticks(5)
            assert not grip.lost
            with anyio.CancelScope(shield=True):
                await scene.pass_ticks(1)
            assert grip.lost
        scene.store.hang.set()
        group.cancel_scope.cancel()


async def test_a_write_that_hangs_is_not_asked_for_again(mine: set[Held]) -> None:
    scene = Scene()
    scene.store.hang = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(scene.keeper.run)
        with scene.holding():
            await scene.pass_ticks(5)
        assert scene.store.asked == 1
        scene.store.hang.set()
        group.cancel_scope.cancel()


async def test_an_answer_that_comes_after_the_deadline_brings_nothing_back(mine: set[Held]) -> None:
    scene = Scene()
    scene.store.hang = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(scene.keeper.run)
        with scene.holding() as grip, anyio.CancelScope(shield=True):
            await scene.pass_ticks(6)
            scene.store.hang.set()
            await quiesce()
            assert grip.lost
            assert not grip.allows(0.0)
        group.cancel_scope.cancel()


async def test_a_lease_of_another_is_lost_at_once(mine: set[Held]) -> None:
    scene = Scene()
    mine.clear()
    async with anyio.create_task_group() as group:
        group.start_soon(scene.keeper.run)
        with scene.holding() as grip, anyio.CancelScope(shield=True):
            await scene.pass_ticks(2)
            assert grip.lost
        group.cancel_scope.cancel()
