"""The watcher: one for each mailbox, under a lease of its own, noting what changed.

Push is a hint (inotify, IDLE), polling the floor. A pass that fails makes the mailbox ``ill`` with
an item that says why, and is tried again after a growing pause; a pass that works closes the item.
One ill mailbox never stops another. A mailbox for which this host of a fleet lacks something is not
ill: its lease is left to the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial

import anyio
import structlog
from sqlalchemy import Connection

from assistant.house import Account, House
from assistant.loggable import loggable
from assistant.loops import health
from assistant.loops.health import Units
from assistant.loops.noting import Noted, Pass, note
from leases.keeper import Grip
from providers.ports import MailboxIllError, ProviderError, ReconnectError
from storage import leases, locks, mailboxes, messages, reviews, watches
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.leases import QUARANTINE_AFTER, Held, LeaseLostError
from storage.mailboxes import AccountError
from storage.signals import Signal
from storage.watches import Taken
from storage.words import WATCH_THREAD, ItemKind, Ref

log = structlog.get_logger()

MAX_PAUSE_S = 900.0
"""The longest pause between two passes over an ill mailbox."""


class Watcher:
    """Watches one mailbox."""

    def __init__(self, house: House, account: Account) -> None:
        self._house = house
        self._account = account
        self._bound = False
        self._failures = 0
        self._free_since_s: float | None = None
        self._waits_for_login = False
        self._told = ""
        self._units = Units(house, account)

    async def run(self) -> None:
        """Watch for ever, whenever the lease can be had and this process's share allows it."""
        watching = self._house.sharing.watching
        while True:
            if self._is_here and await self._may_take():
                watching.add(self._account.integration)
                try:
                    await self._run_while_held()
                finally:
                    watching.discard(self._account.integration)
            await self._house.clock.sleep(self._house.settings.renew_s)

    @property
    def _is_here(self) -> bool:
        """Whether this host has what the mailbox needs, as far as is known."""
        return self._house.serving.has(self._account.integration)

    async def _may_take(self) -> bool:
        """Whether this mailbox is within the share, or was left lying by everybody else."""
        house, integration = self._house, self._account.integration
        if house.sharing.may_take():
            self._free_since_s = None
            return True
        try:
            held = await house.store.read(
                lambda conn: leases.is_held(conn, integration, WATCH_THREAD)
            )
        except StorageError:
            return False
        now_s = house.clock.boot_s()
        if held or self._free_since_s is None:
            self._free_since_s = None if held else now_s
            return False
        return now_s - self._free_since_s >= house.settings.lease_ttl_s

    async def _run_while_held(self) -> None:
        """Watch until the lease cannot be had, is lost, or is given up."""
        while True:
            started_s = self._house.clock.boot_s()
            taken = await self._take(alone=False)
            if taken.orphan and await self._alone() is not None:
                continue
            if taken.held is None:
                return
            try:
                with self._house.keeper.holding(taken.held, started_s=started_s) as grip:
                    await self._watch(grip)
            finally:
                await self._release(taken.held)
            if not (grip.lost and self._is_here):
                return

    async def once(self) -> Noted | None:
        """One pass; None when it could not be made: ill, not here, set aside, watched elsewhere."""
        if not self._is_here:
            return None
        started_s = self._house.clock.boot_s()
        taken = await self._take(alone=False)
        if taken.orphan:
            return await self._alone()
        if taken.held is None:
            return None
        return await self._single(taken.held, started_s, self._beside)

    async def _alone(self) -> Noted | None:
        """One pass after a process died in one: nothing else is in work meanwhile."""
        async with self._house.floor.alone():
            started_s = self._house.clock.boot_s()
            taken = await self._take(alone=True)
            if taken.held is None:
                return None
            return await self._single(taken.held, started_s, self._pass)

    async def _single(
        self, held: Held, started_s: float, make: Callable[[Grip], Awaitable[Noted | None]]
    ) -> Noted | None:
        noted: Noted | None = None
        try:
            with self._house.keeper.holding(held, started_s=started_s) as grip:
                noted = await make(grip)
        finally:
            await self._release(held)
        return noted

    async def _release(self, held: Held) -> None:
        with anyio.CancelScope(shield=True), suppress(StorageError):
            await self._house.store.write(lambda conn: leases.release(conn, held))

    async def _take(self, *, alone: bool) -> Taken:
        try:
            return await self._house.store.write(partial(self._take_unit, alone=alone))
        except StorageError as error:
            log.debug("the store does not answer", error=type(error).__name__)
            return Taken()

    def _take_unit(self, conn: Connection, *, alone: bool) -> Taken:
        house, account = self._house, self._account
        mailboxes.ensure(conn, account.integration, account.user, account.mailbox.profile.provider)
        taken = watches.take(
            conn, account.integration, house.worker, house.settings.lease_ttl_ms, alone=alone
        )
        if taken.set_aside:
            log.error("a mailbox is set aside", mailbox=account.integration)
            reviews.open_item(
                conn,
                database_now_ms(conn),
                ItemKind.QUARANTINED,
                user=account.user,
                integration=account.integration,
                thread=WATCH_THREAD,
                about="watch",
                summary=(
                    f"the mailbox is not watched any more: the process died {QUARANTINE_AFTER} "
                    "times while it looked through it alone; remove what came last, then retry"
                ),
            )
        return taken

    async def _watch(self, grip: Grip) -> None:
        # Armed before the first pass, so that what comes between the two is noticed at once.
        await self._wait(0.0)
        settings = self._house.settings
        # A mailbox above the share of a fleet's member is given up soon.
        poll_s = settings.poll_s if self._house.sole else min(settings.poll_s, settings.renew_s)
        while not (grip.lost or self._house.sharing.gives_up()):
            await self._beside(grip)
            if not self._is_here:
                return
            pause_s = poll_s
            if self._failures:
                # To see whether a login has been made costs the provider nothing.
                doublings = 0 if self._waits_for_login else self._failures - 1
                pause_s = min(pause_s * 2**doublings, MAX_PAUSE_S)
                await self._house.clock.sleep(pause_s)
            else:
                await self._wait(pause_s)

    async def _wait(self, seconds: float) -> None:
        """Wait for a hint; a mailbox that can't give one is met again by the next pass."""
        try:
            await self._account.mailbox.wait(seconds)
        except ProviderError:
            await self._house.clock.sleep(min(seconds, 1.0))

    async def _beside(self, grip: Grip) -> Noted | None:
        async with self._house.floor.beside():
            return await self._pass(grip)

    async def _pass(self, grip: Grip) -> Noted | None:
        try:
            noted = await self._note_changes(grip.held)
            await self._well(grip.held)
            await self._units.tell()
        except LeaseLostError:
            log.warning(
                "a mailbox is watched by another process", mailbox=self._account.integration
            )
            grip.lose()
            return None
        except (ProviderError, AccountError, StorageError) as error:
            await self._failed(grip.held, error)
            return None
        except Exception as error:
            # Whatever a stranger's mail provokes must not silence its mailbox: it is told.
            log.exception("a pass over a mailbox failed")
            await self._failed(grip.held, error)
            return None
        if noted.due:
            self._house.work_bell.ring()
            await self._house.tell_others(Signal.WORK)
        if noted.messages:
            log.info("noted", mailbox=self._account.integration, messages=noted.messages)
        self._house.look_bell.ring()
        return noted

    async def _failed(self, held: Held, error: Exception) -> None:
        """Count a pass that did not end; say that the mailbox is ill, and why."""
        if isinstance(error, AccountError):
            # This host's path may lead to another account than the others'.
            with suppress(StorageError):
                await self._house.see_what_is_here([self._account], new=True)
        if self._house.leaves_to_others(self._account.integration, error) or not self._is_here:
            self._failures, self._told = 0, ""
            return
        self._failures += 1
        self._waits_for_login = isinstance(error, ReconnectError)
        match error:
            case MailboxIllError():
                await self._ill(held, error.problem, error.remedy)
            case AccountError():
                await self._ill(held, error.problem, error.remedy)
            case StorageError():
                log.debug("the store does not answer", error=type(error).__name__)
            case _:
                if self._failures == 1:
                    name = self._account.integration
                    log.warning("a mailbox could not be read for now", mailbox=name)
                known = isinstance(error, ProviderError)
                why = str(error) if known else f"looking through it ended in {type(error).__name__}"
                if self._failures >= 3:
                    await self._ill(held, why, "it is tried again by itself")

    async def _note_changes(self, held: Held) -> Noted:
        account = self._account
        if not self._bound:
            identity = await account.mailbox.account()
            await self._fenced(
                held, lambda conn: mailboxes.bind(conn, account.integration, identity)
            )
            self._bound = True
        row = await self._house.store.read(lambda conn: mailboxes.load(conn, account.integration))
        cursor = row.cursor if row is not None else None
        since = None
        if account.since_s is not None:
            since = self._house.clock.now() - timedelta(seconds=account.since_s)
        changes = await account.mailbox.changes(cursor, since=since, known=self._known)
        lag_ms = self._house.schedule_for(account).lag_ms
        this = Pass(held=held, came_from=cursor, changes=changes, lag_ms=lag_ms)
        return await note(self._house, account, this)

    async def _fenced(self, held: Held, unit: Callable[[Connection], None]) -> None:
        """Run a unit while the watch lease is ours. Raises LeaseLostError when it is not."""

        def fenced(conn: Connection) -> None:
            locks.require(conn, held)
            unit(conn)

        await self._house.store.write(fenced)

    async def _known(self, refs: Sequence[Ref]) -> frozenset[Ref]:
        return await self._house.store.read(
            lambda conn: messages.known_refs(conn, self._account.integration, refs)
        )

    async def _ill(self, held: Held, problem: str, remedy: str) -> None:
        if problem != self._told:
            name = self._account.integration
            log.warning("a mailbox is ill", mailbox=name, problem=loggable(problem))
            self._told = problem
        unit = partial(
            health.ill,
            account=self._account,
            problem=f"{problem}{self._house.here}",
            remedy=remedy,
            reconnect=self._waits_for_login,
        )
        try:
            await self._fenced(held, unit)
        except (StorageError, LeaseLostError) as error:
            log.debug("an ill mailbox could not be told", error=type(error).__name__)

    async def _well(self, held: Held) -> None:
        self._failures, self._told, self._waits_for_login = 0, "", False
        if await self._house.store.read(partial(health.was_ill, account=self._account)):
            await self._fenced(held, partial(health.well, account=self._account))
            log.info("a mailbox is well again", mailbox=self._account.integration)
