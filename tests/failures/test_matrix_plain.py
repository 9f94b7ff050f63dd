"""Rows 1-8: nothing fails, or the same thing is asked twice."""

from __future__ import annotations

import anyio
from sqlalchemy import Connection

from assistant.effects.claim import Asked, Refusal, Refused, claim
from assistant.effects.keys import create_key, fingerprint
from assistant.loops.turn import Result
from storage import leases
from storage.intents import Intent
from storage.leases import Held
from storage.words import (
    Action,
    DraftState,
    Identity,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
    OwnerId,
)
from tests.support.mails import follow_up, question
from tests.support.scenes import SETTLED_S, draft, note_question
from tests.support.world import BOX, ROBIN, Process, World
from tests.support.worlds import Make


async def test_one_question_gets_one_draft_in_three_commits(make: Make) -> None:
    """Row 1: the lease, the claim, the outcome with all that ends the work."""
    world = make()
    process = world.process()
    await note_question(world, process)
    before = world.db.counted.durable
    assert await world.drive(process.work) == [Result.DRAFTED]
    assert world.db.counted.durable - before == 3
    assert len(world.calls) == 1
    assert len(world.drafts()) == 1
    (record,) = world.records()
    assert record.state is DraftState.HELD


async def test_threads_that_are_due_at_once_share_three_commits(make: Make) -> None:
    """Row 1, many at once: one takes all, one claims for all, one records for all."""
    world = make()
    process = world.process()
    for number in range(1, 9):
        world.hands.put(question(number))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    before = world.db.counted.durable
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 8}
    made = world.db.counted.durable - before
    if make.kind == "maildir":
        # Its files are read on threads of their own, so that not all are ready at once.
        assert 3 <= made <= 1 + 2 * 8
    else:
        assert made == 3


async def test_a_thread_that_is_due_again_makes_no_second_draft(make: Make) -> None:
    """Row 2."""
    world = make()
    process = world.process()
    await draft(world, process)
    world.db.run(lambda conn: conn.exec_driver_sql("UPDATE threads SET due_at = 0"))
    assert await world.drive(process.work) == [Result.NOTHING]
    assert len(world.calls) == 1


async def test_triage_that_runs_again_finds_the_key_when_the_draft_is_gone(make: Make) -> None:
    """Row 2: discarded by its owner, never made again for the same message."""
    world = make()
    process = world.process()
    await draft(world, process)
    await world.drive(process.note)
    world.hands.delete(world.drafts()[0].ref)
    await world.pass_days(process)
    assert len(world.calls) == 1
    assert world.records()[0].state is DraftState.GONE
    assert world.items() == []


async def test_of_two_workers_at_once_one_takes_the_thread(make: Make) -> None:
    """Rows 3 and 4."""
    world = make()
    first, second = world.process(), world.process()
    await note_question(world, first)
    results: list[list[Result]] = []

    async def one(process: Process) -> None:
        results.append(await process.work())

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(one, first)
            group.start_soon(one, second)

    await world.drive(both)
    assert sorted(results) == [[], [Result.DRAFTED]]
    assert len(world.calls) == 1


def _asked(world: World, held: Held, **changes: object) -> Asked:
    thread = world.thread
    values: dict[str, object] = {
        "intent": IntentId("ab" * 16),
        "key": create_key(BOX, thread.thread, Identity("answered"), thread.generation),
        "kind": Kind.CREATE_DRAFT,
        "user": ROBIN,
        "held": held,
        "fingerprint": fingerprint(kind="create_draft", thread=thread.thread),
        "request": b"the bytes",
        "plan": {},
        "call_timeout_s": 20.0,
        "lease_ttl_ms": 60_000,
        "message_set": thread.message_set,
        "generation": thread.generation,
        "token": {},
        "place": {},
    }
    return Asked(**{**values, **changes})  # type: ignore[arg-type]


def _hold(world: World, owner: str) -> Held:
    def unit(conn: Connection) -> Held:
        (held,) = leases.take_due(
            conn, OwnerId(owner), ttl_ms=60_000, limit=1, allowed=[BOX], alone=True
        ).held
        return held

    return world.db.run(unit)


async def test_when_the_winner_rolls_back_the_loser_claims(make: Make) -> None:
    """Row 5."""
    world = make()
    await note_question(world, world.process())
    held = _hold(world, "w")
    asked = _asked(world, held)

    class RolledBackError(Exception):
        pass

    def winner(conn: Connection) -> None:
        claim(conn, asked)
        raise RolledBackError

    try:
        world.db.run(winner)
    except RolledBackError:
        assert world.intents() == []
    assert isinstance(world.db.run(lambda conn: claim(conn, asked)), Intent)


async def test_the_same_key_with_other_input_is_refused_and_changes_nothing(make: Make) -> None:
    """Row 6."""
    world = make()
    await note_question(world, world.process())
    held = _hold(world, "w")
    asked = _asked(world, held)
    world.db.run(lambda conn: claim(conn, asked))
    first = world.intent
    other = _asked(world, held, fingerprint="another", request=b"other bytes")
    refused = world.db.run(lambda conn: claim(conn, other))
    assert refused == Refused(why=Refusal.KEY_USED)
    assert world.intent == first


def test_spelling_makes_no_difference_to_a_fingerprint() -> None:
    """Row 7."""
    one = fingerprint(b=1, a={"x": "Jose\u0301\r\n", "y": [1, 2]})
    two = fingerprint(a={"y": (1, 2), "x": "Jos\u00e9\n"}, b=1)
    assert one == two
    assert one != fingerprint(a={"y": (2, 1), "x": "Jos\u00e9\n"}, b=1)


async def test_a_new_message_beside_a_held_draft_is_told_and_drafted_only_when_free(
    make: Make,
) -> None:
    """Row 8, and promise 5: overtaken, no second draft, and the way is free once it is gone."""
    world = make()
    process = world.process()
    await draft(world, process)
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.all)
    assert len(world.drafts()) == 1
    assert world.item(ItemKind.DRAFT_OVERTAKEN)
    world.hands.delete(world.drafts()[0].ref)
    await world.pass_days(process)
    assert len(world.drafts()) == 1
    assert len(world.calls) == 2
    assert world.items(ItemKind.DRAFT_OVERTAKEN) == []


async def test_the_way_is_free_once_a_person_discarded_the_overtaken_draft(make: Make) -> None:
    world = make()
    process = world.process()
    await draft(world, process)
    world.hands.put(follow_up(1))
    world.clock.skip(SETTLED_S)
    await world.drive(process.all)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="k"))
    await world.pass_days(process)
    first, second = world.records()
    assert (first.state, second.state) == (DraftState.DISCARDED, DraftState.HELD)
    assert [one.ref for one in world.drafts()] == [second.ref]
