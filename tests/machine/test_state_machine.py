"""Any order of taking, claiming, calling, dying, waiting, looking and deciding keeps the promises.

Two workers, an owner, a person who decides and a mailbox that loses answers act in any order on the
plain units of work; the time is the database's and moves by a second or by a day. After each step
the books of ``tests.machine.model`` are held against the store. Rules of the size of a whole
scenario lead to the dangerous states, and a test shows that these are reached.

``FENCEPOST_MACHINE_EXAMPLES`` asks for a longer run, ``FENCEPOST_MACHINE_SEED`` for a run again,
``FENCEPOST_MACHINE_SHRINK`` for the shortest way to a failure; the seed is printed with each.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.machine.ground import SEEN
from tests.machine.machine import Machine
from tests.machine.walks import walk

EXAMPLES = int(os.environ.get("FENCEPOST_MACHINE_EXAMPLES", "40"))
SHRINK = "FENCEPOST_MACHINE_SHRINK" in os.environ
SEED = int(os.environ.get("FENCEPOST_MACHINE_SEED", random.SystemRandom().randrange(2**31)))
pytestmark = pytest.mark.timeout(max(120, 10 * EXAMPLES))
WALKED = 40
SETTINGS = settings(
    max_examples=EXAMPLES,
    stateful_step_count=25,
    deadline=None,
    database=None,
    derandomize=False,
    report_multiple_bugs=False,
    # A failure in hand is worth more than a short one after five minutes; its seed is printed.
    phases=[Phase.generate, *([Phase.shrink] if SHRINK else [])],
    suppress_health_check=list(HealthCheck),
)
DANGERS = (
    "died after claimed",
    "swept",
    "taken over from an open call",
    "called after it was given up",
    "never left",
    "a late answer",
    "a late look",
    "a watcher was overtaken",
    "a stale end of work",
    "landed late",
    "called again",
    "proved never",
    "two drafts of ours",
    "two drafts on record",
    "two drafts of ours, when calm",
    "restarted",
    "a person: it_exists",
    "a person: never_happened",
    "a person: discard",
    "refused: LEASE_LOST",
    "refused: THREAD_MOVED",
    "refused: GRACE",
    "refused: BLOCKED",
    "refused: DRAFT_HELD",
    "refused: OWNER_DRAFT",
    "refused: KEY_USED",
    "unknown to accepted",
    "unknown to rejected",
    "unknown to duplicated",
    "accepted to duplicated",
    "rejected to calling",
    "unknown to calling",
)
"""What the run must have come across, or it shows nothing."""


@cache
def reached() -> Counter[str]:
    """Walk through the rules by fixed numbers; what that came across."""
    SEEN.clear()
    for number in range(WALKED):
        walk(number, 25)
    return SEEN.copy()


def test_the_promises_hold_in_every_order() -> None:
    print(f"FENCEPOST_MACHINE_SEED={SEED}")
    seed(SEED)(Machine)
    run_state_machine_as_test(Machine, settings=SETTINGS)


@pytest.mark.parametrize("danger", DANGERS)
def test_dangerous_states_are_reached(danger: str) -> None:
    assert reached()[danger] > 0
