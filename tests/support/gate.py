"""One process's way to the outside: where a test kills, stops or fails it.

Everything that a process does to the world goes through its gate: the store, its mailbox, the
clock. A killed process never gets an answer any more and does nothing more; its tasks stay where
they are until ``bury`` lets the event loop drop them, and even then nothing of theirs gets through.
That is what kill -9 is to the rest of the world. A stopped process goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

import anyio
from sqlalchemy import Connection

from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Json,
    Known,
    Look,
    LookRequest,
    Mailbox,
    Profile,
    Snapshot,
    Staged,
    ThreadScope,
)
from storage.database import Hook
from storage.words import (
    NO_FAULTS,
    Clock,
    FaultPoint,
    Faults,
    IntentId,
    Kind,
    Outcome,
    Ref,
)
from tests.support.clock import FakeClock
from tests.support.database import CommitFault, InlineDatabase

T = TypeVar("T")


class KilledError(BaseException):
    """The process is dead; nobody in it may catch this and go on."""


class RestlessError(BaseException):
    """The process does more than anything could need; nobody may catch this and go on."""


Action = Callable[["Gate"], None]
Hold = Callable[[], Awaitable[None]]
Ear = Callable[[str, IntentId, int, object], None]


@dataclass(slots=True)
class Gate:
    """Whether a process may go on, and what is to happen to it where.

    ``at`` maps a fault point, ``on`` the name of a crossing, to what happens there the first time;
    ``acts`` are what happens by the number of the crossing (an await of the store, the mailbox or
    the clock, before and after); ``kill_at`` and ``stop_at`` are the numbers of those at which it
    dies or stops. ``holds`` keep one task at a crossing (its name, and the how-manieth of that
    name) while the others go on; ``commits`` are what becomes of a COMMIT, by the number of the
    write. ``ear`` hears of changing calls, of looks and of direct gets.
    """

    name: str
    at: dict[FaultPoint, Action] = field(default_factory=dict)
    on: dict[str, Action] = field(default_factory=dict)
    kill_at: int | None = None
    stop_at: int | None = None
    crossings: int = 0
    crossed: list[str] = field(default_factory=list)
    points: Counter[FaultPoint] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    holds: dict[tuple[str, int], Hold] = field(default_factory=dict)
    acts: dict[int, Action] = field(default_factory=dict)
    commits: dict[int, CommitFault] = field(default_factory=dict)
    ear: Ear | None = None
    most: int = 1_000_000
    stops: int = 0
    fails: int = 0
    dead: bool = False
    buried: bool = False
    database: InlineDatabase | None = None
    _stopped: anyio.Event | None = None
    _grave: anyio.Event = field(default_factory=anyio.Event)

    def hit(self, point: FaultPoint) -> None:
        """Implements storage.words.Faults."""
        self.points[point] += 1
        action = self.at.pop(point, None)
        if action is not None:
            action(self)

    async def cross(self, what: str) -> None:
        """Pass the border of the process."""
        self._check_buried()
        self.crossings += 1
        self.crossed.append(what)
        self.counts[what] += 1
        if self.crossings > self.most:
            raise RestlessError(f"{self.name} never rests: {self.counts.most_common(3)}")
        action = self.on.pop(what, None)
        if action is not None:
            action(self)
        by_number = self.acts.pop(self.crossings, None) if self.acts else None
        if by_number is not None:
            by_number(self)
        if self.crossings == self.kill_at:
            self.dead = True
        if self.crossings == self.stop_at:
            self.stop()
        if self.holds and not self.dead:
            await self._hold(what)
        while self._stopped is not None and not self.dead:
            await self._stopped.wait()
        if self.dead:
            await self._grave.wait()
            raise KilledError

    @property
    def stopped(self) -> bool:
        """Whether it is stopped now."""
        return self._stopped is not None

    def kill(self) -> None:
        """Die now."""
        self.dead = True
        raise KilledError

    def stop(self) -> None:
        """SIGSTOP: nothing crosses until ``go_on``."""
        if self._stopped is None:
            self._stopped = anyio.Event()
            self.stops += 1

    def go_on(self) -> None:
        """SIGCONT."""
        if self._stopped is not None:
            self._stopped.set()
            self._stopped = None

    def bury(self) -> None:
        """Let the tasks of a dead process end without a word."""
        self.dead = self.buried = True
        self._grave.set()
        self.go_on()

    def hear(self, what: str, intent: IntentId, attempt: int, result: object) -> None:
        """Tell whoever keeps books."""
        if self.ear is not None:
            self.ear(what, intent, attempt, result)

    async def _hold(self, what: str) -> None:
        hold = self.holds.pop((what, self.counts[what]), None)
        if hold is not None:
            await hold()

    def _check_buried(self) -> None:
        if self.buried:
            raise KilledError


def kill(gate: Gate) -> None:
    """An action: kill -9."""
    gate.kill()


def stop(gate: Gate) -> None:
    """An action: SIGSTOP, at the next crossing."""
    gate.stop()


def fail(error: BaseException) -> Action:
    """An action: raise *error*."""

    def act(_: Gate) -> None:
        raise error

    return act


def commit_fault(fault: CommitFault) -> Action:
    """An action for points inside a transaction: what its COMMIT will do."""

    def act(gate: Gate) -> None:
        assert gate.database is not None
        gate.database.pending_fault = fault

    return act


class GatedStore:
    """The store as one process reaches it; implements storage.database.Database."""

    def __init__(self, inner: InlineDatabase, gate: Gate) -> None:
        self.inner = inner
        self.gate = gate
        gate.database = inner

    @property
    def dialect(self) -> str:
        return self.inner.dialect

    async def write(self, unit: Callable[[Connection], T], *, committed: Hook | None = None) -> T:
        await self.gate.cross("write")
        fault = self.gate.commits.pop(self.gate.counts["write"], None)
        self.gate.fails += int(fault is not None)
        result = await self.inner.write(self._signed(unit, fault), committed=committed)
        # As every store: what was committed is known before a cancellation is.
        with anyio.CancelScope(shield=True):
            await self.gate.cross("written")
        return result

    def _signed(
        self, unit: Callable[[Connection], T], fault: CommitFault | None
    ) -> Callable[[Connection], T]:
        def signed(conn: Connection) -> T:
            self.inner.writer = self.gate.name
            result = unit(conn)
            self.inner.pending_fault = fault or self.inner.pending_fault
            return result

        return signed

    async def read(self, unit: Callable[[Connection], T]) -> T:
        await self.gate.cross("read")
        result = await self.inner.read(unit)
        await self.gate.cross("have read")
        return result

    async def close(self) -> None:
        """The store is the world's."""


class GatedClock:
    """The clock as one process knows it; asleep it is deaf to kill and stop until it wakes."""

    def __init__(self, inner: FakeClock, gate: Gate) -> None:
        self.inner = inner
        self.gate = gate
        self.wall_off_s = 0.0

    def now(self) -> datetime:
        return self.inner.now() + timedelta(seconds=self.wall_off_s)

    def boot_s(self) -> float:
        return self.inner.boot_s()

    async def sleep(self, seconds: float) -> None:
        await self.inner.sleep(seconds)
        await self.gate.cross("slept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One changing call that left a process for the mailbox."""

    kind: Kind
    intent: IntentId
    attempt: int
    by: str


_HERE: ContextVar[Faults] = ContextVar("faults", default=NO_FAULTS)


class FaultsHere:
    """The fault points of whichever process is calling; for a mailbox that several share."""

    def hit(self, point: FaultPoint) -> None:
        """Implements storage.words.Faults."""
        _HERE.get().hit(point)


class GatedMailbox:
    """A mailbox as one process reaches it; implements providers.ports.Mailbox."""

    def __init__(self, inner: Mailbox, gate: Gate, calls: list[Call]) -> None:
        self.inner = inner
        self.gate = gate
        self.calls = calls

    @property
    def profile(self) -> Profile:
        return self.inner.profile

    async def account(self) -> str:
        return await self._through("account", self.inner.account)

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        return await self._through(
            "changes", lambda: self.inner.changes(cursor, since=since, known=known)
        )

    async def wait(self, seconds: float) -> None:
        await self.inner.wait(seconds)
        await self.gate.cross("waited")

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        return await self._through("fetch", lambda: self.inner.fetch(refs))

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        return await self._through("snapshot", lambda: self.inner.snapshot(scope))

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        return await self._through(
            "stage", lambda: self.inner.stage(content, intent=intent, attempt=attempt)
        )

    async def unstage(self, staged: Staged) -> None:
        await self._through("unstage", lambda: self.inner.unstage(staged))

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        intent = IntentId(str(staged.token.get("intent", "")))
        attempt = int(str(staged.token.get("attempt", 0)))

        async def call() -> Outcome:
            self._count(Kind.CREATE_DRAFT, intent, attempt)
            return await self.inner.create(staged, scope=scope)

        self.gate.hear("leaves", intent, attempt, None)
        outcome = await self._through("create", call)
        self.gate.hear("answer", intent, attempt, outcome)
        return outcome

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        async def call() -> Outcome:
            self._count(Kind.REMOVE_DRAFT, intent, attempt)
            return await self.inner.remove(draft, intent=intent, attempt=attempt)

        self.gate.hear("leaves", intent, attempt, None)
        outcome = await self._through("remove", call)
        self.gate.hear("answer", intent, attempt, outcome)
        return outcome

    async def draft(self, draft: DraftRef) -> DraftNow:
        now = await self._through("draft", lambda: self.inner.draft(draft))
        self.gate.hear("draft", IntentId(""), 0, (draft.ref, now))
        return now

    async def look(self, request: LookRequest) -> Look:
        look = await self._through("look", lambda: self.inner.look(request))
        self.gate.hear("look", request.intent, request.attempt, look)
        return look

    async def close(self) -> None:
        """The mailbox is the world's."""

    def _count(self, kind: Kind, intent: IntentId, attempt: int) -> None:
        self.calls.append(Call(kind=kind, intent=intent, attempt=attempt, by=self.gate.name))

    async def _through(self, what: str, job: Callable[[], Awaitable[T]]) -> T:
        await self.gate.cross(what)
        token = _HERE.set(self.gate)
        try:
            result = await job()
        finally:
            _HERE.reset(token)
        await self.gate.cross(f"{what} done")
        return result


def conforms(gate: Gate, clock: GatedClock, mailbox: GatedMailbox) -> tuple[Faults, Clock, Mailbox]:
    """The ports that these are; checked by the type checker."""
    return gate, clock, mailbox
