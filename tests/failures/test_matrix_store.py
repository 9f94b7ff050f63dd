"""Rows 21, 31, 32, 38, 42-45, 57, 60: the store fails, the work is cancelled, a notice is lost."""

from __future__ import annotations

import anyio
import pytest
import sqlalchemy as sa

from assistant.loops.turn import Result
from providers.memory import Behaviour
from providers.notifier_port import Notice
from storage.pg_errors import may_run_again
from storage.words import (
    Accepted,
    DraftState,
    EvidenceKind,
    FaultPoint,
    IntentState,
    ItemKind,
    Outcome,
    Unknown,
)
from tests.support.clock import quiesce
from tests.support.database import CommitFault
from tests.support.gate import Gate, commit_fault, fail, kill
from tests.support.scenes import draft, lose, note_question
from tests.support.world import Process, World
from tests.support.worlds import Make


@pytest.mark.parametrize("fault", [CommitFault.LOST, CommitFault.FULL])
async def test_a_claim_that_was_not_stored_calls_nothing_and_is_made_again(
    make: Make, fault: CommitFault
) -> None:
    """Rows 21 and 31."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.CLAIM_WRITTEN] = commit_fault(fault)
    await draft(world, process)
    assert world.calls == []
    assert world.intents() == []
    await world.pass_days(process)
    assert len(world.drafts()) == 1
    assert len(world.calls) == 1


async def test_a_claim_that_was_stored_despite_an_error_from_commit_is_owned(make: Make) -> None:
    """Row 21: the key is read on a fresh transaction, and then called, once."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.CLAIM_WRITTEN] = commit_fault(CommitFault.LANDED)
    await draft(world, process)
    assert (world.intent.state, world.intent.attempt) == (IntentState.ACCEPTED, 1)
    assert len(world.calls) == 1


async def test_a_stored_claim_that_nobody_could_read_back_is_not_taken_for_a_delivery(
    make: Make,
) -> None:
    """Row 21 twice over: its staged bytes stay, so that a look can tell that nothing landed."""
    world = make()
    process = world.process()

    def lose_both(gate: Gate) -> None:
        world.db.pending_fault = CommitFault.LANDED
        # It is asked for once a second, until it is too late for the call.
        world.db.faults = [CommitFault.BUSY] * 17

    process.gate.at[FaultPoint.CLAIM_WRITTEN] = lose_both
    await draft(world, process)
    assert world.calls == []
    assert world.intent.state is IntentState.CALLING
    assert world.db.faults == []
    await world.pass_days(process)
    assert DraftState.GONE not in [record.state for record in world.records()]
    assert len(world.drafts()) == (1 if make.stages else 0)
    if not make.stages:
        assert world.item(ItemKind.OUTCOME_UNKNOWN)


@pytest.mark.parametrize("fault", [CommitFault.LOST, CommitFault.FULL, CommitFault.LANDED])
async def test_an_outcome_that_could_not_be_stored_is_stored_again(
    make: Make, fault: CommitFault
) -> None:
    """Row 32."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.OUTCOME_WRITTEN] = commit_fault(fault)
    await draft(world, process)
    assert world.intent.state is IntentState.ACCEPTED
    assert len(world.records()) == 1
    assert len(world.calls) == 1


async def test_an_outcome_is_stored_again_when_reading_it_back_fails_too(make: Make) -> None:
    """Row 32."""
    world = make()
    process = world.process()

    def lose_both(gate: Gate) -> None:
        world.db.pending_fault = CommitFault.LOST
        world.db.faults = [CommitFault.BUSY]

    process.gate.at[FaultPoint.OUTCOME_WRITTEN] = lose_both
    await draft(world, process)
    assert world.intent.state is IntentState.ACCEPTED


async def test_a_store_that_stays_down_after_a_call_leaves_it_to_the_sweeper(make: Make) -> None:
    """Rows 32 and 38: never a second call."""
    world = make()
    process = world.process()

    def go_down(gate: Gate) -> None:
        world.db.down = True

    process.gate.at[FaultPoint.ANSWERED] = go_down
    await draft(world, process)
    world.db.down = False
    assert world.intent.state is IntentState.CALLING
    await world.pass_days(world.process())
    assert world.intent.state is IntentState.ACCEPTED
    assert len(world.calls) == 1
    assert world.records()[0].state is DraftState.HELD


async def test_a_late_answer_whose_commit_is_lost_is_stored_again(make: Make) -> None:
    """Row 32, of a process that slept through its lease: an answer is an answer."""
    world = make()
    process = world.process()

    def oversleep(gate: Gate) -> None:
        world.clock.skip(3600)
        gate.at[FaultPoint.OUTCOME_WRITTEN] = commit_fault(CommitFault.LOST)

    process.gate.at[FaultPoint.ANSWERED] = oversleep
    await draft(world, process)
    assert world.intent.state is IntentState.ACCEPTED
    assert len(world.calls) == 1


async def test_a_claim_in_doubt_whose_work_is_cancelled_has_never_left(make: Make) -> None:
    """Row 21 with a cancellation: the key is read all the same, and its end is known at once."""
    world = make()
    process = world.process()
    await note_question(world, process)
    scope = anyio.CancelScope()

    def lose(gate: Gate) -> None:
        world.db.pending_fault = CommitFault.LANDED
        # The next one reads the claim again.
        gate.on["write"] = lambda _: scope.cancel()

    process.gate.at[FaultPoint.CLAIM_WRITTEN] = lose

    async def work() -> None:
        with scope:
            await process.work()

    await world.drive(work)
    assert world.calls == []
    assert world.intent.state is IntentState.REJECTED
    assert world.intent.passing


async def test_a_lease_row_that_stays_locked_keeps_no_other_orphan_waiting(make: Make) -> None:
    world = make()
    for number in (1, 2):
        process = world.process()
        process.gate.at[FaultPoint.CLAIM_COMMITTED] = kill
        await draft(world, process, number)
        world.shift_lease()
    assert world.state_counts() == {IntentState.CALLING: 2}
    # All of them together, then the first alone.
    world.db.faults = [CommitFault.BUSY] * 2
    process = world.process()
    await world.drive(process.reconcile)
    assert world.state_counts()[IntentState.CALLING] == 1
    await world.drive(process.reconcile)
    assert IntentState.CALLING not in world.state_counts()


async def test_a_busy_store_costs_only_time(make: Make) -> None:
    """Row 57."""
    world = make()
    process = world.process()
    await note_question(world, process)

    def busy(gate: Gate) -> None:
        world.db.faults = [CommitFault.BUSY]

    process.gate.at[FaultPoint.STAGED] = busy
    await world.drive(process.work)
    assert world.calls == []
    await world.pass_days(process)
    assert len(world.drafts()) == 1


async def _cancelled_at(world: World, process: Process, what: str) -> None:
    scope = anyio.CancelScope()
    process.gate.on[what] = lambda _: scope.cancel()

    async def work() -> None:
        with scope:
            await process.work()

    await note_question(world, process)
    await world.drive(work)
    assert scope.cancelled_caught


async def test_a_cancel_before_the_claim_was_handed_over_leaves_nothing(make: Make) -> None:
    """Row 42."""
    world = make()
    process = world.process()
    await _cancelled_at(world, process, "stage done")
    assert world.intents() == []
    assert world.calls == []
    if make.is_files:
        assert world.hands.hidden() == []  # type: ignore[attr-defined]


async def test_a_cancel_during_the_call_is_recorded_as_unknown(make: Make) -> None:
    """Row 43."""
    world = make()
    process = world.process()
    world.plan.add("create", Behaviour.HANG_AFTER)
    scope = anyio.CancelScope()
    await note_question(world, process)

    async def work() -> None:
        with scope:
            await process.work()

    async with anyio.create_task_group() as group:
        group.start_soon(work)
        await quiesce()
        assert world.intent.state is IntentState.CALLING
        scope.cancel()
        await quiesce()
    assert world.intent.state is IntentState.UNKNOWN
    assert world.intent.ended_at is not None
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED


@pytest.mark.parametrize("where", ["answered", "create done"])
async def test_a_cancel_after_the_answer_does_not_lose_it(make: Make, where: str) -> None:
    """Row 44: between the answer and its record, and while the answer is being handed over."""
    world = make()
    process = world.process()
    scope = anyio.CancelScope()
    if where == "answered":
        process.gate.at[FaultPoint.ANSWERED] = lambda _: scope.cancel()
    else:
        process.gate.on[where] = lambda _: scope.cancel()
    await note_question(world, process)

    async def work() -> None:
        with scope:
            await process.work()

    await world.drive(work)
    assert world.intent.state is IntentState.ACCEPTED
    assert world.records()[0].state is DraftState.HELD


async def test_draining_waits_for_the_call_in_flight_and_takes_nothing_more(make: Make) -> None:
    """Row 45: the first SIGTERM."""
    world = make()
    process = world.process()
    world.plan.add("create", Behaviour.LATE)
    world.plan.delay_s = 10.0
    await note_question(world, process)
    async with anyio.create_task_group() as group:
        group.start_soon(process.worker.run)
        await quiesce()
        assert world.intent.state is IntentState.CALLING
        process.worker.drain()
        await quiesce()
        assert world.intent.state is IntentState.CALLING
        await world.clock.advance(11)
    assert world.intent.state is IntentState.ACCEPTED


async def test_a_fault_of_ours_in_one_thread_stops_no_other(make: Make) -> None:
    """Promise 10: set aside and told at last, and the others have their drafts."""
    world = make()
    process = world.process()
    await note_question(world, process, 1)
    process.gate.at[FaultPoint.PLANNED] = fail(ZeroDivisionError("ours"))
    results = await world.drive(process.work)
    assert results == [Result.FAILED]
    await draft(world, process, 2)
    assert len(world.drafts()) == 1
    await world.pass_days(process)
    assert len(world.drafts()) == 2


async def test_a_call_that_raises_proves_nothing(make: Make) -> None:
    """Row 12: whatever an adapter throws is unknown."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.EFFECT_DONE] = fail(OSError("half-way"))
    await draft(world, process)
    assert world.intent.state is IntentState.UNKNOWN
    await world.pass_days(process)
    assert world.intent.state is IntentState.ACCEPTED
    assert len(world.drafts()) == 1


async def test_nothing_is_called_while_paused_and_it_goes_on_after(make: Make) -> None:
    world = make()
    process = world.process()
    await note_question(world, process)
    process.gate.at[FaultPoint.STAGED] = lambda _: world.db.run(
        lambda conn: conn.exec_driver_sql("INSERT INTO pauses VALUES ('*', 1)")
    )
    await world.drive(process.work)
    assert world.calls == []
    world.db.run(lambda conn: conn.exec_driver_sql("DELETE FROM pauses"))
    await world.pass_days(process)
    assert len(world.drafts()) == 1


class Bell:
    """A notifier that counts, and loses what it is told to lose."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.sent: list[bytes] = []

    def render(self, notice: Notice) -> bytes:
        return f"{notice.kind} {notice.id}".encode()

    async def send(self, request: bytes) -> Outcome:
        self.sent.append(request)
        return self.outcomes.pop(0) if self.outcomes else Accepted()

    async def close(self) -> None:
        """Nothing is open."""


async def test_a_notice_whose_answer_was_lost_is_not_sent_again(make: Make) -> None:
    """Row 60."""
    world = make()
    bell = Bell(Unknown(reason="reset"))
    process = world.process(notifier=bell)
    await draft(world, process)
    for _ in range(3):
        await world.drive(process.tell)
        world.clock.skip(3600)
    assert len(bell.sent) == 1
    assert world.items(ItemKind.OUTCOME_UNKNOWN) == []


async def test_a_notice_whose_sender_was_killed_is_not_sent_again(make: Make) -> None:
    """Row 60."""
    world = make()
    bell = Bell()
    process = world.process(notifier=bell)
    await draft(world, process)
    process.gate.at[FaultPoint.ANSWERED] = kill
    await world.drive(process.tell)
    world.shift_lease()
    other = world.process(notifier=bell)
    for _ in range(3):
        await world.drive(other.reconcile)
        await world.drive(other.tell)
        world.clock.skip(3600)
    assert len(bell.sent) == 1


async def test_an_unknown_is_in_the_queue_at_once_and_told_only_after_the_look_at_two_minutes(
    make: Make,
) -> None:
    """PROTOCOL section 10."""
    world = make()
    bell = Bell()
    process = world.process(notifier=bell)
    world.plan.add("look", *[Behaviour.DROP] * 50)
    await lose(world, process, Behaviour.DROP)
    assert world.item(ItemKind.OUTCOME_UNKNOWN)
    world.clock.skip(119)
    await world.drive(process.tell)
    assert bell.sent == []
    world.clock.skip(2)
    await world.drive(process.tell)
    assert len(bell.sent) == 1


async def test_every_orphan_is_seen_by_one_sweeper_of_two(make: Make) -> None:
    """Row 28."""
    world = make()
    process = world.process()
    process.gate.at[FaultPoint.CALL_ALLOWED] = kill
    await draft(world, process)
    world.shift_lease()
    one, two = world.process(), world.process()
    world.plan.add("look", *[Behaviour.DROP] * 9)

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(one.reconcile)
            group.start_soon(two.reconcile)

    await world.drive(both)
    swept = [fact for fact in world.facts(world.intent.id) if fact.kind is EvidenceKind.SWEPT]
    assert len(swept) == 1
    assert len(world.items(ItemKind.OUTCOME_UNKNOWN)) == 1
    notices = world.db.ask("SELECT count(*) FROM notices WHERE kind = 'outcome_unknown'")
    assert notices == [(1,)]


async def test_a_unit_whose_key_another_process_took_runs_again_once(make: Make) -> None:
    """Two processes make the same row at once: one of them finds it at its second try."""
    make()
    taken = sa.exc.IntegrityError("INSERT", {}, _KeyTakenError())
    assert may_run_again(taken, tried=1)
    assert not may_run_again(taken, tried=2)


class _KeyTakenError(Exception):
    """As the driver tells of a unique violation."""

    sqlstate = "23505"
