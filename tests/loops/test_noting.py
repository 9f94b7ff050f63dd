"""Noting: only the holder of the watch lease writes, and what bears our mark is no news."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assistant.loops.noting import Pass, note
from leases.keeper import Grip
from leases.term import Term
from providers.memory import Behaviour
from providers.ports import Folder, Json
from storage import leases, mailboxes, messages
from storage.leases import Held, LeaseLostError
from storage.words import (
    WATCH_THREAD,
    Action,
    DraftState,
    IntentState,
    ItemKind,
    Ref,
)
from tests.support.gate import stop
from tests.support.mails import follow_up, own_reply, question
from tests.support.scenes import SETTLED_S, draft, lose
from tests.support.world import BOX, Process, World


def _cursor(world: World) -> Json | None:
    row = world.read(lambda conn: mailboxes.load(conn, BOX))
    return None if row is None else row.cursor


async def _none(_: Sequence[Ref]) -> frozenset[Ref]:
    return frozenset()


def _term(world: World) -> Term:
    return Term(started_s=world.clock.boot_s(), ttl_s=60)


async def _overtaken(world: World, process: Process) -> Process:
    """*process* listed a mail and stopped; then that went, and another process noted a second."""
    first = world.hands.put(question(1))
    process.gate.on["changes done"] = stop
    await world.drive(process.note)
    world.shift_lease()
    other = world.process()
    world.hands.delete(first)
    world.hands.put(question(2))
    await world.drive(other.note)
    return other


async def test_a_watcher_that_was_overtaken_moves_no_cursor_back(world: World) -> None:
    async with world.background():
        process = world.process()
        await _overtaken(world, process)
        cursor = _cursor(world)
        process.gate.go_on()
        await world.drive(world.process().reconcile)
        assert _cursor(world) == cursor


async def test_a_watcher_that_was_overtaken_writes_nothing(world: World) -> None:
    async with world.background():
        process = world.process()
        await _overtaken(world, process)
        before = [(row.thread, row.revision, row.dues) for row in world.threads()]
        process.gate.go_on()
        await world.drive(world.process().reconcile)
        assert [(row.thread, row.revision, row.dues) for row in world.threads()] == before


async def test_a_watcher_that_was_overtaken_says_nothing_of_the_mailboxs_health(
    world: World,
) -> None:
    process = world.process()
    await world.drive(process.note)
    held = await world.drive(lambda: _take(world, process))
    assert held is not None
    world.shift_lease()
    await world.drive(world.process().note)
    grip = Grip(held=held, term=_term(world), clock=world.clock)
    world.plan.add("changes", Behaviour.AUTH)
    await world.drive(lambda: process.watcher._pass(grip))
    assert world.items(ItemKind.MAILBOX_ILL) == []


async def _take(world: World, process: Process) -> Held | None:
    return await process.house.store.write(
        lambda conn: leases.acquire(conn, BOX, WATCH_THREAD, process.house.worker, 60_000)
    )


async def test_noting_under_a_lost_lease_is_refused(world: World) -> None:
    process = world.process()
    await world.drive(process.note)
    held = await world.drive(lambda: _take(world, process))
    assert held is not None
    world.hands.put(question(1))
    changes = await world.hands.mailbox.changes(None, since=None, known=_none)
    world.shift_lease()
    await world.drive(lambda: _take(world, world.process()))
    this = Pass(held=held, came_from=_cursor(world), changes=changes, lag_ms=0)
    with pytest.raises(LeaseLostError):
        await note(process.house, process.account, this)
    assert world.threads() == []


async def test_a_wish_to_look_through_again_outlives_a_pass_under_way(world: World) -> None:
    async with world.background():
        process = world.process()
        await world.drive(process.note)
        world.hands.inner.forget_history()  # type: ignore[attr-defined]
        await world.drive(process.note)
        process.gate.on["changes done"] = stop
        await world.drive(process.note)
        gap = world.item(ItemKind.GAP)
        other = world.process()
        await world.drive(lambda: other.decide(gap.id, Action.RETRY, key="again"))
        process.gate.go_on()
        await world.drive(other.reconcile)
        assert _cursor(world) is None


async def test_a_draft_of_ours_that_its_owner_sent_raises_no_revision(world: World) -> None:
    process = world.process()
    await draft(world, process)
    await world.drive(process.note)
    before = world.thread.revision
    world.hands.send(world.drafts()[0].ref)
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    assert world.thread.revision == before


async def test_a_draft_of_ours_that_its_owner_sent_is_recorded_as_sent(world: World) -> None:
    process = world.process()
    await draft(world, process)
    world.hands.send(world.drafts()[0].ref)
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    world.clock.skip(SETTLED_S)
    await world.drive(process.work)
    assert [one.state for one in world.records()] == [DraftState.SENT]


async def test_a_lost_draft_that_its_owner_sent_frees_its_thread(world: World) -> None:
    process = world.process()
    await lose(world, process)
    assert world.intent.blocks
    world.hands.send(world.drafts()[0].ref)
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    assert not world.intent.blocks


async def test_after_a_draft_of_ours_was_sent_the_thread_is_answered_no_second_time(
    world: World,
) -> None:
    process = world.process()
    await draft(world, process)
    world.hands.send(world.drafts()[0].ref)
    for _ in range(3):
        world.clock.skip(SETTLED_S)
        await world.drive(process.all)
    assert (len(world.intents()), world.drafts()) == (1, [])


async def test_a_newer_question_after_our_sent_draft_gets_its_own(world: World) -> None:
    process = world.process()
    await draft(world, process)
    world.hands.send(world.drafts()[0].ref)
    world.clock.skip(SETTLED_S)
    await world.drive(process.all)
    world.hands.put(follow_up(1))
    for _ in range(3):
        world.clock.skip(SETTLED_S)
        await world.drive(process.all)
    assert world.state_counts() == {IntentState.ACCEPTED: 2}


async def test_what_the_owner_wrote_by_hand_still_raises_the_revision(world: World) -> None:
    process = world.process()
    await draft(world, process)
    await world.drive(process.note)
    before = world.thread.revision
    world.hands.put(own_reply(1), Folder.SENT)
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    assert world.thread.revision == before + 1


async def _deleted_before_any_listing(world: World, process: Process) -> None:
    await draft(world, process)
    (record,) = world.records()
    world.hands.delete(record.ref)
    noted = world.read(lambda conn: messages.by_ref(conn, BOX, record.ref))
    assert noted is None


async def test_a_draft_that_was_deleted_before_any_listing_becomes_gone(world: World) -> None:
    process = world.process()
    await _deleted_before_any_listing(world, process)
    for _ in range(60):
        world.clock.skip(30)
        await world.drive(process.note)
        await world.drive(process.work)
    assert [one.state for one in world.records()] == [DraftState.GONE]
    assert world.items(ItemKind.DRAFT_READY) == []


async def test_a_draft_that_no_listing_shows_is_asked_for_once(world: World) -> None:
    """It lies there untouched: nothing goes on asking."""
    process = world.process()
    await draft(world, process)
    for _ in range(60):
        world.clock.skip(30)
        await world.drive(lambda: _note_without_drafts(world, process))
        await world.drive(process.work)
    assert world.journal.calls["draft"] == 1


async def _note_without_drafts(world: World, process: Process) -> None:
    inner = process.house.accounts[BOX].mailbox
    held = await _take(world, process)
    assert held is not None
    cursor = _cursor(world)
    changes = await inner.changes(cursor, since=None, known=_none)
    seen = tuple(one for one in changes.seen if one.folder is not Folder.DRAFTS)
    changes = type(changes)(cursor=changes.cursor, seen=seen)
    lag_ms = process.house.schedule_for(process.account).lag_ms
    this = Pass(held=held, came_from=cursor, changes=changes, lag_ms=lag_ms)
    await note(process.house, process.account, this)
    await process.house.store.write(lambda conn: leases.release(conn, held))
