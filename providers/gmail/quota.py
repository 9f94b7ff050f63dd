"""The account's quota at the Gmail API: units a minute, calls in flight, the end of a day.

Google counts units and not requests, for each user of a project by the minute, and the same account
may have other programs. So a part of the minute is left free, reads leave some units to writes, and
no more than four calls are in flight.

A write is timed by its intent: if it waited here for long, its time would run out and a call that
never left would look unknown. So a write waits a moment at most and is then refused before anything
is sent; a read waits, for a minute of units is free again within a minute.

What is counted lives in memory: after a crash the window begins empty, the provider's refusal is
then the limit, and it says how long to wait. Nothing here sends, stores or logs.

Sources: Google's page on Gmail API quotas (units of each method, 6,000 units a minute for each
user); the day ends at midnight Pacific time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

import anyio

from providers.gmail.ports import QuotaError
from storage.words import Clock

UNITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "users.getProfile": 1,
        "labels.list": 1,
        "labels.get": 1,
        "sendAs.list": 1,
        "history.list": 2,
        "messages.list": 5,
        "drafts.list": 5,
        "messages.modify": 5,
        "threads.modify": 10,
        "threads.list": 10,
        "drafts.create": 10,
        "messages.get": 20,
        "attachments.get": 20,
        "messages.trash": 20,
        "messages.untrash": 20,
        "threads.get": 40,
        "messages.batchModify": 50,
        "drafts.send": 100,
        "messages.send": 100,
        # Not seen since the units changed in 2026: no less than what they contain.
        "drafts.get": 20,
        "drafts.update": 30,
        "drafts.delete": 20,
    }
)
"""Units of each method, by the last two words of its name."""
UNKNOWN_UNITS: Final = 40
"""What a method costs that is not named above: as much as the dearest read."""
WRITES: Final = frozenset(
    {
        "drafts.create",
        "drafts.send",
        "drafts.update",
        "drafts.delete",
        "messages.send",
        "messages.modify",
        "messages.batchModify",
        "messages.trash",
        "messages.untrash",
        "threads.modify",
    }
)
"""Methods that are called under an intent."""

DEFAULT_UNITS: Final = 6_000
LEAST_UNITS: Final = 600
HEADROOM: Final = 0.9
"""The share of the minute that is ours; the rest is for the account's other programs."""
FOR_WRITES: Final = 200
"""Units of a minute that reads leave alone."""
IN_FLIGHT: Final = 4
WINDOW_S: Final = 60.0
READ_WAIT_S: Final = 75.0
WRITE_WAIT_S: Final = 3.0
_FIRST_REST_S: Final = 2.0
_LONGEST_REST_S: Final = 64.0
_LONGEST_ASKED_S: Final = 86_400.0
_DAY_REST_S: Final = 3_600.0
_PACIFIC: Final = ZoneInfo("America/Los_Angeles")


def short(method: str) -> str:
    """The last two words of a method's name: ``drafts.create`` of ``gmail.users.drafts.create``."""
    return ".".join(method.split(".")[-2:])


def cost(method: str) -> int:
    """Units of one call of *method*."""
    return UNITS.get(short(method), UNKNOWN_UNITS)


def quota_day(now: datetime) -> str:
    """The day to which *now* (aware) is counted, as ISO date: Google's days are Pacific."""
    return now.astimezone(_PACIFIC).date().isoformat()


def seconds_of_day_left(now: datetime) -> float:
    """How long the quota's day of *now* (aware) still lasts."""
    tomorrow = now.astimezone(_PACIFIC).date() + timedelta(days=1)
    midnight = datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=_PACIFIC)
    return midnight.timestamp() - now.timestamp()


class Quota:
    """Implements ``providers.gmail.ports.Limiter`` for one account, and counts what it spends.

    *units_per_minute* is what Google grants; nine tenths of it are used.
    """

    def __init__(self, clock: Clock, *, units_per_minute: int = DEFAULT_UNITS) -> None:
        if units_per_minute < LEAST_UNITS:
            raise ValueError(f"units_per_minute must be {LEAST_UNITS} or more")
        self._clock = clock
        self._ceiling = int(units_per_minute * HEADROOM)
        self._spent: deque[tuple[float, int]] = deque()
        self._in_window = 0
        self._flying = 0
        self._changed = anyio.Event()
        self._queue = anyio.Lock()
        self._rest_until_s = 0.0
        self._day_is_over = False
        self._strikes = 0
        self._total = 0

    @property
    def total(self) -> int:
        """Units spent since this process began; never falls."""
        return self._total

    @property
    def last_minute(self) -> int:
        """Units spent within the last minute."""
        self._forget()
        return self._in_window

    @property
    def day(self) -> str:
        """The day to which units are counted now, as ISO date."""
        return quota_day(self._clock.now())

    def spend(self, method: str) -> AbstractAsyncContextManager[None]:
        """Leave for exactly one request; raises QuotaError on entry where the wait is too long."""
        return self._spend(cost(method), writes=short(method) in WRITES)

    @asynccontextmanager
    async def _spend(self, units: int, *, writes: bool) -> AsyncIterator[None]:
        if writes:
            # A write goes before the reads that wait: it is timed, and they are not.
            await self._enter(units, self._ceiling, self._clock.boot_s() + WRITE_WAIT_S)
        else:
            until_s = self._clock.boot_s() + READ_WAIT_S
            async with self._queue:
                await self._enter(units, self._ceiling - FOR_WRITES, until_s)
        struck = self._strikes
        try:
            yield
        finally:
            self._flying -= 1
            self._changed.set()
            self._changed = anyio.Event()
        if self._strikes == struck:
            self._strikes = 0

    async def _enter(self, units: int, ceiling: int, until_s: float) -> None:
        while True:
            now_s = self._clock.boot_s()
            wait_s = self._wait_s(units, ceiling, now_s)
            if wait_s <= 0 and self._flying < IN_FLIGHT:
                self._book(units, now_s)
                return
            if now_s + wait_s > until_s or now_s >= until_s:
                raise self._refusal(max(wait_s, 1.0))
            await self._wait(wait_s if wait_s > 0 else until_s - now_s)

    def _book(self, units: int, now_s: float) -> None:
        self._flying += 1
        self._spent.append((now_s, units))
        self._in_window += units
        self._total += units

    def _wait_s(self, units: int, ceiling: int, now_s: float) -> float:
        """Seconds until *units* fit under *ceiling* and no rest is on; zero or less when now."""
        self._forget()
        excess = self._in_window + units - ceiling
        free_s = now_s
        for at_s, spent in self._spent:
            if excess <= 0:
                break
            excess -= spent
            free_s = at_s + WINDOW_S
        return max(free_s, self._rest_until_s) - now_s

    def _forget(self) -> None:
        since_s = self._clock.boot_s() - WINDOW_S
        while self._spent and self._spent[0][0] <= since_s:
            self._in_window -= self._spent.popleft()[1]
        if self._clock.boot_s() >= self._rest_until_s:
            self._day_is_over = False

    def _refusal(self, wait_s: float) -> QuotaError:
        if self._day_is_over:
            again = self._clock.now() + timedelta(seconds=wait_s)
            return QuotaError(
                "the day's quota of the Gmail API is used up; it is tried again by itself at "
                f"{again:%H:%M} UTC",
                retry_after_s=wait_s,
                day=True,
            )
        return QuotaError(
            f"the minute's quota of the Gmail API is used up for {wait_s:.0f} s",
            retry_after_s=wait_s,
        )

    async def _wait(self, seconds: float) -> None:
        """Wait for a place or for *seconds*, whichever comes first."""
        changed = self._changed
        async with anyio.create_task_group() as group:

            async def ring() -> None:
                await self._clock.sleep(seconds)
                group.cancel_scope.cancel()

            group.start_soon(ring)
            await changed.wait()
            group.cancel_scope.cancel()

    def slow_down(self, retry_after_s: float | None, *, day: bool = False) -> None:
        """The API refused a call for its rate: nobody calls for a while.

        Google seldom says for how long; without a word of it the rest doubles from two seconds to a
        minute. After *day* it is asked again every hour, for the owner may have raised the quota.
        """
        now_s = self._clock.boot_s()
        if now_s >= self._rest_until_s:
            # Calls side by side meet one limit together: their refusals are one reason to rest.
            self._strikes += 1
        if day:
            rest_s = min(_DAY_REST_S, seconds_of_day_left(self._clock.now()) + 60.0)
            self._day_is_over = True
        elif retry_after_s is not None:
            rest_s = min(max(retry_after_s, 0.0), _LONGEST_ASKED_S)
        else:
            rest_s = min(_FIRST_REST_S * 2 ** (self._strikes - 1), _LONGEST_REST_S)
        self._rest_until_s = max(self._rest_until_s, now_s + rest_s)
