"""Books of their own that a schedule keeps, and what they hold against the store at each commit.

The house says what it believes; here stands what happened: who took which lease, what left, what
landed, what was heard, what a person said and what the owner did by hand. Each rule is one of
PROTOCOL.md sections 2 to 10, read from outside and written down a second time.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, cast

from typing_extensions import override

from providers.ports import DraftNow, Folder, Look, Whereabouts
from storage.words import WATCH_THREAD, FaultPoint, IntentId, Kind, Ref, Rejected
from tests.simulation import claims, freed, rests
from tests.simulation.place import Dated, Watched
from tests.simulation.rows import CALL_MS, INTENTS, LEASES, THREADS, Heard, Lease, Row, Thread
from tests.support.database import Watch
from tests.support.gate import Gate
from tests.support.world import BOX, World

TRUST_MS: Final = 25_000
"""What must be left of a lease that is trusted for 40 s when a call of 20 s leaves: 60 - 40 + 5."""
LEASE_MS: Final = 60_000


@dataclass(kw_only=True)
class Books(Watch):
    """See the module's text. Times are epoch milliseconds of the database's clock."""

    world: World
    place: Watched
    blind: bool = False
    """Whether calls are asked for blindly, so that nobody has to answer the newest message."""
    intents: dict[str, Row] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    dues: dict[str, int] = field(default_factory=dict)
    threads: dict[str, Thread] = field(default_factory=dict)
    drafts: dict[int, tuple[str, str, int | None]] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    grace: dict[str, int] = field(default_factory=dict)
    rests_until: int = 0
    astray_until: int = 0
    unknowns: int = 0
    last_pass_at: object = None
    left: set[tuple[str, int]] = field(default_factory=set)
    heard: dict[tuple[str, int], Heard] = field(default_factory=dict)
    looks: dict[tuple[str, int], list[tuple[int, Look]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    owned: dict[Ref, bytes] = field(default_factory=dict)
    """Unsent drafts as their owner last saved them."""
    drained: dict[str, int] = field(default_factory=dict)
    """Who was told to end, and how often it had asked for work by then."""
    locked: dict[str, int] = field(default_factory=dict)
    """Intents whose rows somebody else has locked or had, and until when by ``boot``."""
    changed: set[str] = field(default_factory=set)
    """Intents whose rows the transaction that runs now has changed."""
    last: str = ""
    """The process that works when nothing fails any more."""
    gets: dict[Ref, Whereabouts] = field(default_factory=dict)
    """What it was told of recorded drafts, at last."""

    @property
    def now(self) -> int:
        return round(self.world.clock.database_s() * 1000)

    @property
    def boot(self) -> int:
        """What runs on whatever is done to the database's clock, in ms."""
        return round(self.world.clock.boot_s() * 1000)

    @property
    def is_astray(self) -> bool:
        """Whether the database's clock was set forward, so that a holder knows less than it."""
        return self.boot < self.astray_until

    def stepped(self) -> None:
        """The database's clock is set; whoever holds a lease learns of it when it renews it."""
        self.astray_until = self.boot + LEASE_MS

    @property
    def is_locking(self) -> bool:
        """Whether any row is locked now."""
        return any(self.is_locked(intent) for intent in self.locked)

    def is_locked(self, intent: str) -> bool:
        """Whether somebody else has locked the row of this intent."""
        return self.locked.get(intent, 0) > self.boot

    @override
    def see_intent(self, intent: str, *seen: object) -> int:
        self.changed.add(intent)
        return super().see_intent(intent, *seen)  # type: ignore[arg-type]

    def wrong(self, what: str) -> None:
        if what not in self.broken:
            self.broken.append(what)

    # what processes hear, and what leaves them

    def hear(self, by: str, what: str, intent: IntentId, attempt: int, result: object) -> None:
        """A call leaves, or an answer or a look has come back to a living process."""
        if isinstance(result, Dated):
            self.looks[intent, attempt].append((result.at_ms, result))
        elif what == "answer":
            self.heard[intent, attempt] = Heard(by, self.boot, result)
        elif what == "leaves":
            self._leaves(intent, attempt)
        elif what == "draft" and by == self.last:
            ref, now = cast("tuple[Ref, DraftNow]", result)
            self.gets[ref] = now.where

    def _leaves(self, intent: str, attempt: int) -> None:
        self.left.add((intent, attempt))
        row = self.intents.get(intent)
        if row is None or row.attempt < attempt:
            self.wrong(f"{intent[:6]}.{attempt} leaves without a committed intent")
            return
        lease = self.leases[row.thread]
        mine = (lease.owner, lease.fence) == (row.owner, row.fence)
        trusted = mine and lease.expires_at - self.now >= TRUST_MS
        if row.attempt == attempt and not trusted and not self.is_astray:
            self.wrong(f"{row.name} leaves on a lease that can no longer be trusted")

    def drains(self, gate: Gate) -> None:
        """A process is told to end: what it asks for from now on, it may not take any more."""
        self.drained[gate.name] = gate.points[FaultPoint.BEFORE_LEASE]

    def ended(self, gate: Gate, *, hurried: bool) -> None:
        """A process has ended in good order."""
        if gate.fails or gate.stops:
            return
        for row in self.intents.values():
            if row.state == "calling" and row.owner == gate.name:
                self.wrong(f"{gate.name} ended and left {row.name} without an outcome")
        for thread, lease in self.leases.items():
            held = lease.owner == gate.name and lease.expires_at > self.now
            if held and not hurried and thread != WATCH_THREAD:
                self.wrong(f"{gate.name} ended and kept the lease of {thread!r}")

    # each commit

    @override
    def committed(self, raw: sqlite3.Connection) -> None:
        # The database rounds its time to a millisecond, from a day as a float.
        now, before = self.now + 2, self.intents
        leases = self.leases
        self.intents = {row[0]: Row(*row) for row in raw.execute(INTENTS)}
        self._see_leases(raw, now)
        self._see_work(raw, leases)
        dues = {thread: row.dues for thread, row in self.threads.items()}
        for new in self.intents.values():
            old = before.get(new.id)
            if old == new:
                continue
            if new.state == "calling" and (old is None or old.attempt != new.attempt):
                claims.claimed(self, raw, old, new, now)
            elif old is not None and old.state != new.state:
                self._moved_on(old, new, now)
                settled = new.state not in ("calling", "unknown")
                if settled and dues[new.thread] == self.dues.get(new.thread):
                    self.wrong(f"{new.name} is {new.state} and did not wake its thread")
            if old is not None and old.blocks and not new.blocks and new.state == "unknown":
                freed.freed(self, raw, new)
        self._see_replies(raw, before)
        self._see_drafts(raw, now)
        rests.seen(self, raw, before, now)
        self._see_passes(raw)
        self.dues = dues
        self._hold_truth()

    def _see_leases(self, raw: sqlite3.Connection, now: int) -> None:
        before = self.leases
        self.leases = {str(row[0]): Lease(*row[1:]) for row in raw.execute(LEASES)}
        for thread, new in self.leases.items():
            old = before.get(thread)
            if old is None:
                continue
            self._see_deaths(thread, old, new)
            if new.owner is None or (new.owner, new.fence) == (old.owner, old.fence):
                continue
            self._see_taking(thread, new)
            died = old.owner is not None or old.orphaned
            if old.owner is not None and old.expires_at > now:
                self.wrong(f"{thread!r} was taken from a living holder")
            without_end = any(
                row.thread == thread and row.state in ("calling", "unknown") and not row.ended_at
                for row in self.intents.values()
            )
            if died and without_end:
                self.grace[thread] = now + CALL_MS

    def _see_taking(self, thread: str, new: Lease) -> None:
        """Who was told to end takes nothing more; what it had asked for by then it has."""
        asked = self.drained.get(new.owner or "")
        if asked is None or thread == WATCH_THREAD:
            return
        (gate,) = [p.gate for p in self.world.processes if p.gate.name == new.owner]
        if gate.points[FaultPoint.BEFORE_LEASE] > asked:
            self.wrong(f"{new.owner} took {thread!r} after it was told to end")

    def _see_deaths(self, thread: str, old: Lease, new: Lease) -> None:
        """Only a death while alone in work accuses a thread, and each such death does."""
        died = old.owner is not None and new.fence > old.fence
        if new.takes > old.takes and not (died and old.alone):
            self.wrong(f"{thread!r} is accused by a death that was not its own")
        if died and old.alone and new.takes == old.takes:
            self.wrong(f"{thread!r} is not accused by its own death")

    def _moved_on(self, old: Row, new: Row, now: int) -> None:
        lease = self.leases[new.thread]
        if (old.state, new.state) == ("calling", "unknown") and new.ended_at is None:
            mine = (lease.owner, lease.fence) == (old.owner, old.fence)
            if mine and lease.expires_at > now:
                self.wrong(f"{new.name} was swept while its caller lives")
            # Who could not even read what a COMMIT left in doubt leaves it to the sweep.
            steady = {
                p.gate.name for p in self.world.processes if not p.gate.stops and p.gate.fails < 10
            }
            forgotten = (new.id, new.attempt) not in self.left and not self.is_astray
            if forgotten and new.owner in self._awake() & steady:
                self.wrong(f"{new.name} was claimed and then forgotten by a living process")
        own_word = new.state == "unknown" and new.ended_at is not None
        if own_word and (new.id, new.attempt) not in self.left:
            self.wrong(f"{new.name} never left, and its own caller calls it unknown")
        if new.state == "rejected":
            self._rejected(old, new, now)
        looks = self.looks[new.id, new.attempt]
        if new.state == "accepted" and new.settled_by == "sighting" and looks:
            at, seen = looks[-1]
            early = at + 2 < new.base + self._lag_ms()
            if seen.delivered and not seen.found and early and new.kind == Kind.CREATE_DRAFT:
                self.wrong(f"{new.name} is accepted, unseen, before the lag window")

    def _rejected(self, old: Row, new: Row, now: int) -> None:
        if new.settled_by == "person":
            if new.passing:
                self.wrong(f"{new.name}: a person's word is final, and this is to be tried again")
            if now < max(new.base + self._lag_ms(), self.grace.get(new.thread, 0)):
                self.wrong(f"{new.name}: never_happened was taken before the lag window")
            if any(one.mark_of(new.id) for one in self.place.long_shown()):
                self.wrong(f"{new.name}: never_happened was taken, and the draft can be seen")
        heard = self.heard.get((new.id, new.attempt))
        ill = heard is not None and isinstance(heard.outcome, Rejected) and heard.outcome.illness
        if ill and new.settled_by == "call" and new.tries_left < old.tries_left:
            self.wrong(f"{new.name} lost a try to the illness of its mailbox")

    def _see_replies(self, raw: sqlite3.Connection, before: dict[str, Row]) -> None:
        sent = {
            str(ref): (str(thread), int(at))
            for ref, thread, at in raw.execute(
                "SELECT ref, thread, arrived_at FROM messages WHERE folder = 'sent'"
            )
        }
        for ref in sent.keys() - self.sent:
            thread, at = sent[ref]
            for row in self.intents.values():
                old = before.get(row.id)
                open_still = old is not None and old.state == row.state == "unknown" and row.blocks
                if row.thread == thread and open_still and at >= row.claimed_at:
                    self.wrong(f"{row.name} blocks though its owner answered by hand")
        self.sent |= sent.keys()

    def _see_drafts(self, raw: sqlite3.Connection, now: int) -> None:
        """A direct get says twice that a draft is gone; one of two is gone when one is left."""
        before = self.drafts
        self.drafts = {
            int(one): (str(intent), str(state), missing)
            for one, intent, state, missing in raw.execute(
                "SELECT id, intent, state, missing_at FROM drafts"
            )
        }
        for one, (intent, state, _) in self.drafts.items():
            _, was, missing = before.get(one, ("", "", None))
            if state != "gone" or was not in ("held", "edited"):
                continue
            counted = intent in self.intents and self.intents[intent].settled_by == "count"
            if not counted and (missing is None or now < missing + self._lag_ms()):
                self.wrong(f"draft {one} is gone after one look")

    def _see_work(self, raw: sqlite3.Connection, leases: dict[str, Lease]) -> None:
        """What a turn of work found out is written under its own lease and no other."""
        before, writer = self.threads, self.world.db.writer
        self.threads = {str(row[0]): Thread(*row[1:]) for row in raw.execute(THREADS)}
        for thread, new in self.threads.items():
            old = before.get(thread)
            ended = old is not None and new.triaged != old.triaged
            if old is not None and old.due_at is not None and new.due_at is None:
                ended = True
            if ended and leases[thread].owner != writer:
                self.wrong(f"{writer} ends its work in {thread!r} under a lease that was another's")

    def _see_passes(self, raw: sqlite3.Connection) -> None:
        """Only who holds the watcher's lease ends a pass over the mailbox."""
        row = raw.execute(
            "SELECT last_pass_at FROM mailboxes WHERE integration = ?", (BOX,)
        ).fetchone()
        ended = row[0] if row is not None else None
        writer = self.world.db.writer
        if ended != self.last_pass_at and self.leases[WATCH_THREAD].owner != writer:
            self.wrong(f"{writer} noted under a watcher's lease that was another's")
        self.last_pass_at = ended

    def _hold_truth(self) -> None:
        """What is called refused did not happen, and what is called done did."""
        for row in self.intents.values():
            if row.kind != Kind.CREATE_DRAFT or row.settled_by in (None, "person"):
                continue
            if row.state == "rejected" and self.has_landed(row.id, row.attempt):
                self.wrong(f"{row.name} is rejected by {row.settled_by} and happened")
            if row.state == "accepted" and not self.has_landed(row.id, None):
                self.wrong(f"{row.name} is accepted by {row.settled_by} and never happened")

    def has_landed(self, intent: str, attempt: int | None) -> bool:
        return any(
            effect.intent == intent and attempt in (None, effect.attempt)
            for effect in self.place.journal.effects
            if effect.kind is Kind.CREATE_DRAFT
        )

    def _lag_ms(self) -> int:
        return int(min(self.world.settings.lag_s, self.place.profile.lag_s) * 1000)

    def _awake(self) -> set[str]:
        return {p.gate.name for p in self.world.processes if not (p.gate.dead or p.gate.stopped)}

    # at the end

    def at_the_end(self) -> list[str]:
        """What the owner saved lies as they saved it; two drafts of ours are told of."""
        lying = {one.ref: one.raw for one in self.place.messages(Folder.DRAFTS)}
        found = [
            f"{ref}, which its owner had saved, was changed or removed"
            for ref, raw in self.owned.items()
            if lying.get(ref) != raw
        ]
        for one, ref in self.world.db.ask("SELECT id, ref FROM drafts WHERE state = 'held'"):
            if self.gets.get(Ref(str(ref))) is Whereabouts.EDITED:
                found.append(f"draft {one} was edited, a direct get said so, and it is held")
        for one, ref, intent in self.world.db.ask(
            "SELECT id, ref, intent FROM drafts WHERE state = 'held' "
            "AND discard_asked_by IS NOT NULL"
        ):
            refused = any(
                row.kind == Kind.REMOVE_DRAFT
                and json.loads(row.plan).get("draft") == one
                and row.state == "rejected"
                for row in self.intents.values()
            )
            if ref in lying and not refused:
                found.append(f"draft {one} of {str(intent)[:6]} is not wanted and lies there still")
        return found

    def unrecorded(self) -> list[str]:
        """Answers that a process heard which still lives, and of which nothing is on record."""
        # Whose store did not answer for as long as its lease lasts has given the answer up.
        cut_off = {p.gate.name for p in self.world.processes if p.gate.fails > 10}
        alive, found = self._awake() - cut_off, []
        for (intent, attempt), heard in self.heard.items():
            if intent in self.locked or heard.by not in alive or heard.at + 90_000 > self.boot:
                continue
            known = self.world.db.ask(
                "SELECT 1 FROM evidence WHERE intent = ? AND attempt = ? AND kind IN "
                "('answer', 'late_answer')",
                intent,
                attempt,
            )
            if not known:
                found.append(f"the answer to {intent[:6]}.{attempt} was heard and is not on record")
        return found
