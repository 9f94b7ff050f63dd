"""Evidence: what was seen about an intent, appended and never changed or removed.

Written in the transaction that acts on it. A crash leaves the fact and what follows from it, or
neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.rows import ForEach, Part, at_once, columns_of, inserting
from storage.tables import evidence
from storage.words import Evidence, EvidenceKind, IntentId

if TYPE_CHECKING:
    from sqlalchemy import Connection

_COLUMNS = columns_of(evidence, "intent", "attempt", "at", "kind", "detail")
_ADD = ForEach(_COLUMNS, inserting(evidence, tuple(_COLUMNS)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One piece of evidence as stored; ``at`` in epoch milliseconds."""

    at: int
    kind: EvidenceKind
    attempt: int
    detail: Mapping[str, object]


def add(conn: Connection, intent: IntentId, now_ms: int, fact: Evidence) -> None:
    """Append one fact."""
    at_once(conn, [adding([(intent, now_ms, fact)])])


def adding(facts: Sequence[tuple[IntentId, int, Evidence]]) -> Part:
    """What appends facts, each about one intent at one time (epoch ms)."""
    return _ADD, [
        {
            "intent": intent,
            "attempt": fact.attempt,
            "at": now_ms,
            "kind": str(fact.kind),
            "detail": dict(fact.detail),
        }
        for intent, now_ms, fact in facts
    ]


def of_intent(conn: Connection, intent: IntentId) -> list[Fact]:
    """All evidence about one intent, oldest first."""
    rows = conn.execute(
        sa.select(evidence).where(evidence.c.intent == intent).order_by(evidence.c.id)
    )
    return [
        Fact(at=row.at, kind=EvidenceKind(row.kind), attempt=row.attempt, detail=dict(row.detail))
        for row in rows
    ]
