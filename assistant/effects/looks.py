"""The transaction that records one look, and what it makes of the intent.

The search itself is done by the adapter outside any transaction and changes nothing in the mailbox
(a proof of never takes back staged bytes, which no mail program shows). The verdict is the pure
``assistant.core.reconciliation``; it is reached inside the transaction, on the row as it is then,
so that a look which took long can't overrule what was settled meanwhile.

What a search found was so when it began: the lag window is held against that moment, and where a
mark was seen meanwhile another look follows. A crash between search and record repeats the look.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from assistant.core.reconciliation import (
    RETRY_MS,
    Finding,
    Schedule,
    Subject,
    Verdict,
    assess,
    distinct,
)
from assistant.effects import records, settle
from providers.ports import DraftSight, Folder, Look
from storage import drafts, evidence, intents, leases, mailboxes, threads
from storage.dbtime import database_now_ms
from storage.events import log
from storage.intents import Intent
from storage.words import (
    NO_FAULTS,
    Accepted,
    By,
    DraftState,
    Evidence,
    EvidenceKind,
    FaultPoint,
    Faults,
    IntentId,
    IntentState,
    Kind,
    Rejected,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """When a search began, by the database's clock (epoch ms), and when a look was due then."""

    at: int
    next_look_at: int | None


_NOTHING = (Finding.ABSENT, Finding.NOT_REACHED)


def record_look(
    conn: Connection,
    intent_id: IntentId,
    attempt: int,
    look: Look,
    schedule: Schedule,
    faults: Faults = NO_FAULTS,
    *,
    since: Since | None = None,
) -> Finding | None:
    """Record a look at one attempt; None when the intent moved on and the look says nothing.

    *since*: how things stood when the search began (None: just now).
    """
    first = intents.by_id(conn, intent_id)
    if first is None:
        raise LookupError(f"no intent {intent_id}")
    leases.lock(conn, first.integration, first.thread)
    intent = intents.by_id(conn, intent_id) or first
    now = database_now_ms(conn)
    if intent.attempt != attempt or intent.state is IntentState.CALLING:
        return None
    verdict = assess(_subject(intent), look, schedule, now if since is None else since.at)
    if verdict.finding is Finding.NOT_REACHED:
        # However long the search took to fail, the mailbox has its pause.
        verdict = replace(verdict, next_look_at=now + RETRY_MS)
    if since is not None and since.next_look_at != intent.next_look_at:
        # Something was seen meanwhile that this search may have missed.
        verdict = replace(verdict, next_look_at=_earlier(verdict, intent))
    evidence.add(conn, intent.id, now, _fact(attempt, look, verdict))
    if look.complete or verdict.finding not in _NOTHING:
        # The mailbox answers: what it answers is known although something in it can't be read.
        mailboxes.update(conn, intent.integration, look_needed=0)
    intents.update(
        conn,
        intent,
        looks=verdict.looks,
        next_look_at=verdict.next_look_at,
        clean_look_at=verdict.clean_look_at,
    )
    _apply(conn, intent, look, verdict, now)
    faults.hit(FaultPoint.LOOK_WRITTEN)
    return verdict.finding


def _earlier(verdict: Verdict, intent: Intent) -> int | None:
    due = [at for at in (verdict.next_look_at, intent.next_look_at) if at is not None]
    return min(due, default=None)


def _apply(conn: Connection, intent: Intent, look: Look, verdict: Verdict, now: int) -> None:
    match verdict.finding:
        case Finding.TWICE:
            _twice(conn, intent, look, now)
        case Finding.ONE_LEFT:
            _one_left(conn, intent, look, now)
        case Finding.FOUND:
            _found(conn, intent, look, now)
            _beside_a_sent_one(conn, intent, look, verdict, now)
        case Finding.PROVED_NEVER:
            settle.reject(
                conn,
                intent,
                By.PROOF,
                now,
                # Nothing refused it: the same bytes may be called at once by a new plan.
                Rejected(reason=look.proof or "proved never", passing=True),
            )
        case Finding.REFUSED:
            reason = look.refused or "it did not happen and will not"
            settle.reject(conn, intent, By.PROOF, now, Rejected(reason=reason))
        case Finding.ABSENT if verdict.frees:
            _free(conn, intent, now)
        case Finding.ABSENT if intent.kind is Kind.REMOVE_DRAFT:
            # The version is still there: its removal may be repeated, by a new plan.
            threads.make_due(conn, intent.integration, intent.thread, now)
        case Finding.ABSENT if intent.state is IntentState.DUPLICATED:
            # Neither shows any more: a direct get of each says where it went.
            threads.make_due(conn, intent.integration, intent.thread, now)
        case Finding.ABSENT | Finding.NOT_REACHED:
            pass


def _twice(conn: Connection, intent: Intent, look: Look, now: int) -> None:
    unsent = [sight for sight in distinct(look.found) if sight.folder is Folder.DRAFTS]
    if intent.state is IntentState.REJECTED:
        # One effect contradicts the rejection, the other makes two.
        _found(conn, intent, look, now)
        intent = intents.by_id(conn, intent.id) or intent
    if intent.state is not IntentState.DUPLICATED:
        settle.duplicate(conn, intent, now, unsent)


def _one_left(conn: Connection, intent: Intent, look: Look, now: int) -> None:
    left = _best(look.found)
    moved = intents.move(conn, intent, IntentState.ACCEPTED, By.COUNT, now, provider_ref=left.ref)
    if not moved:
        return
    seen = {sight.ref for sight in look.found}
    open_drafts = [draft for draft in drafts.of_intent(conn, intent.id) if draft.open]
    there = [draft for draft in open_drafts if draft.ref in seen]
    # Edited or sent meanwhile, it has another reference: one record follows it, by a direct get.
    others = [draft for draft in open_drafts if draft not in there]
    went = others if there else others[1:]
    is_sent = left.folder is Folder.SENT
    # What was sent is one of them, unless one is known to be it already.
    was_sent = any(one.state is DraftState.SENT for one in drafts.of_intent(conn, intent.id))
    for at, draft in enumerate(went):
        first_sent = is_sent and not was_sent and at == 0
        drafts.update(conn, draft.id, state=DraftState.SENT if first_sent else DraftState.GONE)
        records.close_items(conn, draft, now)
    for draft in there if is_sent else ():
        records.tell_of_sent(conn, intent, draft.id, now)
    records.close_duplicated(conn, intent.integration, intent.thread, now)
    threads.make_due(conn, intent.integration, intent.thread, now)


def _beside_a_sent_one(
    conn: Connection, intent: Intent, look: Look, verdict: Verdict, now: int
) -> None:
    """A copy that lies unsent beside one that was sent is a second effect: its owner is told."""
    # Another look follows where a listing may still lag behind what was sent.
    last = intent.kind is Kind.CREATE_DRAFT and verdict.next_look_at is None
    unsent = [sight for sight in distinct(look.found) if sight.folder is Folder.DRAFTS]
    if not (last and unsent and any(sight.folder is Folder.SENT for sight in look.found)):
        return
    seen = {sight.ref for sight in look.found}
    if any(draft.open and draft.ref not in seen for draft in drafts.of_intent(conn, intent.id)):
        # It may be what became of that one: whoever works on the thread asks for it directly.
        threads.make_due(conn, intent.integration, intent.thread, now)
    else:
        records.found_beside_a_sent_one(conn, intent, now, unsent)


def _found(conn: Connection, intent: Intent, look: Look, now: int) -> None:
    if intent.state is IntentState.ACCEPTED and intent.kind is Kind.CREATE_DRAFT and look.found:
        _back_again(conn, intent, _best(look.found), now)
        return
    if intent.state not in (IntentState.UNKNOWN, IntentState.REJECTED):
        return
    if intent.kind is not Kind.CREATE_DRAFT:
        settle.accept(conn, intent, By.SIGHTING, now, Accepted())
        return
    if not look.found:
        # Delivered for certain, and nothing of it shows now: it went before anybody looked.
        settle.accept(conn, intent, By.SIGHTING, now, Accepted(), draft_state=DraftState.GONE)
        return
    sight = _best(look.found)
    settle.accept(
        conn,
        intent,
        By.SIGHTING,
        now,
        Accepted(ref=sight.ref, version=sight.version, message_id=sight.message_id),
        draft_state=records.state_of(sight, intent.content_hash),
        content_hash=sight.content_hash,
    )


def _back_again(conn: Connection, intent: Intent, sight: DraftSight, now: int) -> None:
    """A draft that had left and lies unsent again (taken out of the trash, say) is on record."""
    made = drafts.of_intent(conn, intent.id)
    if sight.folder is not Folder.DRAFTS or not made or any(one.open for one in made):
        return
    # The very version that we made, back without the owner's word, is what it was before.
    same = made[-1].state is DraftState.GONE and made[-1].version == sight.version
    records.lies_again(conn, made[-1], sight, DraftState.HELD if same else DraftState.EDITED)
    records.ready_for_review(conn, intent, made[-1].id, now)
    records.beside_another(conn, intent, sight.ref, now)
    threads.make_due(conn, intent.integration, intent.thread, now)


def _best(found: Sequence[DraftSight]) -> DraftSight:
    order = {Folder.SENT: 0, Folder.DRAFTS: 1, Folder.INBOX: 2, Folder.TRASH: 3}
    return min(found, key=lambda sight: order[sight.folder])


def _free(conn: Connection, intent: Intent, now: int) -> None:
    # The key stays used: nothing is made for this message short of a person's word.
    intents.update(conn, intent, blocks=0, looks_ended_at=now)
    threads.make_due(conn, intent.integration, intent.thread, now)
    log(conn, now, intent.integration, intent.thread, "looks_ended", intent=intent.id)


def _subject(intent: Intent) -> Subject:
    return Subject(
        state=intent.state,
        base_at=base_at(intent),
        looks=intent.looks,
        clean_look_at=intent.clean_look_at,
        looks_ended_at=intent.looks_ended_at,
        settled_at=intent.settled_at,
    )


def base_at(intent: Intent) -> int:
    """The moment that looks count from: the recorded end, else the latest end possible."""
    if intent.ended_at is not None:
        return intent.ended_at
    return intent.claimed_at + intent.call_timeout_ms


def _fact(attempt: int, look: Look, verdict: Verdict) -> Evidence:
    kinds = {
        Finding.FOUND: EvidenceKind.SIGHTING,
        Finding.TWICE: EvidenceKind.SIGHTING,
        Finding.ONE_LEFT: EvidenceKind.SIGHTING,
        Finding.PROVED_NEVER: EvidenceKind.PROOF,
        Finding.REFUSED: EvidenceKind.PROOF,
        Finding.NOT_REACHED: EvidenceKind.LOOK_FAILED,
        Finding.ABSENT: EvidenceKind.CANDIDATE if look.candidates else EvidenceKind.ABSENCE,
    }
    return Evidence(
        kind=kinds[verdict.finding],
        attempt=attempt,
        detail={
            "found": [sight.ref for sight in look.found],
            "where": [str(sight.folder) for sight in look.found],
            "candidates": [sight.ref for sight in look.candidates],
            "proof": look.proof,
            "detail": look.detail,
            "look": verdict.looks,
            # What a proof by several looks needs of this one, for the adapter alone to read.
            **({"absent": json.dumps(dict(look.absent))} if look.absent else {}),
        },
    )
