"""A process that one mail kills: ``python -m tests.crash.poison CONFIG DOING POINT ACT``.

Reading the header block of a mail with an ``X-Poison`` header kills the process, as a fault below
Python does. DOING is that of ``tests.support.runner``; or ``retry``: a person asks for every
mailbox that is set aside to be watched again, before one pass.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio

from assistant.commands.review import Decision, perform
from assistant.process import writing
from assistant.timing import SystemClock
from config.load import load
from providers.maildir import places
from providers.mime.message import Heads
from providers.mime.reading import read_heads
from storage import reviews
from storage.lock import acquire
from storage.words import Action, ItemKind
from tests.support import runner


def _poisoned(raw: bytes) -> Heads:
    if b"X-Poison" in raw:
        os.kill(os.getpid(), signal.SIGKILL)
    return read_heads(raw)


async def retry(config: Path) -> None:
    """A person wants what was set aside tried again."""
    loaded = load(config)
    clock = SystemClock()
    with await acquire(loaded.daemon.storage.data_dir, clock=clock) as lock:
        async with writing(loaded, lock, clock) as process:
            store = process.house.store
            items = await store.read(lambda conn: reviews.listed_kind(conn, ItemKind.QUARANTINED))
            for item in items:
                decision = Decision(items=(item.id,), action=Action.RETRY, key=f"again {item.id}")
                await perform(process.house, decision)


async def main(config: Path, doing: str) -> None:
    """Do it."""
    if doing == "retry":
        await retry(config)
        doing = "once"
    await runner.main(config, doing, runner.Trap(None, "", config.with_name("trapped")))


if __name__ == "__main__":
    vars(places)["read_heads"] = _poisoned
    anyio.run(main, Path(sys.argv[1]), sys.argv[2])
