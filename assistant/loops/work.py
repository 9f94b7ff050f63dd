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
from collections.abc import Mapping, Sequence
from functools import partial

import structlog

from assistant.core.plan import CreateDraft, RemoveDraft, plan
from assistant.effects import drafting, takingin, tracking
from assistant.effects.claim import Refusal, Refused, not_now
from assistant.effects.guard import Effect, guarded
from assistant.house import Account, House
from assistant.loops import ending, judging, reading
from assistant.loops.judging import Unwritten, Written
from assistant.loops.turn import (
    Result,
    Turn,
    earlier,
    place_of,
    prior_create,
    prior_removal,
)
from leases.keeper import Grip
from providers.mime.marks import mark_of
from providers.mime.message import Mail
from providers.ports import Folder, MailboxIllError, Sighting, TransientError
from storage import messages
from storage.errors import StorageError
from storage.leases import QUARANTINE_AFTER
from storage.words import (
    Accepted,
    FaultPoint,
    Identity,
    Kind,
    Ref,
    Rejected,
    ThreadId,
    Unknown,
)

log = structlog.get_logger()

REMINDER = 400
"""Characters of the message that a draft answers, kept to remind its owner."""


async def work_on(house: House, account: Account, grip: Grip) -> Result:
    """One turn on the thread that *grip* holds; ends with the lease released unless it was lost."""
    held = grip.held
    record = await house.together.read(reading.records, (held.integration, held.thread))
    turn = Turn(house=house, account=account, grip=grip, record=record)
    if held.takes >= QUARANTINE_AFTER:
        return await ending.quarantine(
            turn, f"the process died {held.takes} times while it worked on it"
        )
    try:
        return await _turn(turn)
    except TransientError as error:
        why = f"the mailbox could not be read: {error}"
        # At the end of all waits: is it this thread alone, or the mailbox?
        last = record.row.failures >= len(ending.FAILURE_WAITS_MS)
        own = last and await reading.others_can_be_read(house, account, record)
        return await ending.failed(turn, why, threads_fault=own)
    except MailboxIllError as error:
        return await ending.mailbox_ill(turn, error)
    except StorageError:
        raise
    except Exception as error:
        # Whatever one thread provokes must not stop the work on the others beside it.
        log.exception("work on a thread failed")
        return await ending.failed(turn, f"the work on it ended in {type(error).__name__}")


async def _turn(turn: Turn) -> Result:
    house, account = turn.house, turn.account
    await _reconcile_first(turn)
    await _track(turn)
    found = await reading.conversation(account, turn.record, house.read, house.aside)
    turn.conversation, turn.unread = found.conversation, found.unread
    now_ms = int(house.clock.now().timestamp() * 1000)
    again_at = reading.asked_again_at(turn.record, turn.unread, now_ms)
    turn.again_at_ms = earlier(turn.again_at_ms, again_at)
    house.faults.hit(FaultPoint.READ)
    turn.judged = await judging.judged(house, account, turn.record.row, turn.conversation)
    turn.triage = turn.judged.triage
    if turn.judged.wait is not None:
        return await ending.model_waited_for(turn, turn.judged.wait, turn.judged.again_at_ms)
    known = dataclasses.replace(
        reading.known(turn.record, turn.open_drafts),
        ceiling=turn.judged.ceiling,
        own_unread_at=reading.own_unread_at(turn.record, turn.unread),
        belongs_to=await _belongs_to(turn, found.recovered),
    )
    turn.plan = plan(turn.conversation, turn.triage, turn.judged.envelope, known, account.policy)
    if turn.plan.ceiling or turn.judged.judging_stopped:
        turn.again_at_ms = earlier(turn.again_at_ms, turn.judged.again_at_ms)
    house.faults.hit(FaultPoint.PLANNED)
    match turn.plan.act:
        case CreateDraft() as act:
            return await _create(turn, act)
        case RemoveDraft(draft=draft_id):
            return await _remove(turn, draft_id)
        case None:
            await ending.end(turn)
            return Result.NOTHING


async def _reconcile_first(turn: Turn) -> None:
    """After lost commits: what carries our mark is ours, whatever the store knows of it."""
    if not turn.record.row.reconcile_first:
        return
    mailbox = turn.account.mailbox
    snapshot = await mailbox.snapshot(turn.record.scope)
    found = takingin.ours(snapshot.drafts, turn.house.mark_secret)
    fetched = await mailbox.fetch([sight.ref for _, sight in found]) if found else []

    def read() -> dict[Ref, Mail]:
        return {one.ref: turn.house.read(one.raw, ()) for one in fetched if one.raw is not None}

    mails = await turn.house.aside(read) if fetched else {}
    row, held = turn.record.row, turn.grip.held
    await turn.house.store.write(lambda conn: takingin.take_in(conn, row, held, found, mails))
    turn.reconciled = True
    place = held.integration, held.thread
    turn.record = await turn.house.together.read(reading.records, place)


async def _track(turn: Turn) -> None:
    """Ask directly for each draft of ours that lies open, and record what became of it."""
    lag_ms = turn.house.schedule_for(turn.account).lag_ms
    for draft in turn.record.drafts:
        if not draft.open:
            continue
        mark = mark_of(turn.house.mark_secret, draft.intent)
        beside = drafting.refs_beside(draft, turn.record.drafts)
        ref = drafting.draft_ref(draft, mark, turn.record.scope, beside)
        where = await turn.account.mailbox.draft(ref)
        still = draft
        if tracking.is_news(draft, where):
            unit = partial(
                tracking.follow, draft=draft, where=where, lag_ms=lag_ms, held=turn.grip.held
            )
            still, ask_again_at = await turn.house.store.write(unit)
            turn.again_at_ms = ask_again_at or turn.again_at_ms
        if still.open:
            turn.open_drafts.append(still)


async def _create(turn: Turn, act: CreateDraft) -> Result:
    house, account, record = turn.house, turn.account, turn.record
    prior = prior_create(record, act.identity)
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
    strange = [one for one in snapshot.news if record.is_news(one)]
    noted = await _noted_elsewhere(turn, strange)
    if any(one.heads.identity not in noted for one in strange):
        # The pass that notes it makes the thread due at once.
        why = "a message arrived while the thread was read"
        return await ending.moved(turn, why, wait_ms=ending.UNSEEN_WAIT_MS)
    if (thread := _answered_elsewhere(turn, act, strange, noted)) is not None:
        because = f"you have answered it, in what is followed as thread {thread}"
        turn.plan = dataclasses.replace(turn.plan, act=None, because=because)
        await ending.end(turn)
        return Result.NOTHING
    effect = await drafting.create(
        place_of(turn),
        act,
        body,
        snapshot,
        prior,
        house.clock.now(),
        ending.recorder(turn),
        _answering(turn, act),
    )
    house.faults.hit(FaultPoint.STAGED)
    return await _guard(turn, effect, Result.DRAFTED)


async def _belongs_to(turn: Turn, recovered: Sequence[Mail]) -> ThreadId | None:
    if not recovered:
        return None
    return await turn.house.store.read(
        lambda conn: reading.belongs_to(conn, turn.record, recovered)
    )


async def _noted_elsewhere(turn: Turn, strange: Sequence[Sighting]) -> dict[Identity, ThreadId]:
    """Which of these are no news: noted, in a thread that had claimed them before this one."""
    if not strange:
        return {}
    wanted, integration = {one.heads.identity for one in strange}, turn.record.row.integration
    noted = await turn.house.store.read(lambda conn: messages.threads_of(conn, integration, wanted))
    # What is noted here since this turn began to read is news.
    return {one: thread for one, thread in noted.items() if thread != turn.record.row.thread}


def _answered_elsewhere(
    turn: Turn, act: CreateDraft, strange: Sequence[Sighting], noted: Mapping[Identity, ThreadId]
) -> ThreadId | None:
    """The thread in which the owner has written since the message that *act* answers."""
    if turn.conversation is None:
        return None
    asked_at = turn.conversation.entries[act.answer].arrived_at
    for one in strange:
        if one.folder is Folder.SENT and one.arrived_at >= asked_at:
            return noted[one.heads.identity]
    return None


def _answering(turn: Turn, act: CreateDraft) -> dict[str, str | None]:
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


async def _remove(turn: Turn, draft_id: int) -> Result:
    draft = next(one for one in turn.open_drafts if one.id == draft_id)
    prior = prior_removal(turn.record, draft)
    mark = mark_of(turn.house.mark_secret, draft.intent)
    beside = drafting.refs_beside(draft, turn.record.drafts)
    effect = drafting.remove(
        place_of(turn), draft, mark, prior, ending.recorder(turn), others=beside
    )
    return await _guard(turn, effect, Result.REMOVED)


async def _guard(turn: Turn, effect: Effect, done: Result) -> Result:
    house = turn.house
    outcome = await guarded(house.together, house.clock, house.faults, turn.grip, effect)
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


async def _refused(turn: Turn, refused: Refused) -> Result:
    match refused.why:
        case Refusal.LEASE_LOST:
            return Result.LOST
        case Refusal.THREAD_MOVED | Refusal.RECONCILE_FIRST | Refusal.PAUSED:
            return await ending.moved(turn, refused.why)
        case Refusal.DRAFT_HELD | Refusal.OWNER_DRAFT:
            # A draft that the plan did not know: it is noted soon, or it is gone again.
            return await ending.moved(turn, refused.why, wait_ms=ending.UNSEEN_WAIT_MS)
        case _:
            turn.plan = dataclasses.replace(turn.plan, because=str(refused.why))
            turn.again_at_ms = refused.until or turn.again_at_ms
            await ending.end(turn)
            return Result.AGAIN if refused.until is not None else Result.NOTHING


async def _unwritten(turn: Turn, unwritten: Unwritten) -> Result:
    if not unwritten.ceiling:
        return await ending.model_waited_for(turn, unwritten.because, unwritten.again_at_ms)
    turn.plan = dataclasses.replace(turn.plan, act=None, because=unwritten.because, ceiling=True)
    turn.again_at_ms = earlier(turn.again_at_ms, unwritten.again_at_ms)
    await ending.end(turn)
    return Result.NOTHING


async def _written(turn: Turn) -> Written | Unwritten:
    if turn.conversation is None or turn.triage is None:
        raise RuntimeError("a draft needs a thread that was read and judged")
    return await judging.written(
        turn.house, turn.account, turn.record.row, turn.conversation, turn.triage
    )
