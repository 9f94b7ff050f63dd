"""Evidence: what was seen about an intent, appended and never changed or removed.

Written in the transaction that acts on it. A crash leaves the fact and what follows from it, or
neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import evidence
from storage.words import Evidence, EvidenceKind, IntentId

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ADD = sa.insert(evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One piece of evidence as stored; ``at`` in epoch milliseconds."""

    at: int
    kind: EvidenceKind
    attempt: int
    detail: Mapping[str, object]


def add(conn: Connection, intent: IntentId, now_ms: int, fact: Evidence) -> None:
    """Append one fact."""
    add_all(conn, [(intent, now_ms, fact)])


def add_all(conn: Connection, facts: Sequence[tuple[IntentId, int, Evidence]]) -> None:
    """Append facts, each about one intent at one time (epoch ms)."""
    if facts:
        conn.execute(
            _ADD,
            [
                {
                    "intent": intent,
                    "attempt": fact.attempt,
                    "at": now_ms,
                    "kind": str(fact.kind),
                    "detail": dict(fact.detail),
                }
                for intent, now_ms, fact in facts
            ],
        )


def of_intent(conn: Connection, intent: IntentId) -> list[Fact]:
    """All evidence about one intent, oldest first."""
    rows = conn.execute(
        sa.select(evidence).where(evidence.c.intent == intent).order_by(evidence.c.id)
    )
    return [
        Fact(at=row.at, kind=EvidenceKind(row.kind), attempt=row.attempt, detail=dict(row.detail))
        for row in rows
    ]
