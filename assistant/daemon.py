"""The daemon: every loop in one task group, reload, and an orderly end.

    SIGTERM/SIGINT   stop watching and taking; calls in flight end, are recorded, leases released
    a second one     cancel: a call in flight becomes unknown and is recorded as that
    kill -9          survived at any moment: see assistant.effects.guard

One loop's fault does not stop the others: it is logged, and the loop starts again after a pause.
Only a store that is gone for good, or that another release has migrated, ends the daemon by itself,
in the same order as a SIGTERM.
"""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial

import anyio
import structlog
from anyio.abc import TaskGroup, TaskStatus

from assistant import socket as command_socket
from assistant.fleet import Role
from assistant.house import Account
from assistant.loops.notifier import Notifier
from assistant.loops.presence import Presence
from assistant.loops.reconciler import Reconciler
from assistant.loops.watcher import Watcher
from assistant.loops.worker import Worker
from assistant.minded import MindedStore
from assistant.opening import listen
from assistant.process import Process
from assistant.requests import handle
from assistant.socket import Message
from config.loaded import Loaded
from config.watch import watch
from storage.errors import StorageError
from storage.lock import FileLock
from storage.words import IntegrationId

log = structlog.get_logger()

RESTART_S = 5.0
"""How long a loop that failed waits before it starts again."""


@dataclass(slots=True, kw_only=True)
class Daemon:
    """One process at work until it is told to stop; without *lock*, one of many (PostgreSQL)."""

    process: Process
    lock: FileLock | None
    role: Role = Role.ALL
    worker: Worker = field(init=False)
    notifier: Notifier = field(init=False)
    stopping: anyio.Event = field(init=False)
    store: MindedStore = field(init=False)
    watchers: dict[IntegrationId, anyio.CancelScope] = field(default_factory=dict)
    hurried: bool = False

    def __post_init__(self) -> None:
        self.store = self.process.store
        self.worker = Worker(house=self.process.house)
        self.notifier = Notifier(self.process.house)
        self.stopping = anyio.Event()

    async def run(self, *, on_ready: Callable[[], None] | None = None) -> None:
        """Run until a signal ends it.

        Raises StorageGoneError or SchemaError when its store is gone for good.
        """
        async with anyio.create_task_group() as everything:
            async with anyio.create_task_group() as loops:
                everything.start_soon(self._signals, loops, everything)
                everything.start_soon(self._end_without_store)
                everything.start_soon(self._supervise, "keeper", self.process.house.keeper.run)
                if self.lock is not None:
                    await loops.start(self._serve, self.lock)
                await self._start_loops(loops)
                loops.start_soon(self._reload, loops)
                if on_ready is not None:
                    on_ready()
                log.info("running", mailboxes=len(self.process.house.accounts))
                async with anyio.create_task_group() as drained:
                    drained.start_soon(self.stopping.wait)
                    if self.role.works:
                        # Both end when they were drained and their calls are recorded.
                        drained.start_soon(self._supervise, "worker", self.worker.run)
                        drained.start_soon(self._supervise, "notifier", self.notifier.run)
                loops.cancel_scope.cancel()
            everything.cancel_scope.cancel()
        log.info("stopped")
        if self.store.error is not None:
            raise self.store.error

    async def _start_loops(self, loops: TaskGroup) -> None:
        house = self.process.house
        if self.process.fleet is not None:
            # The first beat says how many mailboxes are this process's share.
            await self.process.beat()
            hear = partial(listen, self.process.database, house.clock, house.hear)
            loops.start_soon(self._supervise, "signals", hear)
            presence = Presence(house, role=str(self.role))
            loops.start_soon(self._supervise, "presence", presence.run)
        if self.role.works:
            loops.start_soon(self._supervise, "reconciler", Reconciler(house).run)
        loops.start_soon(self._supervise, "beat", partial(self._beat, loops))
        self._start_watchers(loops, house.accounts.values())

    def _start_watchers(self, loops: TaskGroup, accounts: Iterable[Account]) -> None:
        if self.role.watches:
            for account in accounts:
                loops.start_soon(self._watch, account)

    async def _beat(self, loops: TaskGroup) -> None:
        """Give signs of life; serve a user anew whose file the fleet agreed on meanwhile."""
        process = self.process
        while True:
            await process.house.clock.sleep(process.beat_s)
            try:
                if await process.beat():
                    await self.take_in(process.loaded, loops)
            except StorageError as error:
                log.debug("no sign of life could be given", error=type(error).__name__)

    async def _watch(self, account: Account) -> None:
        with anyio.CancelScope() as scope:
            self.watchers[account.integration] = scope
            watcher = Watcher(self.process.house, account)
            await self._supervise(f"watcher {account.integration}", watcher.run)

    async def _supervise(self, name: str, loop: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await loop()
            except Exception:
                # Supervision: whatever it was, the other loops go on and this one starts again.
                log.exception("a loop failed and starts again", loop=name)
                await self.process.house.clock.sleep(RESTART_S)
            else:
                return

    async def _answer(self, request: Message) -> dict[str, object]:
        """Do what a request asks; a ping is told whose daemon this is as well."""
        answer = await handle(self.process.house, request)
        if request.get("do") == "ping":
            answer["config_dir"] = str(self.process.loaded.config_dir)
        return answer

    async def _serve(self, lock: FileLock, *, task_status: TaskStatus[object]) -> None:
        house = self.process.house
        await command_socket.serve(lock, self._answer, clock=house.clock, task_status=task_status)

    async def _reload(self, loops: TaskGroup) -> None:
        async with aclosing(watch(self.process.loaded)) as changes:
            async for loaded in changes:
                await self.take_in(loaded, loops)

    async def take_in(self, loaded: Loaded, loops: TaskGroup) -> None:
        """Serve what is in force now: start watchers that came, stop those that went."""
        came, went = await self.process.take_in(loaded)
        for account in went:
            scope = self.watchers.pop(account.integration, None)
            if scope is not None:
                scope.cancel()
        self._start_watchers(loops, came)
        log.info("configuration taken in", came=len(came), went=len(went))

    def _drain(self) -> None:
        self.stopping.set()
        if self.process.fleet is not None:
            self.process.fleet.draining = True
        self.worker.drain()
        self.notifier.drain()

    async def _end_without_store(self) -> None:
        gone = await self.store.until_lost()
        log.error("stopping: the store is gone", problem=str(gone))
        self._drain()

    async def _signals(self, loops: TaskGroup, everything: TaskGroup) -> None:
        stops = 0
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
            async for _ in received:
                stops += 1
                if stops == 1:
                    log.info("stopping: calls in flight end first")
                    self._drain()
                else:
                    log.warning("stopping at once: a call in flight becomes unknown")
                    self.hurried = True
                    loops.cancel_scope.cancel()
                    everything.cancel_scope.cancel()
                    return
