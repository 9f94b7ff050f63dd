"""A process of its own for tests that kill it: ``python -m tests.support.runner CONFIG DOING ...``.

It opens a real data folder and a real Maildir as the daemon does, and at one named fault point it
kills or stops itself, or waits so that somebody else can act. What it does, in DOING: ``once`` one
pass; ``discard`` one pass, then the removal of the draft that waits, then one more; ``run`` the
daemon.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import anyio

from assistant.commands.review import Decision, perform
from assistant.daemon import Daemon
from assistant.house import House
from assistant.once import run_once
from assistant.process import writing
from assistant.timing import SystemClock
from config.load import load
from storage import reviews
from storage.lock import acquire
from storage.words import Action, FaultPoint, ItemKind

HELD_S = 1.5
"""How long ``hold`` keeps a call in flight."""


@dataclass
class Trap:
    """Implements storage.words.Faults: does *act* the first time that *point* is reached."""

    point: FaultPoint | None
    act: str
    marker: Path

    def hit(self, point: FaultPoint) -> None:
        """Fall into the trap, if it is set here."""
        if point is not self.point:
            return
        self.point = None
        self.marker.write_text(str(point))
        if self.act == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.act == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        else:
            time.sleep(HELD_S)


async def _discard(house: House) -> None:
    items = await house.store.read(lambda conn: reviews.listed_kind(conn, ItemKind.DRAFT_READY))
    for item in items:
        decision = Decision(items=(item.id,), action=Action.DISCARD, key=f"discard {item.id}")
        await perform(house, decision)


async def main(config: Path, doing: str, trap: Trap) -> None:
    """Do it."""
    loaded = load(config)
    clock = SystemClock()
    with await acquire(loaded.daemon.storage.data_dir, clock=clock) as lock:
        async with writing(loaded, lock, clock, faults=trap) as process:
            if doing == "run":
                ready = trap.marker.with_name("ready")
                await Daemon(process=process, lock=lock).run(on_ready=ready.touch)
                return
            await run_once(process.house)
            if doing == "discard":
                await _discard(process.house)
                await run_once(process.house)


if __name__ == "__main__":
    where, doing, point, act = sys.argv[1:5]
    trap = Trap(FaultPoint(point) if point else None, act, Path(where).with_name("trapped"))
    anyio.run(main, Path(where), doing, trap)
