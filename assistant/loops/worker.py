"""The worker: takes due threads with their leases and works on several side by side.

Threads of a mailbox for which this host lacks something are left to other hosts of a fleet. One
round takes the due threads of the mailbox that was served longest ago, so that a mailbox with a
hundred thousand of them starves nobody. A thread whose last worker died is taken alone, when
nothing else is in work here.

The worker stops taking when its scope is cancelled softly (``drain``): calls in flight finish and
are recorded, leases are released by the work itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

import anyio
import structlog

from assistant.house import Account, House
from assistant.loops.attended import Attended
from assistant.loops.turn import Result
from assistant.loops.work import work_on
from storage import leases
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.leases import Held, Taken
from storage.signals import Signal
from storage.words import FaultPoint, IntegrationId

log = structlog.get_logger()

STORE_WAIT_S = 2.0
"""How long the loop waits when the store does not answer."""


@dataclass(slots=True)
class Worker:
    """Works on due threads until it is told to drain."""

    house: House
    results: dict[IntegrationId, Counter[Result]] = field(default_factory=dict)
    draining: bool = False
    in_work: int = 0
    on_result: Callable[[IntegrationId, Result], None] | None = None
    _orphans_wait: bool = False

    def drain(self) -> None:
        """Take nothing more; ``run`` ends when the work in hand has ended."""
        self.draining = True
        self.house.work_bell.ring()

    async def run(self) -> None:
        """Work for ever, or until drained."""
        async with anyio.create_task_group() as group:
            while not self.draining:
                try:
                    started = await self._round(group)
                    pause_s = 0.0 if started else await self._idle_s()
                except StorageError as error:
                    log.debug("the store does not answer", error=type(error).__name__)
                    pause_s = STORE_WAIT_S
                if pause_s > 0 and not self.draining:
                    await self.house.work_bell.wait(pause_s)

    async def until_idle(self, horizon_s: float) -> None:
        """Work until nothing is due within *horizon_s* (0: nothing is due now).

        So long is waited in all with nothing in work, not each time: a thread of a mailbox that
        rests until a look has succeeded is put off again and again, and the look comes after this.
        """
        left_s = horizon_s
        async with anyio.create_task_group() as group:
            while not self.draining:
                if await self._round(group):
                    continue
                wait_s = await self._due_in_s()
                if wait_s is not None and wait_s <= left_s:
                    idle, began_s = not self.in_work, self.house.clock.boot_s()
                    await self.house.work_bell.wait(max(wait_s, 0.05))
                    if idle:
                        left_s -= self.house.clock.boot_s() - began_s
                elif self.in_work:
                    await self.house.work_bell.wait(self.house.settings.poll_s)
                else:
                    return

    async def _round(self, group: anyio.abc.TaskGroup) -> bool:
        house = self.house
        if self.in_work >= house.settings.concurrency:
            await house.work_bell.wait(house.settings.poll_s)
            return True
        async with house.together.calm():
            if self.draining:
                return False
            free = house.settings.concurrency - self.in_work
            started_s = house.clock.boot_s()
            taken = await self._take(free, alone=False)
        self._orphans_wait = taken.orphans
        if taken.orphans:
            return await self._one_alone()
        for held in taken.held:
            self.in_work += 1
            group.start_soon(self._work, held, started_s, False)
        return bool(taken.held)

    async def _one_alone(self) -> bool:
        """Take and work on one thread whose last worker died, with nothing else in work here."""
        if self.in_work:
            return False
        async with self.house.floor.alone():
            if self.draining:
                return False
            started_s = self.house.clock.boot_s()
            taken = await self._take(1, alone=True)
            for held in taken.held:
                self.in_work += 1
                await self._work(held, started_s, True)
        return bool(taken.held)

    async def _take(self, free: int, *, alone: bool) -> Taken:
        house = self.house
        house.faults.hit(FaultPoint.BEFORE_LEASE)
        allowed = frozenset(house.served)
        taken = await house.store.write(
            lambda conn: leases.take_due(
                conn,
                house.worker,
                ttl_ms=house.settings.lease_ttl_ms,
                limit=free,
                allowed=allowed,
                alone=alone,
            )
        )
        if taken.held:
            house.faults.hit(FaultPoint.LEASED)
        return taken

    async def _work(self, held: Held, started_s: float, alone: bool) -> None:
        result = Result.LOST
        try:
            result = await self._hold(held, started_s, alone)
        except StorageError as error:
            # The thread stays due; its lease ends by time.
            log.debug("work on a thread could not be stored", error=type(error).__name__)
        finally:
            self.in_work -= 1
            self.house.work_bell.ring()
        self.results.setdefault(held.integration, Counter())[result] += 1
        if self.on_result is not None:
            self.on_result(held.integration, result)

    async def _hold(self, held: Held, started_s: float, alone: bool) -> Result:
        account = self.house.accounts.get(held.integration)
        if account is None:
            await self._give_back(held)
            return Result.LOST
        turn = anyio.CancelScope()
        with self.house.keeper.holding(held, started_s=started_s) as grip:
            async with nullcontext() if alone else self.house.floor.beside():
                with turn:
                    return await work_on(self.house, self._attended(account, turn), grip)
        # Only a lost lease and what this host lacks lead here: a scope swallows the cancellation.
        if turn.cancelled_caught:
            await self._give_back(held)
            await self.house.tell_others(Signal.WORK)
        return Result.LOST

    def _attended(self, account: Account, turn: anyio.CancelScope) -> Account:
        if self.house.sole:
            return account
        gone = partial(self.house.leaves_to_others, account.integration)
        return replace(account, mailbox=Attended(account.mailbox, turn, gone))

    async def _give_back(self, held: Held) -> None:
        """The thread stays due, for whoever can work on it."""
        await self.house.store.write(lambda conn: leases.release(conn, held))

    async def _idle_s(self) -> float:
        due_in_s = await self._due_in_s()
        poll_s = self.house.settings.poll_s
        return poll_s if due_in_s is None else min(poll_s, max(due_in_s, 0.05))

    async def _due_in_s(self) -> float | None:
        if self._orphans_wait and self.in_work:
            # What is due is taken when nothing else is in work; the end of work rings the bell.
            return self.house.settings.poll_s
        allowed = frozenset(self.house.served)

        when, now = await self.house.store.read(
            lambda conn: (leases.next_due_at(conn, allowed), database_now_ms(conn))
        )
        return None if when is None else (when - now) / 1000
