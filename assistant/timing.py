"""Waiting as the daemon does it: always by the injected clock, so that tests need no real time."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Generic, TypeVar

import anyio

from storage.words import Clock

T = TypeVar("T")

_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """The machine's clocks; ``boot_s`` runs on while the machine sleeps, where it can."""

    def now(self) -> datetime:
        """The wall clock, aware, UTC."""
        return datetime.now(UTC)

    def boot_s(self) -> float:
        """Seconds since boot, suspend included."""
        return time.clock_gettime(_BOOT)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)


class TimedOut:
    """The answer of ``run_within`` and ``run_until`` when what bounds the work was over first."""


class _Box(Generic[T]):
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: T | TimedOut = TimedOut()


async def run_within(
    clock: Clock, seconds: float, work: Callable[[], Awaitable[T]]
) -> T | TimedOut:
    """Run *work* for at most *seconds* by *clock*; as ``run_until``."""
    return await run_until(partial(clock.sleep, seconds), work)


async def run_until(
    over: Callable[[], Awaitable[object]], work: Callable[[], Awaitable[T]]
) -> T | TimedOut:
    """Run *work* until *over* returns, then cancel it.

    An error of *work* is raised as it is, not in a group.
    """
    box: _Box[T] = _Box()
    failure: list[Exception] = []

    async with anyio.create_task_group() as group:

        async def ring() -> None:
            await over()
            group.cancel_scope.cancel()

        group.start_soon(ring)
        try:
            box.value = await work()
        except Exception as error:  # noqa: BLE001 -- carried out of the group unchanged
            failure.append(error)
        group.cancel_scope.cancel()
    if failure:
        raise failure[0]
    return box.value


class Wake:
    """A bell that a loop sleeps on: rung from anywhere in the process, or by time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._event = anyio.Event()

    def ring(self) -> None:
        """Wake the sleeper, or the next one who lies down."""
        self._event.set()

    async def wait(self, seconds: float) -> bool:
        """Sleep until rung (True) or for *seconds* (False)."""
        if not self._event.is_set():
            await run_within(self._clock, max(0.0, seconds), self._event.wait)
        rung = self._event.is_set()
        self._event = anyio.Event()
        return rung
