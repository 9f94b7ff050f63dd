"""The claim's checks, one by one, against nothing but the store."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import Connection

from assistant.effects import settle
from assistant.effects.claim import Asked, Refusal, Refused, claim
from assistant.effects.keys import create_key, fingerprint
from assistant.effects.recording import Record, record
from assistant.effects.settle import Timing
from storage import intents, leases, threads
from storage.intents import Intent
from storage.leases import Held
from storage.sqlite import run_sync_unit, sync_engine
from storage.words import (
    Accepted,
    By,
    Identity,
    IntentId,
    IntentState,
    Kind,
    Outcome,
    OwnerId,
    Ref,
    Rejected,
    ThreadId,
    Unknown,
    Version,
)
from tests.support.scenes import note_question
from tests.support.world import BOX, ROBIN, World
from tests.support.worlds import Make

TIMING = Timing(first_look_ms=5000, notice_delay_ms=120_000)
BUSY = Rejected(reason="busy", passing=True)


def hold(world: World, owner: str = "w") -> Held:
    """Take the only thread."""

    def unit(conn: Connection) -> Held:
        thread = conn.exec_driver_sql("SELECT thread FROM threads").scalar_one()
        held = leases.acquire(conn, BOX, ThreadId(thread), OwnerId(owner), 60_000)
        assert held is not None
        return held

    return world.db.run(unit)


def ask_for(world: World, held: Held, number: int = 1) -> Asked:
    """What a worker would ask for the draft that answers message *number*."""
    thread = world.thread
    answers = Identity(f"message {number}")
    return Asked(
        intent=IntentId(f"{number:032x}"),
        key=create_key(BOX, thread.thread, answers, thread.generation),
        kind=Kind.CREATE_DRAFT,
        user=ROBIN,
        held=held,
        fingerprint=fingerprint(answers=answers),
        request=b"the bytes",
        plan={"answers": answers},
        call_timeout_s=20.0,
        lease_ttl_ms=60_000,
        message_set=thread.message_set,
        generation=thread.generation,
        token={},
        place={},
    )


def try_claim(world: World, asked: Asked) -> Intent | Refusal:
    """Claim, and say why not."""
    found = world.db.run(lambda conn: claim(conn, asked))
    return found.why if isinstance(found, Refused) else found


def end(world: World, intent: Intent, outcome: Outcome) -> None:
    """The caller records how its call ended."""
    world.db.run(lambda conn: record(conn, Record(claimed=intent, outcome=outcome, timing=TIMING)))


async def begin(make: Make) -> tuple[World, Held]:
    """A due thread in the hands of one worker."""
    world = make()
    await note_question(world, world.process())
    return world, hold(world)


async def test_a_claim_writes_the_intent_and_renews_the_lease(make: Make) -> None:
    world, held = await begin(make)
    world.clock.skip(30)
    found = try_claim(world, ask_for(world, held))
    assert isinstance(found, Intent)
    assert (found.state, found.attempt, found.fence) == (IntentState.CALLING, 1, held.fence)
    (row,) = world.db.ask("SELECT expires_at FROM leases WHERE thread != ''")
    assert row[0] == int(world.clock.database_s() * 1000) + 60_000


async def test_a_stale_fence_claims_nothing(make: Make) -> None:
    world, held = await begin(make)
    asked = ask_for(world, held)
    world.shift_lease()
    hold(world, "other")
    assert try_claim(world, asked) is Refusal.LEASE_LOST
    assert world.intents() == []


async def test_the_right_fence_under_another_name_claims_nothing(make: Make) -> None:
    world, held = await begin(make)
    asked = ask_for(world, replace(held, owner=OwnerId("impostor")))
    assert try_claim(world, asked) is Refusal.LEASE_LOST


async def test_nothing_is_claimed_while_paused(make: Make) -> None:
    world, held = await begin(make)
    world.db.run(lambda conn: conn.exec_driver_sql("INSERT INTO pauses VALUES ('*', 1)"))
    assert try_claim(world, ask_for(world, held)) is Refusal.PAUSED


async def test_nothing_is_claimed_in_the_grace_of_an_earlier_owner(make: Make) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held))
    assert isinstance(first, Intent)
    world.shift_lease()
    second = hold(world, "other")
    end(world, first, Unknown(reason="late"))
    world.db.run(lambda conn: conn.exec_driver_sql("UPDATE intents SET blocks = 0"))
    world.clock.skip(19)
    assert try_claim(world, ask_for(world, second, 2)) is Refusal.GRACE
    world.clock.skip(2)
    assert isinstance(try_claim(world, ask_for(world, second, 2)), Intent)


async def test_no_grace_is_waited_for_where_the_caller_recorded_its_end(make: Make) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held))
    assert isinstance(first, Intent)
    end(world, first, Unknown(reason="lost"))
    world.db.run(lambda conn: conn.exec_driver_sql("UPDATE intents SET blocks = 0"))
    world.shift_lease()
    assert isinstance(try_claim(world, ask_for(world, hold(world, "other"), 2)), Intent)


async def test_nothing_is_claimed_while_the_mailbox_rests(make: Make) -> None:
    world, held = await begin(make)
    world.db.run(lambda conn: conn.exec_driver_sql("UPDATE mailboxes SET look_needed = 1"))
    assert try_claim(world, ask_for(world, held)) is Refusal.RESTING


async def test_a_plan_for_another_set_of_messages_is_refused(make: Make) -> None:
    world, held = await begin(make)
    asked = replace(ask_for(world, held), message_set="older")
    assert try_claim(world, asked) is Refusal.THREAD_MOVED


async def test_a_plan_for_another_generation_is_refused(make: Make) -> None:
    world, held = await begin(make)
    asked = ask_for(world, held)
    thread = world.thread.thread
    world.db.run(lambda conn: threads.raise_generation(conn, BOX, thread, 0))
    assert try_claim(world, asked) is Refusal.THREAD_MOVED


async def test_nothing_is_claimed_before_the_thread_reconciled(make: Make) -> None:
    world, held = await begin(make)
    world.db.run(threads.reconcile_everything)
    assert try_claim(world, ask_for(world, held)) is Refusal.RECONCILE_FIRST


@pytest.mark.parametrize("ended", [False, True])
async def test_another_open_call_blocks_the_thread(make: Make, ended: bool) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held, 1))
    assert isinstance(first, Intent)
    if ended:
        end(world, first, Unknown(reason="lost"))
    assert try_claim(world, ask_for(world, held, 2)) is Refusal.BLOCKED


async def test_a_recorded_draft_stops_the_next(make: Make) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held, 1))
    assert isinstance(first, Intent)
    end(world, first, Accepted(ref=Ref("r"), version=Version("v")))
    assert try_claim(world, ask_for(world, held, 2)) is Refusal.DRAFT_HELD


async def test_a_draft_of_ours_in_the_snapshot_stops_the_next(make: Make) -> None:
    world, held = await begin(make)
    asked = replace(ask_for(world, held), drafts_in_place=True)
    assert try_claim(world, asked) is Refusal.DRAFT_HELD


async def test_a_draft_of_the_owner_in_the_snapshot_stops_ours(make: Make) -> None:
    world, held = await begin(make)
    asked = replace(ask_for(world, held), owner_draft_in_place=True)
    assert try_claim(world, asked) is Refusal.OWNER_DRAFT


@pytest.mark.parametrize(
    "outcome",
    [
        Accepted(ref=Ref("r"), version=Version("v")),
        Unknown(reason="lost"),
        Rejected(reason="no"),
    ],
)
async def test_a_key_that_was_used_is_not_called_again(make: Make, outcome: Outcome) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held))
    assert isinstance(first, Intent)
    end(world, first, outcome)
    world.db.run(lambda conn: conn.exec_driver_sql("UPDATE drafts SET state = 'gone'"))
    assert try_claim(world, ask_for(world, held)) is Refusal.KEY_USED
    assert world.intent.attempt == 1


async def test_a_passing_rejection_is_called_again_after_its_back_off(make: Make) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held))
    assert isinstance(first, Intent)
    end(world, first, BUSY)
    assert try_claim(world, ask_for(world, held)) is Refusal.BACKING_OFF
    world.clock.skip(6)
    again = try_claim(world, replace(ask_for(world, held), request=b"other bytes"))
    assert isinstance(again, Intent)
    assert (again.attempt, world.intent.request) == (2, b"the bytes")


async def test_other_input_under_a_key_that_may_be_called_again_is_refused(make: Make) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held))
    assert isinstance(first, Intent)
    end(world, first, BUSY)
    world.clock.skip(6)
    other = replace(ask_for(world, held), fingerprint="another")
    assert try_claim(world, other) is Refusal.KEY_USED
    assert world.intent.attempt == 1


async def test_tries_end(make: Make) -> None:
    world, held = await begin(make)
    for _ in range(intents.TRIES):
        world.clock.skip(4000)
        claimed = try_claim(world, ask_for(world, held))
        assert isinstance(claimed, Intent)
        end(world, claimed, BUSY)
    world.clock.skip(4000)
    assert try_claim(world, ask_for(world, held)) is Refusal.KEY_USED


async def test_a_rejection_by_a_persons_word_is_final(make: Make) -> None:
    world, held = await begin(make)
    first = try_claim(world, ask_for(world, held))
    assert isinstance(first, Intent)
    end(world, first, Unknown(reason="lost"))

    def say(conn: Connection) -> None:
        intent = intents.by_id(conn, first.id)
        assert intent is not None
        settle.reject(conn, intent, By.PERSON, 0, BUSY)

    world.db.run(say)
    world.clock.skip(4000)
    assert try_claim(world, ask_for(world, held)) is Refusal.KEY_USED


async def test_a_writing_connection_syncs_every_commit(make: Make) -> None:
    """Promise 1: commit before call is worth nothing if the commit can vanish."""
    engine = sync_engine(make.path / "durable.db")
    found = run_sync_unit(
        engine, lambda conn: conn.exec_driver_sql("PRAGMA synchronous").scalar_one()
    )
    engine.dispose()
    assert found == 2
