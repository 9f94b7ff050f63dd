"""The transaction that records what became of an attempt, with everything that follows from it.

Whoever makes an intent accepted writes its draft record and its review item here, in the same
transaction; whoever settles an intent makes its thread due. All functions expect to be called
inside a unit of work that has locked the thread's lease row (``record_outcome`` locks it itself).
A stale worker may still record the outcome of its own finished attempt, and nothing else.

The move of the intent comes first, by one guarded UPDATE, and says what else there is to write.

A crash before the commit leaves the intent ``calling``; the sweeper makes it unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from assistant.effects import illness, records, wording
from providers.ports import DraftSight, Folder
from storage import drafts, events, intents, leases, reviews, threads
from storage.dbtime import database_now_ms
from storage.events import Event
from storage.intents import Intent
from storage.words import (
    OPEN_DRAFTS,
    Accepted,
    By,
    DraftState,
    Evidence,
    EvidenceKind,
    IntentState,
    ItemKind,
    Kind,
    Outcome,
    Rejected,
    Unknown,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The waits that a record needs, in milliseconds."""

    first_look_ms: int
    notice_delay_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a record changed: the state now, and when the thread should be worked on again.

    ``due_at`` and ``story`` are left to write in the same transaction: that the thread is due, and
    what happened. ``write`` does it; the end of a turn of work does it together with its own.
    """

    state: IntentState
    again_at: int | None = None
    due_at: int | None = None
    story: Sequence[Event] = ()


def record_outcome(conn: Connection, claimed: Intent, outcome: Outcome, timing: Timing) -> Recorded:
    """Record the end of the attempt *claimed* as its own caller knows it, in time or late."""
    leases.lock(conn, claimed.integration, claimed.thread)
    recorded = outcome_of(conn, claimed, outcome, timing, database_now_ms(conn))
    return write(conn, claimed, recorded)


def outcome_of(
    conn: Connection, claimed: Intent, outcome: Outcome, timing: Timing, now: int
) -> Recorded:
    """As ``record_outcome``, under a lock that is there; Recorded says what is left to write."""
    recorded = _in_time(conn, claimed, outcome, timing, now)
    is_late = recorded is None
    kind = EvidenceKind.LATE_ANSWER if is_late else EvidenceKind.ANSWER
    told = wording.told(outcome)
    intents.add_evidence(
        conn, claimed.id, now, Evidence(kind=kind, attempt=claimed.attempt, detail=told)
    )
    name = "answered_late" if is_late else "answered"
    answered = _event(now, name, claimed, attempt=claimed.attempt, **told)
    if recorded is None:
        recorded = _late(conn, claimed, outcome, now)
        return replace(recorded, story=(answered, *recorded.story))
    return replace(recorded, story=(_claimed(claimed), answered, *recorded.story))


def write(conn: Connection, intent: Intent, recorded: Recorded) -> Recorded:
    """Write what a record left to its caller."""
    if recorded.due_at is not None:
        threads.make_due(conn, intent.integration, intent.thread, recorded.due_at)
    events.log_all(conn, intent.integration, intent.thread, recorded.story)
    return recorded


def _in_time(
    conn: Connection, claimed: Intent, outcome: Outcome, timing: Timing, now: int
) -> Recorded | None:
    """The end of the call that is under way; None when it is not under way any more."""
    match outcome:
        case Accepted():
            return _accept(conn, claimed, By.CALL, now, outcome)
        case Rejected():
            return _reject(conn, claimed, By.CALL, now, outcome)
        case Unknown():
            return _become_unknown(conn, claimed, By.CALL, now, timing, outcome)


def _late(conn: Connection, claimed: Intent, outcome: Outcome, now: int) -> Recorded:
    intent = intents.by_id(conn, claimed.id)
    if intent is None:
        raise LookupError(f"no intent {claimed.id}")
    if intent.attempt != claimed.attempt:
        return _other_attempt(conn, intent, outcome, now)
    intents.update(conn, intent, ended_at=now)
    recorded = None
    if isinstance(outcome, Accepted):
        recorded = _accept(conn, intent, By.LATE, now, outcome)
    elif isinstance(outcome, Rejected):
        recorded = _reject(conn, intent, By.LATE, now, outcome)
    return recorded or Recorded(state=intent.state)


def accept(
    conn: Connection,
    intent: Intent,
    by: By,
    now: int,
    effect: Accepted,
    *,
    draft_state: DraftState = DraftState.HELD,
    content_hash: str | None = None,
) -> Recorded:
    """Make an intent accepted, with its draft record and item; its lease row is locked."""
    recorded = _accept(
        conn, intent, by, now, effect, draft_state=draft_state, content_hash=content_hash
    )
    return write(conn, intent, recorded or _unmoved(conn, intent))


def reject(conn: Connection, intent: Intent, by: By, now: int, outcome: Rejected) -> Recorded:
    """Make an intent rejected; a passing rejection retries nothing itself, its thread is due."""
    recorded = _reject(conn, intent, by, now, outcome)
    return write(conn, intent, recorded or _unmoved(conn, intent))


def become_unknown(
    conn: Connection, intent: Intent, by: By, now: int, timing: Timing, outcome: Unknown
) -> Recorded:
    """Make an intent unknown whose caller said nothing: shown, told later, looked for."""
    recorded = _become_unknown(conn, intent, by, now, timing, outcome)
    if recorded is None:
        return _unmoved(conn, intent)
    return write(conn, intent, replace(recorded, story=(_claimed(intent), *recorded.story)))


def _accept(
    conn: Connection,
    intent: Intent,
    by: By,
    now: int,
    effect: Accepted,
    *,
    draft_state: DraftState = DraftState.HELD,
    content_hash: str | None = None,
) -> Recorded | None:
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
    if moved is None:
        return None
    if moved.unwell and by is By.CALL:
        # A sighting says nothing of how calls fare, so it ends no rest.
        illness.well(conn, intent)
    if moved.told:
        for told in (ItemKind.OUTCOME_UNKNOWN, ItemKind.REJECTED):
            _close(conn, intent, now, told)
        reviews.close(
            conn,
            now,
            "facts",
            kind=ItemKind.MAILBOX_ILL,
            integration=intent.integration,
            about="write",
        )
    match intent.kind:
        case Kind.CREATE_DRAFT:
            records.made(conn, intent, by, now, effect, draft_state, content_hash)
            if moved.other_draft and draft_state in OPEN_DRAFTS:
                records.beside_another(conn, intent, effect.ref, now)
        case Kind.REMOVE_DRAFT:
            records.removed(conn, intent, now)
        case Kind.NOTIFY:
            pass
    # A removal makes room: what the thread still needs is planned at once.
    again_at = now if intent.kind is Kind.REMOVE_DRAFT else None
    return Recorded(
        state=IntentState.ACCEPTED,
        again_at=again_at,
        due_at=None if intent.kind is Kind.NOTIFY else now,
        story=(_event(now, "accepted", intent, by=str(by)),),
    )


def _reject(
    conn: Connection, intent: Intent, by: By, now: int, outcome: Rejected
) -> Recorded | None:
    tries_left = intent.tries_left if outcome.illness else intent.tries_left - 1
    may_pass = outcome.passing or outcome.illness
    passing = may_pass and tries_left > 0 and by is not By.PERSON
    retry_at = now + wording.backoff_ms(tries_left, outcome) if passing else None
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
    if moved is None:
        return None
    if moved.told:
        _close(conn, intent, now, ItemKind.OUTCOME_UNKNOWN)
    if outcome.illness:
        illness.ill(conn, intent, now, outcome)
    elif not passing:
        _refused_for_good(conn, intent, by, now, outcome, exhausted=may_pass)
    due_at = None if intent.kind is Kind.NOTIFY else retry_at or now
    more = passing or intent.kind is Kind.REMOVE_DRAFT
    rejected = _event(now, "rejected", intent, by=str(by), reason=outcome.reason, passing=passing)
    return Recorded(
        state=IntentState.REJECTED,
        again_at=(due_at or retry_at) if more else None,
        due_at=due_at,
        story=(rejected,),
    )


def _refused_for_good(
    conn: Connection, intent: Intent, by: By, now: int, outcome: Rejected, *, exhausted: bool
) -> None:
    """Nothing more happens by itself: a person is told, unless it is their word or their draft."""
    if intent.kind is Kind.REMOVE_DRAFT:
        records.removal_refused(conn, intent, now, outcome.reason, exhausted=exhausted)
    if by is By.PERSON or (intent.kind is Kind.REMOVE_DRAFT and not exhausted):
        return
    reviews.open_item(
        conn,
        now,
        ItemKind.REJECTED,
        user=intent.user,
        integration=intent.integration,
        thread=intent.thread,
        about=intent.id,
        subject=records.shown(intent, "subject"),
        summary=f"{wording.name(intent)} was refused: {outcome.reason}",
    )


def _become_unknown(
    conn: Connection, intent: Intent, by: By, now: int, timing: Timing, outcome: Unknown
) -> Recorded | None:
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
    if moved is None:
        return None
    if intent.kind is Kind.NOTIFY:
        # The notice's own item stays in the queue and carries the evidence; no item about it.
        return Recorded(state=IntentState.UNKNOWN)
    if threads.answered_since(conn, intent.integration, intent.thread, intent.claimed_at):
        intents.update(conn, intent, blocks=0)
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
        summary=f"{wording.name(intent)}: nobody can say yet whether it happened "
        f"({outcome.reason})",
    )
    reviews.ask_to_tell(
        conn, intent.user, item, ItemKind.OUTCOME_UNKNOWN, base + timing.notice_delay_ms
    )
    unknown = _event(now, "unknown", intent, by=str(by), reason=outcome.reason)
    return Recorded(state=IntentState.UNKNOWN, story=(unknown,))


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
    _close(conn, intent, now, ItemKind.OUTCOME_UNKNOWN)
    records.open_duplicated(conn, intent, now, [sight.ref for sight in found])
    threads.make_due(conn, intent.integration, intent.thread, now)
    events.log(conn, now, intent.integration, intent.thread, "duplicated", intent=intent.id)
    return True


def _unmoved(conn: Connection, intent: Intent) -> Recorded:
    """The facts went another way: what the intent is now, and nothing to write."""
    found = intents.by_id(conn, intent.id)
    if found is None:
        raise LookupError(f"no intent {intent.id}")
    return Recorded(state=found.state)


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
    return _unmoved(conn, intent)


def _close(conn: Connection, intent: Intent, now: int, kind: ItemKind) -> None:
    reviews.close(
        conn,
        now,
        "facts",
        kind=kind,
        integration=intent.integration,
        thread=intent.thread,
        about=intent.id,
    )


def _event(now: int, name: str, intent: Intent, **detail: object) -> Event:
    return Event(at=now, kind=name, detail={"intent": intent.id, **detail})


def _claimed(intent: Intent) -> Event:
    """What the claim left for the end of its attempt to tell."""
    return events.claimed(intent.claimed_at, intent.id, intent.kind, intent.attempt, intent.fence)
