"""Rows 46-50 and 55: what a look finds, and what a person says."""

from __future__ import annotations

import anyio
import pytest

from assistant.commands.deciding import RefusedError
from providers.memory import Behaviour
from providers.ports import Folder
from storage.receipts import ConflictError
from storage.words import Action, DraftState, EvidenceKind, FaultPoint, IntentState, ItemKind
from tests.support.gate import kill
from tests.support.mails import edited, follow_up, own_reply
from tests.support.scenes import SETTLED_S, draft, lose, note_question
from tests.support.world import Process, World
from tests.support.worlds import MAILDIR, Make


async def test_a_listing_that_lags_gives_no_absence_before_the_window(make: Make) -> None:
    """Row 46: seen at last, held, and waiting for review."""
    if make.kind == MAILDIR:
        pytest.skip("a Maildir does not lag")
    world = make(lag_s=90)
    process = world.process()
    await lose(world, process)
    world.clock.skip(SETTLED_S)
    await world.drive(process.reconcile)
    assert world.intent.state is IntentState.UNKNOWN
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED
    (record,) = world.records()
    assert (record.state, record.ref) == (DraftState.HELD, world.drafts()[0].ref)
    assert world.item(ItemKind.DRAFT_READY)


@pytest.mark.parametrize("keeps_mark", [True, False])
async def test_a_found_draft_that_was_changed_is_the_owners(make: Make, keeps_mark: bool) -> None:
    """Row 49: edited before anybody looked."""
    world = make()
    process = world.process()
    await lose(world, process)
    lying = world.drafts()[0]
    world.hands.edit(lying.ref, edited(lying.raw, keeps_mark=keeps_mark))
    await world.pass_days(process)
    assert len(world.hands.lying(Folder.DRAFTS)) == 1
    assert len(world.calls) == 1
    if keeps_mark:
        assert world.records()[0].state is DraftState.EDITED


@pytest.mark.parametrize("how", ["sent", "trashed"])
async def test_a_found_draft_that_left_is_told_apart(make: Make, how: str) -> None:
    """Row 49."""
    world = make()
    process = world.process()
    await lose(world, process)
    ref = world.drafts()[0].ref
    if how == "sent":
        world.hands.send(ref)
    else:
        world.hands.delete(ref, trash=True)
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED
    wanted = DraftState.SENT if how == "sent" else DraftState.DISCARDED
    assert world.records()[0].state is wanted
    assert len(world.calls) == 1
    assert world.items() == []


async def test_a_draft_that_was_deleted_before_anybody_looked_is_not_made_again(
    make: Make,
) -> None:
    world = make()
    process = world.process()
    await lose(world, process)
    world.hands.delete(world.drafts()[0].ref)
    await world.pass_days(process)
    assert len(world.calls) == 1
    assert world.drafts() == []


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


async def test_the_owners_own_answer_frees_a_thread_that_an_unknown_blocks(make: Make) -> None:
    """PROTOCOL section 5."""
    world = make()
    process = world.process()
    world.plan.add("look", *[Behaviour.DROP] * 500)
    await lose(world, process, Behaviour.DROP)
    world.hands.put(own_reply(1), Folder.SENT)
    await world.drive(process.note)
    assert not world.intent.blocks
    assert world.intent.state is IntentState.UNKNOWN


async def test_the_owners_answer_while_the_call_is_open_frees_it_once_it_is_unknown(
    make: Make,
) -> None:
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.CALL_ALLOWED] = kill
    await draft(world, process)
    world.hands.put(own_reply(1), Folder.SENT)
    other = world.process()
    world.plan.add("look", Behaviour.DROP)
    world.shift_lease()
    await world.drive(other.note)
    await world.drive(other.reconcile)
    assert world.intent.state is IntentState.UNKNOWN
    assert not world.intent.blocks


async def test_looks_that_found_nothing_end_and_free_the_thread_but_not_the_key(
    make: Make,
) -> None:
    """PROTOCOL section 5."""
    if make.stages:
        pytest.skip("the first look proves it")
    world = make()
    process = world.process()
    await lose(world, process, Behaviour.DROP)
    await world.pass_days(process, 0.9)
    assert world.intent.blocks
    await world.pass_days(process, 0.5)
    assert not world.intent.blocks
    assert world.intent.state is IntentState.UNKNOWN
    assert world.item(ItemKind.OUTCOME_UNKNOWN)
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.all)
    assert len(world.drafts()) == 1


async def test_waiting_without_looks_settles_nothing(make: Make) -> None:
    """Promise 3, row 55."""
    world = make()
    process = world.process()
    world.plan.add("look", *[Behaviour.DROP] * 500)
    await lose(world, process, Behaviour.DROP)
    await world.pass_days(process, 0.02)
    assert world.intent.state is IntentState.UNKNOWN
    assert world.intent.blocks
    assert len(world.calls) == 1


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


async def test_nothing_is_made_while_the_owner_writes_a_draft_of_their_own(make: Make) -> None:
    """Promise 5; and once it goes the way is free."""
    world = make()
    process = world.process()
    ref = world.hands.put(own_reply(1), Folder.DRAFTS)
    await draft(world, process)
    assert world.calls == []
    await world.drive(process.note)
    world.hands.delete(ref)
    await world.pass_days(process)
    assert len(world.drafts()) == 1


async def test_a_draft_of_the_owner_that_only_the_snapshot_shows_stops_the_claim(
    make: Make,
) -> None:
    """Section 3, rule 5; the plan is dropped and made anew when it is gone again."""
    world = make()
    process = world.process()
    await note_question(world, process)
    refs: list[object] = []
    process.gate.at[FaultPoint.PLANNED] = lambda _: refs.append(
        world.hands.put(own_reply(1), Folder.DRAFTS)
    )
    await world.drive(process.work)
    assert world.calls == []
    world.hands.delete(refs[0])  # type: ignore[arg-type]
    await world.pass_days(process)
    assert len(world.drafts()) == 1


async def test_a_draft_of_the_owner_that_went_while_nobody_ran_frees_its_thread(
    make: Make,
) -> None:
    """Promise 10: a restart misses nothing."""
    world = make()
    process = world.process()
    ref = world.hands.put(own_reply(1), Folder.DRAFTS)
    await draft(world, process)
    assert world.calls == []
    world.hands.delete(ref)
    await world.pass_days(world.process(sole=True))
    assert len(world.drafts()) == 1


async def test_an_orphan_whose_draft_no_listing_shows_yet_is_not_made_again(make: Make) -> None:
    """Rows 24 and 46 at once: only the committed intent stands between it and a second draft."""
    world = make(lag_s=300)
    process = world.process()
    process.gate.at[FaultPoint.EFFECT_DONE] = kill
    await draft(world, process)
    other = world.process()
    world.shift_lease()
    for _ in range(8):
        await world.drive(other.note)
        await world.drive(other.reconcile)
        await world.drive(other.work)
        world.clock.skip(30)
    assert len(world.calls) == 1
    await world.pass_days(other)
    assert len(world.drafts()) == 1
    assert world.intent.state is IntentState.ACCEPTED
