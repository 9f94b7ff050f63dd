"""Which schedule shows which of the bugs of ``tests.seeded.bugs``, and which none can show.

A seed means nothing after a change of what schedules draw, or of the awaits of the house. Then look
for new ones: what still shows its bug is kept, for each other bug ``--count`` seeds of each style
are tried (those that found it last come first), and the table is printed, or written into this very
file with ``--write``::

    python -m tests.simulation.found --count 200 --write

The style ``calls`` is a schedule of calls alone, all others are of whole workers.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import anyio
import structlog

from tests.seeded.bug import Bug
from tests.seeded.bugs import BUGS, NotFoundError, planted
from tests.simulation import schedule
from tests.simulation.calls import Runner
from tests.simulation.styles import STYLES

Place = tuple[str, int]
CALLS: Final = "calls"
FOUND: Final[Mapping[str, tuple[str, int]]] = {
    "rerun orphan": ("lone", 11),
    "live calls are swept": ("mixed", 5),
    "claim without fence": ("calls", 1454),
    "claim by fence alone": ("calls", 1416),
    "claim does not renew": ("mixed", 0),
    "token restarts": ("mixed", 0),
    "lease row deleted on release": ("mixed", 0),
    "no grace": ("grace", 5),
    "takeover sets no grace": ("grace", 5),
    "pause is not read before a call": ("paused", 8),
    "a pause loses the thread": ("paused", 0),
    "plan for an older thread": ("raced", 0),
    "plan for an older generation": ("retried", 0),
    "nothing reconciles first": ("restored", 0),
    "two calls into one thread": ("calls", 1424),
    "claim without the held-draft check, record": ("calls", 1410),
    "claim without the held-draft check, snapshot": ("late", 25),
    "claim beside a draft of the owner": ("unseen", 2),
    "no fingerprint check": ("calls", 1625),
    "a used key is called again": ("calls", 1450),
    "no back-off": ("calls", 1419),
    "a passing rejection that retries itself": ("mixed", 3),
    "an unknown answer is a refusal": ("late", 0),
    "an adapter that raises is a refusal": ("mixed", 29),
    "the local deadline is not checked": ("calls", 1474),
    "outcome not shielded": ("calls", 1437),
    "a cancelled answer is unknown": ("calls", 47),
    "an error from COMMIT means that nothing happened": ("failing", 7),
    "staged bytes of a claim in doubt are dropped": ("calls", 1375),
    "an outcome that failed to be stored is given up": ("calls", 1423),
    "a late answer is dropped": ("calls", 1647),
    "two claims of a set into one thread": ("calls", 1478),
    "two ends of a set in one thread": ("calls", 1730),
    "a set whose COMMIT is unknown is asked for again": ("failing", 7),
    "answers of a set are mixed up": ("calls", 1450),
    "an error of one is an error of whoever leads": ("locked", 0),
    "the calm is granted to one who does not wait for it any more": ("watching", 25),
    "a worker that drains takes what it waited for": ("ending", 0),
    "a sweep is taken for the caller's own word": ("stepped", 805),
    "a claim of an unknown COMMIT is read but once": ("calls", 1375),
    "a call that was cancelled before it began is unknown": ("calls", 39),
    "a stale holder in a set ends its work": ("stopped", 33),
    "unknown calls of a set are counted by what stood there before it": ("silent", 0),
    "text is stored as SQLite reads it out of JSON": ("odd", 12),
    "absent settles": ("late", 6),
    "absent before the lag window settles": ("late", 17),
    "a look that failed counts": ("never", 11),
    "one look ends the looking": ("calls", 1532),
    "looks never end": ("late", 9),
    "a stale look moves a later attempt": ("calls", 1446),
    "two are one": ("doubled", 2),
    "a second sighting is no news": ("doubled", 17),
    "noting without the fence": ("watching", 22),
    "ours is news": ("mixed", 0),
    "the owner's answer frees nothing": ("late", 9),
    "settle that does not wake the thread, rejected": ("late", 2),
    "a removal does not wake the thread": ("removed", 0),
    "work that clears a newer due": ("removed", 20),
    "illness costs tries": ("ill", 0),
    "a sighting ends the rest": ("silent", 2),
    "never_happened that creates directly": ("never", 0),
    "never_happened before the lag window": ("never", 6),
    "never_happened without a look": ("never", 7),
    "a removal that does not name the version": ("removed", 3),
    "a discard outlives the owner's edit": ("removed", 3),
    "an unknown removal sticks": ("removed", 0),
    "gone at once": ("removed", 4),
    "a replay repeats": ("said", 10),
    "a key serves two commands": ("said", 0),
    "every death accuses the thread": ("deadly", 0),
    "no death accuses the thread": ("deadly", 0),
    "synchronous=NORMAL": ("cut", 0),
    "the scope of a thread misses its messages": ("unseen", 2),
}
"""By the name of the bug: the style of the schedule, and its seed."""

HIDDEN: Final[Mapping[str, str]] = {
    "a person's word may be called again": (
        "the one command that rejects by a person's word hands over a rejection that is not "
        "passing, so this condition decides nothing for any caller there is; it is a second lock, "
        "and only a test that hands over a passing one can tell whether it holds"
    ),
    "a key that is taken is not looked for again": (
        "the planted code decides what PostgreSQL's store does with a unique violation. That takes "
        "two transactions at READ COMMITTED: one has looked for the key before the other commits "
        "it, and inserts it after. A schedule has one SQLite connection, whose units run whole, "
        "one after the other; none can look before another's commit and insert after it"
    ),
}
"""By the name of the bug: why no schedule shows it. The matrix finds these as well."""

_RUNNERS: list[Runner] = []


async def _runner() -> Runner:
    """What all schedules of calls share; made of sound code, whatever is planted later."""
    if not _RUNNERS:
        _RUNNERS.append(await Runner.made())
    return _RUNNERS[0]


async def run(style: str, seed: int) -> list[str] | None:
    """The log of a schedule that broke a promise, or None."""
    found = await (
        (await _runner()).run(seed) if style == CALLS else schedule.run(seed, style=style)
    )
    return None if found is None else found.log


async def shows(bug: Bug, style: str, seed: int) -> list[str] | None:
    """What this schedule finds wrong with the bug planted, or None."""
    await _runner()
    with planted(bug):
        log = await run(style, seed)
    return None if log is None else log[log.index("") + 1 :]


def _places(bug: Bug, count: int, styles: list[str]) -> Iterator[Place]:
    """Where to look for a bug: where it was found, the style that found it, calls, all others."""
    known = FOUND.get(bug.name)
    if known is not None:
        yield known
        if known[0] in styles:
            yield from ((known[0], seed) for seed in range(count // 2))
    if CALLS in styles:
        # Several faults show more than one does; there are well over a thousand single ones.
        yield from ((CALLS, 1400 + number) for number in range(count * 4))
        yield from ((CALLS, number) for number in range(1400))
    yield from ((style, seed) for seed in range(count) for style in styles if style != CALLS)


async def _found(bug: Bug, count: int, styles: list[str]) -> tuple[Place, str] | None:
    tried = set()
    for place in _places(bug, count, styles):
        if place in tried:
            continue
        tried.add(place)
        found = await shows(bug, *place)
        if found is not None and await run(*place) is None:
            return place, found[0]
    return None


async def _search(asked: argparse.Namespace) -> None:
    lines, lost = [], []
    for bug in BUGS:
        if bug.name in HIDDEN or (asked.only and bug.name not in asked.only):
            continue
        begun = time.process_time()
        try:
            found = await _found(bug, asked.count, asked.style or [CALLS, *STYLES])
        except NotFoundError as error:
            # Whoever changed the code has yet to let the bug follow; its place is kept.
            lost.append(bug.name)
            if bug.name in FOUND:
                lines.append(_line(bug.name, FOUND[bug.name]))
            print(f"    # {bug.name}: {error}", flush=True)
            continue
        took = f"{time.process_time() - begun:.0f} s"
        if found is None:
            lost.append(bug.name)
            print(f"    # {bug.name}: not found ({took})", flush=True)
            continue
        place, why = found
        lines.append(_line(bug.name, place))
        print(f"{lines[-1]}  # {took}: {why.splitlines()[0]}", flush=True)
    if asked.write and not asked.only:
        _write(lines)
    if lost:
        print(f"{len(lost)} bugs are shown by no schedule that was tried", file=sys.stderr)
        raise SystemExit(1)


def _line(name: str, place: Place) -> str:
    return f'    "{name}": ("{place[0]}", {place[1]}),'


def _write(lines: list[str]) -> None:
    here = Path(__file__)
    text = re.sub(
        r"(FOUND: Final[^{]*{\n).*?(\n}\n)",
        lambda found: found[1] + "\n".join(lines) + found[2],
        here.read_text(encoding="utf-8"),
        count=1,
        flags=re.DOTALL,
    )
    here.write_text(text, encoding="utf-8")


def main() -> None:
    """Look for schedules that show the bugs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100, help="seeds of each style")
    parser.add_argument("--style", action="append", choices=[CALLS, *sorted(STYLES)])
    parser.add_argument("--only", action="append", metavar="BUG", help="look for this bug alone")
    parser.add_argument("--write", action="store_true", help="write the table into this file")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    anyio.run(_search, parser.parse_args())


if __name__ == "__main__":
    main()
