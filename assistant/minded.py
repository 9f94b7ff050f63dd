"""A store that is minded: its loss is noticed once, by whoever uses it.

Most faults of a store pass (a full disk, a lock), and the loops go on until they have. A database
whose file was removed or replaced is gone for this process whatever it does; the daemon waits for
that here and ends in order, instead of meeting the same fault for ever. Nothing is retried or
hidden: every error still reaches the caller of the unit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
from sqlalchemy import Connection

from assistant.effects.guard import Store
from storage.errors import StorageGoneError

T = TypeVar("T")


class MindedStore:
    """Another store, and the error that says that it is gone for good."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lost = anyio.Event()
        self._error: StorageGoneError | None = None

    @property
    def error(self) -> StorageGoneError | None:
        """Why the store is gone, None while it is there."""
        return self._error

    async def write(self, unit: Callable[[Connection], T]) -> T:
        """Run a unit of work in one transaction."""
        try:
            return await self._store.write(unit)
        except StorageGoneError as error:
            self._error = self._error or error
            self._lost.set()
            raise

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run a reading unit of work."""
        return await self._store.read(unit)

    async def until_lost(self) -> StorageGoneError:
        """Wait until the store is gone; why it is."""
        while self._error is None:
            await self._lost.wait()
        return self._error
