"""How every schedule of calls begins: one thread of two messages that are noted and due.

Noting them takes longer than a whole schedule of calls, so it is done once, and the rows that it
left are put into each new store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from storage.tables import metadata
from storage.words import ThreadId
from tests.support.mails import follow_up, question
from tests.support.scenes import SETTLED_S
from tests.support.world import World

MAILS: Final = (question(1), follow_up(1))


@dataclass(frozen=True, slots=True)
class Opening:
    """The rows of each table, in an order in which they can be put in."""

    thread: ThreadId
    rows: tuple[tuple[str, tuple[tuple[object, ...], ...]], ...]
    passed_s: float

    def put_into(self, world: World) -> None:
        """Make a new world begin there."""
        for raw in MAILS:
            world.hands.put(raw)
        world.clock.skip(self.passed_s)
        for sql, rows in self.rows:
            for row in rows:
                world.db.ask(sql, *row)


async def opening() -> Opening:
    """Have a real process note the two messages, and keep what it wrote."""
    world = World()
    began_s = world.clock.boot_s()
    for raw in MAILS:
        world.hands.put(raw)
    world.clock.skip(SETTLED_S)
    await world.drive(world.process().note)
    world.clock.skip(SETTLED_S)
    rows = []
    for table in metadata.sorted_tables:
        found = world.db.ask(f"SELECT * FROM {table.name}")  # noqa: S608
        if found:
            marks = ", ".join("?" * len(found[0]))
            rows.append((f"INSERT INTO {table.name} VALUES ({marks})", tuple(found)))  # noqa: S608
    return Opening(world.thread.thread, tuple(rows), world.clock.boot_s() - began_s)
