"""What several tasks ask at the same moment shares a transaction, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
import sqlalchemy as sa

from storage.errors import CommitUnknownError
from storage.sqlite import open_sqlite, sync_engine
from storage.together import MOST, Together

T = TypeVar("T")


class Held:
    """A store whose transactions wait until they are let through."""

    def __init__(self) -> None:
        self.engine = sync_engine(None)
        self.through = asyncio.Event()
        self.faults: list[Exception] = []
        self.begun = 0
        self.runs = 1

    async def write(self, unit: Callable[[sa.Connection], T]) -> T:
        self.begun += 1
        await self.through.wait()
        with self.engine.begin() as conn:
            for _ in range(1, self.runs):
                unit(conn)
            result = unit(conn)
        if self.faults:
            raise self.faults.pop(0)
        return result

    async def read(self, unit: Callable[[sa.Connection], T]) -> T:
        return await self.write(unit)


SETS: list[list[int]] = []


def twice(_: sa.Connection, numbers: Sequence[int]) -> list[int]:
    """A unit: each number twice; 13 is bad luck."""
    SETS.append(list(numbers))
    if 13 in numbers:
        raise ValueError("bad luck")
    return [2 * number for number in numbers]


def thrice(_: sa.Connection, numbers: Sequence[int]) -> list[int]:
    """Another unit."""
    SETS.append(list(numbers))
    return [3 * number for number in numbers]


@pytest.fixture
def store() -> Iterator[Held]:
    SETS.clear()
    held = Held()
    yield held
    held.engine.dispose()


@asynccontextmanager
async def asking(
    together: Together, numbers: Sequence[int]
) -> AsyncIterator[dict[int, int | Exception]]:
    """Tasks that ask for the double of each number, begun before the body."""
    found: dict[int, int | Exception] = {}

    async def ask(number: int) -> None:
        try:
            found[number] = await together.write(twice, number)
        except (ValueError, CommitUnknownError) as error:
            found[number] = error

    async with anyio.create_task_group() as group:
        for number in numbers:
            group.start_soon(ask, number)
        await anyio.wait_all_tasks_blocked()
        yield found


async def test_one_alone_is_asked_for_alone(store: Held) -> None:
    store.through.set()
    assert await Together(store).write(twice, 4) == 8
    assert SETS == [[4]]


async def test_those_that_ask_at_the_same_moment_share_one_transaction(store: Held) -> None:
    async with asking(Together(store), range(5)) as found:
        store.through.set()
    assert found == {number: 2 * number for number in range(5)}
    assert SETS == [[0, 1, 2, 3, 4]]


async def test_those_that_come_while_one_is_under_way_share_the_next(store: Held) -> None:
    together = Together(store)
    async with asking(together, [1]) as first, asking(together, [2, 3]) as later:
        assert store.begun == 1
        store.through.set()
    assert SETS == [[1], [2, 3]]
    assert first | later == {1: 2, 2: 4, 3: 6}


async def test_another_unit_gets_a_transaction_of_its_own(store: Held) -> None:
    together = Together(store)
    async with asking(together, [1]), anyio.create_task_group() as group:
        group.start_soon(together.write, thrice, 2)
        group.start_soon(together.write, twice, 3)
        await anyio.wait_all_tasks_blocked()
        store.through.set()
    assert SETS == [[1], [2], [3]]


async def test_no_set_is_larger_than_is_allowed(store: Held) -> None:
    async with asking(Together(store), range(20, 20 + MOST + 6)):
        store.through.set()
    assert [len(one) for one in SETS] == [MOST, 6]


async def test_one_that_fails_fails_alone(store: Held) -> None:
    async with asking(Together(store), [1, 13, 2]) as found:
        store.through.set()
    assert (found[1], found[2]) == (2, 4)
    assert isinstance(found[13], ValueError)
    assert SETS[0] == [1, 13, 2]
    assert sorted(SETS[1:]) == [[1], [2], [13]]


async def test_what_the_store_would_run_again_is_run_again_beside_the_others(store: Held) -> None:
    store.runs = 2
    together = Together(store)
    async with asking(together, [1]) as first, asking(together, [2]) as later:
        store.through.set()
    assert first | later == {1: 2, 2: 4}
    # Once while others wait for its end, then as often as the store likes.
    assert SETS == [[1], [1], [1], [2], [2], [2]]


async def test_a_set_that_the_store_would_run_again_is_asked_for_one_by_one(store: Held) -> None:
    store.runs = 2
    async with asking(Together(store), [1, 2]) as found:
        store.through.set()
    assert found == {1: 2, 2: 4}
    assert SETS == [[1, 2], [1], [1], [2], [2]]


async def test_a_commit_whose_end_is_unknown_is_unknown_to_all_and_not_repeated(
    store: Held,
) -> None:
    store.faults.append(CommitUnknownError("nobody knows"))
    async with asking(Together(store), [1, 2, 3]) as found:
        store.through.set()
    assert all(isinstance(one, CommitUnknownError) for one in found.values())
    assert SETS == [[1, 2, 3]]


async def test_a_cancelled_task_learns_its_answer_first(store: Held) -> None:
    together = Together(store)
    found: list[int] = []

    async def ask(number: int) -> None:
        found.append(await together.write(twice, number))
        await anyio.lowlevel.checkpoint()
        found.append(-1)

    async with asking(together, [1]), anyio.create_task_group() as group:
        group.start_soon(ask, 2)
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
        store.through.set()
    assert found == [4]


async def test_a_leader_that_is_cancelled_natively_hands_the_lead_on(store: Held) -> None:
    together = Together(store)
    leader = asyncio.ensure_future(together.write(twice, 1))
    await asyncio.sleep(0)
    async with asking(together, [2]) as found:
        leader.cancel()
        store.through.set()
    assert found == {2: 4}
    with pytest.raises(asyncio.CancelledError):
        await leader
    assert await together.write(twice, 5) == 10


async def test_the_calm_comes_when_nothing_is_asked_for(store: Held) -> None:
    together = Together(store)
    order: list[str] = []

    async def take() -> None:
        async with together.calm():
            order.append("taken")

    async def ask() -> None:
        await together.write(twice, 3)
        order.append("answered")

    async with asking(together, [1]), anyio.create_task_group() as group:
        group.start_soon(take)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert order == []
        store.through.set()
    assert order == ["answered", "taken"]


async def test_what_is_asked_for_in_the_calm_waits_for_its_end(store: Held) -> None:
    together = Together(store)
    store.through.set()
    async with anyio.create_task_group() as group, together.calm():
        group.start_soon(together.write, twice, 1)
        await anyio.wait_all_tasks_blocked()
        assert SETS == []
    assert SETS == [[1]]


async def test_a_wait_for_the_calm_that_is_cancelled_leaves_nobody_waiting(store: Held) -> None:
    together = Together(store)

    async def take() -> None:
        async with together.calm():
            raise AssertionError("it was cancelled before")

    async with asking(together, [1]) as found:
        async with anyio.create_task_group() as group:
            group.start_soon(take)
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
        store.through.set()
    assert found == {1: 2}
    assert await together.write(twice, 2) == 4
    async with together.calm():
        pass


async def test_a_wait_for_the_calm_that_ends_at_the_moment_of_its_grant_stops_nobody(
    store: Held,
) -> None:
    together = Together(store)

    async def take() -> None:
        async with together.calm():
            raise AssertionError("it was cancelled before")

    def end_the_wait(_: sa.Connection, numbers: Sequence[int]) -> list[int]:
        # Nothing comes between this and the leader's handing on.
        waiting.cancel()
        return [*numbers]

    leader = asyncio.ensure_future(together.write(end_the_wait, 1))
    await anyio.wait_all_tasks_blocked()
    waiting = asyncio.ensure_future(take())
    await anyio.wait_all_tasks_blocked()
    store.through.set()
    assert await leader == 1
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await together.write(twice, 2) == 4
    async with together.calm():
        pass


async def test_a_leader_that_is_cancelled_natively_before_it_runs_learns_its_answer(
    tmp_path: Path,
) -> None:
    store = await open_sqlite(tmp_path / "a.db")
    found: list[int] = []

    async def ask() -> None:
        found.append(await Together(store).write(twice, 4))

    leader = asyncio.ensure_future(ask())
    await asyncio.sleep(0)
    leader.cancel()
    await asyncio.wait([leader])
    await store.close()
    assert found == [8]
