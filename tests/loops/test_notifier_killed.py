"""Row 60: a process killed or stopped anywhere on the way of a notice; it is sent at most once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time

import pytest
from structlog.testing import capture_logs

from assistant import views
from assistant.core.hours import Hours
from storage.intents import Intent
from storage.words import FaultPoint, IntentState, ItemKind, Kind
from tests.support.clock import quiesce
from tests.support.database import CommitFault
from tests.support.ears import Ear, listen
from tests.support.gate import Action, commit_fault, kill, stop
from tests.support.invariants import check
from tests.support.scenes import draft
from tests.support.world import Process, World

POINTS = [
    FaultPoint.CLAIM_WRITTEN,
    FaultPoint.CLAIM_COMMITTED,
    FaultPoint.CALL_ALLOWED,
    FaultPoint.EFFECT_DONE,
    FaultPoint.ANSWERED,
    FaultPoint.OUTCOME_WRITTEN,
    FaultPoint.OUTCOME_COMMITTED,
]
"""The points of a guarded call that makes a notice."""
NOT_CALLED = {FaultPoint.CLAIM_COMMITTED, FaultPoint.CALL_ALLOWED}
HOURS = {"alone": Hours(), "digest": Hours(digest=time(10))}


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    with capture_logs():
        yield made
    check(made)


def notice(world: World) -> Intent:
    (only,) = (one for one in world.intents() if one.kind is Kind.NOTIFY)
    return only


async def begin(world: World, ear: Ear, hours: Hours) -> Process:
    """A draft waits, and its notice is due."""
    process = world.process()
    listen(process, ear, hours=hours)
    await draft(world, process)
    if hours.digest is not None:
        world.clock.skip(3_600)
    return process


async def go_on(world: World, ear: Ear, hours: Hours, *, sole: bool) -> None:
    """What the next process does for a day."""
    other = world.process(sole=sole)
    listen(other, ear, hours=hours)
    for _ in range(4):
        await world.drive(other.reconcile)
        await world.drive(other.tell)
        world.clock.skip(3_600)
    assert world.db.ask("SELECT state FROM notices") == [("sent",)]
    assert [item.kind for item in world.items(closed=True)] == [ItemKind.DRAFT_READY]


@pytest.mark.parametrize("sole", [True, False])
@pytest.mark.parametrize("kind", HOURS)
@pytest.mark.parametrize("point", POINTS)
async def test_after_a_kill_nothing_is_sent_a_second_time(
    world: World, point: FaultPoint, kind: str, sole: bool
) -> None:
    ear, hours = Ear(), HOURS[kind]
    process = await begin(world, ear, hours)
    process.gate.at[point] = kill
    await world.drive(process.tell)
    assert process.gate.dead
    await go_on(world, ear, hours, sole=sole)
    assert len(ear.heard) == (0 if point in NOT_CALLED else 1)
    known = point in (FaultPoint.CLAIM_WRITTEN, FaultPoint.OUTCOME_COMMITTED)
    assert notice(world).state is (IntentState.ACCEPTED if known else IntentState.UNKNOWN)


@pytest.mark.parametrize("point", POINTS)
async def test_a_process_that_slept_past_its_lease_sends_nothing_twice(
    world: World, point: FaultPoint
) -> None:
    ear = Ear()
    async with world.background():
        process = await begin(world, ear, Hours())
        process.gate.at[point] = stop
        await world.drive(process.tell)
        world.shift_lease()
        other = world.process()
        listen(other, ear)
        await world.drive(other.reconcile)
        await world.drive(other.tell)
        process.gate.go_on()
        await quiesce()
        await world.drive(other.tell)
    assert len(ear.heard) <= 1
    assert world.db.ask("SELECT state FROM notices") == [("sent",)]


@pytest.mark.parametrize("kind", HOURS)
async def test_a_kill_at_any_crossing_loses_no_notice_and_sends_none_twice(kind: str) -> None:
    ear, hours = Ear(), HOURS[kind]
    world = World()
    process = await begin(world, ear, hours)
    begun = process.gate.crossings
    await world.drive(process.tell)
    names = process.gate.crossed[begun:]
    assert "send" in names
    for number in range(1, len(names) + 1):
        ear, world = Ear(), World()
        process = await begin(world, ear, hours)
        process.gate.kill_at = begun + number
        await world.drive(process.tell)
        assert process.gate.dead, names[number - 1]
        with capture_logs():
            await go_on(world, ear, hours, sole=False)
        assert len(ear.heard) <= 1, names[number - 1]
        told = len(ear.heard) == 1
        assert told or notice(world).state is IntentState.UNKNOWN, names[number - 1]
        check(world)


@pytest.mark.parametrize("point", [FaultPoint.CLAIM_WRITTEN, FaultPoint.OUTCOME_WRITTEN])
@pytest.mark.parametrize("fault", [CommitFault.FULL, CommitFault.LOST, CommitFault.LANDED])
async def test_a_commit_that_fails_sends_nothing_twice(
    world: World, point: FaultPoint, fault: CommitFault
) -> None:
    ear = Ear()
    process = await begin(world, ear, Hours())
    act: Action = commit_fault(fault)
    process.gate.at[point] = act
    await world.drive(process.tell)
    await go_on(world, ear, Hours(), sole=True)
    assert len(ear.heard) == 1
    assert notice(world).state is IntentState.ACCEPTED


async def test_what_a_killed_process_left_shows_on_the_item_of_the_notice_only(
    world: World,
) -> None:
    ear = Ear()
    process = await begin(world, ear, Hours())
    process.gate.at[FaultPoint.EFFECT_DONE] = kill
    await world.drive(process.tell)
    await go_on(world, ear, Hours(), sole=True)
    (document,) = world.read(lambda conn: views.review_list(conn, 0))
    evidence = document["evidence"]
    assert isinstance(evidence, list)
    assert [(one["of"], one["kind"]) for one in evidence] == [
        ("create_draft", "answer"),
        ("notify", "swept"),
    ]
