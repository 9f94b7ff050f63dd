"""A token source and a limiter that do nothing but what a test sets them to."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from providers.gmail.ports import QuotaError, TokenError


class FixedTokens:
    """Gives one access token; ``trouble`` is raised instead, and refused tokens are noted."""

    def __init__(self, access: str = "access") -> None:
        self.access = access
        self.trouble: TokenError | None = None
        self.told: list[str] = []

    async def token(self) -> str:
        if self.trouble is not None:
            raise self.trouble
        return self.access

    async def refused(self, token: str) -> None:
        self.told.append(token)


class Unlimited:
    """Lets everything through, counts it, and remembers what it is told."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.slowed: list[tuple[float | None, bool]] = []
        self.trouble: QuotaError | None = None

    def spend(self, method: str) -> AbstractAsyncContextManager[None]:
        return self._spend(method)

    @asynccontextmanager
    async def _spend(self, method: str) -> AsyncIterator[None]:
        if self.trouble is not None:
            raise self.trouble
        self.calls[method.removeprefix("gmail.users.")] += 1
        yield

    def slow_down(self, retry_after_s: float | None, *, day: bool = False) -> None:
        self.slowed.append((retry_after_s, day))
