"""A worker of the state machine: one turn on one thread, step by step.

It goes the way of ``assistant.loops.work`` and ``assistant.effects.guard`` through the same units
of work, and stops after each step. Between two steps it may be killed, or left where it is for a
day with what it knew. A careful worker plans as the real one does; an eager one asks for a draft
whatever it knows, so that the claim alone stands between it and a second draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar, cast

from sqlalchemy import Connection

from assistant.core.plan import CreateDraft, Policy, RemoveDraft, _asked_before, _occupied
from assistant.effects import drafting, tracking
from assistant.effects.claim import Refusal, Refused, claim
from assistant.effects.guard import Effect
from assistant.effects.recording import record
from assistant.house import Account, House
from assistant.loops import ending, reading
from assistant.loops.turn import Turn, place_of, prior_create, prior_removal
from leases.keeper import Grip, Keeper
from leases.term import Term
from providers.mime.marks import mark_of
from providers.mime.message import Address, Envelope, Mail
from providers.ports import Folder
from storage import intents, leases, threads
from storage.drafts import Draft
from storage.errors import CommitUnknownError, StorageError
from storage.intents import Intent
from storage.leases import QUARANTINE_AFTER, Held
from storage.words import (
    Category,
    DraftState,
    IntentState,
    Kind,
    Outcome,
    OwnerId,
    Rejected,
    Unknown,
)
from tests.machine.model import Place, Truth, number_of, run_now
from tests.support.database import InlineDatabase
from tests.support.world import BOX, OWNER, ROBIN, SECRET, SETTINGS, at_once

if TYPE_CHECKING:
    from anyio import CancelScope

ENVELOPE = Envelope(
    to=(Address(addr="mina@example.org", name="Mina Okafor"),),
    cc=(),
    from_=Address(addr="robin@example.com", name="Robin Vale"),
    subject="Re: Figures",
    in_reply_to=None,
    references=(),
)
Act = CreateDraft | RemoveDraft
T = TypeVar("T")


@dataclass(frozen=True)
class AtOnce:
    """The store without waiting; implements assistant.effects.guard.Store."""

    db: InlineDatabase

    async def write(self, unit: Callable[[Connection], T]) -> T:
        return self.db.run(unit)

    async def read(self, unit: Callable[[Connection], T]) -> T:
        return self.db.run(unit)


@dataclass
class Worker:
    """One process: its name is new with every start."""

    name: str
    db: InlineDatabase
    place: Place
    truth: Truth
    eager: bool = False
    house: House = field(init=False)
    account: Account = field(init=False)
    grip: Grip | None = None
    cancelled: bool = False
    at: str = ""
    _turn: Iterator[str] | None = None

    def __post_init__(self) -> None:
        clock = self.truth.clock
        self.account = Account(
            integration=BOX,
            user=ROBIN,
            owner=OWNER,
            mailbox=self.place,
            policy=Policy(draft=frozenset({Category.NEEDS_REPLY}), never_draft_for=()),
            signature="Robin",
            since_s=None,
        )
        self.house = House(
            store=AtOnce(self.db),
            clock=clock,
            worker=OwnerId(self.name),
            keeper=Keeper(self.db, clock, ttl_s=SETTINGS.lease_ttl_s),
            settings=SETTINGS,
            mark_secret=SECRET,
            read=lambda *_: _unread(),
            aside=at_once,
            sole=False,
            accounts={BOX: self.account},
        )

    @property
    def idle(self) -> bool:
        return self._turn is None

    def take(self) -> bool:
        """Take a due thread, if there is one and nothing is in work."""
        if self._turn is not None:
            return False
        started_s = self.truth.clock.boot_s()
        before = {
            str(thread): owner is not None or bool(orphaned)
            for thread, owner, orphaned in self.db.ask("SELECT thread, owner, orphaned FROM leases")
        }
        taken = self.db.run(
            lambda conn: leases.take_due(
                conn, self.house.worker, ttl_ms=60_000, limit=1, allowed={BOX}, alone=True
            )
        )
        for held in taken.held:
            self.truth.taken(held, after_death=before[held.thread])
            term = Term(started_s=started_s, ttl_s=SETTINGS.lease_ttl_s)
            # Nothing is cancelled from outside here, and a scope needs an event loop.
            scope = cast("CancelScope", None)
            self.grip = Grip(held=held, term=term, clock=self.truth.clock, scope=scope)
            self._turn, self.at, self.cancelled = self._work(self.grip), "leased", False
        return bool(taken.held)

    def step(self) -> str:
        """One step on; gives where it is now, "" at its end."""
        if self._turn is not None:
            try:
                self.at = next(self._turn, "")
            except StorageError:
                self.at = ""
            if not self.at:
                self._turn = self.grip = None
        return self.at

    def run(self, until: str = "") -> bool:
        """Go on to a step, or to the end; False when that step did not come."""
        while self._turn is not None and self.at != until:
            self.step()
        return self.at == until

    def renew(self) -> None:
        """What the keeper does: renew, or stop the work when the lease is in doubt."""
        grip = self.grip
        if grip is None:
            return
        started_s = self.truth.clock.boot_s()
        kept = self.db.run(lambda conn: leases.keep(conn, grip.held, 60_000)) is not None
        mine = self.truth.holder.get(grip.held.thread) == (grip.held.owner, grip.held.fence)
        if mine != kept:
            self.truth.wrong("a renewal and the last taking name different holders")
        if kept:
            grip.renewed(started_s)
        else:
            self.cancelled = True

    def crash(self) -> None:
        """Die. What has left may still arrive."""
        if self._turn is not None:
            self.truth.seen[f"died after {self.at}"] += 1
        self._turn, self.grip, self.at = None, None, ""

    # one turn of work

    def _work(self, grip: Grip) -> Iterator[str]:
        held = grip.held
        record = self.db.run(lambda conn: reading.record(conn, BOX, held.thread))
        turn = Turn(house=self.house, account=self.account, grip=grip, record=record)
        if held.takes >= QUARANTINE_AFTER:
            self._quarantine(turn)
            return
        yield "read"
        yield from self._track(turn)
        act = self._plan(turn)
        yield "planned"
        if self.cancelled:
            return
        if act is None:
            self._end(turn, turn.again_at_ms)
            return
        self.seq, self.snapshot_s = self.place._seq, self.truth.clock.database_s()
        effect = self._effect(turn, act)
        if effect is None:
            self._end(turn, self.truth.now + ending.MOVED_WAIT_MS)
            return
        yield "staged"
        if not self.cancelled:
            yield from self._guarded(turn, effect)

    def _track(self, turn: Turn) -> Iterator[str]:
        for draft in turn.record.drafts:
            if not draft.open:
                continue
            mark = mark_of(SECRET, draft.intent)
            beside = drafting.refs_beside(draft, turn.record.drafts)
            ref = drafting.draft_ref(draft, mark, turn.record.scope, beside)
            where = run_now(self.place.draft(ref))
            yield "asked"
            if self.cancelled:
                return
            still = draft
            if tracking.is_news(draft, where):
                lag_ms = self.house.schedule_for(self.account).lag_ms
                before = self._draft_row(draft.id)
                still, again_at = self.db.run(
                    lambda conn, d=draft, w=where, ms=lag_ms: tracking.follow(conn, d, w, ms)  # type: ignore[misc]
                )
                turn.again_at_ms = again_at or turn.again_at_ms
                self._hold_no_stale_change(turn.grip.held, draft.id, before)
            if still.open:
                turn.open_drafts.append(still)

    def _draft_row(self, draft: int) -> object:
        return self.db.ask("SELECT state, ref, missing_at FROM drafts WHERE id = ?", draft)

    def _hold_no_stale_change(self, held: Held, draft: int, before: object) -> None:
        self.truth.seen["followed a draft"] += 1
        if self.truth.holder.get(held.thread) != (held.owner, held.fence):
            self.truth.seen["followed a draft without the lease"] += 1

    def _plan(self, turn: Turn) -> Act | None:
        for draft in turn.open_drafts:
            if draft.discard_asked_by is not None and draft.state is DraftState.HELD:
                return RemoveDraft(draft=draft.id)
        mail = turn.record.mail
        if not mail or mail[-1].folder == Folder.SENT:
            return None
        known = reading.known(turn.record, turn.open_drafts)
        answer = mail[-1].identity
        if not self.eager and (_occupied(known) or _asked_before(known.asked.get(answer))):
            return None
        return CreateDraft(answer=len(mail) - 1, identity=answer, envelope=ENVELOPE)

    def _effect(self, turn: Turn, act: Act) -> Effect | None:
        record, prior = turn.record, self._prior(turn, act)
        place, recorder = place_of(turn), ending.recorder(turn)
        if isinstance(act, RemoveDraft):
            draft = next(one for one in turn.open_drafts if one.id == act.draft)
            mark, beside = (
                mark_of(SECRET, draft.intent),
                drafting.refs_beside(draft, turn.record.drafts),
            )
            return drafting.remove(place, draft, mark, prior, recorder, others=beside)
        snapshot = run_now(self.place.snapshot(record.scope))
        known = {message.identity for message in record.messages}
        if any(one.heads.identity not in known for one in snapshot.news):
            return None
        (question,) = [one for one in record.mail if one.identity == act.identity][:1]
        envelope = replace(
            act.envelope,
            subject=f"Re: {record.row.subject.removeprefix('Re: ')}",
            in_reply_to=question.message_id,
            references=(question.message_id or "",),
        )
        act = replace(act, envelope=envelope)
        now = self.truth.clock.now()
        making = drafting.create(place, act, "Yes.", snapshot, prior, now, recorder, {})
        return run_now(making)

    def _prior(self, turn: Turn, act: Act) -> Intent | None:
        if isinstance(act, CreateDraft):
            return prior_create(turn.record, act.identity)
        draft = next(one for one in turn.open_drafts if one.id == act.draft)
        return prior_removal(turn.record, draft)

    def _guarded(self, turn: Turn, effect: Effect) -> Iterator[str]:
        started_s = self.truth.clock.boot_s()
        claimed = self._claim(turn, effect)
        if isinstance(claimed, Refused):
            run_now(effect.unclaimed())
            self._refused(turn, claimed)
            return
        turn.grip.renewed(started_s)
        yield "claimed"
        outcome: Outcome
        if self.cancelled:
            outcome = Unknown(reason="cancelled")
        elif not turn.grip.allows(effect.asked.call_timeout_s):
            self.truth.seen["never left"] += 1
            self.truth.void.add((claimed.id, claimed.attempt))
            outcome = Rejected(reason="never left", passing=True)
        else:
            yield "allowed"
            outcome = run_now(effect.call(claimed))
        yield "answered"
        self._record(turn, effect, claimed, outcome)

    def _claim(self, turn: Turn, effect: Effect) -> Intent | Refused:
        asked = effect.asked
        try:
            claimed = self.db.run(lambda conn: claim(conn, asked))
        except CommitUnknownError:
            found = self.db.run(lambda conn: intents.by_key(conn, asked.key))
            mine = (self.name, asked.held.fence, dict(asked.token))
            if found is None or (found.owner, found.fence, dict(found.token)) != mine:
                return Refused(why=Refusal.THREAD_MOVED)
            self.truth.seen["a claim whose COMMIT failed was there"] += 1
            claimed = found
        if isinstance(claimed, Refused):
            self.truth.seen[f"refused: {claimed.why.name}"] += 1
            return claimed
        self._hold_the_claim(turn, claimed)
        return claimed

    def _hold_the_claim(self, turn: Turn, claimed: Intent) -> None:
        """Everything that a claim has to have checked, by the books."""
        truth, held = self.truth, turn.grip.held
        wrong = truth.wrong
        if truth.holder.get(held.thread) != (held.owner, held.fence):
            wrong("a claim by a worker that does not hold the lease")
        if truth.now < truth.grace.get(held.thread, 0):
            wrong("a claim while an earlier worker may still be writing")
        row = turn.record.row
        (now,) = self.db.ask(
            "SELECT generation, message_set FROM threads WHERE thread = ?", held.thread
        )
        if now != (row.generation, row.message_set):
            wrong("a claim for a thread that changed after it was read")
        number = int(row.subject.rpartition(" ")[2])
        for other in self.db.run(lambda conn: intents.of_thread(conn, BOX, held.thread)):
            is_open = other.state in (IntentState.CALLING, IntentState.UNKNOWN)
            if is_open and other.id != claimed.id and not truth.is_freed(other, number):
                wrong(f"a claim beside the open call {other.id[:6]}")
        if claimed.kind is Kind.CREATE_DRAFT:
            self._hold_the_place(held, number)
            truth.seen["called again"] += claimed.attempt > 1

    def _hold_the_place(self, held: Held, number: int) -> None:
        """No draft was to be seen, and none was on record."""
        wrong = self.truth.wrong
        for one in self.place.messages(Folder.DRAFTS):
            if number_of(one) == number and self.place.is_visible(one, self.seq, self.snapshot_s):
                wrong(f"a draft was claimed beside {one.ref}, which the snapshot showed")
        if any(draft.open for draft in self._recorded(held)):
            wrong("a draft was claimed beside one that is on record")

    def _recorded(self, held: Held) -> list[Draft]:
        return list(self.db.run(lambda conn: reading.record(conn, BOX, held.thread)).drafts)

    def _refused(self, turn: Turn, refused: Refused) -> None:
        now = self.truth.now
        match refused.why:
            case Refusal.LEASE_LOST:
                return
            case Refusal.THREAD_MOVED | Refusal.RECONCILE_FIRST | Refusal.PAUSED:
                self._end(turn, now + ending.MOVED_WAIT_MS)
            case Refusal.DRAFT_HELD | Refusal.OWNER_DRAFT:
                self._end(turn, now + ending.UNSEEN_WAIT_MS)
            case _:
                self._end(turn, refused.until or turn.again_at_ms)

    def _record(self, turn: Turn, effect: Effect, claimed: Intent, outcome: Outcome) -> None:
        rows = self.db.ask("SELECT state, attempt FROM intents WHERE id = ?", claimed.id)
        if rows != [("calling", claimed.attempt)]:
            self.truth.seen["a late answer"] += 1
        while True:
            try:
                self._finish(turn, lambda conn: record(conn, effect.record(claimed, outcome)))
            except CommitUnknownError:
                found = self.db.run(lambda conn: intents.by_id(conn, claimed.id))
                if found is None or (found.state, found.attempt) == (
                    IntentState.CALLING,
                    claimed.attempt,
                ):
                    continue
                self.truth.released(turn.grip.held)
            except StorageError:
                self.truth.seen["an outcome could not be stored"] += 1
                if turn.grip.term.remaining_s(self.truth.clock.boot_s()) > 0:
                    continue
            return

    def _end(self, turn: Turn, again_at: int | None) -> None:
        self._finish(turn, lambda conn: ending.finish_now(conn, turn, again_at=again_at))

    def _finish(self, turn: Turn, unit: Callable[[Connection], object]) -> None:
        held = turn.grip.held
        mine = self.truth.holder.get(held.thread) == (held.owner, held.fence)
        asked_anew = self._dues(held) != turn.record.row.dues
        before = self._rows(held)
        self.db.run(unit)
        self.truth.released(held)
        (due,) = self.db.ask("SELECT due_at FROM threads WHERE thread = ?", held.thread)
        if mine and asked_anew and due[0] is None:
            self.truth.wrong("the end of work cleared a due that came after it had read")
        if not mine:
            self.truth.seen["a stale end of work"] += 1
            if self._rows(held) != before:
                self.truth.wrong("a stale worker changed the lease or what is known of the thread")

    def _dues(self, held: Held) -> int:
        return self.db.run(lambda conn: threads.dues(conn, BOX, held.thread))

    def _rows(self, held: Held) -> object:
        """What nobody but the holder may change at the end of work; a due may always come."""
        return self.db.ask(
            "SELECT l.owner, l.fence, l.expires_at, l.takes, t.failures, t.quarantined_at, "
            "t.no_draft_because, t.triaged_revision FROM leases l JOIN threads t "
            "USING (integration, thread) WHERE l.thread = ?",
            held.thread,
        )

    def _quarantine(self, turn: Turn) -> None:
        self.truth.seen["quarantined"] += 1
        self._finish(turn, lambda conn: ending.set_aside(conn, turn, "the process died"))


def _unread() -> Mail:
    raise AssertionError("the machine reads no mail")
