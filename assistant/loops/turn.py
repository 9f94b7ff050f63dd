"""The state of one turn of work on one thread, as it comes to know things.

``work`` goes the way from reading to the call and fills it; ``ending`` ends the turn from it. It
holds no rule of its own and writes nothing: what a crash loses of it is found out again by the next
turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.core.conversation import Conversation, Triage
from assistant.core.plan import Plan
from assistant.effects import drafting
from assistant.house import Account, House
from assistant.loops.judging import Judged, Unwritten, Written
from assistant.loops.reading import Record, Unread
from leases.keeper import Grip
from storage.drafts import Draft
from storage.intents import Intent
from storage.words import Kind


class Result(StrEnum):
    """How a turn of work ended."""

    NOTHING = "nothing"
    DRAFTED = "drafted"
    REMOVED = "removed"
    UNKNOWN = "unknown"
    REJECTED = "rejected"
    AGAIN = "again"
    FAILED = "failed"
    QUARANTINED = "quarantined"
    LOST = "lost"


@dataclass(slots=True)
class Turn:
    """One turn of work, as it comes to know things."""

    house: House
    account: Account
    grip: Grip
    record: Record
    open_drafts: list[Draft] = field(default_factory=list)
    unread: Sequence[Unread] = ()
    conversation: Conversation | None = None
    triage: Triage | None = None
    judged: Judged | None = None
    written: Written | Unwritten | None = None
    plan: Plan = field(default_factory=Plan)
    again_at_ms: int | None = None
    reconciled: bool = False


def place_of(turn: Turn) -> drafting.Place:
    """Where an effect of this turn happens, and under which limits."""
    settings = turn.house.settings
    return drafting.Place(
        user=turn.account.user,
        held=turn.grip.held,
        row=turn.record.row,
        mailbox=turn.account.mailbox,
        scope=turn.record.scope,
        secret=turn.house.mark_secret,
        call_timeout_s=settings.call_timeout_s,
        lease_ttl_ms=settings.lease_ttl_ms,
    )


def prior_create(record: Record, answers: str) -> Intent | None:
    """The intent that already asked for an answer to this message in the present generation."""
    for intent in record.intents:
        if (
            intent.kind is Kind.CREATE_DRAFT
            and intent.generation == record.row.generation
            and intent.plan.get("answers") == answers
        ):
            return intent
    return None


def prior_removal(record: Record, draft: Draft) -> Intent | None:
    """The intent that already asked for the removal of exactly this version of a draft."""
    for intent in record.intents:
        if (
            intent.kind is Kind.REMOVE_DRAFT
            and intent.plan.get("draft") == draft.id
            and intent.plan.get("version", draft.version) == draft.version
        ):
            return intent
    return None


def earlier(one: int | None, other: int | None) -> int | None:
    """The earlier of two moments, either of which may be missing."""
    return min((when for when in (one, other) if when is not None), default=None)
