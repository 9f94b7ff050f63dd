"""Mails without Message-ID: told apart by their bodies, whatever becomes of their references."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.loops.nameless import by_reference
from providers.memory import Behaviour
from providers.mime.reading import identity_with_body, read_heads
from providers.ports import Folder
from storage.words import Identity, Ref
from tests.support.invariants import check
from tests.support.world import Process, World

HEAD = b"From: Form <form@example.org>\nTo: robin@example.com\nSubject: Contact\n"
HALL = HEAD + b"\nCould you call Mina about the hall?\n"
PLAN = HEAD + b"\nCould you send Jonas the plan?\n"


@pytest.fixture(params=["memory", "maildir"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """A mailbox of each kind; its promises are checked at the end."""
    with capture_logs():
        world = World(tmp_path / "Mail" if request.param == "maildir" else None)
        yield world
    check(world)


async def _noted(world: World, process: Process) -> list[tuple[object, int]]:
    """One pass; each thread with its revision."""
    world.clock.skip(6)
    await world.drive(process.note)
    return sorted((row.thread, row.revision) for row in world.threads())


def _moved(world: World, ref: Ref) -> Ref:
    """The same bytes under another reference: a renamed file, a changed UIDVALIDITY."""
    (raw,) = [one.raw for one in world.hands.lying(Folder.INBOX) if one.ref == ref]
    world.hands.delete(ref)
    return world.hands.put(raw)


async def test_two_with_one_header_block_are_two(world: World) -> None:
    process = world.process()
    world.hands.put(HALL)
    world.hands.put(PLAN)
    assert [revision for _, revision in await _noted(world, process)] == [1, 1]


async def test_two_with_the_same_bytes_are_one(world: World) -> None:
    process = world.process()
    world.hands.put(HALL)
    world.hands.put(HALL)
    assert [revision for _, revision in await _noted(world, process)] == [1]


async def test_twins_whose_references_all_change_are_no_news(world: World) -> None:
    process = world.process()
    refs = [world.hands.put(HALL), world.hands.put(PLAN)]
    before = await _noted(world, process)
    for ref in reversed(refs):
        _moved(world, ref)
    assert await _noted(world, process) == before


async def test_a_twin_that_comes_after_a_move_is_news(world: World) -> None:
    process = world.process()
    _moved_to = world.hands.put(HALL)
    await _noted(world, process)
    _moved(world, _moved_to)
    world.hands.put(PLAN)
    assert [revision for _, revision in await _noted(world, process)] == [1, 1]


async def test_a_reused_message_id_with_another_header_block_is_another_mail(
    world: World,
) -> None:
    process = world.process()
    world.hands.put(b"Message-ID: <same@example.org>\nDate: 1\n" + HALL)
    world.hands.put(b"Message-ID: <same@example.org>\nDate: 2\n" + PLAN)
    await _noted(world, process)
    assert len(world.db.ask("SELECT DISTINCT identity FROM messages")) == 2


async def _as_an_older_release(world: World, process: Process, *raws: bytes) -> list[Ref]:
    """Notes mails one by one and leaves on record what an older release did."""
    refs: list[Ref] = []
    for raw in raws:
        ref = world.hands.put(raw)
        await _noted(world, process)
        heads = read_heads(raw).identity
        old = by_reference(heads, ref) if refs else heads
        new = identity_with_body(raw)
        world.db.run(
            lambda conn, old=old, new=new: conn.exec_driver_sql(  # type: ignore[misc]
                "UPDATE messages SET identity = ? WHERE identity = ?", (old, new)
            )
        )
        refs.append(ref)
    return refs


def _identities(world: World) -> set[Identity]:
    """Of the mails that still lie there."""
    rows = world.db.ask("SELECT identity FROM messages WHERE gone_at IS NULL")
    return {Identity(str(one)) for (one,) in rows}


async def test_a_mail_noted_by_an_older_release_is_no_news_when_it_moves(world: World) -> None:
    process = world.process()
    (ref,) = await _as_an_older_release(world, process, HALL)
    before = await _noted(world, process)
    _moved(world, ref)
    assert await _noted(world, process) == before


async def test_twins_noted_by_an_older_release_are_no_news_when_both_move(world: World) -> None:
    process = world.process()
    refs = await _as_an_older_release(world, process, HALL, PLAN)
    before, identities = await _noted(world, process), _identities(world)
    for ref in reversed(refs):
        _moved(world, ref)
    assert (await _noted(world, process), _identities(world)) == (before, identities)


async def test_one_twin_noted_by_an_older_release_is_no_news_when_it_moves(world: World) -> None:
    process = world.process()
    refs = await _as_an_older_release(world, process, HALL, PLAN)
    before = await _noted(world, process)
    _moved(world, refs[1])
    assert await _noted(world, process) == before


async def test_a_new_twin_of_a_mail_noted_by_an_older_release_is_news(world: World) -> None:
    process = world.process()
    await _as_an_older_release(world, process, HALL)
    world.hands.put(PLAN)
    assert [revision for _, revision in await _noted(world, process)] == [1, 1]


async def test_a_new_twin_after_the_old_ones_moved_is_news(world: World) -> None:
    process = world.process()
    (ref,) = await _as_an_older_release(world, process, HALL)
    _moved(world, ref)
    await _noted(world, process)
    world.hands.put(PLAN)
    assert [revision for _, revision in await _noted(world, process)] == [1, 1]


async def test_mails_whose_bodies_cannot_be_had_are_noted_and_told_apart(world: World) -> None:
    process = world.process()
    world.hands.put(HALL)
    world.hands.put(PLAN)
    for _ in range(3):
        world.plan.add("fetch", Behaviour.DROP)
    await _noted(world, process)
    assert len(_identities(world)) == 2


@pytest.mark.parametrize("body", [b"", b"Hello\n", b"Hello\n\nagain\n\n"])
def test_the_identity_does_not_depend_on_the_line_ends(body: bytes) -> None:
    raw = HEAD + b"\n" + body
    assert identity_with_body(raw) == identity_with_body(raw.replace(b"\n", b"\r\n"))


def test_the_identity_depends_on_the_body() -> None:
    assert identity_with_body(HALL) != identity_with_body(PLAN)
