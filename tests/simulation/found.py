"""Which schedule shows which of the bugs of ``tests.seeded.bugs``, and which none can show.

A seed means nothing after a change of what schedules draw. Then look for new ones: this prints the
first of each bug that has none any more (``--count`` seeds of each style are tried)::

    python -m tests.simulation.found --count 60
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Mapping
from typing import Final

import anyio
import structlog

from tests.seeded.bugs import BUGS, Bug, planted
from tests.simulation.schedule import run
from tests.simulation.styles import STYLES

FOUND: Final[Mapping[str, tuple[str, int]]] = {
    "live calls are swept": ("mixed", 5),
    "token restarts": ("mixed", 0),
    "no grace": ("grace", 5),
    "pause is not read before a call": ("paused", 3),
    "plan for an older thread": ("raced", 2),
    "nothing reconciles first": ("restored", 0),
    "claim beside a draft of the owner": ("unseen", 2),
    "a passing rejection that retries itself": ("mixed", 3),
    "an adapter that raises is a refusal": ("mixed", 29),
    "an error from COMMIT means that nothing happened": ("failing", 7),
    "an outcome that failed to be stored is given up": ("failing", 2),
    "absent settles": ("late", 0),
    "a look that failed counts": ("never", 10),
    "looks never end": ("late", 9),
    "two are one": ("doubled", 2),
    "ours is news": ("mixed", 0),
    "settle that does not wake the thread, rejected": ("late", 2),
    "work that clears a newer due": ("removed", 6),
    "a sighting ends the rest": ("silent", 2),
    "never_happened that creates directly": ("never", 0),
    "never_happened without a look": ("never", 3),
    "gone at once": ("removed", 1),
    "a key serves two commands": ("said", 4),
    "no death accuses the thread": ("deadly", 0),
    "the scope of a thread misses its messages": ("unseen", 2),
    "rerun orphan": ("lone", 5),
    "claim does not renew": ("mixed", 0),
    "lease row deleted on release": ("mixed", 0),
    "takeover sets no grace": ("grace", 5),
    "a pause loses the thread": ("paused", 0),
    "plan for an older generation": ("retried", 0),
    "claim without the held-draft check, snapshot": ("late", 25),
    "no back-off": ("restored", 0),
    "an unknown answer is a refusal": ("late", 0),
    "absent before the lag window settles": ("late", 10),
    "a second sighting is no news": ("doubled", 2),
    "the owner's answer frees nothing": ("late", 12),
    "a removal does not wake the thread": ("removed", 13),
    "illness costs tries": ("ill", 0),
    "never_happened before the lag window": ("never", 6),
    "a removal that does not name the version": ("removed", 0),
    "claim without fence": ("overtaken", 5),
    "the local deadline is not checked": ("stalled", 2),
    "a replay repeats": ("said", 10),
    "an unknown removal sticks": ("removed", 10),
    "every death accuses the thread": ("deadly", 0),
    "noting without the fence": ("watching", 19),
    "outcome not shielded": ("fleet", 52),
}
"""By the name of the bug: the style of the schedule, and its seed."""

HIDDEN: Final[Mapping[str, str]] = {
    "claim by fence alone": (
        "a fence is never given out twice, so its number alone names the holder"
    ),
    "two calls into one thread": (
        "the plan reads the same under the same lease, and nobody else can begin a call in between"
    ),
    "claim without the held-draft check, record": (
        "the snapshot shows what the record knows, but for a draft that lands and is found "
        "while a listing lags; not met in 90 schedules of its style"
    ),
    "a used key is called again": (
        "the plan reads the key under the same lease; only a refusal that comes late from an "
        "overtaken worker falls between, and it was not met"
    ),
    "a late answer is dropped": (
        "a look finds the draft all the same, and the intent ends as the answer would have it"
    ),
    "no fingerprint check": "nothing changes in a schedule what is asked under one key",
    "a cancelled answer is unknown": (
        "the cancellation has to fall between the answer and the next await, at one moment of "
        "the clock"
    ),
    "staged bytes of a claim in doubt are dropped": (
        "the mailbox in memory takes missing bytes for nothing, where a Maildir takes them "
        "for a delivery"
    ),
    "one look ends the looking": (
        "whoever looks at the end of the schedule has looked before; a day without a look is "
        "met, and then a second follows in a minute"
    ),
    "a stale look moves a later attempt": (
        "two looks at one attempt need an overtaken looker and a proof in the same minute; "
        "not met in 40 schedules of its style"
    ),
    "a discard outlives the owner's edit": (
        "the provider refuses the version that is gone, so nothing is lost by asking"
    ),
    "a person's word may be called again": (
        "the command raises the generation, so no plan asks under the old key"
    ),
    "synchronous=NORMAL": "the store of a schedule lies in memory, and no power fails",
    "a key that is taken is not looked for again": (
        "one writer at a time has no such race; it is PostgreSQL's"
    ),
}
"""By the name of the bug: why no schedule shows it. The matrix finds these as well."""


async def shows(bug: Bug, style: str, seed: int) -> list[str] | None:
    """What this schedule finds wrong with the bug planted, or None."""
    with planted(bug):
        found = await run(seed, style=style)
    return None if found is None else found.log[found.log.index("") + 1 :]


async def _search(count: int, styles: list[str]) -> None:
    for bug in BUGS:
        known = FOUND.get(bug.name)
        if bug.name in HIDDEN or (known is not None and await shows(bug, *known) is not None):
            continue
        places = [(style, seed) for seed in range(count) for style in styles]
        for style, seed in places:
            found = await shows(bug, style, seed)
            if found is not None and await run(seed, style=style) is None:
                print(f'    "{bug.name}": ("{style}", {seed}),  # {found[0]}', flush=True)
                break
        else:
            print(f"    # {bug.name}: not found", flush=True)


def main() -> None:
    """Look for schedules that show the bugs which have none."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--style", action="append", choices=sorted(STYLES))
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    anyio.run(_search, asked.count, asked.style or list(STYLES))


if __name__ == "__main__":
    main()
