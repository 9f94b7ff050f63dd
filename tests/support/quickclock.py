"""A clock whose seconds are short: for real servers, whose answers no fake clock can wait for."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import anyio


class QuickClock:
    """Implements storage.words.Clock; each of its seconds takes *scale* real ones."""

    def __init__(self, scale: float = 0.01) -> None:
        self._scale = scale
        self._begun = time.monotonic()
        self.slept: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 3, 2, 9, 0, tzinfo=UTC) + timedelta(seconds=self.boot_s())

    def boot_s(self) -> float:
        return (time.monotonic() - self._begun) / self._scale

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await anyio.sleep(seconds * self._scale)
