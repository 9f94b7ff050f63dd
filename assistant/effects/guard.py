"""The guarded call: the only way in which anything outside the database is changed.

    stage --> claim (intent + lease, committed) --> may we still? --> call once --> record
      |           |                                     |               |            shielded
      |           |                                     |               '-- cancelled, timed out,
      |           |                                     |                   killed: unknown
      |           |                                     '-- too late: "never left", proved
      |           '-- refused or failed: the staged bytes are dropped, nothing was called
      '-- shown by no mail program, so no side effect

What it keeps:

* Nothing is called before the COMMIT of its intent has returned. After an error from COMMIT the key
  is read again on a fresh transaction: there and ours, own it; not there, nothing happened.
* The call is made once. Nothing in here repeats it, and no adapter may.
* Only the call is limited in time. Its outcome is recorded in a shielded scope, also when the work
  was cancelled, so that a known answer never becomes unknown by our own doing.
* Claims, and records, that are asked for at the same moment share a transaction and its statements
  (``storage.together``); each keeps its own answer and its own error.
* Just before the first byte the local deadline of the lease is checked once more.

After a crash the intent stays ``calling`` until its lease is over; ``assistant.effects.sweep`` then
makes it unknown. If the record itself can't be written (disk full, database gone) it is tried again
until the lease is over, and a few times in any case; after that the sweeper says unknown, and
nothing is called again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count

import anyio
import structlog
from anyio.lowlevel import checkpoint_if_cancelled
from sqlalchemy import Connection

from assistant.effects import wording
from assistant.effects.claim import Asked, Claiming, Refusal, Refused, claim_all
from assistant.effects.recording import Record, record_all
from assistant.timing import TimedOut, run_within
from leases.keeper import Grip
from storage import evidence, intents, leases
from storage.errors import CommitUnknownError, StorageError
from storage.intents import Intent
from storage.together import Together
from storage.words import (
    By,
    Clock,
    EvidenceKind,
    FaultPoint,
    Faults,
    IntentState,
    Outcome,
    Rejected,
    Unknown,
)

log = structlog.get_logger()

RETRY_S = 1.0
"""How long to wait before a store that failed is asked again."""

LATE_TRIES = 10
"""How often an answer is tried to be stored at least, though its lease is over."""

_ANSWERS = frozenset({EvidenceKind.ANSWER, EvidenceKind.LATE_ANSWER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One side effect, ready to be guarded.

    ``call`` makes it, once, under the claimed intent. ``unclaimed`` drops what was staged when the
    claim did not come about or the call was refused. ``record`` says what to store of its outcome
    and how, in the same transaction, the work on the thread ends.
    """

    asked: Asked
    call: Callable[[Intent], Awaitable[Outcome]]
    unclaimed: Callable[[], Awaitable[None]]
    record: Callable[[Intent, Outcome], Record]


async def guarded(
    store: Together, clock: Clock, faults: Faults, grip: Grip, effect: Effect
) -> Outcome | Refused:
    """Make one side effect under its intent; gives its outcome, or why it was not begun.

    Raises StorageError when the claim could not be stored (nothing was called).
    """
    claimed = await _claim(store, clock, faults, grip, effect)
    if isinstance(claimed, Refused):
        return claimed
    outcome: Outcome = Unknown(reason="the call was cancelled")
    answers: list[Outcome] = []
    try:
        outcome = await _call(clock, faults, grip, effect, claimed, answers)
        faults.hit(FaultPoint.ANSWERED)
    finally:
        # An answer that a cancellation overtook on its way out of the call is an answer.
        outcome = answers[0] if answers else outcome
        # Shielded: what is known is stored whatever happens to this task.
        with anyio.CancelScope(shield=True):
            await _record(store, clock, faults, grip, effect, claimed, outcome)
    if isinstance(outcome, Rejected):
        await _tidy(store, effect, claimed)
    return outcome


async def _claim(
    store: Together, clock: Clock, faults: Faults, grip: Grip, effect: Effect
) -> Intent | Refused:
    started_s = clock.boot_s()
    claimed: Intent | Refused | None = None
    in_doubt = False
    try:
        claimed = await store.write(claim_all, Claiming(asked=effect.asked, faults=faults))
    except CommitUnknownError:
        # What a committed intent names must stay: without it a look would say "delivered".
        in_doubt = True
        # Shielded: unread, a call that never left would wait for the sweep as one that may have.
        with anyio.CancelScope(shield=True):
            found = await _read_again(store, clock, grip, effect.asked)
        in_doubt = found is not None
        claimed = Refused(why=Refusal.THREAD_MOVED)
        if found is not None and found.state is IntentState.CALLING:
            claimed = found
    finally:
        if not in_doubt and not isinstance(claimed, Intent):
            with anyio.CancelScope(shield=True):
                await effect.unclaimed()
    if isinstance(claimed, Intent):
        grip.renewed(started_s)
        faults.hit(FaultPoint.CLAIM_COMMITTED)
    return claimed


async def _read_again(store: Together, clock: Clock, grip: Grip, asked: Asked) -> Intent | None:
    """The attempt that this very claim committed, if it did; asked for until it is too late."""

    def unit(conn: Connection) -> Intent | None:
        # Behind whatever the failed COMMIT left: a server may still be about to commit it.
        leases.lock(conn, asked.held.integration, asked.held.thread)
        return intents.by_key(conn, asked.key)

    while True:
        try:
            found = await store.alone.write(unit)
        except StorageError:
            if not grip.allows(asked.call_timeout_s):
                raise
            await clock.sleep(RETRY_S)
            continue
        ours = (
            found is not None
            and found.owner == asked.held.owner
            and found.fence == asked.held.fence
            and dict(found.token) == dict(asked.token)
        )
        return found if ours else None


async def _call(
    clock: Clock,
    faults: Faults,
    grip: Grip,
    effect: Effect,
    claimed: Intent,
    answers: list[Outcome],
) -> Outcome:
    async def call() -> Outcome:
        answers.append(wording.storable(await effect.call(claimed)))
        return answers[0]

    if not grip.allows(effect.asked.call_timeout_s):
        return Rejected(reason="never left: the lease could no longer be trusted", passing=True)
    try:
        await checkpoint_if_cancelled()
    except anyio.get_cancelled_exc_class():
        answers.append(Rejected(reason="never left: the work was cancelled", passing=True))
        raise
    faults.hit(FaultPoint.CALL_ALLOWED)
    try:
        answer = await run_within(clock, effect.asked.call_timeout_s, call)
    except Exception as error:  # an adapter that raises proves nothing
        log.exception("a provider call raised", kind=str(effect.asked.kind))
        return Unknown(reason=f"the call ended in {type(error).__name__}")
    if isinstance(answer, TimedOut):
        return Unknown(reason=f"no answer within {effect.asked.call_timeout_s:g} s")
    return answer


async def _record(
    store: Together,
    clock: Clock,
    faults: Faults,
    grip: Grip,
    effect: Effect,
    claimed: Intent,
    outcome: Outcome,
) -> None:
    record = replace(effect.record(claimed, outcome), faults=faults)
    for tried in count(1):
        try:
            if await _stored(store, record):
                break
        except StorageError as error:
            log.debug("an outcome could not be stored yet", error=type(error).__name__)
        if grip.term.remaining_s(clock.boot_s()) <= 0 and tried >= LATE_TRIES:
            # Whoever sweeps tells it, of all such calls at once.
            log.debug("an outcome could not be stored; it will be shown as unknown")
            return
        await clock.sleep(RETRY_S)
    faults.hit(FaultPoint.OUTCOME_COMMITTED)


async def _tidy(store: Together, effect: Effect, claimed: Intent) -> None:
    """Drop what a refused attempt had staged, once its own refusal is what the store holds.

    Whoever settled it otherwise may look again, and a look takes missing bytes for a delivery. What
    is left by a crash before this goes at the next start.
    """
    try:
        found = await store.alone.read(lambda conn: intents.by_id(conn, claimed.id))
    except StorageError:
        return
    refused = found is not None and (
        found.attempt == claimed.attempt
        and found.state is IntentState.REJECTED
        and found.settled_by == By.CALL
        and found.next_look_at is None
    )
    if refused:
        await effect.unclaimed()


async def _stored(store: Together, record: Record) -> bool:
    try:
        await store.write(record_all, record)
    except CommitUnknownError:
        return await _is_recorded(store, record.claimed)
    return True


async def _is_recorded(store: Together, claimed: Intent) -> bool:
    """Whether what the attempt's own caller says of its end is stored, whatever others said."""
    facts = await store.alone.write(lambda conn: evidence.of_intent(conn, claimed.id))
    return any(fact.attempt == claimed.attempt and fact.kind in _ANSWERS for fact in facts)
