"""A watcher's lease and the floor: who may be in work beside whom."""

from __future__ import annotations

import anyio

from assistant.floor import Floor
from assistant.loops.turn import Result
from assistant.once import problems_of
from storage import watches
from storage.words import WATCH_THREAD, Action, FaultPoint, ItemKind, OwnerId
from tests.support.clock import quiesce
from tests.support.gate import kill, stop
from tests.support.mails import question
from tests.support.scenes import SETTLED_S, note_question
from tests.support.world import BOX, World


async def _die_in_a_pass(world: World) -> None:
    process = world.process()
    process.gate.at[FaultPoint.NOTE_WRITTEN] = kill
    await world.drive(process.note)
    world.shift_lease()


def _row(world: World) -> tuple[object, ...]:
    (row,) = world.db.ask(
        "SELECT takes, orphaned, alone FROM leases WHERE thread = ?", WATCH_THREAD
    )
    return row


async def test_a_death_beside_others_is_not_counted(world: World) -> None:
    await _die_in_a_pass(world)
    taken = world.db.run(lambda conn: watches.take(conn, BOX, OwnerId("p"), 60_000, alone=False))
    assert (taken.orphan, taken.held) == (True, None)


async def test_deaths_alone_are_counted(world: World) -> None:
    for _ in range(3):
        await _die_in_a_pass(world)
    taken = world.db.run(lambda conn: watches.take(conn, BOX, OwnerId("p"), 60_000, alone=True))
    assert taken.held is not None
    assert taken.held.takes == 2


async def test_after_three_deaths_alone_the_mailbox_is_not_watched(world: World) -> None:
    for _ in range(4):
        await _die_in_a_pass(world)
    world.hands.put(question(1))
    process = world.process()
    assert await world.drive(process.note) is None
    assert (world.threads(), world.item(ItemKind.QUARANTINED).about) == ([], "watch")


async def test_once_says_that_a_mailbox_is_set_aside(world: World) -> None:
    for _ in range(4):
        await _die_in_a_pass(world)
    await world.drive(world.process().note)
    (why,) = world.read(lambda conn: problems_of(conn, BOX, unread=True))
    assert "set aside" in why


async def test_dismissing_what_tells_of_it_does_not_watch_it_again(world: World) -> None:
    for _ in range(4):
        await _die_in_a_pass(world)
    process = world.process()
    await world.drive(process.note)
    item = world.item(ItemKind.QUARANTINED)
    await world.drive(lambda: process.decide(item.id, Action.DISMISS, key="never mind"))
    assert await world.drive(process.note) is None
    assert world.items(ItemKind.QUARANTINED) == []


async def test_a_retry_watches_it_again(world: World) -> None:
    for _ in range(4):
        await _die_in_a_pass(world)
    process = world.process()
    await world.drive(process.note)
    item = world.item(ItemKind.QUARANTINED)
    await world.drive(lambda: process.decide(item.id, Action.RETRY, key="again"))
    assert await world.drive(process.note) is not None
    assert _row(world) == (0, 0, 0)


async def test_threads_that_are_due_are_worked_on_while_their_mailbox_is_set_aside(
    world: World,
) -> None:
    await note_question(world, world.process())
    for _ in range(4):
        await _die_in_a_pass(world)
    assert await world.drive(world.process().work) == [Result.DRAFTED]


async def test_a_pass_after_a_death_waits_for_the_work_in_hand(world: World) -> None:
    async with world.background():
        await note_question(world, world.process())
        await _die_in_a_pass(world)
        process = world.process()
        process.gate.at[FaultPoint.READ] = stop
        await world.drive(process.work)
        assert process.worker.in_work == 1
        assert await world.drive(process.note) is None
        assert _row(world) == (0, 0, 0)
        process.gate.go_on()
        await quiesce()
        world.clock.skip(SETTLED_S)
        assert await world.drive(process.note) is not None


async def test_one_alone_waits_for_all_others() -> None:
    floor, order, go = Floor(), [], anyio.Event()

    async def beside() -> None:
        async with floor.beside():
            await go.wait()
            order.append("beside")

    async def alone() -> None:
        async with floor.alone():
            order.append("alone")

    async with anyio.create_task_group() as group:
        group.start_soon(beside)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(alone)
        await anyio.wait_all_tasks_blocked()
        go.set()
    assert order == ["beside", "alone"]


async def test_who_wants_to_be_alone_goes_before_those_who_come_later() -> None:
    floor, order, go = Floor(), [], anyio.Event()

    async def beside(name: str) -> None:
        async with floor.beside():
            await go.wait()
            order.append(name)

    async def alone() -> None:
        async with floor.alone():
            order.append("alone")

    async with anyio.create_task_group() as group:
        group.start_soon(beside, "first")
        await anyio.wait_all_tasks_blocked()
        group.start_soon(alone)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(beside, "later")
        await anyio.wait_all_tasks_blocked()
        go.set()
    assert order == ["first", "alone", "later"]


async def test_who_gives_up_waiting_to_be_alone_keeps_nobody_out() -> None:
    floor, go = Floor(), anyio.Event()

    async def beside() -> None:
        async with floor.beside():
            await go.wait()

    async with anyio.create_task_group() as group:
        group.start_soon(beside)
        await anyio.wait_all_tasks_blocked()
        with anyio.move_on_after(0):
            async with floor.alone():
                pass
        with anyio.fail_after(1):
            async with floor.beside():
                go.set()
