"""What changes between two steps of one piece of work: each check of a claim, a look and an end."""

from __future__ import annotations

import anyio
import pytest
from sqlalchemy import Connection

from assistant.effects.recording import Record, record
from assistant.effects.settle import Timing
from assistant.loops.turn import Result
from providers.memory import Behaviour
from providers.ports import Folder
from storage import intents
from storage.words import (
    Accepted,
    Action,
    DraftState,
    EvidenceKind,
    FaultPoint,
    IntentState,
    ItemKind,
    Ref,
    Version,
)
from tests.support.clock import quiesce
from tests.support.gate import Gate, kill, stop
from tests.support.mails import edited, follow_up, mail, own_reply, question
from tests.support.scenes import SETTLED_S, draft, lose, note_question
from tests.support.worlds import Make


async def test_a_message_that_came_after_the_plan_drops_it(make: Make) -> None:
    """Section 3, rule 3: the draft answers the newest message, and there is one."""
    world = make()
    async with world.background():
        process = world.process()
        process.gate.at[FaultPoint.STAGED] = stop
        await draft(world, process)
        world.hands.put(follow_up(1))
        world.clock.skip(SETTLED_S)
        other = world.process()
        await world.drive(other.note)
        process.gate.go_on()
        await quiesce()
        await world.pass_days(other)
    assert len(world.calls) == 1
    newest = world.db.ask(
        "SELECT identity FROM messages WHERE folder = 'inbox' ORDER BY arrived_at, arrival_order"
    )[-1]
    assert world.intent.plan["answers"] == newest[0]


async def test_a_snapshot_that_shows_news_drops_the_plan(make: Make) -> None:
    """Section 3: a message that the plan did not know."""
    world = make()
    process = world.process()
    await note_question(world, process)
    process.gate.at[FaultPoint.PLANNED] = lambda _: world.hands.put(follow_up(1))
    assert await world.drive(process.work) == [Result.AGAIN]
    assert world.calls == []
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    await world.drive(process.work)
    assert len(world.drafts()) == 1


async def test_what_becomes_due_during_the_work_stays_due(make: Make) -> None:
    """Section 2: the end of work clears due only for what it read."""
    world = make()
    async with world.background():
        process = world.process()
        world.hands.put(mail("thanks@example.org", "Thank you, Robin.", subject="Figures 1"))
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        process.gate.at[FaultPoint.PLANNED] = stop
        await world.drive(process.work)
        other = world.process()
        world.hands.put(question(1, parent="thanks@example.org"))
        await world.drive(other.note)
        process.gate.go_on()
        await quiesce()
        assert world.thread.due_at is not None
        world.clock.skip(SETTLED_S)
        await world.pass_days(other)
    assert len(world.drafts()) == 1


def _late_answer(conn: Connection) -> None:
    (first,) = [one for one in intents.everything(conn) if one.state is IntentState.UNKNOWN]
    timing = Timing(first_look_ms=5000, notice_delay_ms=120_000)
    late = Accepted(ref=Ref("late"), version=Version("late.1"))
    record(conn, Record(claimed=first, outcome=late, timing=timing))


async def test_a_draft_that_became_known_after_the_snapshot_stops_the_claim(make: Make) -> None:
    """Section 3, rule 5, by the record: an answer came late, and listings do not show it."""
    world = make(lag_s=90)
    process = world.process()
    world.plan.add("look", *[Behaviour.DROP] * 50)
    await lose(world, process, Behaviour.DROP)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.DISMISS, key="leave it"))
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    process.gate.at[FaultPoint.STAGED] = lambda _: world.db.run(_late_answer)
    await world.drive(process.work)
    assert len(world.calls) == 1


async def test_a_dismissed_draft_that_lies_there_keeps_a_second_from_being_made(
    make: Make,
) -> None:
    """Section 3, rule 5, by the snapshot: our mark counts whatever the store knows of it."""
    world = make()
    process = world.process()
    world.plan.add("look", *[Behaviour.DROP] * 500)
    await lose(world, process)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.DISMISS, key="leave it"))
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    await world.drive(process.work)
    world.clock.skip(60)
    await world.drive(process.work)
    assert len(world.calls) == 1
    assert len(world.drafts()) == 1


async def test_a_proof_about_an_earlier_attempt_says_nothing_of_a_later_one(make: Make) -> None:
    """Section 4: each change names the attempt."""
    if not make.stages:
        pytest.skip("needs a proof")
    world = make()
    async with world.background():
        process = world.process()
        await lose(world, process, Behaviour.DROP)
        world.clock.skip(SETTLED_S)
        process.gate.at[FaultPoint.LOOKED] = stop
        await world.drive(process.reconcile)
        world.shift_lease()  # the one that looks holds a lease for it
        other = world.process()
        world.plan.add("create", Behaviour.LOSE)
        await world.drive(other.reconcile)
        world.clock.skip(40)
        await world.drive(other.work)
        assert (world.intent.state, world.intent.attempt) == (IntentState.UNKNOWN, 2)
        process.gate.go_on()
        await quiesce()
        assert (world.intent.state, world.intent.attempt) == (IntentState.UNKNOWN, 2)
        await world.pass_days(other)
    assert len(world.drafts()) == 1


async def test_a_call_in_flight_is_no_orphan(make: Make) -> None:
    world = make()
    process = world.process()
    world.plan.add("create", Behaviour.LATE)
    world.plan.delay_s = 15.0
    await note_question(world, process)
    async with anyio.create_task_group() as group:
        group.start_soon(process.work)
        await quiesce()
        await world.process().reconcile()
        assert world.intent.state is IntentState.CALLING
        await world.clock.advance(16)
    assert world.intent.state is IntentState.ACCEPTED
    assert EvidenceKind.SWEPT not in [fact.kind for fact in world.facts(world.intent.id)]


async def test_a_draft_that_its_owners_program_saves_in_two_steps_is_not_gone(make: Make) -> None:
    """Section 6: held until a direct get says so twice, the second after the lag window."""
    world = make(lag_s=30)
    process = world.process()
    await draft(world, process)
    world.clock.skip(40)
    await world.drive(process.note)
    lying = world.drafts()[0]
    world.hands.delete(lying.ref)
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    await world.drive(process.work)
    assert len(world.calls) == 1
    world.hands.put(edited(lying.raw), Folder.DRAFTS)
    await world.pass_days(process)
    assert len(world.calls) == 1
    assert world.records()[0].state is DraftState.EDITED


async def _failing_looks(make: Make, *at_s: float, failing: bool) -> bool:
    """Whether the unknown call still blocks after looks at these times."""
    world = make()
    process = world.process()
    await lose(world, process, Behaviour.DROP)
    begun_s = world.clock.boot_s()
    for at in at_s:
        world.clock.skip(begun_s + at - world.clock.boot_s())
        if failing:
            world.plan.add("look", Behaviour.DROP)
        await world.drive(process.reconcile)
    return world.intent.blocks


async def test_looks_that_failed_do_not_end_the_looking(make: Make) -> None:
    """Section 5."""
    assert await _failing_looks(make, 90_000, 90_100, 90_200, failing=True)


async def test_looks_that_were_missed_count_once(make: Make) -> None:
    """Section 5: one clean look after a day is not two."""
    if make.stages:
        pytest.skip("the first look proves it")
    assert await _failing_looks(make, 90_000, failing=False)
    assert await _failing_looks(make, 90_000, 90_030, failing=False)


async def test_two_looks_a_minute_apart_end_the_looking(make: Make) -> None:
    if make.stages:
        pytest.skip("the first look proves it")
    assert not await _failing_looks(make, 90_000, 90_061, failing=False)


async def test_own_drafts_and_sent_mail_raise_a_revision_and_ours_do_not(make: Make) -> None:
    """Promise 11: even while the intent is still being called."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.EFFECT_DONE] = kill
    await draft(world, process)
    assert world.intent.state is IntentState.CALLING
    before = world.thread.revision
    other = world.process()
    world.shift_lease()
    await world.drive(other.note)
    assert world.thread.revision == before
    world.hands.put(own_reply(1), Folder.SENT)
    await world.drive(other.note)
    assert world.thread.revision == before + 1


async def test_a_watcher_that_died_between_two_parts_repeats_and_loses_nothing(
    make: Make,
) -> None:
    """The cursor moves with what it passed."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.NOTE_WRITTEN] = kill
    world.hands.put(question(1))
    world.hands.put(question(2))
    await world.drive(process.note)
    assert world.threads() == []
    await world.pass_days(world.process())
    assert len(world.drafts()) == 2


async def test_two_runs_of_one_command_at_once_do_one_thing(make: Make) -> None:
    """Promise 6: the receipt is written with what it stands for."""
    world = make()
    process = world.process()
    await draft(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    operations: list[tuple[str, bool]] = []

    async def one() -> None:
        answer = await process.decide(item.id, Action.DISCARD, key="same")
        operations.append((answer.operation, answer.replayed))

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(one)
            group.start_soon(one)

    await world.drive(both)
    (first, second) = sorted(operations, key=lambda each: each[1])
    assert first[0] == second[0]
    assert (first[1], second[1]) == (False, True)


async def test_what_a_gate_counts_is_what_the_provider_saw(make: Make) -> None:
    """The count of calls is the provider's own."""
    world = make()
    process = world.process()

    def count(gate: Gate) -> None:
        assert world.journal.calls["create"] == 1

    process.gate.at[FaultPoint.ANSWERED] = count
    await draft(world, process)
    assert world.journal.calls["create"] == len(world.calls) == 1


async def test_mail_that_the_first_pass_passed_over_is_no_news_of_a_thread(make: Make) -> None:
    """A thread that began before the look-back has its draft all the same."""
    world = make()
    world.hands.put(question(1))
    world.clock.skip(30 * 3600)
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    process = world.process(since_s=86_400.0)
    await world.drive(process.note)
    assert await world.drive(process.work) == [Result.DRAFTED]
