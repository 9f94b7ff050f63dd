"""Orphans: intents still ``calling`` whose lease is over become unknown, visible and looked for.

Nobody can say what a process did that died, or that stopped for longer than its lease; so the
sweeper says unknown, never failed. Two sweepers at once flag each intent once, because the orphans
are read again under their locks. ``ended_at`` stays empty: the caller itself has recorded no end.
"""

from __future__ import annotations

from sqlalchemy import Connection

from assistant.effects import settle
from assistant.effects.settle import Timing
from storage import evidence, intents, leases
from storage.dbtime import database_now_ms
from storage.intents import Intent
from storage.words import (
    NO_FAULTS,
    By,
    Evidence,
    EvidenceKind,
    FaultPoint,
    Faults,
    IntentId,
    Unknown,
)


def sweep(
    conn: Connection,
    timing: Timing,
    faults: Faults = NO_FAULTS,
    *,
    only: IntentId | None = None,
) -> list[IntentId]:
    """Make every orphan unknown, or *only* this one; gives those that this transaction moved."""
    swept: list[IntentId] = []
    lost = _orphans(conn, database_now_ms(conn), only)
    # All locks first and in one order, so that nobody who locks several waits for this in a ring.
    places = sorted({(orphan.integration, orphan.thread) for orphan in lost})
    for integration, thread in places:
        leases.lock(conn, integration, thread)
    now = database_now_ms(conn)
    for intent in _orphans(conn, now, only) if places else ():
        if (intent.integration, intent.thread) not in places:
            continue
        evidence.add(
            conn,
            intent.id,
            now,
            Evidence(
                kind=EvidenceKind.SWEPT,
                attempt=intent.attempt,
                detail={"owner": intent.owner, "fence": intent.fence},
            ),
        )
        outcome = Unknown(reason="the worker ended before it could record an outcome")
        settle.become_unknown(conn, intent, By.SWEEP, now, timing, outcome)
        swept.append(intent.id)
    if swept:
        faults.hit(FaultPoint.SWEEP_WRITTEN)
    return swept


def _orphans(conn: Connection, now: int, only: IntentId | None) -> list[Intent]:
    return [one for one in intents.orphans(conn, now) if only in (None, one.id)]
