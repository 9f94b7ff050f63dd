"""A store that is minded: that it is ill, well again or lost is told once, whoever meets it.

Most faults of a store pass (a full disk, a lock), and the loops go on until they have; each of them
meets the same fault again and again, so it is told here and nowhere else: with its remedy, at most
once a minute, and then that it is over, with how many tasks had to wait. A store whose disk is full
can still be read: only a write that succeeds ends what a write began. A database that was removed,
replaced, set back or migrated by another release is gone for this process whatever it does; the
daemon waits for that here and ends in order, instead of meeting the same fault for ever. Nothing is
retried or hidden: every error still reaches the caller of the unit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio
import structlog
from sqlalchemy import Connection

from storage.errors import (
    SchemaError,
    StorageBusyError,
    StorageError,
    StorageGoneError,
    StorageIllError,
)
from storage.together import Store
from storage.words import Clock

T = TypeVar("T")

log = structlog.get_logger()

TELL_EVERY_S: Final = 60.0
"""How often at most it is told that the store is ill, while it is."""

FLAPPING_S: Final = 5.0
"""For how long nothing is told after the store has answered again."""


class MindedStore:
    """Another store, and the error that says that it is gone for good."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lost = anyio.Event()
        self._error: StorageGoneError | SchemaError | None = None
        self._quiet_until_s = 0.0
        self._is_told = False
        self._cannot_write = False
        self._since_s = 0.0
        self._waited: set[int] = set()

    @property
    def error(self) -> StorageGoneError | SchemaError | None:
        """Why the store is gone for this process, None while it is there."""
        return self._error

    async def write(self, unit: Callable[[Connection], T]) -> T:
        """Run a unit of work in one transaction."""
        return await self._minded(self._store.write, unit, writes=True)

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run a reading unit of work."""
        return await self._minded(self._store.read, unit, writes=False)

    async def until_lost(self) -> StorageGoneError | SchemaError:
        """Wait until the store is gone; why it is."""
        while self._error is None:
            await self._lost.wait()
        return self._error

    async def _minded(
        self,
        run: Callable[[Callable[[Connection], T]], Awaitable[T]],
        unit: Callable[[Connection], T],
        *,
        writes: bool,
    ) -> T:
        try:
            result = await run(unit)
        except (StorageGoneError, SchemaError) as error:
            self._error = self._error or error
            self._lost.set()
            raise
        except StorageError as error:
            self._cannot_write |= writes
            self._tell(error)
            raise
        if self._waited and (writes or not self._cannot_write):
            self._is_over()
        return result

    def _is_over(self) -> None:
        if self._is_told:
            away_s = round(self._clock.boot_s() - self._since_s, 1)
            log.info("the store answers again", waited=len(self._waited), away_s=away_s)
        self._is_told = self._cannot_write = False
        self._waited.clear()
        # The next outage is told for itself; one that comes and goes all the time is not.
        self._quiet_until_s = min(self._quiet_until_s, self._clock.boot_s() + FLAPPING_S)

    def _tell(self, error: StorageError) -> None:
        if not self._waited:
            self._since_s = self._clock.boot_s()
        # A call is one task, however often it tries to store its end.
        self._waited.add(anyio.get_current_task().id)
        if self._clock.boot_s() < self._quiet_until_s:
            return
        self._quiet_until_s = self._clock.boot_s() + TELL_EVERY_S
        self._is_told = True
        # Only these have messages of our own; another's may quote what was to be stored.
        ours = isinstance(error, StorageIllError | StorageBusyError)
        problem = str(error) if ours else type(error).__name__
        log.warning("the store does not answer", problem=problem)
