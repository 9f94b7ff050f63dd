"""The server's time: a clock that a test moves, or the real one moved on by what a test adds.

A server inside a test is given that test's own clock instead (anything with ``now`` and ``sleep``).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

import anyio

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Timed(Protocol):
    """What the server needs of a clock."""

    def now(self) -> datetime:
        """Aware, UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class ServerClock:
    """Stands still unless *running*; ``advance`` moves it and wakes who is due."""

    def __init__(self, *, running: bool = False, start_s: float | None = None) -> None:
        self.running = running
        begun_s = START.timestamp() if not running else time.time()
        self._base_s = begun_s if start_s is None else start_s
        self._real_s = time.monotonic()
        self._moved = anyio.Event()

    def now_s(self) -> float:
        """Epoch seconds."""
        return self._base_s + (time.monotonic() - self._real_s if self.running else 0.0)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_s(), UTC)

    def advance(self, seconds: float) -> None:
        """Move on."""
        self._base_s += seconds
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    async def sleep(self, seconds: float) -> None:
        until_s = self.now_s() + seconds
        while (left_s := until_s - self.now_s()) > 1e-9:
            with anyio.move_on_after(left_s if self.running else None):
                await self._moved.wait()
