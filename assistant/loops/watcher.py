"""The watcher: one for each mailbox, under a lease of its own, noting what changed.

Push is a hint (inotify, IDLE), polling the floor. A pass that fails makes the mailbox ``ill`` with
an item that says why, and is tried again after a growing pause; a pass that works closes the item.
One ill mailbox never stops another.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

import anyio
import structlog
from sqlalchemy import Connection

from assistant.house import Account, House
from assistant.loops.noting import Noted, note
from leases.keeper import Grip
from providers.ports import MailboxIllError, ProviderError, TransientError
from storage import leases, mailboxes, messages, reviews
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.leases import Held
from storage.mailboxes import AccountError
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

    async def run(self) -> None:
        """Watch for ever, whenever the lease can be had."""
        while True:
            started_s = self._house.clock.boot_s()
            held = await self._acquire()
            if held is None:
                await self._house.clock.sleep(self._house.settings.poll_s)
                continue
            try:
                with self._house.keeper.holding(held, started_s=started_s) as grip:
                    await self._watch(grip)
            finally:
                await self._release(held)

    async def once(self) -> Noted | None:
        """One pass; None when the mailbox is ill or another process watches it."""
        started_s = self._house.clock.boot_s()
        held = await self._acquire()
        if held is None:
            return None
        noted: Noted | None = None
        with self._house.keeper.holding(held, started_s=started_s):
            noted = await self._pass()
        await self._release(held)
        return noted

    async def _release(self, held: Held) -> None:
        with anyio.CancelScope(shield=True), suppress(StorageError):
            await self._house.store.write(lambda conn: leases.release(conn, held))

    async def _acquire(self) -> Held | None:
        house, account = self._house, self._account

        def unit(conn: Connection) -> Held | None:
            mailboxes.ensure(
                conn, account.integration, account.user, account.mailbox.profile.provider
            )
            return leases.acquire(
                conn,
                account.integration,
                WATCH_THREAD,
                house.worker,
                house.settings.lease_ttl_ms,
            )

        try:
            return await house.store.write(unit)
        except StorageError as error:
            log.warning("the store does not answer", error=type(error).__name__)
            return None

    async def _watch(self, grip: Grip) -> None:
        # Armed before the first pass, so that what comes between the two is noticed at once.
        await self._wait(0.0)
        while not grip.lost:
            await self._pass()
            pause_s = self._house.settings.poll_s
            if self._failures:
                pause_s = min(pause_s * 2 ** (self._failures - 1), MAX_PAUSE_S)
                await self._house.clock.sleep(pause_s)
            else:
                await self._wait(pause_s)

    async def _wait(self, seconds: float) -> None:
        """Wait for a hint; a mailbox that can't give one is met again by the next pass."""
        try:
            await self._account.mailbox.wait(seconds)
        except ProviderError:
            await self._house.clock.sleep(min(seconds, 1.0))

    async def _pass(self) -> Noted | None:
        try:
            noted = await self._note_changes()
        except TransientError as error:
            self._failures += 1
            log.warning("a mailbox could not be read for now", mailbox=self._account.integration)
            if self._failures >= 3:
                await self._ill(str(error), "it is tried again by itself")
            return None
        except MailboxIllError as error:
            self._failures += 1
            await self._ill(error.problem, error.remedy)
            return None
        except AccountError as error:
            self._failures += 1
            await self._ill(str(error), "change the user's file")
            return None
        except StorageError as error:
            self._failures += 1
            log.warning("the store does not answer", error=type(error).__name__)
            return None
        await self._well()
        if noted.due:
            self._house.work_bell.ring()
        if noted.messages:
            log.info("noted", mailbox=self._account.integration, messages=noted.messages)
        self._house.look_bell.ring()
        return noted

    async def _note_changes(self) -> Noted:
        account = self._account
        if not self._bound:
            identity = await account.mailbox.account()
            await self._house.store.write(
                lambda conn: mailboxes.bind(conn, account.integration, identity)
            )
            self._bound = True
        row = await self._house.store.read(lambda conn: mailboxes.load(conn, account.integration))
        cursor = row.cursor if row is not None else None
        since = None
        if cursor is None and account.since_s is not None:
            since = self._house.clock.now() - timedelta(seconds=account.since_s)
        changes = await account.mailbox.changes(cursor, since=since, known=self._known)
        return await note(self._house, account, changes)

    async def _known(self, refs: Sequence[Ref]) -> frozenset[Ref]:
        return await self._house.store.read(
            lambda conn: messages.known_refs(conn, self._account.integration, refs)
        )

    async def _ill(self, problem: str, remedy: str) -> None:
        account = self._account
        log.warning("a mailbox is ill", mailbox=account.integration)

        def unit(conn: Connection) -> None:
            now = database_now_ms(conn)
            mailboxes.update(conn, account.integration, problem=problem, remedy=remedy)
            reviews.open_item(
                conn,
                now,
                ItemKind.MAILBOX_ILL,
                user=account.user,
                integration=account.integration,
                about="read",
                summary=f"{problem}: {remedy}",
            )

        try:
            await self._house.store.write(unit)
        except StorageError as error:
            log.warning("the store does not answer", error=type(error).__name__)

    async def _well(self) -> None:
        self._failures = 0
        account = self._account
        row = await self._house.store.read(lambda conn: mailboxes.load(conn, account.integration))
        if row is None or row.problem is None:
            return

        def unit(conn: Connection) -> None:
            mailboxes.update(conn, account.integration, problem=None, remedy=None)
            reviews.close(
                conn,
                database_now_ms(conn),
                "facts",
                kind=ItemKind.MAILBOX_ILL,
                integration=account.integration,
                about="read",
            )

        await self._house.store.write(unit)
