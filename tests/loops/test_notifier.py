"""The notifier: each thing told once, in the owner's hours, without their mail."""

from __future__ import annotations

from datetime import time

import pytest

from assistant import views
from assistant.commands.deciding import RefusedError
from assistant.core.hours import Hours
from providers.memory import Behaviour
from storage import reviews
from storage.words import (
    Action,
    IntentState,
    ItemKind,
)
from tests.loops.telling import LATER, LOST, NO, drafted, notices, states, tell, to_hour
from tests.support.clock import quiesce
from tests.support.ears import KINDS, Ear, listen
from tests.support.scenes import draft, lose
from tests.support.world import ROBIN, World


async def test_a_draft_is_told_once(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear)
    for _ in range(3):
        await tell(world, process)
        world.clock.skip(60)
    assert [one["kind"] for one in ear.said] == ["draft_ready"]
    assert states(world) == ["sent"]


async def test_a_notice_is_on_record_before_it_is_sent(world: World) -> None:
    ear = Ear(answers=[None])
    process = await drafted(world, ear)
    async with world.background() as behind:
        behind.start_soon(process.tell)
        await quiesce()
        (intent,) = notices(world)
        assert (intent.state, intent.request) == (IntentState.CALLING, ear.heard[0])
        ear.answer_now.set()
        await quiesce()
    assert notices(world)[0].state is IntentState.ACCEPTED


async def test_a_notice_holds_no_mail(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear)
    await tell(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    assert ear.text == f"A draft waits for review\nrobin/local: see fencepost review show {item.id}"


async def test_a_notice_holds_subject_and_draft_where_the_owner_says_so(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear, include_text=True)
    await tell(world, process)
    body = world.records()[0].shown["body"]
    assert "Figures 1" in ear.text
    assert str(body)[:20] in ear.text


async def test_every_receiver_is_told_once(world: World) -> None:
    ears = [Ear(answers=[LATER]), Ear(), Ear(answers=[LOST])]
    process = await drafted(world, *ears)
    for _ in range(3):
        await tell(world, process)
        world.clock.skip(30)
    assert [len(ear.heard) for ear in ears] == [2, 1, 1]
    assert states(world) == ["sent"]


async def test_a_lost_answer_shows_on_the_item_of_the_notice_only(world: World) -> None:
    process = await drafted(world, Ear(answers=[LOST]))
    await tell(world, process)
    world.clock.skip(86_400)
    await tell(world, process)
    assert [item.kind for item in world.items(closed=True)] == [ItemKind.DRAFT_READY]
    (document,) = world.read(lambda conn: views.review_list(conn, 0))
    evidence = document["evidence"]
    assert isinstance(evidence, list)
    assert [(one["of"], one["detail"].get("outcome")) for one in evidence] == [
        ("create_draft", "accepted"),
        ("notify", "unknown"),
    ]
    assert notices(world)[0].next_look_at is None


async def test_a_passing_refusal_is_sent_again_with_the_same_bytes(world: World) -> None:
    ear = Ear(answers=[LATER])
    process = await drafted(world, ear)
    await tell(world, process)
    world.clock.skip(6)
    await tell(world, process)
    assert len(ear.heard) == 1
    world.clock.skip(2)
    await tell(world, process)
    assert len(ear.heard) == 2
    assert ear.heard[0] == ear.heard[1]
    assert (notices(world)[0].attempt, notices(world)[0].state) == (2, IntentState.ACCEPTED)


async def test_a_receiver_that_always_refuses_is_given_up(world: World) -> None:
    ear = Ear(answers=[LATER] * 20)
    process = await drafted(world, ear)
    for _ in range(30):
        await tell(world, process)
        world.clock.skip(3_600)
    assert len(ear.heard) == 5
    assert states(world) == ["sent"]
    assert "refused" in world.item(ItemKind.REJECTED).summary


async def test_only_the_newest_refusal_of_a_receiver_waits_for_a_person(world: World) -> None:
    ear = Ear(answers=[NO, NO])
    process = await drafted(world, ear)
    await tell(world, process)
    first = world.item(ItemKind.REJECTED)
    await draft(world, process, 2)
    await tell(world, process)
    assert world.item(ItemKind.REJECTED).id != first.id
    await draft(world, process, 3)
    await tell(world, process)
    assert world.items(ItemKind.REJECTED) == []


async def test_a_person_is_not_offered_to_send_a_refused_notice_again(world: World) -> None:
    process = await drafted(world, Ear(answers=[NO]))
    await tell(world, process)
    item = world.item(ItemKind.REJECTED)
    documents = world.read(lambda conn: views.review_list(conn, 0))
    (document,) = (one for one in documents if one["id"] == item.id)
    assert document["actions"] == ["dismiss"]
    with pytest.raises(RefusedError, match="later notices go there"):
        await world.drive(lambda: process.decide(item.id, Action.RETRY, key="again"))


async def test_what_was_decided_meanwhile_is_not_told(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.KEEP, key="keep"))
    await tell(world, process)
    assert ear.heard == []
    assert states(world) == []


async def test_a_refused_notice_is_not_sent_again_for_what_was_decided_meanwhile(
    world: World,
) -> None:
    ear = Ear(answers=[LATER])
    process = await drafted(world, ear)
    await tell(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.KEEP, key="keep"))
    world.clock.skip(60)
    await tell(world, process)
    assert len(ear.heard) == 1
    assert states(world) == ["dropped"]


async def test_an_unknown_outcome_is_told_after_the_look_at_two_minutes() -> None:
    world, ear = World(stages=False), Ear()
    process = world.process()
    listen(process, ear)
    await lose(world, process, Behaviour.DROP)
    for _ in range(11):
        world.clock.skip(10)
        await tell(world, process)
        await world.drive(process.reconcile)
    assert ear.heard == []
    world.clock.skip(20)
    await world.drive(process.reconcile)
    await tell(world, process)
    assert [one["kind"] for one in ear.said] == ["outcome_unknown"]


async def test_an_unknown_outcome_that_a_look_settles_is_told_as_a_draft_only(
    world: World,
) -> None:
    ear = Ear()
    process = world.process()
    listen(process, ear)
    await lose(world, process)
    world.clock.skip(6)
    await world.drive(process.reconcile)
    world.clock.skip(300)
    await tell(world, process)
    assert [one["kind"] for one in ear.said] == ["draft_ready"]
    assert sorted(states(world)) == ["dropped", "sent"]


async def test_kinds_that_the_owner_does_not_want_are_not_told(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear, kinds=frozenset({"outcome_unknown"}))
    await tell(world, process)
    assert ear.heard == []
    assert states(world) == ["dropped"]


async def test_every_kind_that_the_owner_wants_is_told(world: World) -> None:
    ear = Ear()
    process = world.process()
    listen(process, ear, kinds=KINDS | {"mailbox_ill"})
    for kind in (ItemKind.MAILBOX_ILL, ItemKind.GAP):
        world.db.run(
            lambda conn, kind=kind: reviews.open_item(  # type: ignore[misc]
                conn, 0, kind, user=ROBIN, integration="robin/local", summary="secret words"
            )
        )
    for _ in range(2):
        await tell(world, process)
    assert [one["title"] for one in ear.said] == ["A mailbox cannot be used"]
    assert "secret" not in ear.text


async def test_an_item_that_was_hidden_is_not_told(world: World) -> None:
    ear = Ear()
    process = world.process()
    hours = Hours(quiet=(time(8), time(10)))
    listen(process, ear, kinds=frozenset({"mailbox_ill"}), hours=hours)
    item = world.db.run(
        lambda conn: reviews.open_item(conn, 0, ItemKind.MAILBOX_ILL, user=ROBIN, summary="ill")
    )
    await tell(world, process)
    world.db.run(lambda conn: reviews.hide(conn, item))
    to_hour(world, 11)
    await tell(world, process)
    assert ear.heard == []


async def test_the_refusal_of_a_notice_is_not_told(world: World) -> None:
    ear = Ear(answers=[NO])
    process = await drafted(world, ear, kinds=KINDS | {"rejected"})
    for _ in range(3):
        await tell(world, process)
    assert world.item(ItemKind.REJECTED).user == ROBIN
    assert len(ear.heard) == 1
