"""A clock for tests of mailboxes: real time plus what was skipped; sleepers wait for a skip."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import anyio


class SkippingClock:
    """``skip`` moves the clock on and wakes whoever's time has come.

    It starts at the real time because files carry the kernel's; nothing here ever really sleeps.
    """

    def __init__(self) -> None:
        self._skipped_s = 0.0
        self._sleepers: list[tuple[float, anyio.Event]] = []

    def now(self) -> datetime:
        """Real time and what was skipped."""
        return datetime.now(UTC) + timedelta(seconds=self._skipped_s)

    def boot_s(self) -> float:
        """The same in seconds."""
        return time.monotonic() + self._skipped_s

    async def sleep(self, seconds: float) -> None:
        """Wait until that much has been skipped."""
        event = anyio.Event()
        self._sleepers.append((self._skipped_s + seconds, event))
        await event.wait()

    @property
    def sleepers(self) -> int:
        """How many wait for a time that has not come."""
        return sum(not event.is_set() for _, event in self._sleepers)

    def skip(self, seconds: float) -> None:
        """Move on."""
        self._skipped_s += seconds
        for until_s, event in self._sleepers:
            if until_s <= self._skipped_s:
                event.set()
