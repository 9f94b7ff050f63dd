"""This process's epoch: begun at a start, moved on at each beat, told to the witness each time.

    begin --> beat (every quarter of a lease; hourly another epoch) --> ... --> end

It is how the next start, on whichever store, knows the database by nearly the newest that was
written to it, and how this process notices that the database went back in time under it, or that
another release has migrated it. Both end the process in order (see ``assistant.minded``). What a
witness is and what is made of it: ``storage.epochs``.

A crash leaves the witness of the last beat, which a sound database bears out.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import structlog
from sqlalchemy import Connection

from assistant.minded import MindedStore
from storage import epochs, fences, threads
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.events import log as log_event
from storage.revisions import chain, require_still
from storage.witness import Witness
from storage.words import Clock

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class Epoch:
    """The epoch of one process; ``known`` are the schema revisions of the release that it runs."""

    store: MindedStore
    data_dir: Path
    clock: Clock
    known: Mapping[str, str | None] = field(default_factory=chain)
    _witness: Witness | None = None
    _renewed_s: float = 0.0

    async def begin(self) -> None:
        """Act on the alarm of a database that is not the one written last, then begin an epoch.

        To be done before the first lease. Raises StorageError.
        """
        alarm = await epochs.check(self.store, self.data_dir)
        if alarm is not None:
            log.warning("the database is not the one written last", kind=str(alarm.kind))

            def unit(conn: Connection) -> None:
                fences.raise_all(conn, alarm.fence)
                threads.reconcile_everything(conn)
                log_event(conn, database_now_ms(conn), "", "", "restored", alarm=str(alarm.kind))

            await self.store.write(unit)
        await self._renew(fence=alarm.fence if alarm else 0)

    async def beat(self) -> None:
        """Move the epoch on; once an hour begin another.

        Raises StorageError; StorageGoneError where the database went back in time, SchemaError
        where another release has migrated it.
        """
        if self._witness is None:
            raise RuntimeError("an epoch is begun before it is moved on")
        unchanged = partial(require_still, known=self.known)
        self._witness = await epochs.move_on(
            self.store, self.data_dir, self._witness, also=unchanged
        )
        if self.clock.boot_s() >= self._renewed_s + epochs.RENEW_EVERY_S:
            await self._renew(at_work=True)

    async def end(self) -> None:
        """Move the epoch on a last time, as far as the store lets us: an orderly end."""
        if self._witness is not None and self.store.error is None:
            with suppress(StorageError):
                await self.beat()

    async def _renew(self, *, fence: int = 0, at_work: bool = False) -> None:
        self._witness = await epochs.renew(self.store, self.data_dir, fence=fence, at_work=at_work)
        self._renewed_s = self.clock.boot_s()
