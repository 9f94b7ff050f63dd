"""The claim: the one transaction that commits an intent and verifies that it may be acted on.

One statement locks the lease row, sees that it is ours and renews it; a second one reads what is
checked in the order below; a third writes the intent. The first failure ends it, and nothing but
the renewal is written. Only after its COMMIT has returned may the call be made. Claims into several
threads that are asked for at the same moment are made together, by the same three statements.

    1 lease ours (renewed by the same statement)      4 nothing else blocks the thread
    2 nothing paused, grace over, mailbox not resting 5 create: no unsent draft there, of anybody
    3 the thread is the one that the plan was made for 6 the key is new, or may be called again

After an error from COMMIT the key is read on a fresh connection before anything else happens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import Connection

from storage import drafts, intents, leases, mailboxes
from storage import standing as standings
from storage.dbtime import database_now_ms
from storage.intents import TRIES, Intent
from storage.leases import Held
from storage.standing import Question, Standing, ThreadStanding
from storage.words import (
    MAILBOX_CHANGING,
    NO_FAULTS,
    By,
    DraftState,
    FaultPoint,
    Faults,
    IntentId,
    IntentKey,
    IntentState,
    Kind,
    UserName,
)


class Refusal(StrEnum):
    """Why a claim was refused; nothing was written and nothing may be called."""

    LEASE_LOST = "the lease belongs to another worker now"
    PAUSED = "calls are paused"
    GRACE = "an earlier worker may still be writing to this thread"
    RESTING = "the mailbox rests after several unknown outcomes"
    THREAD_MOVED = "the thread changed after it was read"
    RECONCILE_FIRST = "the thread must be reconciled first"
    BLOCKED = "another call into this thread is open"
    DRAFT_HELD = "the thread holds an unsent draft of ours"
    OWNER_DRAFT = "the owner has an unsent draft in the thread"
    NOT_WANTED = "nobody asks for its removal any more"
    NOT_OURS = "the draft is not the version that we made any more"
    KEY_USED = "this was asked before"
    BACKING_OFF = "refused before, to be tried again later"
    NO_TRIES = "refused too often"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A claim that was refused; ``until`` (epoch ms) says when to ask again, if that helps."""

    why: Refusal
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a claim asks for, complete before the transaction begins.

    ``message_set`` and ``generation`` are those that the plan was made for (None: a kind that does
    not depend on a thread's mail). ``drafts_in_place`` and ``owner_draft_in_place``: what the
    snapshot showed.
    """

    intent: IntentId
    key: IntentKey
    kind: Kind
    user: UserName
    held: Held
    fingerprint: str
    request: bytes
    plan: Mapping[str, object]
    call_timeout_s: float
    lease_ttl_ms: int
    message_set: str | None = None
    generation: int = 0
    mark: str | None = None
    content_hash: str | None = None
    message_id: str | None = None
    token: Mapping[str, object]
    place: Mapping[str, object]
    before: Sequence[str] = ()
    drafts_in_place: bool = False
    owner_draft_in_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claiming:
    """One claim to be made, and the fault points of whoever makes it."""

    asked: Asked
    faults: Faults = NO_FAULTS


def claim(conn: Connection, asked: Asked) -> Intent | Refused:
    """Commit one intent, or say why not; as ``claim_all``."""
    return claim_all(conn, [Claiming(asked=asked)])[0]


def claim_all(conn: Connection, claims: Sequence[Claiming]) -> list[Intent | Refused]:
    """Commit an intent for each claim, or say why not. Runs in one transaction; see above."""
    places = {(one.asked.held.integration, one.asked.held.thread) for one in claims}
    if len(places) < len(claims):
        leases.lock_all(conn, places)
        # A claim into a thread must see the one before it.
        return [answer for one in claims for answer in claim_all(conn, [one])]
    kept = leases.keep_all(conn, {one.asked.held: one.asked.lease_ttl_ms for one in claims})
    ours = [one.asked for one in claims if one.asked.held in kept]
    standings = dict(zip((asked.held for asked in ours), _standings(conn, ours), strict=True))
    answers: list[Intent | Refused] = []
    fresh: list[Intent] = []
    for asked in (one.asked for one in claims):
        if asked.held not in kept:
            answers.append(Refused(why=Refusal.LEASE_LOST))
            continue
        answer = _answered(conn, asked, standings[asked.held], kept[asked.held])
        answers.append(answer)
        if isinstance(answer, Intent) and answer.attempt == 1:
            fresh.append(answer)
    intents.insert_all(conn, fresh)
    for one, answer in zip(claims, answers, strict=True):
        if isinstance(answer, Intent):
            one.faults.hit(FaultPoint.CLAIM_WRITTEN)
    return answers


def _answered(
    conn: Connection, asked: Asked, standing: Standing, grace_until: int
) -> Intent | Refused:
    """The intent, still to be written when it is new, or why there is none."""
    refused = _refused(conn, asked, standing, grace_until)
    if refused is not None:
        return refused
    earlier = None if standing.earlier is None else intents.by_key(conn, asked.key)
    if earlier is None:
        return _new(asked, standing.now)
    cause = _may_call_again(earlier, asked, standing.now)
    if isinstance(cause, Refused):
        return cause
    if not _call_again(conn, earlier, cause, asked, standing.now):
        return Refused(why=Refusal.KEY_USED)
    return _again(earlier, asked, standing.now)


def not_now(conn: Connection, integration: str, kind: Kind) -> Refused | None:
    """What would refuse any call of this kind now; asked before work that costs something."""
    if mailboxes.stopped(conn, integration):
        return Refused(why=Refusal.PAUSED)
    mailbox = mailboxes.load(conn, integration)
    if mailbox is None or kind not in MAILBOX_CHANGING:
        return None
    now = database_now_ms(conn)
    return _resting(mailbox.calls_paused_until or 0, look_needed=mailbox.look_needed, now=now)


def _standings(conn: Connection, ours: Sequence[Asked]) -> list[Standing]:
    if not ours:
        return []
    questions = [
        Question(
            integration=asked.held.integration,
            thread=asked.held.thread,
            key=asked.key,
            intent=asked.intent,
        )
        for asked in ours
    ]
    found = standings.of_all(conn, questions)
    for asked, standing in zip(ours, found, strict=True):
        if asked.kind in MAILBOX_CHANGING and not isinstance(standing, ThreadStanding):
            raise LookupError(f"no thread {asked.held.thread} in {asked.held.integration}")
    return found


def _refused(
    conn: Connection, asked: Asked, standing: Standing, grace_until: int
) -> Refused | None:
    if standing.paused:
        return Refused(why=Refusal.PAUSED)
    if asked.kind not in MAILBOX_CHANGING or not isinstance(standing, ThreadStanding):
        return None
    if grace_until > standing.now:
        return Refused(why=Refusal.GRACE, until=grace_until)
    return _resting(
        standing.rests_until, look_needed=standing.look_needed, now=standing.now
    ) or _not_as_planned(conn, asked, standing)


def _resting(until: int, *, look_needed: bool, now: int) -> Refused | None:
    if look_needed or until > now:
        return Refused(why=Refusal.RESTING, until=max(until, now + 1000))
    return None


def _not_as_planned(conn: Connection, asked: Asked, thread: ThreadStanding) -> Refused | None:
    if thread.message_set != asked.message_set or thread.generation != asked.generation:
        return Refused(why=Refusal.THREAD_MOVED)
    if thread.reconcile_first:
        return Refused(why=Refusal.RECONCILE_FIRST)
    if thread.blocked:
        return Refused(why=Refusal.BLOCKED)
    if asked.kind is Kind.CREATE_DRAFT:
        if asked.drafts_in_place or thread.draft_open:
            return Refused(why=Refusal.DRAFT_HELD)
        if asked.owner_draft_in_place:
            return Refused(why=Refusal.OWNER_DRAFT)
    if asked.kind is Kind.REMOVE_DRAFT:
        return _not_to_be_removed(conn, asked)
    return None


def _not_to_be_removed(conn: Connection, asked: Asked) -> Refused | None:
    target = asked.plan.get("draft")
    draft = drafts.one(conn, target) if isinstance(target, int) else None
    if (
        draft is None
        or draft.state is not DraftState.HELD
        or draft.version != asked.plan.get("version")
    ):
        return Refused(why=Refusal.NOT_OURS)
    # Its owner may have kept it after all since the plan was made.
    return Refused(why=Refusal.NOT_WANTED) if draft.discard_asked_by is None else None


def _may_call_again(earlier: Intent, asked: Asked, now: int) -> By | Refused:
    if earlier.fingerprint != asked.fingerprint or earlier.id != asked.intent:
        return Refused(why=Refusal.KEY_USED)
    if earlier.state is IntentState.UNKNOWN and earlier.kind is Kind.REMOVE_DRAFT:
        return By.REPEAT
    if earlier.state is not IntentState.REJECTED or not earlier.passing:
        return Refused(why=Refusal.KEY_USED)
    if earlier.tries_left <= 0:
        return Refused(why=Refusal.NO_TRIES)
    if earlier.retry_at is not None and earlier.retry_at > now:
        return Refused(why=Refusal.BACKING_OFF, until=earlier.retry_at)
    return By.PLAN


def _call_again(conn: Connection, earlier: Intent, cause: By, asked: Asked, now: int) -> bool:
    return intents.call_again(
        conn,
        earlier,
        cause,
        owner=asked.held.owner,
        fence=asked.held.fence,
        now_ms=now,
        token=asked.token,
        place=asked.place,
        before=asked.before,
        call_timeout_ms=int(asked.call_timeout_s * 1000),
    )


def _new(asked: Asked, now: int) -> Intent:
    return Intent(
        id=asked.intent,
        key=asked.key,
        kind=asked.kind,
        user=asked.user,
        integration=asked.held.integration,
        thread=asked.held.thread,
        generation=asked.generation,
        attempt=1,
        tries_left=TRIES,
        state=IntentState.CALLING,
        blocks=asked.kind in MAILBOX_CHANGING,
        owner=asked.held.owner,
        fence=asked.held.fence,
        request=asked.request,
        fingerprint=asked.fingerprint,
        mark=asked.mark,
        plan=asked.plan,
        token=asked.token,
        place=asked.place,
        before=asked.before,
        content_hash=asked.content_hash,
        call_timeout_ms=int(asked.call_timeout_s * 1000),
        claimed_at=now,
        ended_at=None,
        settled_at=None,
        settled_by=None,
        reason=None,
        passing=False,
        retry_at=None,
        next_look_at=None,
        looks=0,
        clean_look_at=None,
        looks_ended_at=None,
        provider_ref=None,
        version=None,
        message_id_asked=asked.message_id,
        message_id_seen=None,
    )


def _again(earlier: Intent, asked: Asked, now: int) -> Intent:
    return replace(
        earlier,
        attempt=earlier.attempt + 1,
        state=IntentState.CALLING,
        blocks=earlier.kind in MAILBOX_CHANGING,
        owner=asked.held.owner,
        fence=asked.held.fence,
        claimed_at=now,
        ended_at=None,
        token=asked.token,
        place=asked.place,
        before=asked.before,
    )
