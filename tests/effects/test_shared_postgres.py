"""Sets of claims and records on a real PostgreSQL, where others are at work on the same rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import asyncpg
from sqlalchemy import Connection

from assistant.effects import guard
from assistant.effects.claim import Asked, Claiming, Refusal, Refused, claim_all
from assistant.effects.keys import create_key, fingerprint
from assistant.effects.recording import Ending, Record, record_all
from assistant.timing import SystemClock
from leases.keeper import Grip
from leases.term import Term
from storage import intents, leases, mailboxes, threads
from storage.errors import StorageBusyError
from storage.intents import Intent
from storage.leases import Held
from storage.postgres import PostgresDatabase
from storage.threads import Finish
from storage.together import Together
from storage.words import (
    Identity,
    IntentId,
    IntentState,
    Kind,
    Outcome,
    OwnerId,
    Rejected,
    ThreadId,
)
from tests.effects.test_shared import TIMING, accepted
from tests.support import postgres
from tests.support.world import BOX, ROBIN

ME = OwnerId("w")
REFUSED = Rejected(reason="the provider refused it")
Conn = Any
"""A connection of asyncpg, which has no types."""


@dataclass
class Site:
    """A database and one process on it; ``held`` are leases of the process."""

    name: str
    store: PostgresDatabase
    together: Together
    held: list[Held]

    async def claimed(self, number: int = 1) -> list[Intent]:
        """A call under way in each thread."""
        found: list[Intent] = []

        async def claim(held: Held) -> None:
            one = await self.together.write(claim_all, Claiming(asked=ask_for(held, number)))
            assert isinstance(one, Intent)
            found.append(one)

        async with anyio.create_task_group() as group:
            for held in self.held:
                group.start_soon(claim, held)
        return sorted(found, key=lambda one: one.thread)

    async def states(self) -> list[IntentState]:
        """The state of every intent, by thread."""
        found = await self.store.read(intents.everything)
        return [one.state for one in sorted(found, key=lambda one: one.thread)]

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Conn]:
        """A connection of somebody else."""
        server = postgres.cluster()
        conn = await asyncpg.connect(
            host=str(server.base), port=server.port, user=postgres.USER, database=self.name
        )
        try:
            yield conn
        finally:
            await conn.close()

    async def waiting(self, number: int) -> None:
        """Until that many backends wait for a lock."""
        query = (
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        async with self.connected() as conn:
            with anyio.fail_after(20):
                while await conn.fetchval(query) < number:
                    await anyio.lowlevel.checkpoint()


def ask_for(held: Held, number: int = 1) -> Asked:
    """What a worker would ask for a draft in the thread of *held*."""
    answers = Identity(f"message {number}")
    return Asked(
        intent=IntentId(f"{held.thread}-{number}"),
        key=create_key(BOX, held.thread, answers, 0),
        kind=Kind.CREATE_DRAFT,
        user=ROBIN,
        held=held,
        fingerprint=fingerprint(answers=answers),
        request=b"the bytes",
        plan={"answers": answers},
        call_timeout_s=20.0,
        lease_ttl_ms=60_000,
        message_set="",
        token={},
        place={},
    )


def set_up(conn: Connection, names: Sequence[str]) -> list[Held]:
    """A mailbox and threads in the hands of one worker."""
    mailboxes.ensure(conn, BOX, user=ROBIN, provider="memory")
    found = []
    for name in names:
        threads.ensure(conn, BOX, ThreadId(name), 0, provider_thread=None, subject="The plan")
        held = leases.acquire(conn, BOX, ThreadId(name), ME, 60_000)
        assert held is not None
        found.append(held)
    return found


@asynccontextmanager
async def site(number: int, **options: Any) -> AsyncIterator[Site]:
    """A database with that many threads."""
    with postgres.new_database() as name:
        store = await postgres.opened(name, **options)
        names = [f"t{at:02}" for at in range(number)]
        held = await store.write(partial(set_up, names=names))
        try:
            yield Site(name, store, Together(store), held)
        finally:
            await store.close()


async def record(site: Site, claimed: Intent, outcome: Outcome) -> None:
    """Record one outcome, with whoever else does so now."""
    await site.together.write(record_all, Record(claimed=claimed, outcome=outcome, timing=TIMING))


async def test_a_locked_thread_does_not_keep_the_outcomes_of_the_others() -> None:
    async with site(6, lock_timeout_s=0.2) as here:
        claimed = await here.claimed()
        failed: list[Intent] = []

        async def one(intent: Intent) -> None:
            try:
                await record(here, intent, accepted(intent.id))
            except StorageBusyError:
                failed.append(intent)

        async with here.connected() as conn:
            await conn.execute("BEGIN")
            await conn.execute("SELECT 1 FROM leases WHERE thread = 't02' FOR UPDATE")
            async with anyio.create_task_group() as group:
                for intent in claimed:
                    group.start_soon(one, intent)
        assert [one.thread for one in failed] == ["t02"]
        states = await here.states()
        assert states.count(IntentState.ACCEPTED) == 5
        await record(here, failed[0], accepted("late"))
        assert set(await here.states()) == {IntentState.ACCEPTED}


async def test_sets_of_two_processes_in_opposite_orders_are_both_recorded() -> None:
    async with site(8) as here:
        claimed = await here.claimed()
        # A stale holder records beside its own: each set has rows of both.
        async with anyio.create_task_group() as group:
            for ours in (claimed, claimed[::-1]):
                records = [
                    Record(claimed=one, outcome=accepted(one.id), timing=TIMING) for one in ours
                ]
                group.start_soon(here.store.write, partial(record_all, records=records))
        assert await here.states() == [IntentState.ACCEPTED] * 8


async def test_what_becomes_due_while_a_set_ends_stays_due() -> None:
    async with site(3) as here:
        claimed = await here.claimed()
        rows = await here.store.read(
            lambda conn: threads.load_all(conn, [(one.integration, one.thread) for one in claimed])
        )
        records = [
            Record(
                claimed=one,
                outcome=accepted(one.id),
                timing=TIMING,
                ending=ending_of(held, row.dues),
            )
            for one, held, row in zip(claimed, here.held, rows, strict=True)
        ]
        async with here.connected() as conn, anyio.create_task_group() as group:
            await conn.execute("BEGIN")
            await conn.execute(
                "UPDATE threads SET dues = dues + 1, due_at = 5 WHERE thread = $1",
                claimed[1].thread,
            )
            group.start_soon(here.store.write, partial(record_all, records=records))
            await here.waiting(1)
            await conn.execute("COMMIT")
        after = await here.store.read(
            lambda conn: [threads.load(conn, one.integration, one.thread) for one in claimed]
        )
        assert [row.due_at for row in after] == [None, 5, None]


async def test_a_claim_whose_commit_is_still_to_come_is_waited_for() -> None:
    """The connection was lost with COMMIT on its way: the server may get to it at any moment."""
    async with site(1) as here:
        asked = ask_for(here.held[0])
        clock = SystemClock()
        grip = Grip(held=here.held[0], term=Term(started_s=clock.boot_s(), ttl_s=60), clock=clock)
        found: list[Intent | None] = []

        def claim_and_wait(conn: Connection) -> None:
            claim_all(conn, [Claiming(asked=asked)])
            conn.exec_driver_sql("SELECT pg_advisory_xact_lock(7)")

        async def read_again() -> None:
            found.append(await guard._read_again(here.together, clock, grip, asked))

        async with here.connected() as conn, anyio.create_task_group() as group:
            await conn.execute("SELECT pg_advisory_lock(7)")
            group.start_soon(here.store.write, claim_and_wait)
            await here.waiting(1)
            group.start_soon(read_again)
            await here.waiting(2)
            await conn.execute("SELECT pg_advisory_unlock(7)")
        assert [one and one.key for one in found] == [asked.key]


async def test_a_set_that_waited_for_a_takeover_keeps_nothing_of_its_stale_lease() -> None:
    async with site(3) as here:
        claimed = await here.claimed()
        stale = here.held[1]
        found: dict[str, object] = {}

        async def claim(held: Held) -> None:
            claiming = Claiming(asked=ask_for(held, 2))
            found[held.thread] = await here.together.write(claim_all, claiming)

        await here.store.write(partial(free, found=claimed))
        async with here.connected() as conn, anyio.create_task_group() as group:
            await conn.execute("BEGIN")
            await conn.execute(
                "UPDATE leases SET owner = 'other', fence = fence + 1 WHERE thread = $1",
                stale.thread,
            )
            for held in here.held:
                group.start_soon(claim, held)
            await here.waiting(1)
            await conn.execute("COMMIT")
        assert found.pop(stale.thread) == Refused(why=Refusal.LEASE_LOST)
        assert all(isinstance(one, Intent) for one in found.values())
        assert len(found) == 2


def ending_of(held: Held, dues: int) -> Ending:
    """The end of a turn that had read the thread's *dues*."""
    return Ending(
        held=held,
        finish=lambda _, __: Finish(read_dues=dues, revision=0),
        story=lambda _: (),
        tell=lambda _, __: None,
    )


def free(conn: Connection, found: Sequence[Intent]) -> None:
    """Calls that block their threads no more."""
    records = [Record(claimed=one, outcome=REFUSED, timing=TIMING) for one in found]
    record_all(conn, records)
