"""One turn of work on one thread, under its lease: read, judge, plan, and at most one call.

    drafts of ours: where are they now? --> read the whole thread --> judge --> plan
       --> nothing to do: end the work, release
       --> a call: snapshot, stage, claim, call, record + end the work + release in one transaction

Every way out of here ends the work in order, except a crash and a lost lease; those leave the
thread due, and whoever takes it next does it again. Work that was overtaken by a change drops its
plan and leaves the thread due. A mailbox that can't be read costs the thread nothing but time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

import structlog
from sqlalchemy import Connection

from assistant.core.conversation import Conversation, Triage
from assistant.core.plan import CreateDraft, Plan, RemoveDraft, plan
from assistant.effects import drafting, illness, settle, tracking
from assistant.effects.claim import Refusal, Refused, not_now
from assistant.effects.guard import Effect, guarded
from assistant.house import Account, House
from assistant.loops import judging, reading, spending
from assistant.loops.judging import Judged, Unwritten, Written
from assistant.loops.reading import Record, Unread
from leases.keeper import Grip
from providers.mime.marks import mark_of
from providers.ports import MailboxIllError, TransientError
from storage import leases, reviews, threads
from storage.dbtime import database_now_ms
from storage.drafts import Draft
from storage.errors import StorageError
from storage.events import log as log_event
from storage.intents import Intent
from storage.leases import QUARANTINE_AFTER
from storage.threads import Finish
from storage.words import (
    Accepted,
    FaultPoint,
    ItemKind,
    Kind,
    Outcome,
    Rejected,
    Unknown,
)

log = structlog.get_logger()

FAILURE_WAITS_MS = (10_000, 60_000, 300_000, 1_800_000, 7_200_000)
"""Waits before a thread that failed is tried again; after the last it is a review item."""

REMINDER = 400
"""Characters of the message that a draft answers, kept to remind its owner."""

MOVED_WAIT_MS = 1_000
"""How soon a thread is worked on again whose plan was dropped because it had moved on."""

UNSEEN_WAIT_MS = 15_000
"""How soon a thread is worked on again in which a draft lies that no pass has noted yet."""


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
class _Turn:
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


async def work_on(house: House, account: Account, grip: Grip) -> Result:
    """One turn on the thread that *grip* holds; ends with the lease released unless it was lost."""
    held = grip.held
    record = await house.store.read(
        lambda conn: reading.record(conn, held.integration, held.thread)
    )
    turn = _Turn(house=house, account=account, grip=grip, record=record)
    if held.takes >= QUARANTINE_AFTER:
        return await _quarantine(turn, f"the process died {held.takes} times while it worked on it")
    try:
        return await _turn(turn)
    except TransientError as error:
        why = f"the mailbox could not be read: {error}"
        return await _failed(turn, why, threads_fault=False)
    except MailboxIllError as error:
        return await _mailbox_ill(turn, error)
    except StorageError:
        raise
    except Exception as error:
        # Whatever one thread provokes must not stop the work on the others beside it.
        log.exception("work on a thread failed")
        return await _failed(turn, f"the work on it ended in {type(error).__name__}")


async def _turn(turn: _Turn) -> Result:
    house, account = turn.house, turn.account
    await _reconcile_first(turn)
    await _track(turn)
    turn.conversation, turn.unread = await reading.conversation(
        account, turn.record, house.read, house.aside
    )
    house.faults.hit(FaultPoint.READ)
    turn.judged = await judging.judged(house, account, turn.record.row, turn.conversation)
    turn.triage = turn.judged.triage
    if turn.judged.wait is not None:
        return await _model_waited_for(turn, turn.judged.wait, turn.judged.again_at_ms)
    known = dataclasses.replace(
        reading.known(turn.record, turn.open_drafts), ceiling=turn.judged.ceiling
    )
    turn.plan = plan(turn.conversation, turn.triage, turn.judged.envelope, known, account.policy)
    if turn.plan.ceiling or turn.judged.judging_stopped:
        turn.again_at_ms = _earlier(turn.again_at_ms, turn.judged.again_at_ms)
    house.faults.hit(FaultPoint.PLANNED)
    match turn.plan.act:
        case CreateDraft() as act:
            return await _create(turn, act)
        case RemoveDraft(draft=draft_id):
            return await _remove(turn, draft_id)
        case None:
            await _end(turn)
            return Result.NOTHING


async def _reconcile_first(turn: _Turn) -> None:
    """After lost commits: what carries our mark is ours, whatever the store knows of it."""
    if not turn.record.row.reconcile_first:
        return
    snapshot = await turn.account.mailbox.snapshot(turn.record.scope)
    secret = turn.house.mark_secret
    await turn.house.store.write(
        lambda conn: tracking.take_in(conn, turn.record.row, snapshot.drafts, secret)
    )
    turn.reconciled = True
    held = turn.grip.held
    turn.record = await turn.house.store.read(
        lambda conn: reading.record(conn, held.integration, held.thread)
    )


async def _track(turn: _Turn) -> None:
    """Ask directly for each draft of ours that lies open, and record what became of it."""
    lag_ms = turn.house.schedule_for(turn.account).lag_ms
    for draft in turn.record.drafts:
        if not draft.open:
            continue
        mark = mark_of(turn.house.mark_secret, draft.intent)
        where = await turn.account.mailbox.draft(drafting.draft_ref(draft, mark, turn.record.scope))
        still = draft
        if tracking.is_news(draft, where):
            unit = partial(
                tracking.follow, draft=draft, where=where, lag_ms=lag_ms, held=turn.grip.held
            )
            still, ask_again_at = await turn.house.store.write(unit)
            turn.again_at_ms = ask_again_at or turn.again_at_ms
        if still.open:
            turn.open_drafts.append(still)


async def _create(turn: _Turn, act: CreateDraft) -> Result:
    house, account, record = turn.house, turn.account, turn.record
    prior = _prior(record, Kind.CREATE_DRAFT, act.identity)
    body = ""
    if prior is None:
        refused = await house.store.read(
            lambda conn: not_now(conn, record.row.integration, Kind.CREATE_DRAFT)
        )
        if refused is not None:
            return await _refused(turn, refused)
        turn.written = await _written(turn)
        if isinstance(turn.written, Unwritten):
            return await _unwritten(turn, turn.written)
        body = turn.written.body
    snapshot = await account.mailbox.snapshot(record.scope)
    house.faults.hit(FaultPoint.SNAPSHOT_TAKEN)
    if any(record.is_news(one) for one in snapshot.news):
        return await _moved(turn, "a message arrived while the thread was read")
    effect = await drafting.create(
        _place(turn),
        act,
        body,
        snapshot,
        prior,
        house.clock.now(),
        _recorder(turn),
        _answering(turn, act),
    )
    house.faults.hit(FaultPoint.STAGED)
    return await _guard(turn, effect, Result.DRAFTED)


def _answering(turn: _Turn, act: CreateDraft) -> dict[str, str | None]:
    """What the draft answers, as its owner is reminded of it; for their eyes only."""
    if turn.conversation is None:
        return {}
    entry = turn.conversation.entries[act.answer]
    writer = entry.mail.from_[0] if entry.mail.from_ else None
    text = " ".join(entry.mail.new_text.split())
    return {
        "from": None if writer is None else writer.name or writer.addr,
        "at": entry.arrived_at.isoformat(),
        "text": f"{text[:REMINDER]}…" if len(text) > REMINDER else text,
    }


async def _remove(turn: _Turn, draft_id: int) -> Result:
    draft = next(one for one in turn.open_drafts if one.id == draft_id)
    prior = next(
        (
            intent
            for intent in turn.record.intents
            if intent.kind is Kind.REMOVE_DRAFT
            and intent.plan.get("draft") == draft.id
            and intent.plan.get("version", draft.version) == draft.version
        ),
        None,
    )
    mark = mark_of(turn.house.mark_secret, draft.intent)
    effect = drafting.remove(_place(turn), draft, mark, prior, _recorder(turn))
    return await _guard(turn, effect, Result.REMOVED)


async def _guard(turn: _Turn, effect: Effect, done: Result) -> Result:
    house = turn.house
    outcome = await guarded(house.store, house.clock, house.faults, turn.grip, effect)
    match outcome:
        case Refused():
            return await _refused(turn, outcome)
        case Accepted():
            house.notice_bell.ring()
            return done
        case Unknown():
            house.look_bell.ring()
            return Result.UNKNOWN
        case Rejected():
            return Result.REJECTED


def _recorder(turn: _Turn) -> drafting.RecordUnit:
    def unit(conn: Connection, intent: Intent, outcome: Outcome) -> None:
        held = turn.grip.held
        leases.lock(conn, held.integration, held.thread)
        before = threads.dues(conn, held.integration, held.thread)
        recorded = settle.record_outcome(
            conn, intent.id, intent.attempt, outcome, turn.house.timing
        )
        again_at = recorded.again_at or turn.again_at_ms
        turn.plan = dataclasses.replace(turn.plan, because=_because(outcome))
        _finish(conn, turn, dues_before=before, again_at=again_at)

    return unit


def _because(outcome: Outcome) -> str | None:
    match outcome:
        case Accepted():
            return None
        case Rejected(reason=reason):
            return f"the draft was refused: {reason}"
        case Unknown(reason=reason):
            return f"nobody can say yet whether its draft was made: {reason}"


async def _refused(turn: _Turn, refused: Refused) -> Result:
    match refused.why:
        case Refusal.LEASE_LOST:
            return Result.LOST
        case Refusal.THREAD_MOVED | Refusal.RECONCILE_FIRST | Refusal.PAUSED:
            return await _moved(turn, refused.why)
        case Refusal.DRAFT_HELD | Refusal.OWNER_DRAFT:
            # A draft that the plan did not know: it is noted soon, or it is gone again.
            return await _moved(turn, refused.why, wait_ms=UNSEEN_WAIT_MS)
        case _:
            turn.plan = dataclasses.replace(turn.plan, because=str(refused.why))
            turn.again_at_ms = refused.until or turn.again_at_ms
            await _end(turn)
            return Result.AGAIN if refused.until is not None else Result.NOTHING


async def _moved(turn: _Turn, why: str, *, wait_ms: int = MOVED_WAIT_MS) -> Result:
    def unit(conn: Connection) -> None:
        now = database_now_ms(conn)
        turn.plan = dataclasses.replace(turn.plan, because=why)
        _finish_now(conn, turn, again_at=now + wait_ms)

    await turn.house.store.write(unit)
    return Result.AGAIN


async def _end(turn: _Turn) -> None:
    await turn.house.store.write(lambda conn: _finish_now(conn, turn, again_at=turn.again_at_ms))
    turn.house.faults.hit(FaultPoint.RELEASED)


def _finish_now(conn: Connection, turn: _Turn, *, again_at: int | None) -> None:
    held = turn.grip.held
    leases.lock(conn, held.integration, held.thread)
    before = threads.dues(conn, held.integration, held.thread)
    _finish(conn, turn, dues_before=before, again_at=again_at)


def _finish(
    conn: Connection,
    turn: _Turn,
    *,
    dues_before: int,
    again_at: int | None,
    failed: bool = False,
    quarantine: bool = False,
) -> None:
    """End the work and release, in a transaction that has locked the lease row."""
    held = turn.grip.held
    now = database_now_ms(conn)
    if not leases.release_locked(conn, held, now):
        # The lease is another's: this worker's findings are void, its evidence is kept.
        return
    row = turn.record.row
    end = Finish(
        read_dues=row.dues,
        revision=row.revision,
        triage=None if turn.triage is None else _as_json(turn, turn.triage),
        no_draft_because=turn.plan.because,
        again_at=again_at,
        failed=failed,
        quarantine=quarantine,
        reconciled=turn.reconciled,
    )
    threads.finish(conn, held, end, now, dues_before=dues_before)
    if turn.triage is not None:
        log_event(
            conn,
            now,
            held.integration,
            held.thread,
            "triaged",
            category=str(turn.triage.category),
            # The log holds no mail text, and a model's reason may repeat some of it.
            reason=turn.triage.reason if turn.triage.engine == "rules" else None,
            engine=turn.triage.engine,
            revision=row.revision,
            no_draft_because=turn.plan.because,
            **(turn.judged.facts if turn.judged is not None else {}),
        )
    if turn.written is not None:
        log_event(conn, now, held.integration, held.thread, "written", **turn.written.facts)
    _tell(conn, turn, now)
    _tell_ceiling(conn, turn, now)


def _tell(conn: Connection, turn: _Turn, now: int) -> None:
    row = turn.record.row
    for draft in turn.plan.overtaken:
        reviews.open_item(
            conn,
            now,
            ItemKind.DRAFT_OVERTAKEN,
            user=turn.account.user,
            integration=row.integration,
            thread=row.thread,
            about=str(draft),
            subject=row.subject,
            summary="a newer message came after the one that the waiting draft answers",
        )
    for unread in turn.unread:
        if reviews.was_told(conn, ItemKind.QUARANTINED, row.integration, unread.identity):
            continue
        reviews.open_item(
            conn,
            now,
            ItemKind.QUARANTINED,
            user=turn.account.user,
            integration=row.integration,
            thread=row.thread,
            about=unread.identity,
            subject=row.subject,
            summary=f"a mail could not be read and was set aside: {unread.reason}",
            detail={"ref": unread.ref, "reason": unread.reason},
        )


def _tell_ceiling(conn: Connection, turn: _Turn, now: int) -> None:
    """Say what the daily ceiling stopped; close what is told of days that are over."""
    user, brain = turn.account.user, turn.account.brain
    if brain is None:
        return
    spending.close_past_ceilings(conn, now, user, brain)
    stopped = turn.judged is not None and turn.judged.judging_stopped
    if turn.plan.ceiling or stopped:
        spending.tell_ceiling(conn, now, user, brain, judging=stopped)


async def _model_waited_for(turn: _Turn, why: str, again_at: int | None) -> Result:
    """Leave the thread for later; the count of failures bounds how often."""
    turn.plan = dataclasses.replace(turn.plan, act=None, because=why)

    def unit(conn: Connection) -> None:
        held = turn.grip.held
        leases.lock(conn, held.integration, held.thread)
        before = threads.dues(conn, held.integration, held.thread)
        _finish(conn, turn, dues_before=before, again_at=again_at, failed=True)

    await turn.house.store.write(unit)
    return Result.FAILED


async def _unwritten(turn: _Turn, unwritten: Unwritten) -> Result:
    if not unwritten.ceiling:
        return await _model_waited_for(turn, unwritten.because, unwritten.again_at_ms)
    turn.plan = dataclasses.replace(turn.plan, act=None, because=unwritten.because, ceiling=True)
    turn.again_at_ms = _earlier(turn.again_at_ms, unwritten.again_at_ms)
    await _end(turn)
    return Result.NOTHING


def _earlier(one: int | None, other: int | None) -> int | None:
    return min((when for when in (one, other) if when is not None), default=None)


async def _mailbox_ill(turn: _Turn, error: MailboxIllError) -> Result:
    """The mailbox is ill, not the thread: the one rests, and the other pays nothing."""
    log.warning("a mailbox is ill", mailbox=turn.account.integration)

    def unit(conn: Connection) -> None:
        held = turn.grip.held
        leases.lock(conn, held.integration, held.thread)
        before = threads.dues(conn, held.integration, held.thread)
        now = database_now_ms(conn)
        until = illness.rest(conn, turn.account.integration, turn.account.user, now, str(error))
        turn.triage = None
        _finish(conn, turn, dues_before=before, again_at=until)

    await turn.house.store.write(unit)
    return Result.FAILED


async def _failed(turn: _Turn, why: str, *, threads_fault: bool = True) -> Result:
    failures = min(turn.record.row.failures, len(FAILURE_WAITS_MS) - (not threads_fault))
    log.warning("a thread could not be worked on", failures=failures + 1)
    if failures >= len(FAILURE_WAITS_MS):
        return await _quarantine(turn, why)

    def unit(conn: Connection) -> None:
        held = turn.grip.held
        leases.lock(conn, held.integration, held.thread)
        before = threads.dues(conn, held.integration, held.thread)
        again_at = database_now_ms(conn) + FAILURE_WAITS_MS[failures]
        turn.triage = None
        _finish(conn, turn, dues_before=before, again_at=again_at, failed=True)

    await turn.house.store.write(unit)
    return Result.FAILED


async def _quarantine(turn: _Turn, why: str) -> Result:
    row = turn.record.row

    def unit(conn: Connection) -> None:
        held = turn.grip.held
        leases.lock(conn, held.integration, held.thread)
        before = threads.dues(conn, held.integration, held.thread)
        now = database_now_ms(conn)
        turn.triage = None
        _finish(conn, turn, dues_before=before, again_at=None, failed=True, quarantine=True)
        reviews.open_item(
            conn,
            now,
            ItemKind.QUARANTINED,
            user=turn.account.user,
            integration=row.integration,
            thread=row.thread,
            about=row.thread,
            subject=row.subject,
            summary=f"the thread was set aside: {why}",
        )

    await turn.house.store.write(unit)
    return Result.QUARANTINED


def _place(turn: _Turn) -> drafting.Place:
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


async def _written(turn: _Turn) -> Written | Unwritten:
    if turn.conversation is None or turn.triage is None:
        raise RuntimeError("a draft needs a thread that was read and judged")
    return await judging.written(
        turn.house, turn.account, turn.record.row, turn.conversation, turn.triage
    )


def _prior(record: Record, kind: Kind, answers: str) -> Intent | None:
    for intent in record.intents:
        if (
            intent.kind is kind
            and intent.generation == record.row.generation
            and intent.plan.get("answers") == answers
        ):
            return intent
    return None


def _as_json(turn: _Turn, triage: Triage) -> dict[str, object]:
    kept: dict[str, object] = {
        "category": str(triage.category),
        "urgency": str(triage.urgency),
        "reason": triage.reason,
        "engine": triage.engine,
        "asked": list(triage.asked),
        "deadline": triage.deadline,
        "language": triage.language,
        "unsure": triage.unsure,
    }
    if turn.conversation is not None:
        kept["with"] = turn.conversation.counterpart
        kept |= judging.as_json(triage, turn.record.row, turn.account, turn.conversation)
    return kept
