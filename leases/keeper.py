"""The keeper: holds this process's leases, renews them, and stops work whose lease is in doubt.

Every held lease is renewed at a quarter of its length, those that are due in one transaction. A
lease that was not confirmed for two thirds of its length, or that the database says is another's,
is lost: the scope in which its work runs is cancelled, also while a renewal hangs. The work records
its own outcome in a shielded scope (``assistant.effects.guard``), so nothing that is known gets
lost by the cancellation.

    taken --renew--> held --renew--> held ... --release--> free
                      |  \\-- not mine any more ---> lost: cancel the work, leave the row alone
                      \\---- no answer for 2/3 ----> lost: the same

The keeper must not release a lease whose work has not ended: that would make two holders.
After a crash nobody renews, and the database's clock ends the lease.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import anyio
import structlog
from sqlalchemy import Connection

from leases.term import Term
from storage import leases as rows
from storage.errors import StorageError
from storage.leases import Held
from storage.words import Clock

log = structlog.get_logger()
T = TypeVar("T")


class Writes(Protocol):
    """The part of the database that a keeper needs."""

    async def write(self, unit: Callable[[Connection], T]) -> T:
        """Run a unit of work in one transaction."""


@dataclass(slots=True, kw_only=True)
class Grip:
    """One lease in the hand of this process: its term, and the scope in which its work runs."""

    held: Held
    term: Term
    clock: Clock
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    lost: bool = False

    def allows(self, call_s: float) -> bool:
        """Whether a call of at most *call_s* may start now."""
        return not self.lost and self.term.allows(self.clock.boot_s(), call_s)

    def lose(self) -> None:
        """Stop the work."""
        self.lost = True
        self.scope.cancel()

    def renewed(self, started_s: float) -> None:
        """A transaction of the work itself renewed the lease."""
        self.term = self.term.renewed(started_s)


class Keeper:
    """Keeps the leases of one process."""

    def __init__(self, database: Writes, clock: Clock, *, ttl_s: float) -> None:
        self._database = database
        self._clock = clock
        self._ttl_s = ttl_s
        self._grips: dict[tuple[str, str], Grip] = {}
        self._renewing = False

    @property
    def at_work(self) -> int:
        """How many leases are held."""
        return len(self._grips)

    @contextmanager
    def holding(
        self, held: Held, *, started_s: float, ttl_s: float | None = None
    ) -> Iterator[Grip]:
        """Hold *held*, whose taking was asked for at *started_s*, while the body works.

        *ttl_s* is the length for which it was taken, where that is not the usual one.

        The body runs inside the grip's scope: when the lease is lost it is cancelled, and the
        caller sees ``grip.lost``. Releasing is the body's own duty, in its last transaction.
        """
        term = Term(started_s=started_s, ttl_s=ttl_s or self._ttl_s)
        grip = Grip(held=held, term=term, clock=self._clock)
        place = (held.integration, held.thread)
        self._grips[place] = grip
        try:
            with grip.scope:
                yield grip
        finally:
            if self._grips.get(place) is grip:
                del self._grips[place]

    async def run(self) -> None:
        """Renew, and lose what cannot be shown held, for ever."""
        async with anyio.create_task_group() as group:
            while True:
                await self._clock.sleep(self._ttl_s / 8)
                self._lose_overdue()
                # A write that hangs must not keep the deadlines from being looked at.
                if not self._renewing:
                    group.start_soon(self._renew_due)

    def _lose_overdue(self) -> None:
        now_s = self._clock.boot_s()
        overdue = [
            grip
            for grip in self._grips.values()
            if grip.term.remaining_s(now_s) <= 0 and not grip.lost
        ]
        for grip in overdue:
            log.debug("lease not confirmed in time", thread=grip.held.thread)
            grip.lose()
        if overdue:
            log.warning("leases not confirmed in time, work on them stopped", number=len(overdue))

    async def _renew_due(self) -> None:
        """Renew every lease that a quarter has passed for, in one transaction."""
        started_s = self._clock.boot_s()
        due = [grip for grip in self._grips.values() if grip.term.renew_at_s <= started_s]
        if not due:
            return
        self._renewing = True
        try:
            kept = await self._database.write(lambda conn: _renewed(conn, due))
        except StorageError as error:
            log.debug("leases could not be renewed", error=type(error).__name__)
            return
        finally:
            self._renewing = False
        for grip in due:
            if grip.held in kept:
                grip.renewed(started_s)
            elif self._grips.get((grip.held.integration, grip.held.thread)) is grip:
                log.warning("lease taken by another worker, work stopped", thread=grip.held.thread)
                grip.lose()


def _renewed(conn: Connection, due: Sequence[Grip]) -> frozenset[Held]:
    """Renew each for its own length; gives those that are still ours."""
    wanted = {grip.held: int(grip.term.ttl_s * 1000) for grip in due}
    return frozenset(rows.keep_all(conn, wanted))
