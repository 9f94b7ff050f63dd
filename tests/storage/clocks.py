"""A clock for tests: sleeping moves it on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from anyio.lowlevel import checkpoint


class SteppingClock:
    """Implements storage.words.Clock; nobody waits. *asleep* happens while somebody sleeps."""

    def __init__(self, asleep: Callable[[], object] = lambda: None) -> None:
        self.asleep = asleep
        self.seconds = 1000.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def boot_s(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.asleep()
        self.seconds += seconds
        await checkpoint()
