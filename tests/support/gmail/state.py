"""The world as JSON: for tests to read, and in a file that outlives a killed server."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.support.gmail.clock import ServerClock
from tests.support.gmail.journal import Line
from tests.support.gmail.mailbox import Entry, Mailbox, Message, SendAs
from tests.support.gmail.oauth import Access, Grant
from tests.support.gmail.world import World

_PLAIN = ("history_id", "oldest_history_id", "labels", "serial")


def _told_box(box: Mailbox) -> dict[str, Any]:
    return {
        **{name: getattr(box, name) for name in _PLAIN},
        "messages": [
            {**asdict(one), "raw": base64.b64encode(one.raw).decode()}
            for one in box.messages.values()
        ],
        "drafts": box.drafts,
        "history": [asdict(one) for one in box.history],
        "send_as": [asdict(one) for one in box.send_as],
    }


def told_world(world: World) -> dict[str, Any]:
    """Accounts with messages (deleted ones have ``gone_s``), drafts, history; tokens; the log."""
    return {
        "now_s": world.now_s(),
        "accounts": {name: _told_box(box) for name, box in world.accounts.items()},
        "grants": {name: asdict(one) for name, one in world.oauth.grants.items()},
        "access": {name: asdict(one) for name, one in world.oauth.access.items()},
        "settings": asdict(world.settings),
        "lines": world.journal.told(),
        "oauth_counts": dict(world.oauth.counts),
    }


def _fill(box: Mailbox, told: dict[str, Any]) -> None:
    for name in _PLAIN:
        setattr(box, name, told[name])
    for one in told["messages"]:
        labels = [(since_s, tuple(names)) for since_s, names in one["labels"]]
        raw = base64.b64decode(one["raw"])
        box.keep(Message(**{**one, "raw": raw, "labels": labels}))
    box.drafts = {
        key: [(at_s, name) for at_s, name in line] for key, line in told["drafts"].items()
    }
    box.history = [
        Entry(**{**one, "labels": tuple(one["labels"]), "changed": tuple(one["changed"])})
        for one in told["history"]
    ]
    box.send_as = [SendAs(**one) for one in told["send_as"]]


class Keeper:
    """Writes the world beside its file and renames it: a kill leaves the old or the new."""

    def __init__(self, world: World, path: Path) -> None:
        self._world = world
        self._path = path

    def load(self) -> None:
        """Take what the file holds; nothing where there is none."""
        if not self._path.exists():
            return
        told = json.loads(self._path.read_bytes())
        for name, box in told["accounts"].items():
            _fill(self._world.account(name), box)
        oauth = self._world.oauth
        oauth.grants = {name: Grant(**one) for name, one in told["grants"].items()}
        oauth.access = {name: Access(**one) for name, one in told["access"].items()}
        oauth.counts.update(told["oauth_counts"])
        self._world.settings.change(told["settings"])
        self._world.journal.lines = [Line(**one) for one in told["lines"]]
        clock = self._world.clock
        if isinstance(clock, ServerClock):
            clock.advance(max(0.0, told["now_s"] - clock.now_s()))

    def save(self) -> None:
        """Write it."""
        beside = self._path.with_suffix(".new")
        with beside.open("w") as file:
            json.dump(told_world(self._world), file)
        beside.replace(self._path)
