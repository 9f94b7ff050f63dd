"""Two drafts of one call: each is told apart from the other, whatever becomes of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from providers.memory import Behaviour
from providers.ports import Folder
from storage.words import Action, DraftState, IntentState, ItemKind, Kind
from tests.support.gmail_hands import GmailHands
from tests.support.mails import edited, follow_up, own_reply
from tests.support.scenes import draft
from tests.support.world import Process, World

HELD, SENT, GONE = DraftState.HELD, DraftState.SENT, DraftState.GONE


@pytest.fixture(params=["memory", "maildir", "gmail"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with capture_logs():
        match request.param:
            case "memory":
                yield World()
            case "maildir":
                yield World(tmp_path)
            case _:
                yield World(hands=partial(GmailHands, lag_s=0.0))


async def doubled(world: World, how: Behaviour = Behaviour.TWICE_LOST) -> Process:
    """The provider made two of one call, and both are on record."""
    process = world.process()
    world.plan.add("create", how)
    await draft(world, process)
    world.clock.skip(6)
    await world.drive(process.reconcile)
    await world.pass_days(process, days=0.05)
    assert [one.state for one in world.records()] == [HELD, HELD]
    return process


def states(world: World) -> list[DraftState]:
    return sorted(one.state for one in world.records())


async def discard(world: World, process: Process, draft_id: int) -> None:
    [item] = [one for one in world.items(ItemKind.DRAFT_READY) if one.about == str(draft_id)]
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key=f"d{draft_id}"))
    await world.pass_days(process, days=0.2)


@pytest.mark.parametrize("sends", [False, True])
async def test_a_removal_whose_answer_was_lost_is_not_refused_by_the_other_copy(
    world: World, sends: bool
) -> None:
    process = await doubled(world)
    if sends:
        world.hands.send(world.drafts()[0].ref)
        await world.pass_days(process, days=0.05)
    left = next(one for one in world.records() if one.open)
    world.plan.add("remove", Behaviour.LOSE)
    await discard(world, process, left.id)
    [removal] = [one for one in world.intents() if one.kind is Kind.REMOVE_DRAFT]
    assert removal.state is IntentState.ACCEPTED
    assert {one.id: one.state for one in world.records()}[left.id] is DraftState.DISCARDED


async def test_a_copy_that_is_deleted_is_not_recorded_as_sent(world: World) -> None:
    process = await doubled(world)
    first, second = world.drafts()
    world.hands.send(first.ref)
    await world.pass_days(process, days=0.05)
    world.hands.delete(second.ref)
    await world.drive(process.note)
    await world.pass_days(process, days=0.2)
    assert states(world) == sorted([SENT, GONE])


async def test_the_item_of_what_is_left_says_that_the_other_was_sent(world: World) -> None:
    process = await doubled(world)
    world.hands.send(world.drafts()[0].ref)
    await world.pass_days(process, days=0.05)
    assert "sent already" in world.item(ItemKind.DRAFT_READY).summary
    assert world.items(ItemKind.DUPLICATED) == []


async def test_one_of_two_that_was_edited_without_its_mark_and_sent_ends_the_doubling(
    world: World,
) -> None:
    process = await doubled(world, Behaviour.TWICE)
    first = world.drafts()[0]
    ref = world.hands.edit(first.ref, edited(first.raw, keeps_mark=False))
    await world.drive(process.note)
    await world.pass_days(process, days=0.1)
    world.hands.send(ref)
    await world.drive(process.note)
    await world.pass_days(process, days=0.3)
    create = next(one for one in world.intents() if one.kind is Kind.CREATE_DRAFT)
    assert create.state is IntentState.ACCEPTED
    assert world.items(ItemKind.DUPLICATED) == []
    assert [one.ref for one in world.records() if one.open] == [world.drafts()[0].ref]


async def test_what_lies_beside_a_deleted_one_is_told(world: World) -> None:
    process = world.process()
    world.plan.add("create", Behaviour.TWICE)
    await draft(world, process)
    await world.drive(process.note)
    recorded = world.records()[0].ref
    world.hands.delete(recorded, trash=True)
    await world.drive(process.reconcile)
    await world.pass_days(process, days=0.1)
    [lying] = world.drafts()
    [record] = [one for one in world.records() if one.open]
    assert record.ref == lying.ref
    assert world.item(ItemKind.DRAFT_READY).about == str(record.id)


async def test_what_is_taken_out_of_the_trash_beside_a_sent_one_is_told(world: World) -> None:
    process = await doubled(world)
    first, second = world.drafts()
    world.hands.delete(first.ref, trash=True)
    await world.pass_days(process, days=0.1)
    world.hands.send(second.ref)
    await world.pass_days(process, days=0.1)
    back = world.hands.put(first.raw, Folder.DRAFTS)
    await world.drive(process.note)
    await world.pass_days(process, days=0.1)
    assert [one.ref for one in world.records() if one.open] == [back]
    assert "sent already" in world.item(ItemKind.DRAFT_READY).summary
    world.hands.put(follow_up(1))
    await world.drive(process.note)
    await world.pass_days(process, days=0.1)
    assert world.thread.due_at is None


async def test_a_search_that_fails_slowly_has_its_pause(world: World) -> None:
    process = world.process()
    world.plan.add("create", Behaviour.LOSE)
    await draft(world, process)
    world.clock.skip(6)
    world.plan.chances = {"look": {Behaviour.DROP: 1.0}}

    async def slowly() -> None:
        await world.clock.sleep(45)

    process.gate.holds["look", 1] = slowly
    await world.drive(process.reconcile)
    due_in_s = (world.intent.next_look_at or 0) / 1000 - world.clock.database_s()
    assert due_in_s == pytest.approx(30, abs=1)


async def test_a_copy_is_no_edit_of_the_one_that_was_sent_before_it_was_noted(world: World) -> None:
    process = world.process()
    world.plan.add("create", Behaviour.TWICE)
    await draft(world, process)
    sent = world.records()[0]
    world.hands.send(sent.ref)
    world.clock.skip(30)
    await world.pass_days(process, days=0.3)
    [left] = world.drafts()
    assert {one.ref: one.state for one in world.records()} == {sent.ref: SENT, left.ref: HELD}


async def test_ours_that_surfaces_beside_an_adopted_one_is_told() -> None:
    with capture_logs():
        world = World(hands=partial(GmailHands, lag_s=0.0))
        process = world.process()
        world.plan.add("create", Behaviour.LATE_EFFECT)
        await draft(world, process)
        own = world.hands.put(own_reply(1), Folder.DRAFTS)
        world.clock.skip(30)
        await world.drive(process.note)
        await world.drive(process.reconcile)
        item = world.item(ItemKind.OUTCOME_UNKNOWN)
        await world.drive(lambda: process.decide(item.id, Action.ADOPT, key="a", ref=own))
        await world.box.land()
        await world.pass_days(process, days=0.3)
        assert world.intent.state is IntentState.DUPLICATED
        assert len([one for one in world.records() if one.open]) == 2


async def test_a_deleted_copy_that_is_put_back_under_its_name_is_told(tmp_path: Path) -> None:
    with capture_logs():
        world = World(tmp_path)
        process = world.process()
        world.plan.add("create", Behaviour.TWICE_LOST)
        await draft(world, process)
        world.hands.send(world.drafts()[0].ref)
        world.clock.skip(6)
        await world.drive(process.reconcile)
        await world.pass_days(process, days=0.05)
        [copy] = world.drafts()
        file = tmp_path / ".Drafts" / "cur" / copy.ref.rpartition("/")[2]
        [lying] = file.parent.glob(f"{file.name}*")
        away = tmp_path / ".Trash" / "cur" / lying.name
        lying.rename(away)
        await world.pass_days(process, days=0.1)
        assert not any(one.open for one in world.records())
        away.rename(lying)
        await world.pass_days(process, days=0.1)
        assert [one.ref for one in world.records() if one.open] == [copy.ref]
        assert "sent already" in world.item(ItemKind.DRAFT_READY).summary
