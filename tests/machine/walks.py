"""Plain random walks through the rules; the same number is the same walk."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from providers.ports import Folder
from storage.words import Action
from tests.machine.machine import Machine
from tests.machine.model import Act
from tests.support.database import CommitFault

WALKS: Final[Mapping[str, Mapping[str, Sequence[object]]]] = {
    "take": {"which": (0, 1), "eager": (False, True)},
    "step": {"which": (0, 1), "act": list(Act), "fault": [None, *CommitFault], "steps": (1, 2, 3)},
    "note": {"which": (0, 1)},
    "list_mail": {"which": (0, 1)},
    "note_what_was_listed": {},
    "look": {"complete": (True, True, False)},
    "sleep": {"seconds": (1, 6, 61, 601, 90_000)},
    "mail": {"number": (1, 2)},
    "owner_writes": {"number": (1, 2), "folder": (Folder.SENT, Folder.DRAFTS)},
    "owner_lets_go": {"which": range(4), "how": ("send", "trash", "for good")},
    "owner_takes_back": {"which": range(4)},
    "decide": {"which": range(4), "action": list(Action), "key": "abc"},
    "die_and_sweep": {
        "which": (0, 1),
        "number": (1, 2),
        "until": ("staged", "claimed", "allowed", "answered"),
        "act": (Act.LOSE, Act.DROP, Act.LATE),
        "retaken": (False, True),
    },
    "outlive_the_lease": {
        "which": (0, 1),
        "number": (1, 2),
        "until": ("asked", "staged", "claimed", "allowed", "allowed", "answered"),
        "act": list(Act),
        "seconds": (1, 61, 90_000),
        "meets": ("", "", "leased", "staged"),
    },
    "look_to_the_end": {
        "number": (1, 2),
        "act": (Act.LOSE, Act.DROP, Act.LATE),
        "early": (False, True),
    },
    "free_by_word": {
        "number": (1, 2),
        "act": (Act.LOSE, Act.LATE),
        "action": (Action.DISMISS, Action.NEVER_HAPPENED, Action.IT_EXISTS),
        "seconds": (1, 700),
    },
    "answer_by_hand": {"number": (1, 2), "act": (Act.LOSE, Act.LATE)},
    "meet_a_message": {"which": (0, 1), "number": (1, 2), "until": ("read", "staged", "answered")},
    "search_for_long": {
        "number": (1, 2),
        "act": (Act.LOSE, Act.DROP, Act.LATE),
        "how": ("", "land", "look", "trash"),
    },
    "list_for_long": {"which": (0, 1), "number": (1, 2), "overtaken": (False, True)},
    "stall_and_try_again": {"which": (0, 1), "number": (1, 2), "seconds": (30, 45)},
    "double": {
        "number": (1, 2),
        "act": (Act.TWICE, Act.TWICE_LOST),
        "how": ("send", "trash", "for good"),
    },
    "discard": {"number": (1, 2), "meanwhile": ("", "edit", "move", "send"), "act": list(Act)},
    "restart": {},
    "calm_down": {},
}
"""Rules and what a plain walk gives them."""


def walk(number: int, steps: int) -> None:
    """Walk through the rules at random; the same number is the same walk."""
    draw = random.Random(number)
    machine = Machine()
    try:
        machine.begin(
            stages=draw.random() < 0.5,
            lag_s=draw.choice([0.0, 45.0, 600.0]),
            eager=draw.random() < 0.5,
        )
        for _ in range(steps):
            name = draw.choice(list(WALKS))
            values = {key: draw.choice(list(of)) for key, of in WALKS[name].items()}
            getattr(machine, name)(**values)
            machine.hold_everything()
    finally:
        machine.teardown()
