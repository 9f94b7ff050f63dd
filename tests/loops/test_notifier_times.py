"""When the notifier tells: quiet hours, digests, pauses, several processes, slow receivers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from zoneinfo import ZoneInfo

import anyio
import pytest
from sqlalchemy import Connection

from assistant import views
from assistant.core.hours import Hours
from assistant.loops.notifier import Notifier
from storage import mailboxes
from storage.errors import StorageBusyError
from storage.words import (
    EvidenceKind,
    IntentState,
)
from tests.loops.telling import LATER, LOST, T, drafted, notices, states, tell, to_hour
from tests.support.clock import quiesce
from tests.support.ears import Ear, listen
from tests.support.scenes import draft
from tests.support.world import World


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
