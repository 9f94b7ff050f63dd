"""The transaction that records what became of an attempt, with everything that follows from it.

Whoever makes an intent accepted writes its draft record and its review item here, in the same
transaction; whoever settles an intent makes its thread due. All functions expect to be called
inside a unit of work and lock the thread's lease row first. A stale worker may still record the
outcome of its own finished attempt, and nothing else.

A crash before the commit leaves the intent ``calling``; the sweeper makes it unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from assistant.effects import illness, records
from providers.ports import DraftSight, Folder
from storage import drafts, intents, leases, reviews, threads
from storage.dbtime import database_now_ms
from storage.events import log
from storage.intents import Intent
from storage.words import (
    Accepted,
    By,
    DraftState,
    Evidence,
    EvidenceKind,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
    Outcome,
    Rejected,
    Unknown,
)

BACKOFF_MS = (5_000, 30_000, 120_000, 600_000, 3_600_000)
"""Waits before a passing rejection is planned again, by the number of tries used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The waits that a record needs, in milliseconds."""

    first_look_ms: int
    notice_delay_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a record changed: the state now, and when the thread should be worked on again."""

    state: IntentState
    again_at: int | None = None


def record_outcome(
    conn: Connection, intent_id: IntentId, attempt: int, outcome: Outcome, timing: Timing
) -> Recorded:
    """Record the end of one attempt as its own caller knows it, in time or late."""
    intent = _locked(conn, intent_id)
    now = database_now_ms(conn)
    in_time = intent.state is IntentState.CALLING and intent.attempt == attempt
    kind = EvidenceKind.ANSWER if in_time else EvidenceKind.LATE_ANSWER
    intents.add_evidence(
        conn, intent.id, now, Evidence(kind=kind, attempt=attempt, detail=_told(outcome))
    )
    log(
        conn,
        now,
        intent.integration,
        intent.thread,
        "answered" if in_time else "answered_late",
        intent=intent.id,
        attempt=attempt,
        **_told(outcome),
    )
    if intent.attempt != attempt:
        return _other_attempt(conn, intent, outcome, now)
    by = By.CALL if in_time else By.LATE
    if not in_time:
        intents.update(conn, intent, ended_at=now)
    if isinstance(outcome, Accepted):
        return accept(conn, intent, by, now, timing, outcome)
    if isinstance(outcome, Rejected):
        return reject(conn, intent, by, now, outcome)
    if in_time:
        return become_unknown(conn, intent, By.CALL, now, timing, outcome)
    return Recorded(state=intent.state)


def accept(
    conn: Connection,
    intent: Intent,
    by: By,
    now: int,
    timing: Timing,
    effect: Accepted,
    *,
    draft_state: DraftState = DraftState.HELD,
    content_hash: str | None = None,
) -> Recorded:
    """Make an intent accepted, with its draft record and item; its lease row is locked."""
    moved = intents.move(
        conn,
        intent,
        IntentState.ACCEPTED,
        by,
        now,
        provider_ref=effect.ref or None,
        version=effect.version or None,
        message_id_seen=effect.message_id,
        passing=0,
        **({"ended_at": now} if by is By.CALL else {}),
    )
    if not moved:
        return Recorded(state=_state(conn, intent.id))
    if by is By.CALL:
        # A sighting says nothing of how calls fare, so it ends no rest.
        illness.well(conn, intent)
    reviews.close(conn, now, "facts", kind=ItemKind.OUTCOME_UNKNOWN, about=intent.id)
    reviews.close(conn, now, "facts", kind=ItemKind.REJECTED, about=intent.id)
    reviews.close(
        conn, now, "facts", kind=ItemKind.MAILBOX_ILL, integration=intent.integration, about="write"
    )
    match intent.kind:
        case Kind.CREATE_DRAFT:
            records.made(conn, intent, by, now, effect, draft_state, content_hash)
        case Kind.REMOVE_DRAFT:
            records.removed(conn, intent, now)
        case Kind.NOTIFY:
            pass
    if intent.kind is not Kind.NOTIFY:
        threads.make_due(conn, intent.integration, intent.thread, now)
    log(conn, now, intent.integration, intent.thread, "accepted", intent=intent.id, by=str(by))
    # A removal makes room: what the thread still needs is planned at once.
    again_at = now if intent.kind is Kind.REMOVE_DRAFT else None
    return Recorded(state=IntentState.ACCEPTED, again_at=again_at)


def reject(conn: Connection, intent: Intent, by: By, now: int, outcome: Rejected) -> Recorded:
    """Make an intent rejected; a passing rejection retries nothing itself, its thread is due."""
    tries_left = intent.tries_left if outcome.illness else intent.tries_left - 1
    may_pass = outcome.passing or outcome.illness
    passing = may_pass and tries_left > 0 and by is not By.PERSON
    retry_at = now + _backoff(tries_left, outcome) if passing else None
    moved = intents.move(
        conn,
        intent,
        IntentState.REJECTED,
        by,
        now,
        reason=outcome.reason,
        passing=int(passing),
        tries_left=tries_left,
        retry_at=retry_at,
        **({"ended_at": now} if by is By.CALL else {}),
    )
    if not moved:
        return Recorded(state=_state(conn, intent.id))
    reviews.close(conn, now, "facts", kind=ItemKind.OUTCOME_UNKNOWN, about=intent.id)
    if outcome.illness:
        illness.ill(conn, intent, now, outcome)
    elif not passing and intent.kind is Kind.REMOVE_DRAFT:
        records.removal_refused(conn, intent, now)
    elif not passing and by is not By.PERSON:
        reviews.open_item(
            conn,
            now,
            ItemKind.REJECTED,
            user=intent.user,
            integration=intent.integration,
            thread=intent.thread,
            about=intent.id,
            subject=records.shown(intent, "subject"),
            summary=f"{_name(intent)} was refused: {outcome.reason}",
        )
    again_at = retry_at
    if intent.kind is not Kind.NOTIFY:
        again_at = now if retry_at is None else retry_at
        threads.make_due(conn, intent.integration, intent.thread, again_at)
    log(
        conn,
        now,
        intent.integration,
        intent.thread,
        "rejected",
        intent=intent.id,
        by=str(by),
        reason=outcome.reason,
        passing=passing,
    )
    more = passing or intent.kind is Kind.REMOVE_DRAFT
    return Recorded(state=IntentState.REJECTED, again_at=again_at if more else None)


def become_unknown(
    conn: Connection, intent: Intent, by: By, now: int, timing: Timing, outcome: Unknown
) -> Recorded:
    """Make an intent unknown: shown at once, told later, looked for on a schedule."""
    ended = {"ended_at": now} if by is By.CALL else {}
    base = now if by is By.CALL else intent.claimed_at + intent.call_timeout_ms
    looks = intent.kind is not Kind.NOTIFY
    moved = intents.move(
        conn,
        intent,
        IntentState.UNKNOWN,
        by,
        now,
        reason=outcome.reason,
        next_look_at=base + timing.first_look_ms if looks else None,
        **ended,
    )
    if not moved:
        return Recorded(state=_state(conn, intent.id))
    if intent.kind is Kind.NOTIFY:
        # The notice's own item stays in the queue and carries the evidence; no item about it.
        return Recorded(state=IntentState.UNKNOWN)
    if threads.answered_since(conn, intent.integration, intent.thread, intent.claimed_at):
        intents.update(conn, intent, blocks=0)
    if by is By.CALL:
        # A swept orphan tells of our own death, not of the mailbox.
        illness.count_unknown(conn, intent, now)
    item = reviews.open_item(
        conn,
        now,
        ItemKind.OUTCOME_UNKNOWN,
        user=intent.user,
        integration=intent.integration,
        thread=intent.thread,
        about=intent.id,
        subject=records.shown(intent, "subject"),
        summary=f"{_name(intent)}: nobody can say yet whether it happened ({outcome.reason})",
    )
    reviews.ask_to_tell(
        conn, intent.user, item, ItemKind.OUTCOME_UNKNOWN, base + timing.notice_delay_ms
    )
    log(
        conn,
        now,
        intent.integration,
        intent.thread,
        "unknown",
        intent=intent.id,
        by=str(by),
        reason=outcome.reason,
    )
    return Recorded(state=IntentState.UNKNOWN)


def duplicate(conn: Connection, intent: Intent, now: int, found: list[DraftSight]) -> bool:
    """Make an intent duplicated: everything is listed, nothing is deleted by us."""
    moved = intents.move(
        conn,
        intent,
        IntentState.DUPLICATED,
        By.COUNT,
        now,
        provider_ref=found[0].ref if found else None,
    )
    if not moved:
        return False
    records.found_again(conn, intent, now, found)
    reviews.close(conn, now, "facts", kind=ItemKind.OUTCOME_UNKNOWN, about=intent.id)
    records.open_duplicated(conn, intent, now, [sight.ref for sight in found])
    threads.make_due(conn, intent.integration, intent.thread, now)
    log(conn, now, intent.integration, intent.thread, "duplicated", intent=intent.id)
    return True


def _locked(conn: Connection, intent_id: IntentId) -> Intent:
    first = intents.by_id(conn, intent_id)
    if first is None:
        raise LookupError(f"no intent {intent_id}")
    leases.lock(conn, first.integration, first.thread)
    again = intents.by_id(conn, intent_id)
    return first if again is None else again


def _state(conn: Connection, intent_id: IntentId) -> IntentState:
    found = intents.by_id(conn, intent_id)
    if found is None:
        raise LookupError(f"no intent {intent_id}")
    return found.state


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
            duplicate(conn, intent, now, [sight])
        else:
            intents.update(conn, intent, next_look_at=now)
    return Recorded(state=_state(conn, intent.id))


def _backoff(tries_left: int, outcome: Rejected) -> int:
    used = min(max(intents.TRIES - tries_left - 1, 0), len(BACKOFF_MS) - 1)
    wait = BACKOFF_MS[used]
    if outcome.retry_after_s is not None:
        wait = max(wait, int(min(outcome.retry_after_s, 86_400) * 1000))
    return wait


def _told(outcome: Outcome) -> dict[str, str | int | float | bool | None]:
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


def _name(intent: Intent) -> str:
    match intent.kind:
        case Kind.CREATE_DRAFT:
            return "a draft reply"
        case Kind.REMOVE_DRAFT:
            return "the removal of a draft"
        case Kind.NOTIFY:
            return "a notice"
