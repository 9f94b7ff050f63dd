"""A clock that only moves when a test moves it, and the wait until everybody sleeps on it.

``quiesce`` is ``anyio.wait_all_tasks_blocked`` without its real pauses, and it waits for worker
threads too: a task that waits for one looks blocked and is not.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable, Iterator, Sized
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import anyio
from anyio import to_thread

T = TypeVar("T")

_TURNS: Final = 1_000_000
START: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When every world begins."""


class FakeClock:
    """Implements storage.words.Clock; the database of a world reads its time here as well.

    ``wall_off_s`` and ``database_off_s`` put those clocks wrong; sleeping follows boot time.
    """

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._passed_s = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, anyio.Event]] = []
        self._lain_down = anyio.Event()
        self.wall_off_s = 0.0
        self.database_off_s = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed_s + self.wall_off_s)

    def boot_s(self) -> float:
        return 5_000.0 + self._passed_s

    def database_s(self) -> float:
        """Epoch seconds by the database's clock."""
        return self._start.timestamp() + self._passed_s + self.database_off_s

    async def sleep(self, seconds: float) -> None:
        event = anyio.Event()
        entry = (self._passed_s + max(0.0, seconds), next(self._order), event)
        heapq.heappush(self._sleepers, entry)
        self._lain_down.set()
        try:
            await event.wait()
        finally:
            if not event.is_set():
                self._sleepers.remove(entry)
                heapq.heapify(self._sleepers)

    async def somebody_sleeps(self) -> None:
        """Wait until at least one task sleeps on this clock, whatever the network takes for it."""
        while not self._sleepers:
            self._lain_down = anyio.Event()
            await self._lain_down.wait()

    @property
    def next_wake_s(self) -> float | None:
        """How long until the first sleeper wakes."""
        return self._sleepers[0][0] - self._passed_s if self._sleepers else None

    def skip(self, seconds: float) -> None:
        """Move on and wake whoever's time has come; they run when the caller next waits."""
        self._passed_s += seconds
        while self._sleepers and self._sleepers[0][0] <= self._passed_s + 1e-9:
            heapq.heappop(self._sleepers)[2].set()

    def wake_everybody(self) -> None:
        """Wake every sleeper now, whatever they wait for; for the end of all that sleeps here."""
        while self._sleepers:
            heapq.heappop(self._sleepers)[2].set()

    async def advance(self, seconds: float) -> None:
        """Move on step by step: whoever wakes runs until everybody is asleep again."""
        until_s = self._passed_s + seconds
        await quiesce()
        while self._sleepers and self._sleepers[0][0] <= until_s + 1e-9:
            self.skip(max(0.0, self._sleepers[0][0] - self._passed_s))
            await quiesce()
        self.skip(until_s - self._passed_s)
        await quiesce()


async def quiesce() -> None:
    """Return once everybody else waits for something that only a clock or a test brings."""
    loop = asyncio.get_running_loop()
    for _ in range(_TURNS):
        await asyncio.sleep(0)
        # What the loop would run next; tasks alone do not show callbacks that are under way.
        ready: Sized = getattr(loop, "_ready")  # noqa: B009 -- private, and typed nowhere
        if len(ready) > 0:
            continue
        if to_thread.current_default_thread_limiter().borrowed_tokens == 0:
            return
        await asyncio.sleep(0.0005)
    raise NothingMovesError("somebody is busy for ever")


class NothingMovesError(AssertionError):
    """Work waits for something that will never come."""


async def drive(clock: FakeClock, work: Callable[[], Awaitable[T]], *, limit_s: float = 1e6) -> T:
    """Run *work*, moving *clock* on to the next sleeper whenever everybody sleeps."""
    done: list[T] = []
    begun_s = clock.boot_s()

    async def run() -> None:
        done.append(await work())

    with single_errors():
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            while True:
                await quiesce()
                if done:
                    break
                wake_s = clock.next_wake_s
                if wake_s is None or clock.boot_s() + wake_s - begun_s > limit_s:
                    raise NothingMovesError("the work neither ended nor slept")
                clock.skip(max(0.0, wake_s))
    return done[0]


@contextmanager
def single_errors() -> Iterator[None]:
    """Raise the one error of a group, or the first of several of one kind, as it is."""
    try:
        yield
    except BaseExceptionGroup as group:
        errors = list(_leaves(group))
        if len({type(error) for error in errors}) == 1:
            raise errors[0] from None
        raise


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error
