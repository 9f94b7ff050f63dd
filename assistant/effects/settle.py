"""The transaction that records what became of an attempt, with everything that follows from it.

Whoever makes an intent accepted writes its draft record and its review item here, in the same
transaction; whoever settles an intent makes its thread due. All functions expect to be called
inside a unit of work and lock the thread's lease row first. A stale worker may still record the
outcome of its own finished attempt, and nothing else.

A crash before the commit leaves the intent ``calling``; the sweeper makes it unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from providers.ports import DraftSight, Folder
from storage import drafts, intents, leases, mailboxes, reviews, threads
from storage.dbtime import database_now_ms
from storage.events import log
from storage.intents import Intent
from storage.words import (
    OPEN_DRAFTS,
    Accepted,
    By,
    DraftState,
    Evidence,
    EvidenceKind,
    Identity,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
    Outcome,
    Ref,
    Rejected,
    Unknown,
    Version,
)

BACKOFF_MS = (5_000, 30_000, 120_000, 600_000, 3_600_000)
"""Waits before a passing rejection is planned again, by the number of tries used."""

UNKNOWNS_BEFORE_REST = 3
"""Unknown outcomes in a row after which a whole mailbox rests."""

REST_MS = 60_000
"""The first rest of a mailbox; doubled with each further one, a day at most."""

DAY_MS = 86_400_000


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
        mailboxes.update(
            conn,
            intent.integration,
            unknowns_in_a_row=0,
            pauses=0,
            look_needed=0,
            calls_paused_until=None,
        )
    reviews.close(conn, now, "facts", kind=ItemKind.OUTCOME_UNKNOWN, about=intent.id)
    reviews.close(conn, now, "facts", kind=ItemKind.REJECTED, about=intent.id)
    reviews.close(
        conn, now, "facts", kind=ItemKind.MAILBOX_ILL, integration=intent.integration, about="write"
    )
    match intent.kind:
        case Kind.CREATE_DRAFT:
            _draft_made(conn, intent, by, now, effect, draft_state, content_hash)
        case Kind.REMOVE_DRAFT:
            _draft_removed(conn, intent, now)
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
        _mailbox_ill(conn, intent, now, outcome)
    elif not passing and intent.kind is Kind.REMOVE_DRAFT:
        _removal_refused(conn, intent, now)
    elif not passing and by is not By.PERSON:
        reviews.open_item(
            conn,
            now,
            ItemKind.REJECTED,
            user=intent.user,
            integration=intent.integration,
            thread=intent.thread,
            about=intent.id,
            subject=_shown(intent, "subject"),
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
    _count_unknown(conn, intent, now)
    item = reviews.open_item(
        conn,
        now,
        ItemKind.OUTCOME_UNKNOWN,
        user=intent.user,
        integration=intent.integration,
        thread=intent.thread,
        about=intent.id,
        subject=_shown(intent, "subject"),
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
    known = {draft.ref for draft in drafts.of_intent(conn, intent.id)}
    for sight in found:
        if sight.ref not in known:
            draft = _record_draft(
                conn, intent, now, sight.ref, sight.version, DraftState.HELD, sight.content_hash
            )
            _ready_for_review(conn, intent, draft, now)
    reviews.close(conn, now, "facts", kind=ItemKind.OUTCOME_UNKNOWN, about=intent.id)
    open_duplicated(conn, intent, now, [sight.ref for sight in found])
    threads.make_due(conn, intent.integration, intent.thread, now)
    log(conn, now, intent.integration, intent.thread, "duplicated", intent=intent.id)
    return True


def close_duplicated(conn: Connection, integration: str, thread: str, now: int) -> None:
    """Close what tells of two drafts of ours in a thread, once there are not two any more."""
    twice = any(
        intent.state is IntentState.DUPLICATED
        for intent in intents.of_thread(conn, integration, thread)
    )
    left = sum(draft.open for draft in drafts.of_thread(conn, integration, thread))
    if not twice and left < 2:
        reviews.close(
            conn, now, "facts", kind=ItemKind.DUPLICATED, integration=integration, thread=thread
        )


def open_duplicated(conn: Connection, intent: Intent, now: int, refs: list[Ref]) -> None:
    """Show that a thread holds more than one draft of ours."""
    reviews.open_item(
        conn,
        now,
        ItemKind.DUPLICATED,
        user=intent.user,
        integration=intent.integration,
        thread=intent.thread,
        about=intent.id,
        subject=_shown(intent, "subject"),
        summary=f"the thread holds {max(2, len(refs))} drafts of ours; delete all but one",
        detail={"refs": list(refs)},
    )


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


def _draft_made(
    conn: Connection,
    intent: Intent,
    by: By,
    now: int,
    effect: Accepted,
    state: DraftState,
    content_hash: str | None,
) -> None:
    draft = _record_draft(
        conn,
        intent,
        now,
        effect.ref,
        effect.version,
        state,
        content_hash or intent.content_hash or "",
        message_id=effect.message_id,
    )
    if by is not By.PERSON and state in OPEN_DRAFTS:
        item = _ready_for_review(conn, intent, draft, now)
        reviews.ask_to_tell(conn, intent.user, item, ItemKind.DRAFT_READY, now)
    others = [
        one
        for one in drafts.of_thread(conn, intent.integration, intent.thread)
        if one.open and one.intent != intent.id
    ]
    if others and state in OPEN_DRAFTS:
        open_duplicated(conn, intent, now, [effect.ref, *(one.ref for one in others)])


def _record_draft(
    conn: Connection,
    intent: Intent,
    now: int,
    ref: Ref,
    version: Version,
    state: DraftState,
    content_hash: str,
    *,
    message_id: str | None = None,
) -> int:
    answers = intent.plan.get("answers")
    shown = intent.plan.get("shown")
    details: Mapping[str, object] = shown if isinstance(shown, dict) else {}
    return drafts.record(
        conn,
        integration=intent.integration,
        thread=intent.thread,
        intent=intent.id,
        ref=ref,
        version=version,
        content_hash=content_hash,
        state=state,
        answers=Identity(answers) if isinstance(answers, str) else None,
        shown={**details, "message_id": message_id or intent.message_id_asked},
        now_ms=now,
    )


def _ready_for_review(conn: Connection, intent: Intent, draft: int, now: int) -> int:
    return reviews.open_item(
        conn,
        now,
        ItemKind.DRAFT_READY,
        user=intent.user,
        integration=intent.integration,
        thread=intent.thread,
        about=str(draft),
        subject=_shown(intent, "subject"),
        summary="a draft reply waits for your review",
    )


def _draft_removed(conn: Connection, intent: Intent, now: int) -> None:
    draft = drafts.one(conn, _target(intent))
    if draft is not None and draft.open:
        drafts.update(conn, draft.id, state=DraftState.DISCARDED, discard_asked_by=None)
        close_draft_items(conn, draft, now)


def _removal_refused(conn: Connection, intent: Intent, now: int) -> None:
    # The version is not the one that we made: the draft is the owner's now, and is left.
    draft = drafts.one(conn, _target(intent))
    if draft is not None and draft.open:
        drafts.update(conn, draft.id, discard_asked_by=None)
        log(
            conn,
            now,
            intent.integration,
            intent.thread,
            "draft_left",
            draft=draft.id,
            because="it was changed or sent; it is the owner's now",
        )


def close_draft_items(conn: Connection, draft: drafts.Draft, now: int) -> None:
    """Close what waited for a person about a draft that is no longer there to review."""
    for kind in (ItemKind.DRAFT_READY, ItemKind.DRAFT_OVERTAKEN):
        reviews.close(
            conn,
            now,
            "facts",
            kind=kind,
            integration=draft.integration,
            thread=draft.thread,
            about=str(draft.id),
        )


def _mailbox_ill(conn: Connection, intent: Intent, now: int, outcome: Rejected) -> None:
    mailbox = mailboxes.load(conn, intent.integration)
    if mailbox is None:
        return
    rest = min(REST_MS * 2**mailbox.pauses, DAY_MS)
    mailboxes.update(
        conn, intent.integration, calls_paused_until=now + rest, pauses=mailbox.pauses + 1
    )
    reviews.open_item(
        conn,
        now,
        ItemKind.MAILBOX_ILL,
        user=intent.user,
        integration=intent.integration,
        about="write",
        summary=f"drafts can't be written: {outcome.reason}"
        + (f" ({outcome.detail})" if outcome.detail else ""),
    )


def _count_unknown(conn: Connection, intent: Intent, now: int) -> None:
    mailbox = mailboxes.load(conn, intent.integration)
    if mailbox is None:
        return
    row = mailbox.unknowns_in_a_row + 1
    mailboxes.update(conn, intent.integration, unknowns_in_a_row=row)
    if row >= UNKNOWNS_BEFORE_REST:
        rest = min(REST_MS * 2**mailbox.pauses, DAY_MS)
        mailboxes.update(
            conn,
            intent.integration,
            look_needed=1,
            calls_paused_until=now + rest,
            pauses=mailbox.pauses + 1,
        )


def _backoff(tries_left: int, outcome: Rejected) -> int:
    used = min(max(intents.TRIES - tries_left - 1, 0), len(BACKOFF_MS) - 1)
    wait = BACKOFF_MS[used]
    if outcome.retry_after_s is not None:
        wait = max(wait, int(min(outcome.retry_after_s, 86_400) * 1000))
    return wait


def _target(intent: Intent) -> int:
    draft = intent.plan.get("draft")
    return draft if isinstance(draft, int) else -1


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


def _shown(intent: Intent, name: str) -> str:
    shown = intent.plan.get("shown")
    value = shown.get(name) if isinstance(shown, dict) else None
    return value if isinstance(value, str) else ""


def _name(intent: Intent) -> str:
    match intent.kind:
        case Kind.CREATE_DRAFT:
            return "a draft reply"
        case Kind.REMOVE_DRAFT:
            return "the removal of a draft"
        case Kind.NOTIFY:
            return "a notice"
