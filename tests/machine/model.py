"""The mailbox of the state machine, and what is really true in it.

The mailbox is the one in memory, driven without an event loop, with answers that get lost and
effects that land late. ``Truth`` keeps books of its own: what was called, what landed, who freed
which thread, what the owner touched. Every promise is checked against those books and never
against what the code under test says of itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeVar

from typing_extensions import override

from providers.memory import MemoryMailbox
from providers.memory.messages import Message
from providers.mime.marks import intent_of
from providers.ports import DraftRef, Folder, Look, LookRequest, Staged, ThreadScope
from storage import intents
from storage.intents import Intent
from storage.leases import Held
from storage.words import IntentId, IntentState, Kind, Outcome, Ref, Rejected, Unknown
from tests.support.clock import FakeClock
from tests.support.database import InlineDatabase, Watch
from tests.support.world import SECRET

T = TypeVar("T")

CALL_MS: Final = 20_000
LAST_LOOK_MS: Final = 86_400_000
_S = IntentState
LEGAL: Final[Mapping[tuple[IntentState, IntentState], frozenset[str | None]]] = {
    (_S.CALLING, _S.ACCEPTED): frozenset({"call"}),
    (_S.CALLING, _S.REJECTED): frozenset({"call"}),
    (_S.CALLING, _S.UNKNOWN): frozenset({None}),
    (_S.UNKNOWN, _S.ACCEPTED): frozenset({"sighting", "late", "person"}),
    (_S.UNKNOWN, _S.REJECTED): frozenset({"proof", "late", "person"}),
    (_S.UNKNOWN, _S.DUPLICATED): frozenset({"count"}),
    (_S.ACCEPTED, _S.DUPLICATED): frozenset({"count"}),
    (_S.DUPLICATED, _S.ACCEPTED): frozenset({"count"}),
    (_S.REJECTED, _S.CALLING): frozenset({None}),
    (_S.REJECTED, _S.ACCEPTED): frozenset({"sighting", "late"}),
    (_S.UNKNOWN, _S.CALLING): frozenset({None}),
}
"""The protocol's table of moves, written down a second time; None: no cause is stored."""


def run_now(work: Awaitable[T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        next(work.__await__())
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("it waits for something")


class Act(StrEnum):
    """What the mailbox does with a call."""

    PASS = "pass"
    LOSE = "lose"  # done, and the answer is lost
    DROP = "drop"  # never arrived, and nobody can say so
    LATE = "late"  # lands long after the caller gave up
    TWICE = "twice"  # done twice, by the provider itself
    TWICE_LOST = "twice, lost"
    REFUSE = "refuse"
    BUSY = "busy"
    QUOTA = "quota"


LOST: Final = frozenset({Act.LOSE, Act.TWICE_LOST})


@dataclass
class Eyes(Watch):
    """Also holds every move against the table above, and remembers it."""

    moved: list[tuple[str, IntentState, IntentState, str | None]] = field(default_factory=list)

    @override
    def _moved(self, intent: str, old: IntentState, new: IntentState, by: str | None) -> None:
        Watch._moved(self, intent, old, new, by)
        settled = new not in (_S.CALLING, _S.UNKNOWN)
        if (by if settled else None) not in LEGAL.get((old, new), ()):
            self.broken.append(f"the protocol knows no way from {old} to {new} by {by}")
        self.moved.append((intent, old, new, by))


@dataclass
class Truth:
    """What happened, whoever believes what. Times are epoch milliseconds."""

    db: InlineDatabase
    clock: FakeClock
    seen: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    calls: Counter[tuple[str, int]] = field(default_factory=Counter)
    void: set[tuple[str, int]] = field(default_factory=set)
    """Attempts that are proved to have had no effect."""
    landed: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    freed: set[tuple[str, int]] = field(default_factory=set)
    odd: set[Ref] = field(default_factory=set)
    """Drafts that the provider doubled or the owner took out of the trash."""
    ours: dict[Ref, tuple[str, int]] = field(default_factory=dict)
    owned: dict[Ref, bytes] = field(default_factory=dict)
    """Unsent drafts as their owner last saved them."""
    discards: set[Ref] = field(default_factory=set)
    sent_at: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    holder: dict[str, tuple[str, int] | None] = field(default_factory=dict)
    fences: dict[str, int] = field(default_factory=dict)
    grace: dict[str, int] = field(default_factory=dict)
    clean: dict[tuple[str, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    @property
    def now(self) -> int:
        return round(self.clock.database_s() * 1000)

    def wrong(self, what: str) -> None:
        self.broken.append(what)

    def taken(self, held: Held, *, after_death: bool) -> None:
        """A worker has taken a thread; its fence must be above every earlier one."""
        if held.fence <= self.fences.get(held.thread, -1):
            self.wrong(f"fence {held.fence} of {held.thread!r} was given out before")
        if self.holder.get(held.thread) is not None and not after_death:
            self.wrong(f"{held.thread!r} was taken from a living holder")
        self.fences[held.thread] = held.fence
        self.holder[held.thread] = (held.owner, held.fence)
        open_ended = self.db.ask(
            "SELECT 1 FROM intents WHERE thread = ? AND ended_at IS NULL AND kind != 'notify' "
            "AND state IN ('calling', 'unknown')",
            held.thread,
        )
        if after_death and open_ended:
            self.seen["taken over from an open call"] += 1
            self.grace[held.thread] = self.now + CALL_MS

    def released(self, held: Held) -> None:
        if self.holder.get(held.thread) == (held.owner, held.fence):
            self.holder[held.thread] = None

    def called(self, kind: Kind, intent: str, attempt: int) -> None:
        """A call has left: its attempt must be committed, new, and the earlier ones proved void."""
        rows = self.db.ask("SELECT attempt, state FROM intents WHERE id = ?", intent)
        if not rows or int(str(rows[0][0])) < attempt:
            self.wrong(f"{kind} of {intent[:6]}.{attempt} was called without a committed intent")
        if rows and rows[0][1] != "calling":
            self.seen["called after it was given up"] += 1
        self.calls[intent, attempt] += 1
        if self.calls[intent, attempt] > 1:
            self.wrong(f"{kind} of {intent[:6]}.{attempt} was called twice")
        if kind is Kind.CREATE_DRAFT:
            for earlier in range(1, attempt):
                if (intent, earlier) not in self.void:
                    self.wrong(f"{intent[:6]}.{attempt} repeats a call that may have had an effect")

    def is_freed(self, intent: Intent, number: int) -> bool:
        """Whether an open call may be passed over: by a word, an answer by hand, ended looks."""
        replied = any(at + 1000 >= intent.claimed_at for at in self.sent_at[number])
        return replied or (intent.id, intent.attempt) in self.freed or self.looks_ended(intent)

    def looks_ended(self, intent: Intent) -> bool:
        """Two clean looks, 60 s apart, the last after the end of the schedule."""
        base = intent.ended_at or intent.claimed_at + intent.call_timeout_ms
        clean = self.clean[intent.id, intent.attempt]
        ends = [at for at in clean if at >= base + LAST_LOOK_MS]
        return any(end - start >= 60_000 for end in ends for start in clean)


@dataclass(frozen=True, slots=True)
class Pending:
    """A call that has left and has not arrived."""

    kind: Kind
    intent: str
    attempt: int
    staged: Staged | None = None
    scope: ThreadScope | None = None
    draft: DraftRef | None = None


class Place(MemoryMailbox):
    """The mailbox in memory without waiting, with faults, and with its books in ``truth``."""

    def __init__(self, truth: Truth, *, lag_s: float, stages: bool) -> None:
        super().__init__(truth.clock, lag_s=lag_s, stages=stages)
        self.truth = truth
        self.act = Act.PASS
        self.pending: list[Pending] = []

    @override
    async def _called(self, name: str) -> None:
        self.journal.call(name)

    @override
    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        intent, attempt = str(staged.token["intent"]), int(str(staged.token["attempt"]))
        self.truth.called(Kind.CREATE_DRAFT, intent, attempt)
        act, self.act = self.act, Act.PASS
        self.truth.seen[f"create: {act}"] += 1
        refused = _refusal(act)
        if refused is not None:
            self.truth.void.add((intent, attempt))
            return refused
        if act is Act.LATE:
            self.pending.append(Pending(Kind.CREATE_DRAFT, intent, attempt, staged, scope))
        if act in (Act.LATE, Act.DROP):
            return Unknown(reason=act)
        outcome = await self._arrive(intent, attempt, staged, scope)
        if act in (Act.TWICE, Act.TWICE_LOST) and not isinstance(outcome, Rejected):
            now = self._clock.now()
            copy = self._add(staged.content, Folder.DRAFTS, now, now, unread=False)
            self.truth.ours[copy.ref] = intent, attempt
            self.truth.odd.add(copy.ref)
        return Unknown(reason=act) if act in LOST else outcome

    async def _arrive(
        self, intent: str, attempt: int, staged: Staged, scope: ThreadScope
    ) -> Outcome:
        before = len(self.journal.effects)
        outcome = await super().create(staged, scope=scope)
        if len(self.journal.effects) == before:
            self.truth.void.add((intent, attempt))
            return outcome
        ref = self.journal.effects[-1].ref or Ref("")
        self.truth.landed[intent].append(attempt)
        self.truth.ours[ref] = intent, attempt
        self._hold_two_apart(ref)
        return outcome

    def _hold_two_apart(self, ref: Ref) -> None:
        """Two unsent drafts of ours lie in a thread only if a freed call made one of them."""
        mine = self._messages[ref]
        for other in self.messages(Folder.DRAFTS):
            if other.ref == ref or other.ref not in self.truth.ours:
                continue
            if number_of(other) != number_of(mine):
                continue
            self.truth.seen["two drafts of ours"] += 1
            if not any(self._is_excused(one.ref) for one in (mine, other)):
                self.truth.wrong(f"{other.ref} and {ref} are two drafts of ours in one thread")

    def _is_excused(self, ref: Ref) -> bool:
        intent, attempt = self.truth.ours[ref]
        if ref in self.truth.odd or (intent, attempt) in self.truth.freed:
            return True
        found = self.truth.db.run(lambda conn: intents.by_id(conn, IntentId(intent)))
        number = number_of(self._messages[ref])
        return found is not None and self.truth.is_freed(found, number)

    @override
    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        self.truth.called(Kind.REMOVE_DRAFT, intent, attempt)
        act, self.act = self.act, Act.PASS
        self.truth.seen[f"remove: {act}"] += 1
        refused = _refusal(act)
        if refused is not None:
            self.truth.void.add((intent, attempt))
            return refused
        if act is Act.LATE:
            self.pending.append(Pending(Kind.REMOVE_DRAFT, intent, attempt, draft=draft))
        if act in (Act.LATE, Act.DROP):
            return Unknown(reason=act)
        outcome = await self._take_away(draft, intent, attempt)
        return Unknown(reason=act) if act in LOST else outcome

    async def _take_away(self, draft: DraftRef, intent: str, attempt: int) -> Outcome:
        lies = draft.ref in self._messages
        outcome = await super().remove(draft, intent=IntentId(intent), attempt=attempt)
        if lies and draft.ref not in self._messages:
            self.truth.landed[intent].append(attempt)
            if draft.ref not in self.truth.discards:
                self.truth.wrong(f"{draft.ref} was removed and nobody had asked for it")
        else:
            self.truth.void.add((intent, attempt))
        return outcome

    @override
    async def look(self, request: LookRequest) -> Look:
        found = await super().look(request)
        if found.proof is not None:
            self.truth.seen["proved never"] += 1
            self.truth.void.add((request.intent, request.attempt))
        return found

    def land(self) -> None:
        """What had left long ago arrives now."""
        waiting, self.pending = self.pending, []
        for one in waiting:
            self.truth.seen["landed late"] += 1
            if one.draft is not None:
                run_now(self._take_away(one.draft, one.intent, one.attempt))
            elif one.staged is not None and one.scope is not None:
                run_now(self._arrive(one.intent, one.attempt, one.staged, one.scope))

    # what its owner does

    def saves(self, ref: Ref, raw: bytes, *, moves: bool) -> None:
        """The owner saves a draft anew, in its place or as another message."""
        if moves:
            self._drop(ref)
            fresh = self.deliver(raw, Folder.DRAFTS, unread=False)
            self.truth.owned.pop(ref, None)
            if ref in self.truth.ours:
                self.truth.ours[fresh] = self.truth.ours[ref]
                self.truth.odd |= {fresh} if ref in self.truth.odd else set()
            ref = fresh
        else:
            self.owner_edits(ref, raw)
        self.truth.owned[ref] = raw

    def leaves(self, ref: Ref, how: str) -> None:
        """The owner sends a draft, or deletes it, into the trash or for good."""
        self.truth.owned.pop(ref, None)
        if how == "send":
            self.truth.sent_at[number_of(self._messages[ref])].append(self.truth.now)
            self.owner_sends(ref)
        else:
            self.owner_deletes(ref, trash=how == "trash")

    def back(self, ref: Ref) -> None:
        """The owner takes a draft out of the trash."""
        intent = intent_of(SECRET, self._messages[ref].heads.mark or "")
        held = self._drop(ref)
        fresh = self.deliver(held.raw, Folder.DRAFTS, unread=False)
        self.truth.odd.add(fresh)
        if intent is not None:
            self.truth.ours[fresh] = intent, (self.truth.landed[intent] or [1])[-1]

    def is_visible(self, one: Message, seq: int, at_s: float) -> bool:
        """Whether a listing made then, when *seq* messages had come, showed it."""
        return one.seq <= seq and one.shown_at.timestamp() <= at_s


def _refusal(act: Act) -> Rejected | None:
    match act:
        case Act.REFUSE:
            return Rejected(reason="no")
        case Act.BUSY:
            return Rejected(reason="busy", passing=True)
        case Act.QUOTA:
            return Rejected(reason="full", passing=True, illness=True)
        case _:
            return None


def number_of(one: Message) -> int:
    """Which of the machine's threads a message belongs to, by its subject."""
    return int(one.heads.subject.rpartition(" ")[2])
