"""The notifier: each thing told once, in the owner's hours, without their mail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time
from typing import TypeVar
from zoneinfo import ZoneInfo

import anyio
import pytest
from sqlalchemy import Connection
from structlog.testing import capture_logs

from assistant import views
from assistant.commands.deciding import RefusedError
from assistant.core.hours import Hours
from assistant.loops.notifier import Notifier
from providers.memory import Behaviour
from storage import mailboxes, reviews
from storage.errors import StorageBusyError
from storage.intents import Intent
from storage.words import (
    Action,
    EvidenceKind,
    IntentState,
    ItemKind,
    Kind,
    Rejected,
    Unknown,
)
from tests.support.clock import quiesce
from tests.support.ears import KINDS, Ear, listen
from tests.support.invariants import check
from tests.support.mails import CANARY
from tests.support.scenes import draft, lose
from tests.support.world import ROBIN, Process, World

T = TypeVar("T")
NO = Rejected(reason="the server answered 404")
LATER = Rejected(reason="the server answered 429", passing=True, retry_after_s=7.0)
LOST = Unknown(reason="the connection was lost before an answer")


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    with capture_logs() as logs:
        yield made
    check(made)
    assert CANARY not in str(logs)


def notices(world: World) -> list[Intent]:
    return [one for one in world.intents() if one.kind is Kind.NOTIFY]


def states(world: World) -> list[str]:
    return [str(state) for (state,) in world.db.ask("SELECT state FROM notices ORDER BY id")]


async def tell(world: World, process: Process) -> None:
    await world.drive(process.tell)


async def drafted(world: World, *ears: Ear, **how: object) -> Process:
    process = world.process()
    listen(process, *ears, **how)  # type: ignore[arg-type]
    await draft(world, process)
    return process


def to_hour(world: World, hour: int, minute: int = 0) -> None:
    """Let time pass until this hour (UTC)."""
    now = datetime.fromtimestamp(world.clock.database_s(), UTC)
    wanted = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    world.clock.skip((wanted - now).total_seconds() % 86_400)


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


async def test_nothing_is_sent_in_quiet_hours_and_all_of_it_after_them(world: World) -> None:
    ear = Ear()
    hours = Hours(zone=ZoneInfo("Europe/Paris"), quiet=(time(9, 30), time(7)))
    process = await drafted(world, ear, hours=hours)
    await draft(world, process, 2)
    await tell(world, process)
    to_hour(world, 5, 59)
    await tell(world, process)
    assert ear.heard == []
    to_hour(world, 6)
    await tell(world, process)
    assert len(ear.heard) == 2
    assert states(world) == ["sent", "sent"]


async def test_a_refused_notice_waits_for_the_end_of_quiet_hours(world: World) -> None:
    ear = Ear(answers=[LATER])
    process = await drafted(world, ear, hours=Hours(quiet=(time(9, 30), time(10))))
    await tell(world, process)
    to_hour(world, 9, 31)
    await tell(world, process)
    assert len(ear.heard) == 1
    to_hour(world, 10)
    await tell(world, process)
    assert len(ear.heard) == 2


async def test_a_digest_is_one_notice_a_day(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear, hours=Hours(digest=time(12)))
    await draft(world, process, 2)
    await tell(world, process)
    assert ear.heard == []
    to_hour(world, 12)
    await tell(world, process)
    await draft(world, process, 3)
    await tell(world, process)
    assert [one["kind"] for one in ear.said] == ["digest"]
    assert ear.said[0]["title"] == "2 things wait for review"
    to_hour(world, 12)
    await tell(world, process)
    await tell(world, process)
    assert ear.said[1]["title"] == "One thing waits for review"
    assert len(ear.heard) == 2


async def test_a_digest_shows_on_each_of_its_items(world: World) -> None:
    process = await drafted(world, Ear(answers=[LOST]), hours=Hours(digest=time(12)))
    await draft(world, process, 2)
    to_hour(world, 12)
    await tell(world, process)
    for document in world.read(lambda conn: views.review_list(conn, 0)):
        evidence = document["evidence"]
        assert isinstance(evidence, list)
        assert [one["detail"].get("outcome") for one in evidence if one["of"] == "notify"] == [
            "unknown"
        ]


async def test_of_two_processes_one_tells(world: World) -> None:
    ear = Ear()
    first = await drafted(world, ear)
    second = world.process()
    listen(second, ear)

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(first.tell)
            group.start_soon(second.tell)

    await world.drive(both)
    await tell(world, second)
    assert len(ear.heard) == 1


async def test_while_calls_are_paused_nothing_is_sent(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear)
    world.db.run(lambda conn: mailboxes.pause(conn, mailboxes.ALL, 0))
    await tell(world, process)
    assert ear.heard == []
    world.db.run(lambda conn: mailboxes.resume(conn, mailboxes.ALL))
    await tell(world, process)
    assert len(ear.heard) == 1


async def test_a_silent_receiver_keeps_no_other_waiting(world: World) -> None:
    silent, other = Ear(answers=[None]), Ear()
    process = await drafted(world, silent, other, call_timeout_s=600.0)
    async with world.background() as behind:
        behind.start_soon(process.house.keeper.run)
        behind.start_soon(Notifier(process.house).run)
        await quiesce()
        assert (len(silent.heard), len(other.heard)) == (1, 1)
        await draft(world, process, 2)
        await world.clock.advance(60)
        assert (len(silent.heard), len(other.heard)) == (1, 2)
        silent.answer_now.set()
        await quiesce()
        assert len(silent.heard) == 2
        behind.cancel_scope.cancel()


async def test_a_drained_notifier_ends_after_its_call_is_recorded(world: World) -> None:
    slow, ended = Ear(answers=[None]), anyio.Event()
    process = await drafted(world, slow)
    await draft(world, process, 2)
    notifier = Notifier(process.house)

    async def run() -> None:
        await notifier.run()
        ended.set()

    async with world.background() as behind:
        behind.start_soon(run)
        await quiesce()
        notifier.drain()
        await quiesce()
        assert not ended.is_set()
        slow.answer_now.set()
        await ended.wait()
    assert len(slow.heard) == 1
    assert notices(world)[0].state is IntentState.ACCEPTED
    assert world.db.ask("SELECT owner FROM leases WHERE thread LIKE 'notices%'") == [(None,)]


async def test_a_mail_server_has_its_ten_minutes_on_a_lease_of_that_length(world: World) -> None:
    slow = Ear(answers=[None])
    process = await drafted(world, slow, call_timeout_s=661.0)
    async with world.background() as behind:
        behind.start_soon(process.house.keeper.run)
        behind.start_soon(process.tell)
        await world.clock.advance(500)
        other = world.process()
        listen(other, slow, call_timeout_s=661.0)
        await other.reconcile()
        await other.tell()
        await world.clock.advance(155)
        slow.answer_now.set()
        await quiesce()
        behind.cancel_scope.cancel()
    (intent,) = notices(world)
    assert intent.state is IntentState.ACCEPTED
    assert [fact.kind for fact in world.facts(intent.id)] == [EvidenceKind.ANSWER]
    assert len(slow.heard) == 1


async def test_a_call_that_takes_longer_is_unknown(world: World) -> None:
    slow = Ear(answers=[None])
    process = await drafted(world, slow, call_timeout_s=661.0)
    async with world.background() as behind:
        behind.start_soon(process.house.keeper.run)
        behind.start_soon(process.tell)
        await world.clock.advance(700)
        behind.cancel_scope.cancel()
    assert notices(world)[0].state is IntentState.UNKNOWN
    assert len(slow.heard) == 1


async def test_a_store_that_fails_keeps_no_lease(world: World) -> None:
    ear = Ear()
    process = await drafted(world, ear)
    read = process.house.store.read
    fine = iter([True, True, True, True])

    async def failing(unit: Callable[[Connection], T]) -> T:
        if next(fine, False):
            return await read(unit)
        raise StorageBusyError("locked")

    process.house.store.read = failing  # type: ignore[method-assign]
    with pytest.raises(StorageBusyError):
        await tell(world, process)
    assert ear.heard == []
    process.house.store.read = read  # type: ignore[method-assign]
    await tell(world, process)
    assert len(ear.heard) == 1
