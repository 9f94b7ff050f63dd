"""A worker whose lease is another's by now: what it found out is void, whatever it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from structlog.testing import capture_logs

from assistant.loops import ending, reading
from assistant.loops.turn import Turn
from providers.ports import MailboxIllError
from storage import leases, mailboxes
from storage.words import ItemKind, ThreadId
from tests.support.scenes import note_question
from tests.support.world import BOX, Process, World


@contextmanager
def overtaken(world: World, process: Process) -> Iterator[Turn]:
    """The turn of a process on a thread that another process has taken meanwhile."""
    held = world.db.run(lambda conn: _take(conn, process))
    record = world.db.run(lambda conn: reading.record(conn, BOX, ThreadId(held.thread)))
    with process.house.keeper.holding(held, started_s=world.clock.boot_s()) as grip:
        world.shift_lease()
        other = world.process()
        world.db.run(lambda conn: _take(conn, other))
        yield Turn(house=process.house, account=process.account, grip=grip, record=record)


def _take(conn: object, process: Process) -> leases.Held:
    taken = leases.take_due(
        conn,  # type: ignore[arg-type]
        process.house.worker,
        ttl_ms=60_000,
        limit=1,
        allowed={BOX},
        alone=True,
    )
    (held,) = taken.held
    return held


@pytest.fixture
async def turn() -> object:
    with capture_logs():
        world = World()
        process = world.process()
        await note_question(world, process)
        with overtaken(world, process) as found:
            yield world, found


async def test_it_sets_no_thread_aside(turn: tuple[World, Turn]) -> None:
    world, late = turn
    await ending.quarantine(late, "the process died")
    assert world.thread.quarantined_at is None
    assert world.items(ItemKind.QUARANTINED) == []


async def test_it_lets_no_mailbox_rest(turn: tuple[World, Turn]) -> None:
    world, late = turn
    await ending.mailbox_ill(late, MailboxIllError("no login", "log in"))
    assert world.items(ItemKind.MAILBOX_ILL) == []
    row = world.read(lambda conn: mailboxes.load(conn, BOX))
    assert row is not None
    assert row.calls_paused_until is None
