"""What an attempt's own caller says of its end, in time or late; of several attempts together.

All moves are one statement. An attempt that is not under way any more (a sweep, a look or a person
was first) still has its say: what it knows for certain counts, and is never turned into less.

A crash before the commit leaves the intents ``calling``; the sweeper makes them unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from assistant.effects import settle, wording
from assistant.effects.settle import Recorded, Timing
from providers.ports import DraftSight, Folder
from storage import drafts, intents
from storage.intents import Intent, Move
from storage.standing import Beside
from storage.words import (
    Accepted,
    By,
    Evidence,
    EvidenceKind,
    IntentState,
    Kind,
    Outcome,
    Rejected,
    Unknown,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end of an attempt as its own caller knows it, at ``now`` (epoch ms), in time or late."""

    claimed: Intent
    outcome: Outcome
    timing: Timing
    now: int


def outcomes_of(conn: Connection, ended: Sequence[Ended]) -> list[Recorded]:
    """Record the ends of attempts whose lease rows are locked; each says what is left to write.

    No intent may stand in *ended* twice.
    """
    moved = intents.move_all(conn, [_move_of(one) for one in ended])
    recorded = []
    for one in ended:
        beside = moved.get(one.claimed.id)
        is_late = beside is None
        kind = EvidenceKind.LATE_ANSWER if is_late else EvidenceKind.ANSWER
        told = wording.told(one.outcome)
        fact = Evidence(kind=kind, attempt=one.claimed.attempt, detail=told)
        name = "answered_late" if is_late else "answered"
        story = [settle.event(one.now, name, one.claimed, attempt=one.claimed.attempt, **told)]
        if beside is None:
            what = _late(conn, one)
        else:
            what = _in_time(conn, one, beside)
            story.insert(0, settle.claimed_event(one.claimed))
        recorded.append(replace(what, fact=(one.now, fact), story=(*story, *what.story)))
    return recorded


def _move_of(one: Ended) -> Move:
    match one.outcome:
        case Accepted():
            return settle.acceptance(one.claimed, By.CALL, one.now, one.outcome)
        case Rejected():
            return settle.rejection(one.claimed, By.CALL, one.now, one.outcome)
        case Unknown():
            return settle.doubt(one.claimed, By.CALL, one.now, one.timing, one.outcome)


def _in_time(conn: Connection, one: Ended, moved: Beside) -> Recorded:
    """What follows from the end of the call that was under way."""
    match one.outcome:
        case Accepted():
            return settle.accepted(conn, one.claimed, By.CALL, one.now, one.outcome, moved)
        case Rejected():
            return settle.rejected(conn, one.claimed, By.CALL, one.now, one.outcome, moved)
        case Unknown():
            return settle.in_doubt(conn, one.claimed, By.CALL, one.now, one.timing, one.outcome)


def _late(conn: Connection, one: Ended) -> Recorded:
    """What follows from the end of a call that was not under way any more."""
    intent = intents.by_id(conn, one.claimed.id)
    if intent is None:
        raise LookupError(f"no intent {one.claimed.id}")
    if intent.attempt != one.claimed.attempt:
        return _other_attempt(conn, intent, one.outcome, one.now)
    intents.update(conn, intent, ended_at=one.now)
    recorded = None
    if isinstance(one.outcome, Accepted):
        recorded = settle.accept_only(conn, intent, By.LATE, one.now, one.outcome)
    elif isinstance(one.outcome, Rejected):
        recorded = settle.reject_only(conn, intent, By.LATE, one.now, one.outcome)
    return recorded or Recorded(state=intent.state)


def _other_attempt(conn: Connection, intent: Intent, outcome: Outcome, now: int) -> Recorded:
    # Two attempts that both had an effect are two effects, whatever the latest one says.
    if isinstance(outcome, Accepted) and intent.kind is Kind.CREATE_DRAFT:
        known = [draft.ref for draft in drafts.of_intent(conn, intent.id) if draft.open]
        if intent.state is IntentState.ACCEPTED and outcome.ref not in known:
            sight = DraftSight(
                ref=outcome.ref,
                version=outcome.version,
                folder=Folder.DRAFTS,
                content_hash=intent.content_hash or "",
            )
            settle.duplicate(conn, intent, now, [sight])
        else:
            intents.update(conn, intent, next_look_at=now)
    return settle.unmoved(conn, intent)
