"""The ends of a turn of work: done, moved on, refused, failed, set aside.

Each end is one transaction that locks the thread's lease row, writes what the turn found out, opens
and closes review items, and releases the lease; a turn whose lease is another's by then changes
nothing. The end of work clears only the due that it read. A crash before it leaves the thread due,
and whoever takes it next does the work again.
"""

from __future__ import annotations

import dataclasses
from functools import partial

import structlog
from sqlalchemy import Connection

from assistant.core.conversation import Triage
from assistant.effects import drafting, illness
from assistant.effects.recording import Ending, Record
from assistant.loops import judging, spending
from assistant.loops.turn import Result, Turn
from providers.ports import MailboxIllError, ReconnectError
from storage import events, leases, reviews, threads, watches
from storage.dbtime import database_now_ms
from storage.events import Event
from storage.intents import Intent
from storage.rows import at_once
from storage.threads import Finish, Finished
from storage.words import Accepted, FaultPoint, ItemKind, Outcome, Rejected, Unknown

log = structlog.get_logger()

FAILURE_WAITS_MS = (10_000, 60_000, 300_000, 1_800_000, 7_200_000)
"""Waits before a thread that failed is tried again; after the last it is a review item."""

MOVED_WAIT_MS = 1_000
"""How soon a thread is worked on again whose plan was dropped because it had moved on."""

UNSEEN_WAIT_MS = 15_000
"""How soon a thread is worked on again in which lies what no pass has noted yet."""


UNWATCHED_WAIT_MS = 3_600_000
"""The same where nobody watches: a mailbox that is set aside notes nothing until it is retried."""


def recorder(turn: Turn) -> drafting.Recorder:
    """Says how a call's outcome is recorded and how, in one transaction, the work ends."""

    def finish(outcome: Outcome, again_at: int | None) -> Finish:
        turn.plan = dataclasses.replace(turn.plan, because=_because(outcome))
        return _finish(turn, again_at=again_at or turn.again_at_ms)

    ending = Ending(
        held=turn.grip.held,
        finish=finish,
        story=lambda now: _story(turn, now),
        tell=lambda conn, now: _tell(conn, turn, now),
    )

    def record(claimed: Intent, outcome: Outcome) -> Record:
        timing = turn.house.timing
        return Record(claimed=claimed, outcome=outcome, timing=timing, ending=ending)

    return record


def _because(outcome: Outcome) -> str | None:
    match outcome:
        case Accepted():
            return None
        case Rejected(reason=reason):
            return f"the draft was refused: {reason}"
        case Unknown(reason=reason):
            return f"nobody can say yet whether its draft was made: {reason}"


async def moved(turn: Turn, why: str, *, wait_ms: int = MOVED_WAIT_MS) -> Result:
    """Drop the plan, because the thread moved on, and have it made anew."""

    def unit(conn: Connection) -> None:
        now = database_now_ms(conn)
        turn.plan = dataclasses.replace(turn.plan, because=why)
        unwatched = watches.is_set_aside(conn, turn.grip.held.integration)
        finish_now(conn, turn, again_at=now + (UNWATCHED_WAIT_MS if unwatched else wait_ms))

    await turn.house.store.write(unit)
    return Result.AGAIN


async def end(turn: Turn) -> None:
    """End the work: nothing more to do now."""
    await turn.house.store.write(lambda conn: finish_now(conn, turn, again_at=turn.again_at_ms))
    turn.house.faults.hit(FaultPoint.RELEASED)


def finish_now(
    conn: Connection,
    turn: Turn,
    *,
    again_at: int | None,
    failed: bool = False,
) -> None:
    """End the work and release, in one statement that locks the lease row; first of its unit.

    Nothing happens when the lease is another's: this worker's findings are void.
    """
    now = leases.give_back(conn, turn.grip.held)
    if now is not None:
        _write(conn, turn, now, again_at=again_at, failed=failed)


def _write(
    conn: Connection,
    turn: Turn,
    now: int,
    *,
    again_at: int | None,
    failed: bool = False,
    quarantine: bool = False,
) -> None:
    """What the turn found out, where no call was made."""
    held = turn.grip.held
    end = _finish(turn, again_at=again_at, failed=failed, quarantine=quarantine)
    told = events.telling([(held.integration, held.thread, _story(turn, now))])
    at_once(conn, [told, *threads.finishing([Finished(held=held, end=end, now_ms=now)])])
    _tell(conn, turn, now)


def _finish(
    turn: Turn, *, again_at: int | None, failed: bool = False, quarantine: bool = False
) -> Finish:
    row = turn.record.row
    return Finish(
        read_dues=row.dues,
        revision=row.revision,
        triage=None if turn.triage is None else _as_json(turn, turn.triage),
        no_draft_because=turn.plan.because,
        again_at=again_at,
        failed=failed,
        quarantine=quarantine,
        reconciled=turn.reconciled,
    )


def _story(turn: Turn, now: int) -> list[Event]:
    story = []
    if turn.triage is not None:
        facts = turn.judged.facts if turn.judged is not None else {}
        detail = {
            "category": str(turn.triage.category),
            # The log holds no mail text, and a model's reason may repeat some of it.
            "reason": turn.triage.reason if turn.triage.engine == "rules" else None,
            "engine": turn.triage.engine,
            "revision": turn.record.row.revision,
            "no_draft_because": turn.plan.because,
            **facts,
        }
        story.append(Event(at=now, kind="triaged", detail=detail))
    if turn.written is not None:
        story.append(Event(at=now, kind="written", detail=turn.written.facts))
    return story


def _tell(conn: Connection, turn: Turn, now: int) -> None:
    """Open the items of what the turn met, and those of what its user's ceiling stopped."""
    _tell_thread(conn, turn, now)
    _tell_ceiling(conn, turn, now)


def _tell_thread(conn: Connection, turn: Turn, now: int) -> None:
    row = turn.record.row
    newest = _newest(turn)
    for draft in turn.plan.overtaken:
        if reviews.was_dismissed(
            conn, ItemKind.DRAFT_OVERTAKEN, row.integration, row.thread, str(draft), newest
        ):
            continue
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
            detail=newest,
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


def _newest(turn: Turn) -> dict[str, object]:
    """The newest message of somebody else: until another comes, a dismissed item stays so."""
    entries = () if turn.conversation is None else turn.conversation.entries
    others = [entry.mail.identity for entry in entries if not entry.own]
    return {"newest": others[-1] if others else None}


def _tell_ceiling(conn: Connection, turn: Turn, now: int) -> None:
    """Say what the daily ceiling stopped; close what is told of days that are over."""
    user, brain = turn.account.user, turn.account.brain
    if brain is None:
        return
    spending.close_past_ceilings(conn, now, user, brain)
    stopped = turn.judged is not None and turn.judged.judging_stopped
    if turn.plan.ceiling or stopped:
        spending.tell_ceiling(conn, now, user, brain, judging=stopped)


async def model_waited_for(turn: Turn, why: str, again_at: int | None) -> Result:
    """Leave the thread for later; the count of failures bounds how often."""
    turn.plan = dataclasses.replace(turn.plan, act=None, because=why)

    unit = partial(finish_now, turn=turn, again_at=again_at, failed=True)
    await turn.house.store.write(unit)
    return Result.FAILED


async def mailbox_ill(turn: Turn, error: MailboxIllError) -> Result:
    """The mailbox is ill, not the thread: the one rests, and the other pays nothing."""
    log.warning("a mailbox is ill", mailbox=turn.account.integration)

    def unit(conn: Connection) -> None:
        now = leases.give_back(conn, turn.grip.held)
        if now is None:
            return
        until = illness.rest(
            conn,
            turn.account.integration,
            turn.account.user,
            now,
            f"{error}{turn.house.here}",
            reconnect=isinstance(error, ReconnectError),
        )
        turn.triage = None
        _write(conn, turn, now, again_at=until)

    await turn.house.store.write(unit)
    return Result.FAILED


async def failed(turn: Turn, why: str, *, threads_fault: bool = True) -> Result:
    """Try again after a growing pause; after the last one the thread is set aside and told."""
    failures = min(turn.record.row.failures, len(FAILURE_WAITS_MS) - (not threads_fault))
    log.warning("a thread could not be worked on", failures=failures + 1)
    if failures >= len(FAILURE_WAITS_MS):
        return await quarantine(turn, why)

    def unit(conn: Connection) -> None:
        turn.triage = None
        again_at = database_now_ms(conn) + FAILURE_WAITS_MS[failures]
        finish_now(conn, turn, again_at=again_at, failed=True)

    await turn.house.store.write(unit)
    return Result.FAILED


async def quarantine(turn: Turn, why: str) -> Result:
    """Set the thread aside until a person says otherwise."""
    await turn.house.store.write(partial(set_aside, turn=turn, why=why))
    return Result.QUARANTINED


def set_aside(conn: Connection, turn: Turn, why: str) -> None:
    """The unit of ``quarantine``; nothing happens when the lease is another's by now."""
    row = turn.record.row
    now = leases.give_back(conn, turn.grip.held)
    if now is None:
        return
    turn.triage = None
    _write(conn, turn, now, again_at=None, failed=True, quarantine=True)
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


def _as_json(turn: Turn, triage: Triage) -> dict[str, object]:
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
