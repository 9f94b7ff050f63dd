"""Who is in work in this process, and who must be there alone.

What a stranger's mail provokes may kill the whole process, and then nobody can say which piece of
work did it. So a thread or a mailbox whose last holder died is worked on alone: a death then is its
own. Everything that reads strangers' mail stands on this floor, beside others or alone.

It decides nothing about leases and lives in memory only; after a crash it is empty.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio


class Floor:
    """A place for many at a time, or for one alone; who wants to be alone goes first."""

    def __init__(self) -> None:
        self._beside = 0
        self._alone = False
        self._asking = 0
        self._changed = anyio.Event()

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        """Work beside others; waits while somebody is alone or asks to be."""
        while self._alone or self._asking:
            await self._changed.wait()
        self._beside += 1
        try:
            yield
        finally:
            self._beside -= 1
            self._wake()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Work alone; waits until all others have ended, and keeps new ones out."""
        self._asking += 1
        try:
            while self._alone or self._beside:
                await self._changed.wait()
            self._alone = True
        finally:
            self._asking -= 1
            self._wake()
        try:
            yield
        finally:
            self._alone = False
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
