"""The units that record the ends of calls, of as many as end at the same moment.

    lock and release the leases --> move the intents --> evidence, drafts, items, events, threads
       '-- one that is another's by now: its row is locked, and only the outcome is recorded

Each arrow is one statement a table for all of them together. Nothing of a turn of work is written
whose lease was lost: its findings are void, the evidence about its own call is kept.

A crash before the commit leaves the intents ``calling``; the sweeper makes them unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from assistant.effects import outcomes, settle
from assistant.effects.outcomes import Ended
from assistant.effects.settle import Recorded, Timing
from storage import leases
from storage.dbtime import database_now_ms
from storage.events import Event
from storage.intents import Intent
from storage.leases import Held
from storage.threads import Finish, Finished
from storage.words import NO_FAULTS, FaultPoint, Faults, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn of work ends together with its call, the lease being released.

    ``finish`` and ``story`` say what the turn found out, given the outcome, when the thread should
    be worked on again and the time (epoch ms); ``tell`` opens and closes review items.
    """

    held: Held
    finish: Callable[[Outcome, int | None], Finish]
    story: Callable[[int], Sequence[Event]]
    tell: Callable[[Connection, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What there is to record of one attempt.

    ``ending`` None: the lease is kept. ``first`` is run under its lock, before the outcome.
    """

    claimed: Intent
    outcome: Outcome
    timing: Timing
    ending: Ending | None = None
    first: Callable[[Connection], None] | None = None
    faults: Faults = NO_FAULTS


def record(conn: Connection, one: Record) -> Recorded:
    """Record the end of one attempt; as ``record_all``."""
    return record_all(conn, [one])[0]


def record_all(conn: Connection, records: Sequence[Record]) -> list[Recorded]:
    """Record the ends of attempts and the turns of work that end with them, in one transaction."""
    places = {(one.claimed.integration, one.claimed.thread) for one in records}
    if len(places) < len(records) or any(one.ending is None for one in records):
        leases.lock_all(conn, places)
    if len(places) < len(records):
        # What ends in one thread must see what ended there before it.
        return [record(conn, one) for one in records]
    nows = _release(conn, records)
    ended = [
        Ended(claimed=one.claimed, outcome=one.outcome, timing=one.timing, now=nows[at][0])
        for at, one in enumerate(records)
    ]
    recorded = outcomes.outcomes_of(conn, ended)
    told, finished = [], []
    for one, (now, ending), what in zip(records, nows, recorded, strict=True):
        left = what
        if ending is not None:
            end = ending.finish(one.outcome, what.again_at)
            finished.append(
                Finished(held=ending.held, end=end, now_ms=now, settled_due_at=what.due_at)
            )
            left = replace(what, due_at=None, story=(*what.story, *ending.story(now)))
        told.append((one.claimed, left))
    settle.write_all(conn, told, finished)
    for one, (now, ending) in zip(records, nows, strict=True):
        if ending is not None:
            ending.tell(conn, now)
        one.faults.hit(FaultPoint.OUTCOME_WRITTEN)
    return recorded


def _release(conn: Connection, records: Sequence[Record]) -> list[tuple[int, Ending | None]]:
    """Lock every lease row; the time of each, and its ending where its lease was still ours."""
    held = [one.ending.held for one in records if one.ending is not None]
    released = leases.give_back_all(conn, held) if held else {}
    found: list[tuple[int, Ending | None]] = []
    for one in records:
        now = None if one.ending is None else released.get(one.ending.held)
        if now is not None:
            found.append((now, one.ending))
        else:
            leases.lock(conn, one.claimed.integration, one.claimed.thread)
            found.append((database_now_ms(conn), None))
        if one.first is not None:
            one.first(conn)
    return found
