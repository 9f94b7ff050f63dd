"""A test's own clock over real connections: it moves on only when nothing is on its way.

``tests.support.clock.drive`` cannot see octets between two sockets. The server can: it counts its
requests under way, and what happens on its connections. What the kernel holds is given a moment.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from tests.support.clock import FakeClock, NothingMovesError, quiesce, single_errors
from tests.support.gmail.server import GmailServer

T = TypeVar("T")
_MOMENT_S: Final = 0.003
_PATIENCE_S: Final = 20.0


async def settled(google: GmailServer) -> None:
    """Return once no request is under way but those that wait for a clock or a test."""
    until_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until_s:
        pulse = google.wire.pulse
        await quiesce()
        await anyio.sleep(_MOMENT_S)
        await quiesce()
        if google.wire.busy == 0 and google.wire.pulse == pulse:
            return
    raise NothingMovesError("the server is busy for ever")


async def drive(
    google: GmailServer, clock: FakeClock, work: Callable[[], Awaitable[T]], *, limit_s: float = 1e6
) -> T:
    """Run *work*, moving *clock* to the next sleeper whenever nothing else goes on."""
    done: list[T] = []
    begun_s = clock.boot_s()

    async def run() -> None:
        done.append(await work())

    async def move() -> None:
        idle_s = time.monotonic() + _PATIENCE_S
        while not done:
            await settled(google)
            wake_s = clock.next_wake_s
            if done or wake_s is None:
                if time.monotonic() > idle_s:
                    raise NothingMovesError("the work neither ended nor slept")
                continue
            if clock.boot_s() + wake_s - begun_s > limit_s:
                raise NothingMovesError("the work slept too long")
            clock.skip(max(0.0, wake_s))
            idle_s = time.monotonic() + _PATIENCE_S

    with single_errors():
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await move()
    return done[0]
