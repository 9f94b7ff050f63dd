"""One pass over every mailbox, then the end: for cron, ``demo`` and ``try``.

Watches each mailbox once, works until nothing is due within ten seconds, makes the looks that fall
due in that time, sends notices, and says what it did. While it runs it serves the socket as well.
A mailbox that a live process watches is left to it; one whose watcher was killed just now is waited
for, a lease's time at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import anyio
import structlog
from sqlalchemy import Connection

from assistant.house import Account, House
from assistant.loops.notifier import Notifier
from assistant.loops.presence import Presence
from assistant.loops.reconciler import Reconciler
from assistant.loops.turn import Result
from assistant.loops.watcher import Watcher
from assistant.loops.worker import Worker
from assistant.rests import rest_of
from assistant.timing import run_until
from assistant.views_health import pause_of
from storage import leases, mailboxes, overview, reviews, watches, workers
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.reviews import Item
from storage.words import WATCH_THREAD, IntegrationId, ItemKind, OwnerId
from storage.workers import SOON

log = structlog.get_logger()

T = TypeVar("T")

HORIZON_S = 10.0
"""What falls due within this time is waited for (DESIGN section 7)."""

AGAIN_MS = 2_000
"""After so long at most a claim is tried again that waits for a look to succeed."""

RENEWED: Final = 1 / 3
"""The part of a lease within which a holder that lives has renewed it: it does so at a quarter."""

ROUNDS = 20
"""Passes over a mailbox whose threads keep moving while they are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What one pass did in one mailbox; ``problems`` say in words what it could not do.

    ``left_to``: the process that watches it, and therefore reads it; None: this one did.
    ``unread`` mails could not be read and ``aside`` threads not be worked on: review items say why.
    """

    mailbox: IntegrationId
    messages: int
    threads: int
    results: Counter[Result]
    problem: bool
    left_to: OwnerId | None = None
    unread: int = 0
    aside: int = 0
    problems: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether nothing could be done: the mailbox not read, or every thread in it failed."""
        tried = sum(self.results.values()) - self.results[Result.LOST]
        return self.problem or 0 < tried == self.results[Result.FAILED]

    def as_json(self) -> dict[str, object]:
        """The summary as ``once --json`` prints it."""
        worked = Counter(self.results)
        ended = (Result.LOST, Result.AGAIN, Result.FAILED, Result.QUARANTINED)
        return {
            "mailbox": self.mailbox,
            "messages": self.messages,
            "threads": self.threads,
            "triaged": sum(worked.values()) - sum(worked[one] for one in ended),
            "drafted": worked[Result.DRAFTED],
            "unknown": worked[Result.UNKNOWN],
            "quarantined": self.unread + self.aside,
            "failed": worked[Result.FAILED] + int(self.problem),
            "left_to": self.left_to,
            "problems": list(self.all_problems),
        }

    @property
    def all_problems(self) -> tuple[str, ...]:
        """``problems``, and in words what was set aside."""
        return (*self.problems, *self._quarantined())

    def _quarantined(self) -> Iterator[str]:
        counts = ((self.unread, "mail", " could not be read and"), (self.aside, "thread", ""))
        for number, what, why in counts:
            if number:
                were = f"{what}{why} was" if number == 1 else f"{what}s{why} were"
                yield f"{number} {were} set aside; see: fencepost review"


@dataclass(slots=True)
class _Noted:
    messages: int = 0
    threads: int = 0
    problem: bool = False
    left_to: OwnerId | None = None
    waited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Other:
    """Another process that holds the watching of a mailbox; ``until``: epoch milliseconds."""

    owner: OwnerId
    until: int
    lives: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Called as a pass goes on, where somebody watches it.

    ``noted`` with mailbox, messages, threads; ``worked`` each turn; ``waits`` with a mailbox whose
    watcher may have been killed, and for how many seconds at most it is waited for.
    """

    noted: Callable[[IntegrationId, int, int], None] | None = None
    worked: Callable[[IntegrationId, Result], None] | None = None
    waits: Callable[[IntegrationId, float], None] | None = None


async def run_once(
    house: House,
    progress: Progress | None = None,
    *,
    look_horizon_s: float | None = HORIZON_S,
    stop: anyio.Event | None = None,
) -> list[Summary]:
    """One pass; the keeper runs beside it.

    Looks due within *look_horizon_s* are waited for; None makes no look at all. *stop* ends the
    pass in order: nothing more is taken, calls in flight end, leases are given back.
    """
    stop = anyio.Event() if stop is None else stop
    notifier = Notifier(house)
    worker = Worker(house=house, on_result=None if progress is None else progress.worked)
    noted: dict[IntegrationId, _Noted] = {name: _Noted() for name in house.accounts}
    reconciler = Reconciler(house)
    before = {one.id for one in await house.store.read(_quarantined)}
    if not house.sole:
        await Presence(house, role="all").pass_once()
    look = partial(_looked, reconciler, look_horizon_s)

    async def drain() -> None:
        await stop.wait()
        worker.drain()
        notifier.drain()

    async with anyio.create_task_group() as group:
        group.start_soon(house.keeper.run)
        group.start_soon(drain)
        for _ in range(ROUNDS):
            await run_until(stop.wait, partial(_watch_all, house, noted, progress))
            await worker.until_idle(HORIZON_S)
            looked = await run_until(stop.wait, look)
            await worker.until_idle(0)
            resting = await house.store.read(partial(_resting, names=list(noted)))
            if stop.is_set() or (not looked and not _moved(worker, resting)):
                break
        if not stop.is_set():
            await notifier.pass_once()
        group.cancel_scope.cancel()

    return await house.store.read(
        partial(_summed, house=house, noted=noted, worker=worker, before=before)
    )


def _summed(
    conn: Connection,
    *,
    house: House,
    noted: Mapping[IntegrationId, _Noted],
    worker: Worker,
    before: Collection[int],
) -> list[Summary]:
    """What became of each mailbox; *before* are the items that were there already."""
    new = [one for one in _quarantined(conn) if one.id not in before]
    unread = Counter(one.integration for one in new if one.about != one.thread)
    aside = Counter(one.integration for one in new if one.about == one.thread)
    return [
        Summary(
            mailbox=name,
            messages=one.messages,
            threads=one.threads,
            results=worker.results.get(name, Counter()),
            problem=one.problem,
            left_to=one.left_to,
            unread=unread[name],
            aside=aside[name],
            problems=_lacking(house, name) or problems_of(conn, name, unread=one.problem),
        )
        for name, one in noted.items()
    ]


async def _looked(reconciler: Reconciler, horizon_s: float | None) -> int:
    return 0 if horizon_s is None else await reconciler.until_quiet(horizon_s)


def _quarantined(conn: Connection) -> list[Item]:
    """The open items of mails and threads that are set aside."""
    found = reviews.listed_kind(conn, ItemKind.QUARANTINED)
    return [one for one in found if one.thread != WATCH_THREAD]


def _lacking(house: House, mailbox: IntegrationId) -> tuple[str, ...]:
    lack = house.serving.lacks.get(mailbox)
    return () if lack is None else (f"{lack.problem} (on {house.host}): {lack.remedy}",)


def problems_of(conn: Connection, mailbox: IntegrationId, *, unread: bool) -> tuple[str, ...]:
    """What stood in the way, in words; each once."""
    found: dict[str, None] = {}
    row = mailboxes.load(conn, mailbox)
    if row is not None and row.problem is not None:
        found[f"{row.problem}: {row.remedy}" if row.remedy else row.problem] = None
    elif unread and watches.is_set_aside(conn, mailbox):
        found["it is set aside: looking through it killed the process; see: fencepost review"] = (
            None
        )
    elif unread:
        found["it could not be read, or another process watches it"] = None
    if (paused := pause_of(conn, mailbox)) is not None:
        found[paused] = None
    now = database_now_ms(conn)
    rest = None if row is None else rest_of(conn, row, now)
    # What a rest holds up is put off to its end, or looked at again after a while.
    until = now if rest is None else max(now + AGAIN_MS, rest.until or 0)
    for thread in overview.all_threads(conn, mailbox):
        waits = thread.due_at is not None and thread.quarantined_at is None
        if row is not None and waits and (thread.due_at or 0) <= until:
            found |= {} if rest is None else {rest.words: None}
        if thread.failures and thread.due_at is not None:
            why = thread.no_draft_because or "a thread could not be worked on; see the log"
            found[why] = None
    return tuple(found)


async def _watch_all(
    house: House, noted: dict[IntegrationId, _Noted], progress: Progress | None
) -> None:
    async def watch(account: Account) -> None:
        name = account.integration
        one = noted[name]
        found = await Watcher(house, account).once()
        # What this host lacks for a mailbox is told, whoever else serves it.
        asks = found is None and house.serving.has(name)
        other = await _other(house, name) if asks else None
        one.left_to = other.owner if other is not None and other.lives else None
        if other is not None and one.left_to is None and not one.waited:
            one.waited = True
            one.left_to = await _renewed(house, name, other, progress)
            if one.left_to is None:
                found = await Watcher(house, account).once()
        one.problem = found is None and one.left_to is None
        if found is not None:
            one.messages += found.messages
            one.threads += len(found.due)
            if progress is not None and progress.noted is not None:
                progress.noted(name, one.messages, one.threads)

    async with anyio.create_task_group() as group:
        for account in list(house.accounts.values()):
            group.start_soon(watch, account)


async def _renewed(
    house: House, mailbox: IntegrationId, first: _Other, progress: Progress | None
) -> OwnerId | None:
    """Who holds the watching and lives, seen as the lease is renewed; None: it ended, or may yet.

    A process that is killed leaves its lease to run out. Who watches the pass is told of the wait
    at once, the log only when a holder that lives would have renewed.
    """
    settings = house.settings
    at_most_s = settings.lease_ttl_s + settings.renew_s
    told = progress is not None and progress.waits is not None
    if progress is not None and progress.waits is not None:
        progress.waits(mailbox, at_most_s)
    # By this host's own time: the database's clock may be set back meanwhile.
    ends_s = house.clock.boot_s() + at_most_s
    other: _Other | None = first
    while other is not None and house.clock.boot_s() < ends_s:
        await house.clock.sleep(settings.renew_s)
        other = await _other(house, mailbox)
        if other is not None and other.until != first.until:
            return other.owner
        if other is not None and not told:
            told = True
            log.warning(
                "waiting for the lease of a mailbox whose watcher may have been killed",
                mailbox=mailbox,
                at_most_s=ends_s - house.clock.boot_s(),
            )
    return None


async def _other(house: House, mailbox: IntegrationId) -> _Other | None:
    """The other process that holds the watching of a mailbox, if there is one."""

    def unit(conn: Connection) -> _Other | None:
        until = leases.held_until(conn, mailbox, WATCH_THREAD)
        owner = None if until is None else leases.seen(conn, mailbox, WATCH_THREAD).owner
        if until is None or owner is None or owner == house.worker:
            return None
        now = database_now_ms(conn)
        lives = any(
            one.is_live(now, within=SOON) and until - now > one.lease_ms * (1 - RENEWED)
            for one in workers.everyone(conn)
            if one.name == owner
        )
        return _Other(owner=owner, until=until, lives=lives and not house.is_dead(owner))

    try:
        return await house.store.read(unit)
    except StorageError:
        return None


def _resting(conn: Connection, names: Iterable[IntegrationId]) -> set[IntegrationId]:
    """The mailboxes into which no call is made for now: trying again would change nothing."""
    now = database_now_ms(conn)
    rows = [row for name in names if (row := mailboxes.load(conn, name)) is not None]
    return {row.integration for row in rows if rest_of(conn, row, now) is not None}


def _moved(worker: Worker, resting: set[IntegrationId]) -> bool:
    """Whether the last round dropped plans because threads had moved on, except where all rest."""
    again = {name: one.pop(Result.AGAIN, 0) for name, one in worker.results.items()}
    return any(number for name, number in again.items() if name not in resting)
