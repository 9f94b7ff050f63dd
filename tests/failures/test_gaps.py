"""Orphans count against a mailbox, refused removals are told, dismissed items stay dismissed."""

from __future__ import annotations

import pytest

from assistant.commands.deciding import RefusedError
from assistant.effects import illness
from providers.memory import Behaviour
from storage import mailboxes, threads
from storage.dbtime import database_now_ms
from storage.intents import TRIES
from storage.mailboxes import MailboxRow
from storage.words import (
    Action,
    DraftState,
    FaultPoint,
    IntentState,
    ItemKind,
    Kind,
)
from tests.support.gate import kill
from tests.support.mails import edited, follow_up
from tests.support.scenes import SETTLED_S, discard, draft
from tests.support.world import BOX, Process, World
from tests.support.worlds import Make


def _mailbox(world: World) -> MailboxRow:
    found = world.read(lambda conn: mailboxes.load(conn, BOX))
    assert found is not None
    return found


def _make_due(world: World) -> None:
    thread = world.thread.thread
    world.db.run(lambda conn: threads.make_due(conn, BOX, thread, 0))


async def _die_in_a_call(world: World, number: int) -> None:
    """A process dies between the commit of its claim and the answer."""
    process = world.process()
    process.gate.at[FaultPoint.CALL_ALLOWED] = kill
    await draft(world, process, number)
    world.shift_lease()
    await world.drive(world.process().reconcile)


async def test_three_orphans_in_a_row_make_the_mailbox_rest(make: Make) -> None:
    """PROTOCOL section 10: nobody can say whether we died or the mailbox kept silent."""
    world = make()
    for number in (1, 2, 3):
        await _die_in_a_call(world, number)
        # An attempt that a proof freed is made again, and dies again.
        assert _mailbox(world).unknowns_in_a_row >= number
    assert _mailbox(world).pauses == 1
    assert (_mailbox(world).calls_paused_until or 0) > world.read(database_now_ms)


async def test_an_orphan_is_counted_once_whatever_follows(make: Make) -> None:
    world = make()
    await _die_in_a_call(world, 1)
    for _ in range(3):
        await world.drive(world.process().reconcile)
    assert _mailbox(world).unknowns_in_a_row == 1


async def test_what_turns_unknown_while_the_mailbox_rests_does_not_double_its_rest(
    make: Make,
) -> None:
    world = make()
    for number in (1, 2, 3):
        await _die_in_a_call(world, number)
    rests_until = _mailbox(world).calls_paused_until
    now, intent = world.read(database_now_ms), world.intents()[0]
    world.db.run(lambda conn: illness.count_unknown(conn, intent, now))
    assert _mailbox(world).pauses == 1
    assert _mailbox(world).calls_paused_until == rests_until


async def _refused_removal(world: World, process: Process) -> None:
    world.plan.add("remove", *[Behaviour.BUSY] * TRIES)
    await discard(world, process)
    await world.pass_days(process, 0.5)


async def test_a_removal_that_was_refused_too_often_is_told(make: Make) -> None:
    world = make()
    process = world.process()
    await _refused_removal(world, process)
    item = world.item(ItemKind.REJECTED)
    (removal,) = [one for one in world.intents() if one.kind is Kind.REMOVE_DRAFT]
    assert item.about == removal.id
    assert (removal.state, removal.tries_left) == (IntentState.REJECTED, 0)
    assert world.records()[0].state is DraftState.HELD
    assert len(world.drafts()) == 1


async def test_a_refused_removal_is_tried_again_when_a_person_retries(make: Make) -> None:
    world = make()
    process = world.process()
    await _refused_removal(world, process)
    item = world.item(ItemKind.REJECTED)
    await world.drive(lambda: process.decide(item.id, Action.RETRY, key="again"))
    await world.pass_days(process, 0.5)
    assert world.drafts() == []
    assert world.items(ItemKind.REJECTED) == []


async def test_a_discard_that_is_asked_anew_is_tried_anew(make: Make) -> None:
    world = make()
    process = world.process()
    await _refused_removal(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="anew"))
    assert world.items(ItemKind.REJECTED) == []
    await world.pass_days(process, 0.5)
    assert world.drafts() == []
    assert world.items(ItemKind.REJECTED) == []


async def test_a_refused_removal_that_a_person_dismissed_is_not_made_again(make: Make) -> None:
    world = make()
    process = world.process()
    await _refused_removal(world, process)
    item = world.item(ItemKind.REJECTED)
    await world.drive(lambda: process.decide(item.id, Action.DISMISS, key="no"))
    await world.pass_days(process, 0.5)
    assert len(world.drafts()) == 1
    assert world.items(ItemKind.REJECTED) == []


async def test_a_draft_that_its_owner_changed_is_not_removed_by_a_retry(make: Make) -> None:
    world = make()
    process = world.process()
    await _refused_removal(world, process)
    (lying,) = world.drafts()
    world.hands.edit(lying.ref, edited(lying.raw, keeps_mark=True))
    _make_due(world)
    await world.pass_days(process, 0.1)
    item = world.item(ItemKind.REJECTED)
    with pytest.raises(RefusedError, match="changed by you"):
        await process.decide(item.id, Action.RETRY, key="again")
    assert len(world.drafts()) == 1


async def _dismissed(world: World, process: Process) -> None:
    await draft(world, process)
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.all)
    item = world.item(ItemKind.DRAFT_OVERTAKEN)
    await world.drive(lambda: process.decide(item.id, Action.DISMISS, key="seen"))


async def test_a_dismissed_overtaken_item_stays_dismissed(make: Make) -> None:
    world = make()
    process = world.process()
    await _dismissed(world, process)
    _make_due(world)
    await world.drive(process.all)
    assert world.items(ItemKind.DRAFT_OVERTAKEN) == []


async def test_a_newer_message_opens_a_dismissed_overtaken_item_again(make: Make) -> None:
    world = make()
    process = world.process()
    await _dismissed(world, process)
    world.hands.put(follow_up(1, again=2))
    world.clock.skip(SETTLED_S)
    await world.drive(process.all)
    assert world.item(ItemKind.DRAFT_OVERTAKEN)
