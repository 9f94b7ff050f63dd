"""Faults of the house that schedules have shown, each as small as it gets."""

from __future__ import annotations

import anyio
import pytest
from structlog.testing import capture_logs

from assistant.loops.reconciler import Reconciler
from providers.memory import Behaviour
from providers.ports import Folder
from storage.words import By, DraftState, FaultPoint, IntentState, ItemKind
from tests.simulation.place import WatchedHands
from tests.support.clock import quiesce
from tests.support.gate import kill
from tests.support.mails import follow_up
from tests.support.scenes import draft, note_question
from tests.support.world import World


async def test_a_look_that_ends_after_a_proof_takes_no_missing_bytes_for_a_delivery() -> None:
    with capture_logs():
        world = World(hands=lambda clock: WatchedHands(clock, lag_s=0.0, stages=True))
        first, second = world.process(), world.process()
        world.plan.add("create", Behaviour.DROP)
        await draft(world, first)
        intent, go_on = world.intent, anyio.Event()
        async with world.background() as group:
            second.gate.holds["look", 1] = go_on.wait
            group.start_soon(Reconciler(second.house).look, second.account, intent)
            await quiesce()
            world.clock.skip(6)
            group.start_soon(first.reconcile)
            await quiesce()
            assert world.intent.settled_by == By.PROOF
            world.clock.skip(700)
            go_on.set()
            await quiesce()
        assert world.intent.state is IntentState.REJECTED


async def test_a_second_draft_that_was_noted_while_its_call_was_under_way_is_told() -> None:
    with capture_logs():
        world = World()
        first, second = world.process(), world.process()
        world.plan.add("create", Behaviour.TWICE)
        await note_question(world, first)
        go_on = anyio.Event()
        async with world.background() as group:
            first.gate.holds["create done", 1] = go_on.wait
            group.start_soon(first.work)
            await quiesce()
            group.start_soon(second.note)
            await quiesce()
            go_on.set()
            await quiesce()
            await world.pass_days(second, days=0.1)
        assert world.intent.state is IntentState.DUPLICATED
        assert [one.kind for one in world.items(ItemKind.DUPLICATED)] == [ItemKind.DUPLICATED]


async def test_a_second_draft_whose_first_was_sent_before_any_look_is_told() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        world.plan.add("create", Behaviour.TWICE_LOST)
        await draft(world, process)
        world.hands.send(world.drafts()[0].ref)
        world.clock.skip(6)
        await world.drive(process.reconcile)
        world.hands.put(follow_up(1))
        await world.pass_days(process, days=0.05)
        left, item = world.drafts()[0], world.item(ItemKind.DRAFT_READY)
        told = [(one.state, one.ref) for one in world.records() if one.open]
        assert told == [(DraftState.HELD, left.ref)]
        assert "sent already" in item.summary
        assert world.thread.due_at is None


@pytest.mark.parametrize("sent_first", [False, True])
async def test_a_second_draft_stays_on_record_when_its_first_is_sent(sent_first: bool) -> None:
    with capture_logs():
        world = World()
        process = world.process()
        world.plan.add("create", Behaviour.TWICE_LOST)
        await draft(world, process)
        world.clock.skip(6)
        await world.drive(process.reconcile)
        assert world.intent.state is IntentState.DUPLICATED
        ref = world.drafts()[0 if sent_first else 1].ref
        world.hands.send(ref)
        await world.pass_days(process, days=0.05)
        assert world.intent.state is IntentState.ACCEPTED
        states = {one.ref: one.state for one in world.records()}
        assert states == {ref: DraftState.SENT, world.drafts()[0].ref: DraftState.HELD}


async def test_a_mark_that_is_seen_during_a_look_has_it_looked_for_again() -> None:
    with capture_logs():
        world = World(hands=lambda clock: WatchedHands(clock, lag_s=8.0, stages=True))
        first, second = world.process(), world.process()
        world.plan.add("create", Behaviour.TWICE_LOST)
        await draft(world, first)
        go_on = anyio.Event()
        world.clock.skip(6)
        async with world.background() as group:
            second.gate.holds["look done", 1] = go_on.wait
            group.start_soon(second.reconcile)
            await quiesce()
            world.clock.skip(60)
            group.start_soon(first.note)
            await quiesce()
            go_on.set()
            await quiesce()
            assert world.intent.state is IntentState.UNKNOWN
            await world.pass_days(first, days=0.1)
        assert world.intent.state is IntentState.DUPLICATED


async def test_a_second_draft_that_is_seen_during_a_look_is_told() -> None:
    with capture_logs():
        world = World()
        first, second = world.process(), world.process()
        world.plan.add("create", Behaviour.LOSE)
        await draft(world, first)
        go_on = anyio.Event()
        world.clock.skip(900)
        async with world.background() as group:
            second.gate.holds["look done", 1] = go_on.wait
            group.start_soon(second.reconcile)
            await quiesce()
            world.hands.put(world.drafts()[0].raw, Folder.DRAFTS)
            group.start_soon(first.note)
            await quiesce()
            go_on.set()
            await quiesce()
            assert world.intent.state is IntentState.ACCEPTED
            await world.pass_days(first, days=0.1)
        assert world.intent.state is IntentState.DUPLICATED


async def test_a_copy_of_a_draft_that_left_is_told_though_its_look_came_too_early() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        world.plan.add("create", Behaviour.TWICE)
        await draft(world, process)
        first, second = world.drafts()
        await world.drive(process.note)
        world.hands.delete(first.ref, trash=True)
        await world.drive(process.reconcile)
        assert [one.ref for one in world.records() if one.open] == [first.ref]
        await world.pass_days(process, days=0.1)
        assert [one.ref for one in world.records() if one.open] == [second.ref]


async def test_a_thread_of_a_mailbox_that_is_set_aside_is_not_read_again_every_second() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        await note_question(world, process)
        world.hands.put(follow_up(1))
        for _ in range(4):
            dead = world.process()
            dead.gate.at[FaultPoint.NOTE_WRITTEN] = kill
            await world.drive(dead.note)
            world.shift_lease()
        await world.drive(process.note)
        await world.drive(process.work)
        assert world.thread.due_at is not None
        assert world.thread.due_at / 1000 - world.clock.database_s() > 600


async def test_a_worker_that_is_told_to_drain_while_it_waits_to_be_alone_takes_nothing() -> None:
    with capture_logs():
        world = World()
        first, second = world.process(), world.process()
        await note_question(world, first)
        first.gate.on["fetch done"] = lambda gate: setattr(gate, "dead", True)
        await world.drive(first.work)
        world.shift_lease()
        async with world.background() as group:
            async with second.house.floor.beside():
                group.start_soon(second.worker.run)
                await quiesce()
                second.worker.drain()
            await quiesce()
        assert second.gate.counts["fetch"] == 0
