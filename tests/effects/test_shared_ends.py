"""Ends of calls, and calls not begun, of several threads that share their statements."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import anyio
import pytest
from sqlalchemy import Connection

from assistant.core.reconciliation import Schedule
from assistant.effects import settle
from assistant.effects.looks import record_look
from assistant.effects.recording import Ending, Record, record_all
from assistant.loops.turn import Result
from providers.ports import DraftSight, Folder, Look
from storage import drafts, intents, leases, mailboxes, threads
from storage.dbtime import database_now_ms
from storage.intents import Intent
from storage.leases import Held
from storage.threads import Finish
from storage.together import Together
from storage.words import (
    By,
    EvidenceKind,
    FaultPoint,
    IntentState,
    OwnerId,
    Ref,
    Unknown,
    Version,
)
from tests.effects.test_shared import TIMING, accepted, ask_for, begin, claimed, recorded
from tests.support.database import CommitFault
from tests.support.gate import Gate
from tests.support.mails import question
from tests.support.scenes import SETTLED_S
from tests.support.world import BOX, Process, World
from tests.support.worlds import Make


async def ready(make: Make, number: int) -> tuple[World, Process]:
    """A process, and that many threads that are due."""
    world = make()
    process = world.process()
    for at in range(1, number + 1):
        world.hands.put(question(at))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    return world, process


def sweep_one(conn: Connection) -> None:
    """The lease of one call is taken to be over."""
    one = intents.everything(conn)[0]
    now = database_now_ms(conn)
    settle.become_unknown(conn, one, By.SWEEP, now, TIMING, Unknown(reason="no word came"))


@pytest.mark.parametrize("fault", [CommitFault.LANDED, CommitFault.LOST])
async def test_an_answer_that_came_after_a_sweep_is_not_lost_with_its_commit(
    make: Make, fault: CommitFault
) -> None:
    world, process = await ready(make, 3)

    def swept(_: Gate) -> None:
        world.db.run(sweep_one)

    process.gate.at[FaultPoint.ANSWERED] = swept
    process.gate.commits[process.gate.counts["write"] + 3] = fault
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}
    for intent in world.intents():
        kinds = [fact.kind for fact in world.facts(intent.id)]
        assert kinds in ([EvidenceKind.ANSWER], [EvidenceKind.LATE_ANSWER])
    assert len(world.calls) == len(world.drafts()) == 3


@pytest.mark.parametrize("fault", [CommitFault.LANDED, CommitFault.LOST])
async def test_claims_of_an_unknown_commit_are_read_again_once_the_store_is_back(
    make: Make, fault: CommitFault
) -> None:
    world, process = await ready(make, 3)
    writes, sleeps = process.gate.counts["write"], process.gate.counts["slept"]

    async def down(is_down: bool) -> None:
        world.db.down = is_down

    process.gate.commits[writes + 2] = fault
    process.gate.holds["write", writes + 3] = partial(down, True)
    process.gate.holds["slept", sleeps + 1] = partial(down, False)
    await world.drive(process.work)
    world.clock.skip(60)
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}
    assert len(world.calls) == len(world.drafts()) == 3


async def test_claims_whose_work_is_cancelled_before_their_calls_have_never_left(
    make: Make,
) -> None:
    world, process = await ready(make, 3)
    scope = anyio.CancelScope()

    async def cancel() -> None:
        # As the claims' commit returns: what was claimed is known, and nothing was called.
        scope.cancel()

    async def work() -> list[Result]:
        with scope:
            return await process.work()
        return []

    process.gate.holds["written", process.gate.counts["written"] + 2] = cancel
    await world.drive(work)
    assert world.calls == []
    assert {(one.state, one.passing) for one in world.intents()} == {(IntentState.REJECTED, True)}
    world.clock.skip(60)
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}


async def test_a_worker_that_is_told_to_drain_while_it_waits_takes_nothing_more(
    make: Make,
) -> None:
    world, process = await ready(make, 2)

    async def drain() -> None:
        # Somebody's set is under way, so the worker waits for its end.
        await anyio.lowlevel.checkpoint()
        process.worker.drain()

    process.gate.holds["read", process.gate.counts["read"] + 1] = drain

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(partial(process.house.together.read, nothing, 1))
            group.start_soon(process.worker.run)

    await world.drive(both)
    assert world.intents() == []
    assert world.read(leased) == 0


def nothing(_: Connection, items: Sequence[int]) -> Sequence[int]:
    """A unit that asks nothing."""
    return items


def leased(conn: Connection) -> int:
    """How many threads have been taken so far."""
    found = conn.exec_driver_sql(
        "SELECT count(*) FROM leases l JOIN threads t ON t.thread = l.thread WHERE l.fence > 0"
    )
    return int(found.scalar_one())


async def test_a_worker_whose_wait_is_cancelled_as_it_ends_stops_nobody(make: Make) -> None:
    world, process = await ready(make, 1)
    together = process.house.together

    async def cancelled_at_once() -> int:
        async with anyio.create_task_group() as group:

            def end_the_wait(_: Connection, items: Sequence[int]) -> Sequence[int]:
                waiting.cancel()
                return items

            leader = asyncio.ensure_future(together.write(end_the_wait, 1))
            waiting = asyncio.ensure_future(process.worker._round(group))
            found = await leader
            await asyncio.wait([waiting])
            assert waiting.cancelled()
        return found

    assert await world.drive(cancelled_at_once) == 1
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 1}


async def of_a_set(make: Make, number: int) -> tuple[World, list[Held], list[Intent]]:
    """A call under way in each of that many threads."""
    world, held = await begin(make, number)
    made = claimed(world, [ask_for(world, each) for each in held])
    return world, held, [one for one in made if isinstance(one, Intent)]


async def test_a_record_that_fails_keeps_none_of_the_others_off_record(make: Make) -> None:
    world, _, made = await of_a_set(make, 3)
    together = Together(world.db)
    failed: list[str] = []

    def fail(_: Connection) -> None:
        raise LookupError("nothing is there")

    async def record(intent: Intent) -> None:
        one = Record(
            claimed=intent,
            outcome=accepted(f"d-{intent.thread}"),
            timing=TIMING,
            first=fail if intent is made[1] else None,
        )
        try:
            await together.write(record_all, one)
        except LookupError:
            failed.append(intent.id)

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for intent in made:
                group.start_soon(record, intent)

    await world.drive(all_at_once)
    assert failed == [made[1].id]
    assert world.state_counts() == {IntentState.ACCEPTED: 2, IntentState.CALLING: 1}
    for intent in (made[0], made[2]):
        (draft,) = world.read(partial(drafts.of_intent, intent=intent.id))
        assert draft.ref == f"d-{intent.thread}"


async def test_a_stale_holder_in_a_set_records_its_outcome_and_nothing_of_its_work(
    make: Make,
) -> None:
    world, held, made = await of_a_set(make, 3)
    stale = made[1].thread
    told: list[str] = []

    def take_over(conn: Connection) -> None:
        assert leases.acquire(conn, BOX, stale, OwnerId("another"), 60_000) is not None

    world.shift_lease()
    world.db.run(take_over)

    def ending(one: Held) -> Ending:
        return Ending(
            held=one,
            finish=lambda _, __: Finish(read_dues=0, revision=0, no_draft_because="of this turn"),
            story=lambda _: [],
            tell=lambda _, __: told.append(one.thread),
        )

    records = [
        Record(claimed=intent, outcome=accepted(intent.id), timing=TIMING, ending=ending(one))
        for intent, one in zip(made, held, strict=True)
    ]
    world.db.run(lambda conn: record_all(conn, records))
    assert world.state_counts() == {IntentState.ACCEPTED: 3}
    assert told == [made[0].thread, made[2].thread]
    row = world.read(partial(leases.seen, integration=BOX, thread=stale))
    assert row.owner == "another"
    assert world.read(partial(threads.load, integration=BOX, thread=stale)).due_at is not None


async def test_three_unknowns_of_one_set_let_the_mailbox_rest(make: Make) -> None:
    world, _, made = await of_a_set(make, 4)
    silent = Unknown(reason="no answer")
    recorded(world, [(one, silent) for one in made[:3]])
    box = world.read(lambda conn: mailboxes.load(conn, BOX))
    assert box is not None
    assert (box.unknowns_in_a_row, box.look_needed, box.pauses) == (3, True, 1)
    recorded(world, [(made[3], silent)])
    box = world.read(lambda conn: mailboxes.load(conn, BOX))
    assert box is not None
    assert (box.unknowns_in_a_row, box.pauses) == (4, 1)


async def test_a_look_that_found_a_draft_is_one_that_succeeded_though_a_place_was_not_reached(
    make: Make,
) -> None:
    world, _, made = await of_a_set(make, 3)
    recorded(world, [(one, Unknown(reason="no answer")) for one in made])
    schedule = Schedule(looks_ms=(5_000, 120_000), lag_ms=1_000)
    seen = DraftSight(ref=Ref("1"), version=Version("1"), folder=Folder.DRAFTS, content_hash="")

    def needs_a_look(look: Look) -> bool:
        world.db.run(lambda conn: record_look(conn, made[0].id, 1, look, schedule))
        box = world.read(lambda conn: mailboxes.load(conn, BOX))
        return box is None or box.look_needed

    assert needs_a_look(Look(complete=False))
    assert not needs_a_look(Look(found=(seen,), complete=False))
