"""What a guarded action is in every bench: the worker's way with a draft, less reading and judging.

A lease taken (several at once), the thread read, an intent claimed, a call that costs nothing, its
outcome with evidence, draft record, review item, end of work, events and release. The same on every
store.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.lowlevel
from sqlalchemy import Connection

from assistant.effects.claim import Asked
from assistant.effects.guard import Effect, guarded
from assistant.effects.recording import Ending, Record
from assistant.effects.settle import Timing
from assistant.timing import SystemClock
from leases.keeper import Grip, Keeper
from storage import leases, mailboxes, threads
from storage.dbtime import database_now_ms
from storage.events import Event
from storage.intents import Intent
from storage.leases import Held
from storage.threads import Finish
from storage.together import Store, Together
from storage.words import (
    NO_FAULTS,
    Accepted,
    Identity,
    IntegrationId,
    IntentId,
    IntentKey,
    Kind,
    Outcome,
    OwnerId,
    Ref,
    ThreadId,
    UserName,
    Version,
)

T = TypeVar("T")
REQUEST = b"x" * 2_000
"""What the call sends; every contender stores as much."""
MAILBOX = IntegrationId("bench/mail")
TTL_MS = 60_000
TIMING = Timing(first_look_ms=5_000, notice_delay_ms=120_000)


class Counted:
    """A store that counts the units it was asked to write."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.writes = 0

    async def write(self, unit: Callable[[Connection], T]) -> T:
        self.writes += 1
        return await self._inner.write(unit)

    async def read(self, unit: Callable[[Connection], T]) -> T:
        return await self._inner.read(unit)


def prepare(number: int) -> Callable[[Connection], None]:
    """A unit that makes *number* due threads."""

    def unit(conn: Connection) -> None:
        mailboxes.ensure(conn, MAILBOX, UserName("bench"), "memory")
        now = database_now_ms(conn)
        for at in range(number):
            thread = ThreadId(f"{at:08d}")
            threads.ensure(conn, MAILBOX, thread, now, provider_thread=None, subject=f"s{at}")
            row = threads.load(conn, MAILBOX, thread)
            threads.changed(conn, row, now, due_at=now - 1, arrived=[Identity(f"{at:064d}")])

    return unit


async def act(store: Together, clock: SystemClock, keeper: Keeper, held: Held) -> None:
    """One guarded action, as the worker makes it."""
    row = await store.read(threads.load_all, (held.integration, held.thread))
    with keeper.holding(held, started_s=clock.boot_s()) as grip:
        outcome = await guarded(
            store, clock, NO_FAULTS, grip, effect(grip, row.dues, row.message_set)
        )
    if not isinstance(outcome, Accepted):
        raise RuntimeError(f"not what is measured here: {outcome}")  # noqa: TRY004


def effect(grip: Grip, dues: int, message_set: str) -> Effect:
    """A draft whose call costs nothing."""
    held = grip.held

    async def call(_claimed: Intent) -> Outcome:
        return Accepted(ref=Ref(f"Drafts/{held.thread}"), version=Version("1"))

    async def unclaimed() -> None:
        return None

    triage = {"category": "needs_reply"}
    ending = Ending(
        held=held,
        finish=lambda _, __: Finish(read_dues=dues, revision=1, triage=triage),
        story=lambda now: [Event(at=now, kind="triaged", detail=triage)],
        tell=lambda _, __: None,
    )

    def record(claimed: Intent, outcome: Outcome) -> Record:
        return Record(claimed=claimed, outcome=outcome, timing=TIMING, ending=ending)

    asked = Asked(
        intent=IntentId(f"{held.thread:>032}"),
        key=IntentKey(f"create_draft-{held.thread}"),
        kind=Kind.CREATE_DRAFT,
        user=UserName("bench"),
        held=held,
        fingerprint="f",
        request=REQUEST,
        plan={"answers": held.thread, "shown": {"subject": "s"}},
        call_timeout_s=20.0,
        lease_ttl_ms=TTL_MS,
        message_set=message_set,
        mark="mark",
        content_hash="hash",
        token={},
        place={},
    )
    return Effect(asked=asked, call=call, unclaimed=unclaimed, record=record)


async def drive(store: Store, number: int, *, in_work: int) -> float:
    """Work through *number* due threads, *in_work* at once; gives the seconds it took."""
    clock = SystemClock()
    keeper = Keeper(store, clock, ttl_s=TTL_MS / 1000)
    together = Together(store)
    owner = OwnerId("bench:1")
    slots = anyio.Semaphore(in_work)
    left = number

    async def one(held: Held) -> None:
        try:
            await act(together, clock, keeper, held)
        finally:
            slots.release()

    started = time.perf_counter()
    async with anyio.create_task_group() as group:
        while left > 0:
            await slots.acquire()
            async with together.calm():
                free = 1 + slots.value
                taken = await store.write(
                    lambda conn, free=free: leases.take_due(
                        conn, owner, ttl_ms=TTL_MS, limit=free, allowed={MAILBOX}, alone=False
                    )
                )
            for at, held in enumerate(taken.held):
                if at:
                    slots.acquire_nowait()
                group.start_soon(one, held)
                left -= 1
            if not taken.held:
                slots.release()
                await anyio.lowlevel.checkpoint()
    return time.perf_counter() - started
