"""Rows 9-17: what the provider answers, and what becomes of it."""

from __future__ import annotations

import pytest

from assistant.loops.turn import Result
from providers.memory import Behaviour
from storage.words import Action, DraftState, EvidenceKind, IntentState, ItemKind
from tests.support.gate import stop
from tests.support.mails import question
from tests.support.scenes import SETTLED_S, draft, lose, note_question
from tests.support.worlds import Make


async def test_a_definite_refusal_is_final_and_shown(make: Make) -> None:
    """Row 9."""
    world = make()
    process = world.process()
    world.plan.add("create", Behaviour.REFUSE)
    await draft(world, process)
    await world.pass_days(process)
    assert world.intent.state is IntentState.REJECTED
    assert not world.intent.passing
    assert len(world.calls) == 1
    assert world.item(ItemKind.REJECTED).about == world.intent.id


async def test_a_refused_draft_is_made_under_a_new_key_when_a_person_retries(make: Make) -> None:
    """Row 9, the way out."""
    world = make()
    process = world.process()
    world.plan.add("create", Behaviour.REFUSE)
    await draft(world, process)
    item = world.item(ItemKind.REJECTED)
    await world.drive(lambda: process.decide(item.id, Action.RETRY, key="again"))
    assert len(world.calls) == 1
    await world.pass_days(process)
    first, second = sorted(world.intents(), key=lambda one: one.generation)
    assert (first.state, second.state) == (IntentState.REJECTED, IntentState.ACCEPTED)
    assert second.key != first.key


async def test_a_passing_refusal_is_tried_again_under_the_same_key(make: Make) -> None:
    """Row 10: the same bytes, one attempt higher, not before the provider said."""
    world = make()
    process = world.process()
    world.plan.add("create", Behaviour.BUSY)
    await draft(world, process)
    assert world.intent.state is IntentState.REJECTED
    request = world.intent.request
    world.clock.skip(29)
    await world.drive(process.work)
    assert len(world.calls) == 1
    world.clock.skip(2)
    await world.drive(process.work)
    assert world.intent.state is IntentState.ACCEPTED
    assert (world.intent.attempt, world.intent.request) == (2, request)
    assert len(world.drafts()) == 1


async def test_passing_refusals_end_in_an_item_after_five_calls(make: Make) -> None:
    """Row 10, bounded."""
    world = make()
    process = world.process()
    world.plan.add("create", *[Behaviour.BUSY] * 9)
    await draft(world, process)
    await world.pass_days(process)
    assert len(world.calls) == 5
    assert world.item(ItemKind.REJECTED)


@pytest.mark.parametrize("ill", [Behaviour.QUOTA, Behaviour.AUTH])
async def test_an_ill_mailbox_costs_no_tries_and_rests(make: Make, ill: Behaviour) -> None:
    """Row 11, PROTOCOL section 10."""
    world = make()
    process = world.process()
    world.plan.add("create", *[ill] * 7)
    await draft(world, process)
    assert world.item(ItemKind.MAILBOX_ILL)
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED
    assert world.intent.attempt == 8
    assert world.items(ItemKind.MAILBOX_ILL) == []


@pytest.mark.parametrize("lost", [Behaviour.LOSE, Behaviour.HANG_AFTER])
async def test_a_lost_answer_is_unknown_and_then_found(make: Make, lost: Behaviour) -> None:
    """Rows 12 and 13: one call, never repeated."""
    world = make()
    process = world.process()
    await lose(world, process, lost)
    assert world.intent.state is IntentState.UNKNOWN
    assert world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED
    assert world.items(ItemKind.OUTCOME_UNKNOWN) == []
    assert world.item(ItemKind.DRAFT_READY)
    assert world.records()[0].state is DraftState.HELD
    assert len(world.calls) == 1


@pytest.mark.parametrize("lost", [Behaviour.DROP, Behaviour.HANG])
async def test_a_call_that_never_landed_is_made_again_only_with_a_proof(
    make: Make, lost: Behaviour
) -> None:
    """Rows 12 and 14: without a proof it stays unknown for ever, and shown."""
    world = make()
    process = world.process()
    await lose(world, process, lost)
    await world.pass_days(process)
    if make.stages:
        assert (world.intent.state, world.intent.attempt) == (IntentState.ACCEPTED, 2)
        assert len(world.drafts()) == 1
        return
    assert world.intent.state is IntentState.UNKNOWN
    assert not world.intent.blocks
    assert world.item(ItemKind.OUTCOME_UNKNOWN)
    assert len(world.calls) == 1


async def test_a_late_answer_settles_what_was_given_up(make: Make) -> None:
    """Row 15: the answer comes after the lease is over and the call was swept."""
    world = make()
    async with world.background():
        process = world.process()
        await note_question(world, process)
        # Stopped while the answer is on its way.
        process.gate.on["create done"] = stop
        await world.drive(process.work)
        world.shift_lease()
        world.plan.add("look", Behaviour.DROP)
        other = world.process()
        await world.drive(other.reconcile)
        assert world.intent.state is IntentState.UNKNOWN
        process.gate.go_on()
        await world.drive(other.reconcile)
    facts = [fact.kind for fact in world.facts(world.intent.id)]
    assert EvidenceKind.LATE_ANSWER in facts
    assert world.intent.state is IntentState.ACCEPTED
    assert len(world.drafts()) == 1


@pytest.mark.parametrize("how", [Behaviour.TWICE, Behaviour.TWICE_LOST])
async def test_a_provider_that_doubled_a_draft_is_told_and_nothing_is_deleted(
    make: Make, how: Behaviour
) -> None:
    """Rows 16 and 48."""
    world = make()
    process = world.process()
    await lose(world, process, how)
    await world.pass_days(process)
    assert world.intent.state is IntentState.DUPLICATED
    assert world.item(ItemKind.DUPLICATED)
    assert len(world.drafts()) == 2
    assert len(world.records()) == 2


@pytest.mark.parametrize("how", [Behaviour.TWICE, Behaviour.TWICE_LOST])
@pytest.mark.parametrize("which", [0, 1])
async def test_a_doubled_draft_closes_by_itself_when_one_is_left(
    make: Make, how: Behaviour, which: int
) -> None:
    world = make()
    process = world.process()
    await lose(world, process, how)
    await world.pass_days(process)
    world.hands.delete(world.drafts()[which].ref)
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED
    assert world.items(ItemKind.DUPLICATED) == []
    held = [draft for draft in world.records() if draft.state is DraftState.HELD]
    assert [draft.ref for draft in held] == [one.ref for one in world.drafts()]


async def test_both_halves_of_a_doubled_draft_may_be_deleted(make: Make) -> None:
    world = make()
    process = world.process()
    await lose(world, process, Behaviour.TWICE_LOST)
    await world.pass_days(process)
    for one in world.drafts():
        world.hands.delete(one.ref)
    await world.pass_days(process)
    assert world.items(ItemKind.DUPLICATED, ItemKind.DRAFT_READY) == []
    assert [draft.open for draft in world.records()] == [False, False]


async def test_each_call_reaches_the_provider_once(make: Make) -> None:
    """Row 17."""
    world = make()
    process = world.process()
    for number, how in enumerate(Behaviour, start=1):
        world.plan.add("create", how)
        world.hands.put(question(number))
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        await world.drive(process.work)
    assert world.journal.calls["create"] == len(world.calls)
    assert len({(call.intent, call.attempt) for call in world.calls}) == len(world.calls)


async def test_after_three_unknowns_in_a_row_the_mailbox_rests(make: Make) -> None:
    """PROTOCOL section 10: until one look has succeeded, and a pause has passed."""
    world = make()
    process = world.process()
    world.plan.add("create", *[Behaviour.LOSE] * 3)
    for number in (1, 2, 3):
        await draft(world, process, number)
    await note_question(world, process, 4)
    assert await world.drive(process.work) == [Result.AGAIN]
    # A look finds the first draft at once; the pause still holds, for every thread.
    await world.drive(process.reconcile)
    assert IntentState.ACCEPTED in world.state_counts()
    await draft(world, process, 5)
    assert len(world.calls) == 3
    world.clock.skip(61)
    await world.drive(process.work)
    assert len(world.calls) == 5


async def test_a_mailbox_whose_looks_fail_rests_on_after_its_pause(make: Make) -> None:
    world = make()
    process = world.process()
    world.plan.add("create", *[Behaviour.DROP] * 3)
    for number in (1, 2, 3):
        await draft(world, process, number)
    await note_question(world, process, 4)
    world.plan.add("look", *[Behaviour.DROP] * 3)
    world.clock.skip(61)
    await world.drive(process.reconcile)
    await world.drive(process.work)
    assert len(world.calls) == 3
    await world.pass_days(process, 0.02)
    assert len(world.calls) > 3
