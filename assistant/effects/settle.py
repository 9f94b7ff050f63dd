"""The transaction that records what became of an attempt, with everything that follows from it.

Whoever makes an intent accepted writes its draft record and its review item here, in the same
transaction; whoever settles an intent makes its thread due. All functions expect to be called
inside a unit of work that has locked the thread's lease row. A stale worker may still record the
outcome of its own finished attempt, and nothing else (``assistant.effects.recording``).

The move of the intent comes first, by one guarded UPDATE, and says what else there is to write; of
several intents that end together all moves are one statement, and what is left another few.

A crash before the commit leaves the intent ``calling``; the sweeper makes it unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from assistant.effects import illness, records, wording
from providers.ports import DraftSight
from storage import drafts, events, evidence, intents, reviews, threads
from storage.drafts import NewDraft
from storage.events import Event
from storage.intents import Intent, Move
from storage.rows import at_once
from storage.standing import Beside
from storage.threads import Finished
from storage.words import (
    OPEN_DRAFTS,
    Accepted,
    By,
    DraftState,
    Evidence,
    IntentState,
    ItemKind,
    Kind,
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

    The rest is left to write in the same transaction, which ``write_all`` does: that the thread is
    due, what was seen (with its epoch ms), what happened, and the draft that there is now with
    whether its owner should review it. The end of a turn of work takes ``due_at`` and ``story``
    over and writes them with its own.
    """

    state: IntentState
    again_at: int | None = None
    due_at: int | None = None
    fact: tuple[int, Evidence] | None = None
    story: Sequence[Event] = ()
    draft: NewDraft | None = None
    to_review: bool = False


def write_all(
    conn: Connection, recorded: Sequence[tuple[Intent, Recorded]], ended: Sequence[Finished] = ()
) -> None:
    """Write what records left to their callers, and the turns of work that *ended* with them."""
    ids = drafts.record_all(conn, [one.draft for _, one in recorded if one.draft is not None])
    for intent, one in recorded:
        if one.due_at is not None:
            threads.make_due(conn, intent.integration, intent.thread, one.due_at)
    to_review = [
        records.to_review(intent, ids[intent.id], one.draft.made_at)
        for intent, one in recorded
        if one.to_review and one.draft is not None
    ]
    stories = [(intent.integration, intent.thread, one.story) for intent, one in recorded]
    facts = [(intent.id, *one.fact) for intent, one in recorded if one.fact is not None]
    at_once(
        conn,
        [
            reviews.opening(to_review),
            evidence.adding(facts),
            events.telling(stories),
            *threads.finishing(ended),
        ],
    )


def write(conn: Connection, intent: Intent, recorded: Recorded) -> Recorded:
    """As ``write_all``, of one."""
    write_all(conn, [(intent, recorded)])
    return recorded


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
    recorded = accept_only(
        conn, intent, by, now, effect, draft_state=draft_state, content_hash=content_hash
    )
    return write(conn, intent, recorded or unmoved(conn, intent))


def reject(conn: Connection, intent: Intent, by: By, now: int, outcome: Rejected) -> Recorded:
    """Make an intent rejected; a passing rejection retries nothing itself, its thread is due."""
    recorded = reject_only(conn, intent, by, now, outcome)
    return write(conn, intent, recorded or unmoved(conn, intent))


def become_unknown(
    conn: Connection, intent: Intent, by: By, now: int, timing: Timing, outcome: Unknown
) -> Recorded:
    """Make an intent unknown whose caller said nothing: shown, told later, looked for."""
    moved = intents.move_all(conn, [doubt(intent, by, now, timing, outcome)])
    if not moved:
        return unmoved(conn, intent)
    recorded = in_doubt(conn, intent, by, now, timing, outcome)
    return write(conn, intent, replace(recorded, story=(claimed_event(intent), *recorded.story)))


def accept_only(
    conn: Connection,
    intent: Intent,
    by: By,
    now: int,
    effect: Accepted,
    *,
    draft_state: DraftState = DraftState.HELD,
    content_hash: str | None = None,
) -> Recorded | None:
    moved = intents.move_all(conn, [acceptance(intent, by, now, effect)]).get(intent.id)
    if moved is None:
        return None
    return accepted(
        conn, intent, by, now, effect, moved, draft_state=draft_state, content_hash=content_hash
    )


def acceptance(intent: Intent, by: By, now: int, effect: Accepted) -> Move:
    return intents.moving(
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


def accepted(
    conn: Connection,
    intent: Intent,
    by: By,
    now: int,
    effect: Accepted,
    moved: Beside,
    *,
    draft_state: DraftState = DraftState.HELD,
    content_hash: str | None = None,
) -> Recorded:
    """What follows from an intent that was made accepted."""
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
    draft = None
    match intent.kind:
        case Kind.CREATE_DRAFT:
            draft = records.made(intent, effect, draft_state, content_hash, now)
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
        story=(event(now, "accepted", intent, by=str(by)),),
        draft=draft,
        to_review=by is not By.PERSON and draft_state in OPEN_DRAFTS,
    )


def reject_only(
    conn: Connection, intent: Intent, by: By, now: int, outcome: Rejected
) -> Recorded | None:
    moved = intents.move_all(conn, [rejection(intent, by, now, outcome)]).get(intent.id)
    return None if moved is None else rejected(conn, intent, by, now, outcome, moved)


def rejection(intent: Intent, by: By, now: int, outcome: Rejected) -> Move:
    tries_left, retry_at = _tries_after(intent, by, now, outcome)
    return intents.moving(
        intent,
        IntentState.REJECTED,
        by,
        now,
        reason=outcome.reason,
        passing=int(retry_at is not None),
        tries_left=tries_left,
        retry_at=retry_at,
        **({"ended_at": now} if by is By.CALL else {}),
    )


def _tries_after(intent: Intent, by: By, now: int, outcome: Rejected) -> tuple[int, int | None]:
    """The tries that are left, and when the next is made (None: no more by itself)."""
    tries_left = intent.tries_left if outcome.illness else intent.tries_left - 1
    may_pass = outcome.passing or outcome.illness
    passing = may_pass and tries_left > 0 and by is not By.PERSON
    return tries_left, now + wording.backoff_ms(tries_left, outcome) if passing else None


def rejected(
    conn: Connection, intent: Intent, by: By, now: int, outcome: Rejected, moved: Beside
) -> Recorded:
    """What follows from an intent that was made rejected."""
    _, retry_at = _tries_after(intent, by, now, outcome)
    passing = retry_at is not None
    if moved.told:
        _close(conn, intent, now, ItemKind.OUTCOME_UNKNOWN)
    if outcome.illness:
        illness.ill(conn, intent, now, outcome)
    elif not passing:
        exhausted = outcome.passing or outcome.illness
        _refused_for_good(conn, intent, by, now, outcome, exhausted=exhausted)
    due_at = None if intent.kind is Kind.NOTIFY else retry_at or now
    more = passing or intent.kind is Kind.REMOVE_DRAFT
    rejected = event(now, "rejected", intent, by=str(by), reason=outcome.reason, passing=passing)
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


def doubt(intent: Intent, by: By, now: int, timing: Timing, outcome: Unknown) -> Move:
    looks = intent.kind is not Kind.NOTIFY
    return intents.moving(
        intent,
        IntentState.UNKNOWN,
        by,
        now,
        reason=outcome.reason,
        next_look_at=_asked_at(intent, by, now) + timing.first_look_ms if looks else None,
        **({"ended_at": now} if by is By.CALL else {}),
    )


def _asked_at(intent: Intent, by: By, now: int) -> int:
    """When the last word about the call could have come."""
    return now if by is By.CALL else intent.claimed_at + intent.call_timeout_ms


def in_doubt(
    conn: Connection, intent: Intent, by: By, now: int, timing: Timing, outcome: Unknown
) -> Recorded:
    """What follows from an intent that was made unknown."""
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
        conn,
        intent.user,
        item,
        ItemKind.OUTCOME_UNKNOWN,
        _asked_at(intent, by, now) + timing.notice_delay_ms,
    )
    unknown = event(now, "unknown", intent, by=str(by), reason=outcome.reason)
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


def unmoved(conn: Connection, intent: Intent) -> Recorded:
    """The facts went another way: what the intent is now, and nothing to write."""
    found = intents.by_id(conn, intent.id)
    if found is None:
        raise LookupError(f"no intent {intent.id}")
    return Recorded(state=found.state)


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


def event(now: int, name: str, intent: Intent, **detail: object) -> Event:
    return Event(at=now, kind=name, detail={"intent": intent.id, **detail})


def claimed_event(intent: Intent) -> Event:
    """What the claim left for the end of its attempt to tell."""
    return events.claimed(intent.claimed_at, intent.id, intent.kind, intent.attempt, intent.fence)
