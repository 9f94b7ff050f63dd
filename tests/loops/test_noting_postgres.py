"""Noting and the end of work on one thread at the same moment, on two connections of PostgreSQL.

READ COMMITTED lets a commit fall between two statements of a transaction. So each of the two is
stopped in its middle, in both orders, and the other must wait: neither loses what the other wrote.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import anyio
import pytest
from sqlalchemy import Connection

from assistant.core.plan import Policy
from assistant.house import Account, House
from assistant.loops import ending, reading
from assistant.loops.noting import Pass, note
from assistant.loops.turn import Turn
from leases.keeper import Grip, Keeper
from leases.term import Term
from providers.memory import MemoryMailbox
from providers.mime.reading import read_mail
from providers.ports import Changes
from storage import leases, mailboxes, threads
from storage.leases import Held
from storage.threads import ThreadRow
from storage.words import WATCH_THREAD, FaultPoint, OwnerId, Ref
from tests.support.clock import FakeClock
from tests.support.mails import follow_up, question
from tests.support.postgres import cluster, new_database, opened
from tests.support.world import BOX, OWNER, ROBIN, SECRET, SETTINGS, at_once

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock'"
PATIENCE_S = 20.0


@dataclass
class Middle:
    """The middle of a transaction: whoever comes here says so and waits to be let on."""

    reached: threading.Event = field(default_factory=threading.Event)
    let_on: threading.Event = field(default_factory=threading.Event)
    point: FaultPoint | None = FaultPoint.NOTE_WRITTEN

    def hit(self, point: FaultPoint) -> None:
        """Implements storage.words.Faults."""
        if point is self.point:
            self.stop()

    def stop(self) -> None:
        self.reached.set()
        assert self.let_on.wait(PATIENCE_S)


@dataclass
class Scene:
    """A thread that a worker holds, its first message read, and a second one that was listed."""

    database: str
    mailbox: MemoryMailbox
    clock: FakeClock
    watch: Held
    work: Held
    listed: Changes

    async def house(self, work: Callable[[House, Account], Awaitable[None]], at: Middle) -> None:
        store = await opened(self.database, connections=2)
        house = House(
            store=store,
            clock=self.clock,
            worker=OwnerId("any"),
            keeper=Keeper(store, self.clock, ttl_s=60),
            settings=SETTINGS,
            mark_secret=SECRET,
            read=lambda raw, parents: read_mail(raw, parents=parents),
            aside=at_once,
            sole=False,
            faults=at,
        )
        try:
            await work(house, account(self.mailbox))
        finally:
            await store.close()

    def row(self) -> ThreadRow:
        async def read() -> ThreadRow:
            store = await opened(self.database, connections=1)
            try:
                return await store.read(lambda conn: threads.load(conn, BOX, self.work.thread))
            finally:
                await store.close()

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(anyio.run, read).result()

    async def note(self, house: House, account: Account) -> None:
        cursor = await house.store.read(lambda conn: mailboxes.load(conn, BOX))
        came_from = None if cursor is None else cursor.cursor
        this = Pass(held=self.watch, came_from=came_from, changes=self.listed, lag_ms=0)
        await note(house, account, this)

    async def finish(self, house: House, account: Account, at: Middle) -> None:
        """What the end of a turn does, that began before the second message was listed."""
        record = await house.store.read(lambda conn: reading.record(conn, BOX, self.work.thread))
        record = replace(record, row=replace(record.row, dues=1, revision=1))
        term = Term(started_s=house.clock.boot_s(), ttl_s=60)
        grip = Grip(held=self.work, term=term, clock=house.clock)
        turn = Turn(house=house, account=account, grip=grip, record=record)

        def unit(conn: Connection) -> None:
            leases.lock(conn, BOX, self.work.thread)
            at.stop()
            ending.finish_now(conn, turn, again_at=None)

        await house.store.write(unit)


def account(mailbox: MemoryMailbox) -> Account:
    return Account(
        integration=BOX,
        user=ROBIN,
        owner=OWNER,
        mailbox=mailbox,
        policy=Policy(draft=frozenset(), never_draft_for=()),
        signature="Robin",
        since_s=None,
    )


async def _begin(database: str) -> Scene:
    clock = FakeClock()
    mailbox = MemoryMailbox(clock)
    store = await opened(database, connections=2)
    try:
        held = await store.write(_taken)
        house = House(
            store=store,
            clock=clock,
            worker=OwnerId("watcher"),
            keeper=Keeper(store, clock, ttl_s=60),
            settings=SETTINGS,
            mark_secret=SECRET,
            read=lambda raw, parents: read_mail(raw, parents=parents),
            aside=at_once,
            sole=False,
        )
        mailbox.deliver(question(1))
        first = await mailbox.changes(None, since=None, known=_unknown)
        await note(
            house, account(mailbox), Pass(held=held, came_from=None, changes=first, lag_ms=0)
        )
        taken = await store.write(
            lambda conn: leases.take_due(
                conn, OwnerId("worker"), ttl_ms=600_000, limit=1, allowed={BOX}, alone=False
            )
        )
        mailbox.deliver(follow_up(1))
        second = await mailbox.changes(first.cursor, since=None, known=_unknown)
        return Scene(database, mailbox, clock, held, taken.held[0], second)
    finally:
        await store.close()


def _taken(conn: Connection) -> Held:
    mailboxes.ensure(conn, BOX, ROBIN, "memory")
    held = leases.acquire(conn, BOX, WATCH_THREAD, OwnerId("watcher"), 600_000)
    assert held is not None
    return held


async def _unknown(_: Sequence[Ref]) -> frozenset[Ref]:
    return frozenset()


@pytest.fixture
def scene() -> Iterator[Scene]:
    with new_database() as database, ThreadPoolExecutor(1) as pool:
        yield pool.submit(anyio.run, _begin, database).result()


def _other_waits(scene: Scene, other: Future[None]) -> bool:
    """Wait until the other transaction waits for a lock; False when it ended instead."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if other.done():
            return False
        if cluster().sql(WAITING.format(scene.database))[0][0]:
            return True
        time.sleep(0.02)
    raise AssertionError("the other transaction neither waited nor ended")


def _both(scene: Scene, *, noting_first: bool) -> bool:
    """One stops in its middle, the other begins; gives whether the other waited."""
    note_at, finish_at = Middle(), Middle()

    def noting() -> None:
        anyio.run(scene.house, scene.note, note_at)

    def finishing() -> None:
        async def work(house: House, account: Account) -> None:
            await scene.finish(house, account, finish_at)

        anyio.run(scene.house, work, Middle(point=None))

    first, first_at = (noting, note_at) if noting_first else (finishing, finish_at)
    second, second_at = (finishing, finish_at) if noting_first else (noting, note_at)
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        assert first_at.reached.wait(PATIENCE_S)
        second_at.let_on.set()
        other = pool.submit(second)
        waited = _other_waits(scene, other)
        first_at.let_on.set()
        one.result(PATIENCE_S)
        other.result(PATIENCE_S)
    return waited


@pytest.mark.parametrize("noting_first", [True, False])
def test_no_due_is_lost_between_noting_and_the_end_of_work(
    scene: Scene, noting_first: bool
) -> None:
    _both(scene, noting_first=noting_first)
    assert scene.row().due_at is not None


@pytest.mark.parametrize("noting_first", [True, False])
def test_no_revision_is_lost_between_noting_and_the_end_of_work(
    scene: Scene, noting_first: bool
) -> None:
    _both(scene, noting_first=noting_first)
    assert scene.row().revision == 2


@pytest.mark.parametrize("noting_first", [True, False])
def test_noting_and_the_end_of_work_wait_for_each_other(scene: Scene, noting_first: bool) -> None:
    assert _both(scene, noting_first=noting_first)
