"""Rows 33-41: leases lost, clocks that jump, a database that came back."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from assistant.loops.turn import Result
from providers.ports import Folder
from storage import threads
from storage.tables import drafts, evidence, intents, notices, review_items
from storage.words import DraftState, EvidenceKind, FaultPoint, IntentState, ItemKind
from tests.support.clock import quiesce
from tests.support.gate import Gate, kill, stop
from tests.support.mails import follow_up, own_reply, question
from tests.support.scenes import SETTLED_S, draft, note_question
from tests.support.world import World
from tests.support.worlds import Make


async def test_a_stale_worker_claims_nothing(make: Make) -> None:
    """Row 33: taken over while it read; the new holder drafts, the old one finds itself late."""
    world = make()
    async with world.background():
        sleeper = world.process()
        sleeper.gate.at[FaultPoint.PLANNED] = stop
        await draft(world, sleeper)
        world.shift_lease()
        other = world.process()
        await world.drive(other.work)
        assert [call.by for call in world.calls] == ["p2"]
        sleeper.gate.go_on()
        await world.drive(other.reconcile)
    assert [call.by for call in world.calls] == ["p2"]
    assert len(world.drafts()) == 1


async def test_a_holder_that_woke_too_late_to_call_never_lets_it_leave(make: Make) -> None:
    """Row 34: between the commit of the claim and the first byte."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.CLAIM_COMMITTED] = lambda _: world.clock.skip(3600)
    await draft(world, process)
    assert world.calls == []
    (fact,) = world.facts(world.intent.id)
    assert fact.detail["outcome"] == "rejected"
    await world.pass_days(process)
    assert len(world.drafts()) == 1
    assert world.intent.attempt == 2


async def test_a_takeover_waits_for_the_call_that_the_old_owner_may_still_make(
    make: Make,
) -> None:
    """Rows 35 and 36: grace, and no conflicting call while the old one is open."""
    world = make()
    async with world.background():
        sleeper = world.process()
        sleeper.gate.at[FaultPoint.CALL_ALLOWED] = stop
        await draft(world, sleeper)
        world.shift_lease()
        other = world.process()
        taken_at = world.clock.database_s()
        world.hands.put(follow_up(1))
        world.clock.skip(SETTLED_S)
        await world.drive(other.note)
        await world.drive(other.work)
        assert world.calls == []
        await world.pass_days(other, 0.1)
        made_at = [effect.at.timestamp() for effect in world.journal.effects]
        assert all(at >= taken_at + 20 for at in made_at)
        before = len(world.drafts())
        sleeper.gate.go_on()
        await world.pass_days(other)
    assert len(world.drafts()) == max(before, 1)
    if not make.stages:
        assert EvidenceKind.LATE_ANSWER in [
            fact.kind for one in world.intents() for fact in world.facts(one.id)
        ]


async def test_a_stale_outcome_is_evidence_and_touches_neither_thread_nor_lease(
    make: Make,
) -> None:
    """Row 37."""
    world = make()
    async with world.background():
        sleeper = world.process()
        sleeper.gate.on["create done"] = stop
        await draft(world, sleeper)
        world.shift_lease()
        other = world.process()
        await world.drive(other.work)
        due_at = world.thread.due_at
        fences = world.db.ask("SELECT owner, fence FROM leases WHERE thread != ''")
        sleeper.gate.at[FaultPoint.OUTCOME_COMMITTED] = stop
        sleeper.gate.go_on()
        await quiesce()
        assert world.db.ask("SELECT owner, fence FROM leases WHERE thread != ''") == fences
    assert world.intent.state is IntentState.ACCEPTED
    assert due_at is None or world.thread.due_at is not None


async def test_an_expired_lease_that_nobody_took_may_be_renewed(make: Make) -> None:
    """Row 39."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.PLANNED] = lambda _: world.clock.skip(3600)
    await draft(world, process)
    assert world.intent.state is IntentState.ACCEPTED


@pytest.mark.parametrize("hours", [-1.0, 1.0, 24.0])
async def test_a_jump_of_the_database_clock_makes_no_second_effect(
    make: Make, hours: float
) -> None:
    """Row 40."""
    world = make()
    async with world.background():
        sleeper = world.process()
        sleeper.gate.at[FaultPoint.CALL_ALLOWED] = stop
        await draft(world, sleeper)
        world.clock.database_off_s = hours * 3600
        other = world.process()
        await world.drive(other.all)
        sleeper.gate.go_on()
        await world.pass_days(other)
    assert len(world.drafts()) == 1


@pytest.mark.parametrize("days", [-1.0, 1.0])
async def test_a_workers_wall_clock_decides_nothing(make: Make, days: float) -> None:
    """Row 40."""
    world = make()
    process = world.process()
    process.house.clock.wall_off_s = days * 86_400  # type: ignore[attr-defined]
    await draft(world, process)
    assert world.intent.state is IntentState.ACCEPTED


async def test_a_fence_goes_on_where_it_was_after_a_release(make: Make) -> None:
    """Row 41 (and the trap that a deleted row restarts it)."""
    world = make()
    process = world.process()
    await draft(world, process)
    (before,) = world.db.ask("SELECT fence FROM leases WHERE thread != ''")
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.all)
    (after,) = world.db.ask("SELECT fence FROM leases WHERE thread != ''")
    assert int(str(after[0])) > int(str(before[0]))


def _restore_from_before_the_claim(world: World) -> None:
    """The store comes back knowing the mail and nothing of the draft."""

    def unit(conn: Connection) -> None:
        for table in (intents, drafts, evidence, review_items, notices):
            conn.execute(sa.delete(table))

    world.db.watch.on = False
    world.db.run(unit)
    world.db.watch.on = True
    world.calls.clear()
    world.journal.effects.clear()


async def test_a_restored_database_reconciles_before_anything_is_made_again(make: Make) -> None:
    """Row 41: the drafts in the mailbox count as ours though the store lost them."""
    world = make()
    process = world.process()
    await draft(world, process)
    _restore_from_before_the_claim(world)
    world.db.run(threads.reconcile_everything)
    await world.pass_days(world.process(sole=True))
    assert world.calls == []
    assert len(world.drafts()) == 1
    assert [record.state for record in world.records()] == [DraftState.HELD]


async def test_a_valid_mark_whose_intent_is_unknown_is_the_same_alarm(make: Make) -> None:
    """PROTOCOL section 11: a data folder restored whole brings its witness along."""
    world = make()
    process = world.process()
    await draft(world, process)
    _restore_from_before_the_claim(world)
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.pass_days(process)
    assert world.calls == []
    assert len(world.drafts()) == 1


async def test_a_thread_that_kills_its_process_three_times_alone_is_set_aside(
    make: Make,
) -> None:
    """PROTOCOL section 10."""
    world = make()
    await note_question(world, world.process())
    for _ in range(4):
        process = world.process(sole=True)
        process.gate.at[FaultPoint.READ] = kill
        await world.drive(process.work)
        assert process.gate.dead
    last = world.process(sole=True)
    assert await world.drive(last.work) == [Result.QUARANTINED]
    assert world.item(ItemKind.QUARANTINED)
    assert world.thread.quarantined_at is not None


async def test_an_orderly_end_clears_the_deaths(make: Make) -> None:
    world = make()
    await note_question(world, world.process())
    for _ in range(2):
        process = world.process(sole=True)
        process.gate.at[FaultPoint.READ] = kill
        await world.drive(process.work)
    await world.drive(world.process(sole=True).work)
    assert world.db.ask("SELECT takes FROM leases WHERE thread != ''") == [(0,)]


async def test_an_orphaned_thread_is_taken_with_nothing_beside_it(make: Make) -> None:
    world = make()
    process = world.process()
    await note_question(world, process, 1)
    process.gate.at[FaultPoint.READ] = kill
    await world.drive(process.work)
    other = world.process(sole=True)
    await note_question(world, other, 2)
    alone: list[int] = []

    def count(gate: Gate) -> None:
        alone.append(other.worker.in_work)

    other.gate.at[FaultPoint.PLANNED] = count
    await world.drive(other.work)
    assert alone == [1]
    assert len(world.drafts()) == 2


async def test_a_watcher_that_was_overtaken_notes_nothing(make: Make) -> None:
    """What it listed is older than what the other one has noted since."""
    world = make()
    async with world.background():
        sleeper = world.process()
        world.hands.put(question(1))
        theirs = world.hands.put(own_reply(1), Folder.DRAFTS)
        sleeper.gate.on["changes done"] = stop
        await world.drive(sleeper.note)
        world.shift_lease()
        world.hands.delete(theirs)
        await world.drive(world.process().note)
        known = [(row.subject, row.revision, row.dues) for row in world.threads()]
        sleeper.gate.go_on()
        await quiesce()
        assert [(row.subject, row.revision, row.dues) for row in world.threads()] == known
