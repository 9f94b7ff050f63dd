"""Rows 46-50 and 55: what a look finds, and when looks end."""

from __future__ import annotations

import pytest

from providers.memory import Behaviour
from providers.ports import Folder
from storage.words import DraftState, FaultPoint, IntentState, ItemKind
from tests.support.gate import kill
from tests.support.mails import edited, follow_up, own_reply
from tests.support.scenes import SETTLED_S, draft, lose, note_question
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
