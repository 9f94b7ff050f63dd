"""A world to test in: one mailbox, one store, one clock, and processes that come and go.

A process is a real House with the real loops; only its ways out lead through a gate. ``drive`` runs
its work and moves the clock whenever everybody sleeps; a process that was killed on the way is
buried and ``drive`` gives None.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import anyio
from sqlalchemy import Connection

from assistant.commands.review import Answer, Decision, perform
from assistant.core.plan import Policy
from assistant.house import Account, House, Receiver, Telling
from assistant.loops.notifier import Notifier as NotifierLoop
from assistant.loops.noting import Noted
from assistant.loops.reconciler import Reconciler
from assistant.loops.turn import Result
from assistant.loops.watcher import Watcher
from assistant.loops.worker import Worker
from assistant.settings import Settings
from leases.keeper import Keeper
from providers.memory import Effect, FaultPlan, FaultyMailbox, Journal
from providers.mime.message import Mail, Owner
from providers.mime.reading import read_mail
from providers.notifier_port import Notifier
from providers.ports import Folder, Mailbox
from storage import drafts, evidence, fences, intents, leases, reviews, threads
from storage.drafts import Draft
from storage.errors import StorageError
from storage.evidence import Fact
from storage.intents import Intent
from storage.reviews import Item
from storage.threads import ThreadRow
from storage.words import (
    Action,
    Category,
    IntegrationId,
    IntentId,
    IntentState,
    ItemKind,
    OwnerId,
    UserName,
)
from tests.support.clock import FakeClock, NothingMovesError, quiesce, single_errors
from tests.support.database import InlineDatabase
from tests.support.gate import Call, Gate, GatedClock, GatedMailbox, GatedStore, KilledError
from tests.support.hands import Hands, Lying, MaildirHands, MemoryHands, Reopening

T = TypeVar("T")

BOX = IntegrationId("robin/local")
ROBIN = UserName("robin")
SECRET = b"the secret of this installation"
OWNER = Owner(name="Robin Vale", addresses=("robin@example.com",))
SETTINGS = Settings()


async def at_once(job: Callable[[], T], /) -> T:
    """An assistant.house.Aside that needs no thread."""
    return job()


@lru_cache(maxsize=4096)
def _read(raw: bytes, parents: tuple[str, ...]) -> Mail:
    return read_mail(raw, parents=parents)


@dataclass
class Process:
    """One process at work: its house, and its loops one pass at a time."""

    world: World
    house: House
    gate: Gate
    account: Account
    watcher: Watcher = field(init=False)
    worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        self.watcher = Watcher(self.house, self.account)
        self.worker = Worker(house=self.house)

    async def note(self) -> Noted | None:
        """One pass of the watcher."""
        return await self.watcher.once()

    async def work(self) -> list[Result]:
        """Take and work on everything that is due now; what came of each."""
        results: list[Result] = []
        self.worker.on_result = lambda _, result: results.append(result)
        started = True
        while started:
            try:
                with single_errors():
                    async with anyio.create_task_group() as group:
                        started = await self.worker._round(group)
            except StorageError:
                # As the worker's own loop: it tries again later.
                return results
        return results

    async def reconcile(self) -> int:
        """One pass of the reconciler."""
        return await Reconciler(self.house).pass_once()

    async def tell(self) -> None:
        """One pass of the notifier."""
        await NotifierLoop(self.house).pass_once()

    async def all(self) -> list[Result]:
        """One pass of everything, as ``once`` does it."""
        await self.reconcile()
        await self.note()
        results = await self.work()
        await self.reconcile()
        return results

    async def decide(
        self, item: int, action: Action, *, key: str, ref: str | None = None
    ) -> Answer:
        """A person decides."""
        return await perform(self.house, Decision(items=(item,), action=action, key=key, ref=ref))

    async def loops(self) -> None:
        """Every loop of the daemon, for ever."""
        async with anyio.create_task_group() as group:
            group.start_soon(self.house.keeper.run)
            group.start_soon(self.watcher.run)
            group.start_soon(Reconciler(self.house).run)
            group.start_soon(self.worker.run)
            if self.house.tellings:
                group.start_soon(NotifierLoop(self.house).run)


class World:
    """See the module's text. *path* makes the mailbox a Maildir there; *store* is the engine.

    *hands* makes another kind of mailbox.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        lag_s: float = 0.0,
        stages: bool = True,
        settings: Settings = SETTINGS,
        store: Callable[[FakeClock], InlineDatabase] = InlineDatabase,
        hands: Callable[[FakeClock], Hands] | None = None,
    ) -> None:
        # Files carry the kernel's time, so a Maildir's world begins now.
        self.clock = FakeClock() if path is None else FakeClock(datetime.now(UTC))
        self.db = store(self.clock)
        self.settings = settings
        self.plan = FaultPlan()
        self.journal = Journal(self._see_effect)
        self.calls: list[Call] = []
        self.notices: list[bytes] = []
        self.processes: list[Process] = []
        self.hands: Hands
        if hands is not None:
            self.hands = hands(self.clock)
        elif path is None:
            self.hands = MemoryHands(self.clock, lag_s=lag_s, stages=stages)
        else:
            self.hands = MaildirHands(self.clock, path)
        self.box = self._faulty(self.hands.mailbox)
        self._names = itertools.count(1)
        self._behind: anyio.abc.TaskGroup | None = None

    def _faulty(self, inner: Mailbox) -> FaultyMailbox:
        return FaultyMailbox(inner, self.plan, clock=self.clock, journal=self.journal)

    # processes

    def process(
        self,
        *,
        sole: bool = False,
        notifier: Notifier | None = None,
        settings: Settings | None = None,
        since_s: float | None = None,
    ) -> Process:
        """Start a process. *sole*: it holds the file lock, so every other one is dead."""
        name = f"p{next(self._names)}"
        gate = Gate(name=name)
        store = GatedStore(self.db, gate)
        clock = GatedClock(self.clock, gate)
        if isinstance(self.hands, Reopening):
            self.box.inner = self.hands.reopened()
        numbers = settings or self.settings
        house = House(
            store=store,
            clock=clock,
            worker=OwnerId(name),
            keeper=Keeper(store, clock, ttl_s=numbers.lease_ttl_s),
            settings=numbers,
            mark_secret=SECRET,
            read=lambda raw, parents: _read(raw, tuple(parents)),
            aside=at_once,
            sole=sole,
            faults=gate,
        )
        account = Account(
            integration=BOX,
            user=ROBIN,
            owner=OWNER,
            mailbox=GatedMailbox(self.box, gate, self.calls),
            policy=Policy(draft=frozenset({Category.NEEDS_REPLY}), never_draft_for=()),
            signature="Robin",
            since_s=since_s,
        )
        house.accounts = {BOX: account}
        if notifier is not None:
            receiver = Receiver(address="https://hooks.example.com/~1", notifier=notifier)
            kinds = frozenset({"draft_ready", "outcome_unknown"})
            house.tellings = {ROBIN: Telling(user=ROBIN, receivers=(receiver,), kinds=kinds)}
        if sole:
            self.db.run(fences.take_over_all)
        process = Process(world=self, house=house, gate=gate, account=account)
        self.processes.append(process)
        return process

    async def drive(
        self, work: Callable[[], Awaitable[T]], *, limit_s: float = 4 * 86_400.0
    ) -> T | None:
        """Run *work* to its end, moving the clock on as it sleeps.

        None when it was killed, or stopped: then it goes on in the ``background`` when it may.
        """
        done: list[T] = []
        until_s = self.clock.boot_s() + limit_s

        async def run() -> None:
            done.append(await work())

        if self._behind is not None:
            self._behind.start_soon(_until_killed, run)
            return await self._wait_for(done, until_s, None)
        try:
            with single_errors():
                async with anyio.create_task_group() as group:
                    group.start_soon(run)
                    return await self._wait_for(done, until_s, group)
        except KilledError:
            self._bury_the_dead(None)
        return None

    async def _wait_for(
        self, done: list[T], until_s: float, group: anyio.abc.TaskGroup | None
    ) -> T | None:
        while True:
            await quiesce()
            if done:
                return done[0]
            if self._bury_the_dead(group) or any(one.gate.stopped for one in self.processes):
                return None
            self._move(until_s)

    @asynccontextmanager
    async def background(self) -> AsyncIterator[anyio.abc.TaskGroup]:
        """While it lasts, work that is stopped stays, and goes on when its process may."""
        with single_errors():
            async with anyio.create_task_group() as group:
                self._behind = group
                try:
                    yield group
                finally:
                    self._behind = None
                    for process in self.processes:
                        process.gate.bury()
                    group.cancel_scope.cancel()

    def _move(self, until_s: float) -> None:
        wake_s = self.clock.next_wake_s
        if wake_s is None or self.clock.boot_s() + wake_s > until_s:
            last = {one.gate.name: one.gate.crossed[-3:] for one in self.processes}
            raise NothingMovesError(f"the work neither ended nor slept; last crossed: {last}")
        self.clock.skip(max(0.0, wake_s))

    def _bury_the_dead(self, group: anyio.abc.TaskGroup | None) -> bool:
        dead = [one for one in self.processes if one.gate.dead and not one.gate.buried]
        for one in dead:
            one.gate.bury()
        if dead and group is not None:
            group.cancel_scope.cancel()
        return bool(dead)

    async def pass_days(self, process: Process, days: float = 2.0) -> None:
        """Let time pass, with a pass of everything whenever a look or a thread falls due."""
        until_s = self.clock.boot_s() + days * 86_400
        if await self.drive(process.note) is None:
            # Another watcher's lease: it ends by time.
            self.shift_lease()
            await self.drive(process.note)
        noted_s = self.clock.boot_s()
        while self.clock.boot_s() < until_s:
            await self.drive(process.reconcile)
            await self.drive(process.work)
            wait_s = self._due_in_s()
            if wait_s is None or self.clock.boot_s() >= noted_s + self.settings.poll_s:
                # What this pass notes may make looks and threads due once more.
                noted_s = self.clock.boot_s()
                await self.drive(process.note)
                wait_s = self._due_in_s()
            if wait_s is None:
                break
            self.clock.skip(max(wait_s, 1.0))

    def _due_in_s(self) -> float | None:
        due_ms = [when for when in self.read(_next_times) if when is not None]
        return min(due_ms) / 1000 - self.clock.database_s() if due_ms else None

    def shift_lease(self) -> None:
        """Let every lease run out."""
        self.clock.skip(self.settings.lease_ttl_s + 1)

    # what everybody can see

    def read(self, unit: Callable[[Connection], T]) -> T:
        """Read the store beside every process."""
        return self.db.run(unit)

    def intents(self) -> list[Intent]:
        return self.read(intents.everything)

    @property
    def intent(self) -> Intent:
        """The only intent there is."""
        (only,) = self.intents()
        return only

    def facts(self, intent: IntentId) -> list[Fact]:
        return self.read(lambda conn: evidence.of_intent(conn, intent))

    def threads(self) -> list[ThreadRow]:
        names = self.db.ask("SELECT thread FROM threads ORDER BY thread")
        return [
            self.read(lambda conn, name=str(name): threads.load(conn, BOX, name))  # type: ignore[misc]
            for (name,) in names
        ]

    @property
    def thread(self) -> ThreadRow:
        """The only thread there is."""
        (only,) = self.threads()
        return only

    def records(self) -> list[Draft]:
        """Every recorded draft."""
        ids = self.db.ask("SELECT id FROM drafts ORDER BY id")
        found = [self.read(lambda conn, one=one: drafts.one(conn, int(str(one)))) for (one,) in ids]  # type: ignore[misc]
        return [draft for draft in found if draft is not None]

    def items(self, *kinds: ItemKind, closed: bool = False) -> list[Item]:
        """Review items, open ones unless *closed*."""
        found = self.read(lambda conn: reviews.listed(conn, closed=closed))
        return [item for item in found if not kinds or item.kind in kinds]

    def item(self, kind: ItemKind) -> Item:
        """The one open item of this kind."""
        (only,) = self.items(kind)
        return only

    def drafts(self) -> list[Lying]:
        """Our unsent drafts, as they really lie in the mailbox."""
        return [one for one in self.hands.lying(Folder.DRAFTS) if one.mark is not None]

    def state_counts(self) -> dict[IntentState, int]:
        found: dict[IntentState, int] = {}
        for intent in self.intents():
            found[intent.state] = found.get(intent.state, 0) + 1
        return found

    # what the mailbox sees

    def _see_effect(self, effect: Effect) -> None:
        """I2: at the moment of an effect its intent and attempt are committed."""
        rows = self.db.ask(
            "SELECT state FROM intents WHERE id = ? AND attempt >= ?", effect.intent, effect.attempt
        )
        if not rows:
            self.db.watch.broken.append(
                f"{effect.kind} of intent {effect.intent[:6]} attempt {effect.attempt} "
                "without a committed intent"
            )


def with_settings(**changes: float) -> Settings:
    """The usual settings with some changed."""
    return replace(SETTINGS, **changes)  # type: ignore[arg-type]


def _next_times(conn: Connection) -> list[int | None]:
    open_leases = conn.exec_driver_sql(
        "SELECT max(l.expires_at) FROM leases l JOIN intents i USING (integration, thread) "
        "WHERE i.state = 'calling'"
    ).scalar()
    return [intents.next_look_at(conn, [BOX]), leases.next_due_at(conn, [BOX]), open_leases]


async def _until_killed(run: Callable[[], Awaitable[None]]) -> None:
    try:
        with single_errors():
            await run()
    except KilledError:
        return
