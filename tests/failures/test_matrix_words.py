"""A person's words about what nobody else can know, and the removal that they ask for."""

from __future__ import annotations

import anyio
import pytest

from assistant.commands.deciding import RefusedError
from providers.memory import Behaviour
from providers.ports import Folder
from storage.receipts import ConflictError
from storage.words import Action, DraftState, EvidenceKind, FaultPoint, IntentState, ItemKind
from tests.support.mails import edited, follow_up, own_reply
from tests.support.scenes import SETTLED_S, draft, lose
from tests.support.world import Process, World
from tests.support.worlds import Make


async def _unknown(world: World, process: Process) -> int:
    """An unknown call of which nothing was found for a day; gives its item."""
    await lose(world, process, Behaviour.DROP)
    world.plan.add("look", *[Behaviour.DROP] * 500)
    world.clock.skip(86_400)
    return world.item(ItemKind.OUTCOME_UNKNOWN).id


async def test_never_happened_frees_the_thread_under_a_new_key(make: Make) -> None:
    """Row 50: the command itself creates nothing."""
    if make.stages:
        pytest.skip("the look before it proves it")
    world = make()
    process = world.process()
    await lose(world, process, Behaviour.DROP)
    await world.pass_days(process)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.NEVER_HAPPENED, key="no"))
    assert len(world.calls) == 1
    await world.pass_days(process)
    first, second = sorted(world.intents(), key=lambda one: one.generation)
    assert (first.state, second.state) == (IntentState.REJECTED, IntentState.ACCEPTED)
    assert first.attempt == 1
    assert len(world.drafts()) == 1


async def test_never_happened_is_refused_while_the_call_may_still_land(make: Make) -> None:
    if make.stages:
        pytest.skip("the look before it proves it")
    world = make(lag_s=90)
    process = world.process()
    await lose(world, process, Behaviour.DROP)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    world.clock.skip(89)
    with pytest.raises(RefusedError):
        await world.drive(lambda: process.decide(item.id, Action.NEVER_HAPPENED, key="no"))
    # A look that began now could end after the window and have missed what landed in between.
    assert process.gate.counts["look"] == 0
    assert world.intent.state is IntentState.UNKNOWN
    assert world.thread.generation == 0


async def test_never_happened_needs_a_look_that_reached_every_place(make: Make) -> None:
    world = make()
    process = world.process()
    item = await _unknown(world, process)
    with pytest.raises(RefusedError):
        await world.drive(lambda: process.decide(item, Action.NEVER_HAPPENED, key="no"))
    assert world.intent.state is IntentState.UNKNOWN


async def test_never_happened_is_refused_when_the_look_before_it_finds_the_draft(
    make: Make,
) -> None:
    world = make()
    process = world.process()
    await lose(world, process)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    world.clock.skip(700)
    with pytest.raises(RefusedError):
        await world.drive(lambda: process.decide(item.id, Action.NEVER_HAPPENED, key="no"))
    assert world.intent.state is IntentState.ACCEPTED


async def test_of_two_people_who_say_it_at_once_one_decision_wins(make: Make) -> None:
    """Row 50."""
    if make.stages:
        pytest.skip("the look before it proves it")
    world = make()
    process = world.process()
    await lose(world, process, Behaviour.DROP)
    await world.pass_days(process)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    said: list[str] = []

    async def say(key: str) -> None:
        try:
            await process.decide(item.id, Action.NEVER_HAPPENED, key=key)
        except RefusedError:
            said.append("refused")
        else:
            said.append("done")

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(say, "one")
            group.start_soon(say, "two")

    await world.drive(both)
    assert sorted(said) == ["done", "refused"]
    assert world.thread.generation == 1


async def test_a_draft_that_lands_after_never_happened_is_shown_beside_the_new_one(
    make: Make,
) -> None:
    """PROTOCOL section 5: both are told, nothing is deleted."""
    if make.stages:
        pytest.skip("a withdrawn staging cannot land")
    world = make()
    process = world.process()
    await lose(world, process, Behaviour.LATE_EFFECT)
    await world.pass_days(process)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.NEVER_HAPPENED, key="no"))
    await world.pass_days(process)
    await world.box.land()
    await world.pass_days(process)
    assert len(world.drafts()) == 2
    assert world.items(ItemKind.DUPLICATED)
    assert [one.state for one in world.intents()] == [IntentState.ACCEPTED] * 2
    world.hands.delete(world.drafts()[0].ref)
    await world.pass_days(process)
    assert world.items(ItemKind.DUPLICATED) == []


async def test_dismissing_frees_the_thread_and_keeps_the_key(make: Make) -> None:
    world = make()
    process = world.process()
    world.plan.add("look", *[Behaviour.DROP] * 500)
    await lose(world, process, Behaviour.DROP)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.DISMISS, key="leave it"))
    await world.drive(process.work)
    assert len(world.calls) == 1
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    await world.drive(process.work)
    assert len(world.calls) == 2
    assert len(world.drafts()) == 1


async def test_a_dismissed_draft_that_appears_late_is_shown(make: Make) -> None:
    if make.stages:
        pytest.skip("a withdrawn staging cannot land")
    world = make()
    process = world.process()
    await lose(world, process, Behaviour.LATE_EFFECT)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.DISMISS, key="leave it"))
    await world.pass_days(process)
    await world.box.land()
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED
    assert world.item(ItemKind.DRAFT_READY)


async def test_it_exists_is_the_persons_word_and_the_draft_is_theirs(make: Make) -> None:
    world = make()
    process = world.process()
    await lose(world, process)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    ref = world.drafts()[0].ref
    await world.drive(lambda: process.decide(item.id, Action.IT_EXISTS, key="yes", ref=ref))
    (record,) = world.records()
    assert (world.intent.state, record.state) == (IntentState.ACCEPTED, DraftState.EDITED)
    assert world.items(ItemKind.OUTCOME_UNKNOWN) == []
    await world.pass_days(process)
    assert len(world.calls) == 1


async def test_it_exists_without_a_reference_frees_the_thread_when_nothing_shows(
    make: Make,
) -> None:
    """PROTOCOL section 7."""
    world = make()
    process = world.process()
    world.plan.add("look", *[Behaviour.DROP] * 500)
    await lose(world, process, Behaviour.DROP)
    world.plan._left["look"].clear()
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.IT_EXISTS, key="yes"))
    world.hands.put(follow_up(1))
    await world.pass_days(process)
    assert [one.state for one in world.intents()] == [IntentState.ACCEPTED] * 2
    assert len(world.drafts()) == 1


async def test_a_new_draft_without_marks_is_a_candidate_that_a_person_adopts(make: Make) -> None:
    world = make()
    process = world.process()
    world.plan.add("look", Behaviour.PASS)
    await lose(world, process)
    lying = world.drafts()[0]
    ref = world.hands.edit(lying.ref, own_reply(1, "Something else."))
    world.clock.skip(SETTLED_S)
    if make.stages:
        pytest.skip("the delivery is known, so there is nothing to adopt")
    await world.drive(process.reconcile)
    facts = world.facts(world.intent.id)
    assert EvidenceKind.CANDIDATE in [fact.kind for fact in facts]
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    await world.drive(lambda: process.decide(item.id, Action.ADOPT, key="mine", ref=ref))
    assert world.intent.state is IntentState.ACCEPTED
    assert world.records()[0].state is DraftState.EDITED


async def test_a_reply_key_gives_the_first_operation_whatever_happened_since(make: Make) -> None:
    """Promise 6, row 53's rule for every command."""
    world = make()
    process = world.process()
    await draft(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    first = await world.drive(lambda: process.decide(item.id, Action.KEEP, key="k"))
    again = await world.drive(lambda: process.decide(item.id, Action.KEEP, key="k"))
    assert first is not None
    assert again is not None
    assert (again.operation, again.replayed) == (first.operation, True)
    with pytest.raises(ConflictError):
        await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="k"))


async def test_a_draft_that_was_edited_after_its_discard_was_asked_is_left(make: Make) -> None:
    """Promise 7."""
    world = make()
    process = world.process()
    await draft(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="k"))
    lying = world.drafts()[0]
    ref = world.hands.edit(lying.ref, edited(lying.raw))
    await world.pass_days(process)
    assert [one.ref for one in world.hands.lying(Folder.DRAFTS)] == [ref]
    assert world.records()[0].state is DraftState.EDITED


async def test_a_draft_that_was_edited_just_before_its_removal_is_left(make: Make) -> None:
    """Promise 7: the edit comes after the direct get, before the call."""
    world = make()
    process = world.process()
    await draft(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="k"))
    lying = world.drafts()[0]

    def edit(_: object) -> None:
        world.hands.edit(lying.ref, edited(lying.raw))

    process.gate.at[FaultPoint.CALL_ALLOWED] = edit
    await world.pass_days(process)
    assert len(world.hands.lying(Folder.DRAFTS)) == 1
    assert world.records()[0].state is DraftState.EDITED
    assert len(world.calls) == 2


@pytest.mark.parametrize("how", [Behaviour.LOSE, Behaviour.DROP, Behaviour.HANG_AFTER])
async def test_a_removal_whose_answer_was_lost_is_repeated_or_found_done(
    make: Make, how: Behaviour
) -> None:
    """PROTOCOL section 8: a versioned removal never sticks."""
    world = make()
    process = world.process()
    await draft(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="k"))
    world.plan.add("remove", how)
    await world.pass_days(process)
    assert world.drafts() == []
    assert world.records()[0].state is DraftState.DISCARDED
    assert {one.state for one in world.intents()} == {IntentState.ACCEPTED}
    assert world.items() == []
