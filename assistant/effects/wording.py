"""How outcomes and intents read on record and to a person, and how long a refusal waits.

Pure: values in, words and numbers out. It decides nothing about an intent.
"""

from __future__ import annotations

from dataclasses import replace

from storage.intents import TRIES, Intent
from storage.rows import as_text
from storage.words import Accepted, Kind, Outcome, Ref, Rejected, Unknown, Version

BACKOFF_MS = (5_000, 30_000, 120_000, 600_000, 3_600_000)
"""Waits before a passing rejection is planned again, by the number of tries used."""


def backoff_ms(tries_left: int, outcome: Rejected) -> int:
    """How long a passing rejection waits, by the tries left and by what the provider asked."""
    used = min(max(TRIES - tries_left - 1, 0), len(BACKOFF_MS) - 1)
    wait = BACKOFF_MS[used]
    if outcome.retry_after_s is not None:
        wait = max(wait, int(min(outcome.retry_after_s, 86_400) * 1000))
    return wait


def storable(outcome: Outcome) -> Outcome:
    """*outcome* in text that every store takes: what is said in it must not keep it off record."""
    match outcome:
        case Accepted(ref=ref, version=version, message_id=own, detail=detail):
            return replace(
                outcome,
                ref=Ref(as_text(ref)),
                version=Version(as_text(version)),
                message_id=None if own is None else as_text(own),
                detail=as_text(detail),
            )
        case Rejected(reason=reason, detail=detail) | Unknown(reason=reason, detail=detail):
            return replace(outcome, reason=as_text(reason), detail=as_text(detail))


def told(outcome: Outcome) -> dict[str, str | int | float | bool | None]:
    """An outcome as its evidence and its event hold it."""
    match outcome:
        case Accepted(ref=ref, message_id=message_id):
            return {"outcome": "accepted", "ref": ref, "message_id": message_id}
        case Rejected(reason=reason, passing=passing, detail=detail):
            return {
                "outcome": "rejected",
                "reason": reason,
                "passing": passing,
                "detail": detail,
            }
        case Unknown(reason=reason, detail=detail):
            return {"outcome": "unknown", "reason": reason, "detail": detail}


def name(intent: Intent) -> str:
    """What an intent asks for, as a person is told of it."""
    match intent.kind:
        case Kind.CREATE_DRAFT:
            return "a draft reply"
        case Kind.REMOVE_DRAFT:
            return "the removal of a draft"
        case Kind.NOTIFY:
            return "a notice"
