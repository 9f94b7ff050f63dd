"""Runs schedules by their numbers from a command line, and says how many a minute that is."""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio
import structlog


class Failed(Protocol):
    """A schedule that broke a promise; its log tells all that happened in it, and what."""

    log: list[str]


Run = Callable[[int], Awaitable[Failed | None]]
Prepare = Callable[[argparse.Namespace], Awaitable[Run]]


def parser(text: str | None) -> argparse.ArgumentParser:
    """The options that every kind of schedule has."""
    made = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("seeds", nargs="*", type=int, help="run these alone")
    made.add_argument("--from", dest="first", type=int, default=0, help="the first of many")
    made.add_argument("--count", type=int, default=0, help="how many")
    made.add_argument("--keep-going", action="store_true", help="do not stop at the first failure")
    return made


def run_all(asked: argparse.Namespace, prepare: Prepare) -> None:
    """Run what was asked for; prints each failure and, at the end, the rate. Exits 1 on failures.

    The rate is that of one core that does nothing else: schedules by minutes of processor time.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    numbers = [*asked.seeds, *range(asked.first, asked.first + asked.count)]

    async def all_of_them() -> tuple[int, int, float]:
        run = await prepare(asked)
        begun = time.process_time()
        done = bad = 0
        for number in numbers:
            found = await run(number)
            done += 1
            if found is not None:
                bad += 1
                print(f"number {number}:", *found.log, sep="\n", flush=True)
                if not asked.keep_going:
                    break
        return done, bad, time.process_time() - begun

    done, bad, cost_s = anyio.run(all_of_them)
    rate = f": {cost_s / done * 1000:.1f} ms each, {done / cost_s * 60:,.0f} a minute"
    print(f"{done} schedules, {bad} broken{rate if done else ''}")
    raise SystemExit(bool(bad))
