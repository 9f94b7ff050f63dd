"""Units a minute and calls at once, counted for each user by the server's clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.gmail.errors import RefusedError
from tests.support.gmail.settings import Settings


@dataclass(kw_only=True)
class Quota:
    """What each user has spent in this minute, in all, and what is under way."""

    settings: Settings
    now_s: Callable[[], float]
    spent: dict[tuple[str, int], int] = field(default_factory=dict)
    total: Counter[str] = field(default_factory=Counter)
    under_way: Counter[str] = field(default_factory=Counter)
    most_at_once: Counter[str] = field(default_factory=Counter)

    def charge(self, user: str, method: str) -> None:
        """Count the call's units; raises 403 rateLimitExceeded, which says nothing of when."""
        units = self.settings.units.get(method, 0)
        minute = (user, int(self.now_s() // 60))
        if self.spent.get(minute, 0) + units > self.settings.units_per_minute:
            raise RefusedError(
                403, "rateLimitExceeded", "Quota exceeded: Units per minute per user"
            )
        self.spent[minute] = self.spent.get(minute, 0) + units
        self.total[user] += units

    @contextmanager
    def running(self, user: str) -> Iterator[None]:
        """A call under way; raises 429 where too many are."""
        if self.under_way[user] >= self.settings.concurrent:
            raise RefusedError(429, "rateLimitExceeded", "Too many concurrent requests for user")
        self.under_way[user] += 1
        self.most_at_once[user] = max(self.most_at_once[user], self.under_way[user])
        try:
            yield
        finally:
            self.under_way[user] -= 1
