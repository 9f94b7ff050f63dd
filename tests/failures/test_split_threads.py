"""One conversation of which the mails come in a bad order, or could not be read when they came."""

from __future__ import annotations

import anyio
import pytest
from sqlalchemy import Connection
from structlog.testing import capture_logs

from assistant.loops.turn import Result
from providers.ports import Folder
from storage import messages, threads
from storage.dbtime import database_now_ms
from storage.messages import Message
from storage.words import Identity, Ref, ThreadId
from tests.support.clock import quiesce
from tests.support.mails import MINA, ROBIN, follow_up, mail, own_reply, question
from tests.support.scenes import SETTLED_S, draft, note_question
from tests.support.world import BOX, World
from tests.support.worlds import GMAIL, Make

ASKED = mail("d1@example.org", "Dear Robin,\n\nwhen will you pay?\n\nMina")
ANSWERED = mail(
    "d2@example.com",
    "Dear Mina,\n\ntomorrow.\n\nRobin",
    parent="d1@example.org",
    sender=ROBIN,
    to=MINA,
)
ASKED_AGAIN = mail(
    "d3@example.org", "Dear Robin,\n\nhave you paid by now?\n\nMina", parent="d2@example.com"
)


def arrive(world: World, raw: bytes, folder: Folder = Folder.INBOX) -> None:
    world.hands.put(raw, folder)
    world.clock.skip(60)


async def test_what_was_sent_and_fetched_late_keeps_a_conversation_together(make: Make) -> None:
    if make.kind == GMAIL:
        pytest.skip("Gmail says itself what is one conversation")
    world = make()
    process = world.process()
    arrive(world, ASKED)
    arrive(world, ASKED_AGAIN)
    arrive(world, ANSWERED, Folder.SENT)
    await world.drive(process.note)
    assert len(world.threads()) == 1
    assert await world.drive(process.work) == [Result.DRAFTED]
    assert b"d3@example.org" in world.drafts()[0].raw


async def test_what_was_answered_in_another_thread_is_answered_and_its_work_ends(
    make: Make,
) -> None:
    if make.kind == GMAIL:
        pytest.skip("Gmail says itself what is one conversation")
    world = make()
    process = world.process()
    arrive(world, ASKED)
    arrive(world, ASKED_AGAIN)
    await world.drive(process.note)
    arrive(world, ANSWERED, Folder.SENT)
    await world.drive(process.note)
    ended = await world.drive(process.work)
    assert sorted(ended) == [Result.DRAFTED, Result.NOTHING]
    world.clock.skip(SETTLED_S)
    assert await world.drive(process.work) == []
    assert b"d3@example.org" in world.drafts()[0].raw
    first = next(row for row in world.threads() if row.no_draft_because is not None)
    assert str(first.no_draft_because).startswith("you have answered it, in what is followed as")


async def test_what_is_noted_in_this_thread_while_it_is_read_is_news() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        await note_question(world, process)
        go_on = anyio.Event()
        async with world.background() as group:
            process.gate.holds["snapshot", 1] = go_on.wait
            group.start_soon(process.work)
            await quiesce()
            world.hands.put(own_reply(1), Folder.SENT)
            await process.note()
            go_on.set()
            await quiesce()
        assert world.calls == []
        assert world.thread.no_draft_because == "a message arrived while the thread was read"


@pytest.mark.parametrize("raw", [follow_up(1), question(1)], ids=["an answer", "a copy"])
async def test_a_mail_that_can_be_read_at_last_gets_no_draft_beside_its_conversations(
    make: Make, raw: bytes
) -> None:
    world = make()
    process = world.process()
    await draft(world, process)
    ref = world.hands.put(raw)
    world.db.run(lambda conn: note_unreadable(conn, ref))
    assert await world.drive(process.work) == [Result.NOTHING]
    assert len(world.drafts()) == 1
    row = world.read(lambda conn: threads.load(conn, BOX, ThreadId("lone")))
    assert "its mail belongs to a conversation" in str(row.no_draft_because)


def note_unreadable(conn: Connection, ref: Ref) -> None:
    """As a pass notes a mail of which nothing but its place is known."""
    lone, now = ThreadId("lone"), database_now_ms(conn)
    threads.ensure(conn, BOX, lone, now, provider_thread=None, subject="")
    row = threads.load(conn, BOX, lone)
    threads.changed(conn, row, now, due_at=now - 1, arrived=[Identity("unreadable")])
    message = Message(
        ref=ref,
        identity=Identity("unreadable"),
        message_id=None,
        thread=lone,
        folder="inbox",
        arrived_at=now,
        unreadable="it cannot be opened",
    )
    messages.put(conn, BOX, message)
