"""Mail that cannot be read: set aside and told, never followed, and no burden for its mailbox."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.loops.turn import Result
from providers.memory import Behaviour
from providers.ports import Fetched, Folder, TransientError
from storage.words import Action, ItemKind, Ref
from tests.support.hands import MaildirHands
from tests.support.invariants import check
from tests.support.mails import follow_up, own_reply, question
from tests.support.scenes import SETTLED_S
from tests.support.world import BOX, Process, World

SECRET_TEXT = "what nobody may read"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A Maildir; its promises are checked at the end."""
    with capture_logs():
        world = World(tmp_path / "Mail")
        yield world
    check(world)


def _link(path: Path) -> None:
    secret = path.parents[2] / "secret"
    secret.write_text(f"Subject: x\n\n{SECRET_TEXT}\n")
    path.symlink_to(secret)


@pytest.mark.parametrize("make", [_link, os.mkfifo, os.mkdir], ids=["link", "fifo", "folder"])
async def test_what_is_no_regular_file_is_told_at_once_and_why(
    world: World, make: Callable[[Path], None]
) -> None:
    assert isinstance(world.hands, MaildirHands)
    seconds = int(world.clock.now().timestamp())
    make(world.hands.root / "new" / f"{seconds}.M1P1.host")
    world.hands.put(question(1))
    world.clock.skip(SETTLED_S)
    process = world.process()
    await world.drive(process.note)
    results = await world.drive(process.work)
    assert results is not None
    assert sorted(results) == [Result.DRAFTED, Result.NOTHING]
    assert "not a regular file: remove it" in world.item(ItemKind.QUARANTINED).summary


async def test_a_link_is_never_followed(world: World) -> None:
    assert isinstance(world.hands, MaildirHands)
    seconds = int(world.clock.now().timestamp())
    _link(world.hands.root / "new" / f"{seconds}.M1P1.host")
    world.clock.skip(SETTLED_S)
    process = world.process()
    for _ in range(2):
        await world.drive(process.all)
        world.clock.skip(SETTLED_S)
    dump = [world.db.ask(f"SELECT * FROM {table}") for table in ("messages", "threads", "events")]  # noqa: S608
    assert SECRET_TEXT not in str(dump)


async def test_a_file_that_was_forbidden_is_read_after_a_retry(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root reads whatever it likes, so the file becomes a folder for a while."""
    assert isinstance(world.hands, MaildirHands)
    seconds = int(world.clock.now().timestamp())
    place = world.hands.root / "new" / f"{seconds}.M1P1.host"
    place.mkdir()
    world.clock.skip(SETTLED_S)
    process = world.process()
    await world.drive(process.note)
    await world.drive(process.work)
    place.rmdir()
    place.write_bytes(question(1))
    item = world.item(ItemKind.QUARANTINED)
    await world.drive(lambda: process.decide(item.id, Action.RETRY, key="again"))
    assert await world.drive(process.work) == [Result.DRAFTED]


def _without(process: Process, *refs: Ref) -> None:
    """The mailbox gives every mail but these."""
    mailbox = process.house.accounts[BOX].mailbox
    sound = mailbox.fetch

    async def fetch(wanted: list[Ref]) -> list[Fetched]:
        if set(wanted) & set(refs):
            raise TransientError("the server gave no answer")
        return await sound(wanted)

    mailbox.fetch = fetch  # type: ignore[method-assign,assignment]


async def _work_through_all_waits(world: World, process: Process) -> list[Result]:
    results: list[Result] = []
    for _ in range(8):
        world.clock.skip(7_201)
        results += await world.drive(process.work) or []
    return results


async def test_one_mail_that_cannot_be_fetched_does_not_hide_its_thread() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        bad = world.hands.put(question(1))
        world.hands.put(follow_up(1))
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        _without(process, bad)
        results = await _work_through_all_waits(world, process)
    assert results.count(Result.DRAFTED) == 1
    assert "cannot be fetched" in world.item(ItemKind.QUARANTINED).summary


async def test_a_mail_that_could_not_be_fetched_for_a_while_is_read_later() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        world.hands.put(question(1))
        world.clock.skip(5)
        world.hands.put(own_reply(1), Folder.SENT)
        world.clock.skip(5)
        bad = world.hands.put(follow_up(1))
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        mailbox = process.house.accounts[BOX].mailbox
        sound = mailbox.fetch
        _without(process, bad)
        await _work_through_all_waits(world, process)
        assert world.item(ItemKind.QUARANTINED)
        assert world.calls == []
        mailbox.fetch = sound  # type: ignore[method-assign]
        world.clock.skip(86_401)
        assert await world.drive(process.work) == [Result.DRAFTED]


async def test_an_own_answer_that_cannot_be_fetched_counts_as_one() -> None:
    """The owner had the last word, whatever it was: nothing is drafted for what they answered."""
    with capture_logs():
        world = World()
        process = world.process()
        world.hands.put(question(1))
        world.clock.skip(5)
        bad = world.hands.put(own_reply(1), Folder.SENT)
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        _without(process, bad)
        results = await _work_through_all_waits(world, process)
        assert Result.NOTHING in results
        assert Result.DRAFTED not in results
        assert "you have written in this thread since" in str(world.thread.no_draft_because)
        world.hands.put(follow_up(1))
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        results = await _work_through_all_waits(world, process)
    assert results.count(Result.DRAFTED) == 1
    assert len(world.calls) == 1


async def test_a_thread_that_alone_cannot_be_fetched_is_set_aside_and_told() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        bad = world.hands.put(question(1))
        world.hands.put(question(2))
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        _without(process, bad)
        results = await _work_through_all_waits(world, process)
    assert results.count(Result.QUARANTINED) == 1
    assert results.count(Result.DRAFTED) == 1
    assert "could not be read" in world.item(ItemKind.QUARANTINED).summary


async def test_a_mailbox_of_which_nothing_can_be_fetched_accuses_no_thread() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        refs = [world.hands.put(question(1)), world.hands.put(question(2))]
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        _without(process, *refs)
        results = await _work_through_all_waits(world, process)
    assert set(results) == {Result.FAILED}
    assert world.items(ItemKind.QUARANTINED) == []


async def test_a_read_that_failed_once_costs_a_wait_and_no_mail() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        world.hands.put(question(1))
        world.clock.skip(SETTLED_S)
        await world.drive(process.note)
        world.plan.add("fetch", Behaviour.DROP)
        assert await world.drive(process.work) == [Result.FAILED]
        world.clock.skip(11)
        assert await world.drive(process.work) == [Result.DRAFTED]
    assert world.items(ItemKind.QUARANTINED) == []
