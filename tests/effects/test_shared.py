"""Claims and records of several threads in one transaction: each keeps its own answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import Connection

from assistant.effects.claim import Asked, Claiming, Refusal, Refused, claim_all
from assistant.effects.keys import create_key, fingerprint
from assistant.effects.recording import Record, record_all
from assistant.effects.settle import Timing
from providers.memory import Behaviour
from storage import drafts, intents, leases, threads
from storage.intents import Intent
from storage.leases import Held
from storage.words import (
    Accepted,
    Identity,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
    Outcome,
    OwnerId,
    Ref,
    Rejected,
    ThreadId,
    Unknown,
    Version,
)
from tests.support.database import CommitFault
from tests.support.mails import question
from tests.support.scenes import SETTLED_S
from tests.support.world import BOX, ROBIN, World
from tests.support.worlds import Make

TIMING = Timing(first_look_ms=5000, notice_delay_ms=120_000)
ME = OwnerId("w")


async def begin(make: Make, number: int) -> tuple[World, list[Held]]:
    """Due threads, all in the hands of one worker."""
    world = make()
    process = world.process()
    for at in range(1, number + 1):
        world.hands.put(question(at))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)

    def take(conn: Connection) -> list[Held]:
        names = conn.exec_driver_sql("SELECT thread FROM threads ORDER BY thread").scalars()
        found = [leases.acquire(conn, BOX, ThreadId(name), ME, 60_000) for name in [*names]]
        return [held for held in found if held is not None]

    return world, world.db.run(take)


def ask_for(world: World, held: Held, number: int = 1) -> Asked:
    """What a worker would ask for a draft in the thread of *held*."""
    row = world.read(lambda conn: threads.load(conn, BOX, held.thread))
    answers = Identity(f"message {number}")
    return Asked(
        intent=IntentId(f"{number:016x}{abs(hash(held.thread)) % 16**16:016x}"),
        key=create_key(BOX, held.thread, answers, row.generation),
        kind=Kind.CREATE_DRAFT,
        user=ROBIN,
        held=held,
        fingerprint=fingerprint(answers=answers),
        request=b"the bytes",
        plan={"answers": answers},
        call_timeout_s=20.0,
        lease_ttl_ms=60_000,
        message_set=row.message_set,
        generation=row.generation,
        token={},
        place={},
    )


def claimed(world: World, asked: list[Asked]) -> list[Intent | Refusal]:
    """Claim all in one transaction."""
    found = world.db.run(lambda conn: claim_all(conn, [Claiming(asked=one) for one in asked]))
    return [one.why if isinstance(one, Refused) else one for one in found]


def recorded(world: World, ended: Sequence[tuple[Intent, Outcome]]) -> None:
    """Record all in one transaction."""
    records = [Record(claimed=one, outcome=what, timing=TIMING) for one, what in ended]
    world.db.run(lambda conn: record_all(conn, records))


def accepted(name: str) -> Accepted:
    return Accepted(ref=Ref(name), version=Version(f"{name}.1"))


async def test_each_claim_of_a_set_gets_its_own_answer(make: Make) -> None:
    world, held = await begin(make, 4)
    asked = [ask_for(world, one) for one in held]
    asked[1] = replace(asked[1], held=replace(asked[1].held, fence=asked[1].held.fence - 1))
    asked[2] = replace(asked[2], message_set="another")
    first, lost, moved, last = claimed(world, asked)
    assert (lost, moved) == (Refusal.LEASE_LOST, Refusal.THREAD_MOVED)
    assert isinstance(first, Intent)
    assert isinstance(last, Intent)
    assert {one.thread for one in world.intents()} == {held[0].thread, held[3].thread}
    assert {one.state for one in world.intents()} == {IntentState.CALLING}


async def test_two_claims_into_one_thread_are_not_both_granted(make: Make) -> None:
    world, held = await begin(make, 1)
    first, second = claimed(world, [ask_for(world, held[0], 1), ask_for(world, held[0], 2)])
    assert isinstance(first, Intent)
    assert second is Refusal.BLOCKED


async def test_two_claims_under_one_key_are_not_both_granted(make: Make) -> None:
    world, held = await begin(make, 1)
    asked = ask_for(world, held[0])
    first, second = claimed(world, [asked, replace(asked, intent=IntentId("f" * 32))])
    assert isinstance(first, Intent)
    assert isinstance(second, Refusal)
    assert len(world.intents()) == 1


async def test_a_thread_that_is_not_there_lets_no_claim_of_its_set_through_unseen(
    make: Make,
) -> None:
    world, held = await begin(make, 1)
    good = ask_for(world, held[0])

    def unit(conn: Connection) -> None:
        lease = leases.acquire(conn, BOX, ThreadId("nobody"), ME, 60_000)
        assert lease is not None
        claim_all(conn, [Claiming(asked=good), Claiming(asked=replace(good, held=lease))])

    with pytest.raises(LookupError, match="no thread"):
        world.db.run(unit)
    assert world.intents() == []


async def test_outcomes_of_every_kind_are_recorded_together(make: Make) -> None:
    world, held = await begin(make, 3)
    one, two, three = claimed(world, [ask_for(world, each) for each in held])
    assert isinstance(one, Intent)
    assert isinstance(two, Intent)
    assert isinstance(three, Intent)
    busy, silent = Rejected(reason="busy", passing=True), Unknown(reason="no answer")
    recorded(world, [(one, accepted("a")), (two, busy), (three, silent)])
    states = {intent.id: intent.state for intent in world.intents()}
    assert states == {
        one.id: IntentState.ACCEPTED,
        two.id: IntentState.REJECTED,
        three.id: IntentState.UNKNOWN,
    }
    (draft,) = world.read(lambda conn: drafts.of_thread(conn, BOX, one.thread))
    assert (draft.ref, draft.intent) == ("a", one.id)
    assert [item.about for item in world.items(ItemKind.DRAFT_READY)] == [str(draft.id)]
    assert [item.about for item in world.items(ItemKind.OUTCOME_UNKNOWN)] == [three.id]
    for intent in (one, two, three):
        assert len(world.facts(intent.id)) == 1


async def test_each_draft_of_a_set_is_shown_under_its_own_number(make: Make) -> None:
    world, held = await begin(make, 5)
    made = claimed(world, [ask_for(world, each) for each in held])
    ended = [(one, accepted(f"d-{one.thread}")) for one in made if isinstance(one, Intent)]
    recorded(world, ended)
    items = {item.thread: item.about for item in world.items(ItemKind.DRAFT_READY)}
    for intent, _ in ended:
        (draft,) = world.read(partial(drafts.of_intent, intent=intent.id))
        assert draft.ref == f"d-{intent.thread}"
        assert items[intent.thread] == str(draft.id)


async def test_a_late_answer_and_a_new_one_of_one_thread_see_each_other(make: Make) -> None:
    world, held = await begin(make, 1)
    (first,) = claimed(world, [ask_for(world, held[0])])
    assert isinstance(first, Intent)
    recorded(world, [(first, Unknown(reason="no answer"))])
    world.db.run(lambda conn: intents.update(conn, first, blocks=0))
    (second,) = claimed(world, [ask_for(world, held[0], 2)])
    assert isinstance(second, Intent)
    recorded(world, [(first, accepted("late")), (second, accepted("new"))])
    assert [item.kind for item in world.items(ItemKind.DUPLICATED)] == [ItemKind.DUPLICATED]


@pytest.mark.parametrize("fault", [CommitFault.LANDED, CommitFault.LOST])
async def test_a_claim_of_several_whose_commit_is_unknown_makes_each_call_once(
    make: Make, fault: CommitFault
) -> None:
    world = make()
    process = world.process()
    for number in range(1, 4):
        world.hands.put(question(number))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    # The first write takes the leases, the second claims.
    process.gate.commits[process.gate.counts["write"] + 2] = fault
    await world.drive(process.work)
    await world.drive(process.work)
    world.clock.skip(60)
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}
    assert len(world.calls) == 3
    assert len(world.drafts()) == 3


@pytest.mark.parametrize("fault", [CommitFault.LANDED, CommitFault.LOST])
async def test_a_record_of_several_whose_commit_is_unknown_makes_no_second_call(
    make: Make, fault: CommitFault
) -> None:
    world = make()
    process = world.process()
    for number in range(1, 4):
        world.hands.put(question(number))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    process.gate.commits[process.gate.counts["write"] + 3] = fault
    async with world.background():
        await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 3}
    assert len(world.calls) == 3
    assert len(world.drafts()) == 3


async def test_a_refused_call_does_not_hold_up_the_others_of_its_set(make: Make) -> None:
    world = make()
    process = world.process()
    for number in range(1, 4):
        world.hands.put(question(number))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    world.plan.add("create", Behaviour.REFUSE)
    await world.drive(process.work)
    assert world.state_counts() == {IntentState.ACCEPTED: 2, IntentState.REJECTED: 1}
