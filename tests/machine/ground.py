"""What the state machine stands on: its world, short cuts, and what holds after each step."""

from __future__ import annotations

import itertools
import random
import uuid
from collections import Counter
from unittest.mock import patch

from hypothesis import currently_in_test_context, event
from hypothesis.stateful import RuleBasedStateMachine, invariant

from assistant.commands import review
from assistant.commands.deciding import RefusedError, candidates
from assistant.commands.review import CommandError, Decision
from assistant.effects import drafting, tracking
from assistant.effects.looks import record_look
from assistant.effects.sweep import sweep
from assistant.loops import noting, reading
from assistant.loops.reconciler import Reconciler, _as_look
from providers.mime.marks import mark_of
from providers.ports import Changes, DraftNow, Folder, Look, Whereabouts
from storage import drafts, evidence, fences, intents, mailboxes, reviews, watches
from storage.intents import Intent
from storage.leases import Held, LeaseLostError, release
from storage.receipts import ConflictError
from storage.reviews import Item
from storage.words import WATCH_THREAD, Action, IntentId, IntentState, ItemKind, Kind, Ref
from tests.machine.hands import Worker
from tests.machine.model import Eyes, Place, Truth, run_now
from tests.support.clock import FakeClock
from tests.support.database import InlineDatabase
from tests.support.world import BOX, SECRET, SETTINGS

SEEN: Counter[str] = Counter()
"""What all runs together came across."""


class Ground(RuleBasedStateMachine):
    """Holds no rule; see ``tests.machine.machine``."""

    def __init__(self) -> None:
        super().__init__()
        draw = random.Random(7)
        self._ids = patch.object(
            uuid, "uuid4", lambda: uuid.UUID(int=draw.getrandbits(128), version=4)
        )
        self._ids.start()
        self.place: Place
        self.workers: list[Worker] = []
        self.eager = False
        self.clock = FakeClock()
        self.db = InlineDatabase(self.clock)
        self.eyes = Eyes()
        self.db.watch = self.eyes
        self.truth = Truth(self.db, self.clock)
        self.count = itertools.count(1)
        self.receipts: dict[str, tuple[Decision, str]] = {}
        self.dues: dict[str, int] = {}
        self.held_look: tuple[Intent, Look] | None = None
        self.held_pass: tuple[Worker, noting.Pass] | None = None
        self._told: set[str] = set()

    # helpers

    def _start(self) -> Worker:
        return Worker(f"w{next(self.count)}", self.db, self.place, self.truth, eager=self.eager)

    def _note(self, worker: Worker) -> None:
        """One pass over the mailbox, if the watcher's lease can be had."""
        listed = self._list(worker)
        if listed is not None:
            self._note_listed(worker, listed)

    def _list(self, worker: Worker) -> noting.Pass | None:
        """Take the watcher's lease and list everything there is."""
        held = self._watch(worker)
        if held is None:
            return None
        changes = run_now(self.place.changes(None, since=None, known=_nothing))
        refs = {message.ref for message in self.place.messages()}
        gone = [
            str(ref) for (ref,) in self.db.ask("SELECT ref FROM messages WHERE gone_at IS NULL")
        ]
        whole = Changes(
            cursor={},
            seen=changes.seen,
            vanished=tuple(Ref(ref) for ref in gone if ref not in refs),
        )
        row = self.db.run(lambda conn: mailboxes.load(conn, BOX))
        return noting.Pass(
            held=held,
            came_from=row.cursor if row is not None else None,
            changes=whole,
            lag_ms=worker.house.schedule_for(worker.account).lag_ms,
        )

    def _watch(self, worker: Worker) -> Held | None:
        died = self.db.ask(
            "SELECT 1 FROM leases WHERE thread = ? AND (owner IS NOT NULL OR orphaned)",
            WATCH_THREAD,
        )
        ttl_ms, name = SETTINGS.lease_ttl_ms, worker.house.worker
        taken = self.db.run(lambda conn: watches.take(conn, BOX, name, ttl_ms, alone=True))
        if taken.held is not None:
            self.truth.taken(taken.held, after_death=bool(died))
        elif taken.set_aside:
            # Whoever looks after the mailbox wants it tried again.
            self.truth.seen["a mailbox was set aside"] += 1
            self.truth.holder[WATCH_THREAD] = None
            self.db.run(lambda conn: fences.forgive(conn, BOX, WATCH_THREAD))
        return taken.held

    def _note_listed(self, worker: Worker, listed: noting.Pass) -> None:
        """Note a listing; a watcher that was overtaken since writes nothing."""
        held = listed.held
        mine = self.truth.holder.get(held.thread) == (held.owner, held.fence)
        before = self._what_noting_writes()
        try:
            run_now(noting.note(worker.house, worker.account, listed))
        except LeaseLostError:
            self.truth.seen["a watcher was overtaken"] += 1
            if mine:
                self.truth.wrong("a watcher that holds its lease could not note")
        else:
            if not mine:
                self.truth.wrong("a watcher noted under a lease that was another's")
        if not mine and self._what_noting_writes() != before:
            self.truth.wrong("a watcher that was overtaken wrote something")
        self.db.run(lambda conn: release(conn, held))
        self.truth.released(held)

    def _what_noting_writes(self) -> object:
        return [
            self.db.ask(f"SELECT * FROM {table}")  # noqa: S608 -- fixed names
            for table in ("messages", "threads", "intents", "mailboxes", "leases")
        ]

    def _search(self, intent: Intent) -> Look:
        worker = self.workers[0]
        record = self.db.run(lambda conn: reading.record(conn, BOX, intent.thread))
        if intent.kind is Kind.CREATE_DRAFT:
            facts = self.db.run(lambda conn: evidence.of_intent(conn, intent.id))
            reconciler = Reconciler(worker.house)
            look = run_now(self.place.look(reconciler._request(intent, record, facts)))
            return run_now(reconciler._with_recorded(worker.account, intent, record, look))
        draft = next(one for one in record.drafts if one.id == intent.plan["draft"])
        beside = drafting.refs_beside(draft, record.drafts)
        ref = drafting.draft_ref(draft, mark_of(SECRET, draft.intent), record.scope, beside)
        now = run_now(self.place.draft(ref))
        if self.db.run(lambda conn: tracking.is_another(conn, draft, now)):
            now = DraftNow(where=Whereabouts.ABSENT)
        return _as_look(now)

    def _record_look(self, intent: Intent, look: Look) -> None:
        house = self.workers[0].house
        finding = self.db.run(
            lambda conn: record_look(
                conn,
                intent.id,
                intent.attempt,
                look,
                house.schedule_for(self.workers[0].account),
            )
        )
        if finding is not None:
            self.truth.seen[f"look: {finding}"] += 1
            if look.complete and not look.found and not look.delivered:
                self.truth.clean[intent.id, intent.attempt].append(self.truth.now)

    def _look(self, intent: Intent) -> None:
        self._record_look(intent, self._search(intent))

    def _due_looks(self) -> list[Intent]:
        return self.db.run(lambda conn: intents.with_looks_due(conn, self.truth.now))

    def _sweep(self) -> None:
        timing = self.workers[0].house.timing
        swept = self.db.run(lambda conn: sweep(conn, timing))
        self.truth.seen["swept"] += len(swept)

    def _unsettled(self) -> list[Intent]:
        return self.db.run(lambda conn: intents.in_state(conn, IntentState.UNKNOWN))

    def _items(self, *kinds: ItemKind) -> list[Item]:
        found = self.db.run(reviews.listed)
        return [one for one in found if not kinds or one.kind in kinds]

    def _decide(self, item: Item, action: Action, key: str) -> None:
        ref = None
        if action in (Action.ADOPT, Action.NOT_OURS, Action.IT_EXISTS):
            named = self.db.run(lambda conn: candidates(conn, IntentId(item.about)))
            ref = named[-1] if named else None
        decision = Decision(items=(item.id,), action=action, key=key, ref=ref)
        if action is Action.NEVER_HAPPENED and item.kind is ItemKind.OUTCOME_UNKNOWN:
            intent = self.db.run(lambda conn: intents.by_id(conn, IntentId(item.about)))
            if intent is not None:
                self._look(intent)
        before = self.db.ask("SELECT count(*), max(attempt) FROM intents")
        aim = self._aim(item)
        try:
            answer = self.db.run(
                lambda conn: review._perform(conn, self.workers[0].house, decision)
            )
        except (RefusedError, CommandError):
            self.truth.seen[f"refused to {action}"] += 1
            return
        except ConflictError:
            if key not in self.receipts or self.receipts[key][0] == decision:
                self.truth.wrong("a replay was called a conflict")
            return
        if self.db.ask("SELECT count(*), max(attempt) FROM intents") != before:
            self.truth.wrong("a command itself began a call")
        known = self.receipts.setdefault(key, (decision, answer.operation))
        if known != (decision, answer.operation):
            self.truth.wrong("a receipt names another operation than before")
        if not answer.replayed:
            self.truth.seen[f"a person: {action}"] += 1
            self._said(item, action, aim)

    def _aim(self, item: Item) -> object:
        if item.kind is ItemKind.OUTCOME_UNKNOWN:
            return self.db.run(lambda conn: intents.by_id(conn, IntentId(item.about)))
        if item.kind is ItemKind.DRAFT_READY:
            return self.db.run(lambda conn: drafts.one(conn, int(item.about)))
        return None

    def _said(self, item: Item, action: Action, aim: object) -> None:
        if isinstance(aim, Intent) and action is not Action.NOT_OURS:
            self.truth.freed.add((aim.id, aim.attempt))
        if isinstance(aim, drafts.Draft) and action is Action.DISCARD:
            self.truth.discards.add(aim.ref)
            if aim.ref in self.truth.owned:
                self.truth.seen["discard asked of an edited draft"] += 1
        if isinstance(aim, drafts.Draft) and action is Action.KEEP:
            self.truth.discards.discard(aim.ref)

    # what must hold after each step

    @invariant()
    def the_promises_hold(self) -> None:
        if hasattr(self, "place"):
            self.hold_everything()

    def hold_everything(self) -> None:
        self._hold_the_moves()
        self._hold_what_is_shown()
        self._hold_the_owners_drafts()
        broken = [*self.truth.broken, *self.eyes.broken]
        assert not broken, "; ".join(broken)

    def _hold_the_moves(self) -> None:
        """A settled intent says what is true, and woke its thread."""
        moved, self.eyes.moved = self.eyes.moved, []
        dues = {str(t): int(str(n)) for t, n in self.db.ask("SELECT thread, dues FROM threads")}
        for intent_id, old, new, by in moved:
            self.truth.seen[f"{old} to {new} by {by}"] += 1
            (row,) = self.db.ask(
                "SELECT thread, kind, attempt, state, passing FROM intents WHERE id = ?", intent_id
            )
            thread, kind, attempt, state, passing = (str(value) for value in row)
            settled = new not in (IntentState.CALLING, IntentState.UNKNOWN)
            if settled and dues[thread] == self.dues.get(thread, -1):
                self.truth.wrong(f"{old} to {new} did not wake its thread")
            if (new, by) == (IntentState.REJECTED, "person") and state == new and passing != "0":
                self.truth.wrong("a person's word is final, and this one is to be tried again")
            if state == new and by != "person":
                self._hold_true(intent_id, Kind(kind), int(attempt), new, f"{new} by {by}")
        self.dues = dues

    def _hold_true(
        self, intent: str, kind: Kind, attempt: int, state: IntentState, said: str
    ) -> None:
        # A removal is settled by a direct get, which may take an owner's own draft for a successor.
        if kind is not Kind.CREATE_DRAFT:
            return
        landed = self.truth.landed[intent]
        if state is IntentState.ACCEPTED and not landed:
            self.truth.wrong(f"{intent[:6]} is {said} and never happened")
        if state is IntentState.REJECTED and attempt in landed:
            self.truth.wrong(f"{intent[:6]} is {said} and had happened")
        if state is IntentState.REJECTED and (intent, attempt) not in self.truth.void:
            self.truth.wrong(f"{intent[:6]} is {said} without a proof")

    def _hold_what_is_shown(self) -> None:
        """What is unknown is shown, and blocks until it is freed; two drafts are told of."""
        shown = {
            str(about): str(kind)
            for about, kind in self.db.ask(
                "SELECT about, kind FROM review_items WHERE state = 'open' AND hidden = 0"
            )
        }
        for intent in self._unsettled():
            dismissed = (intent.id, intent.attempt) in self.truth.freed
            if shown.get(intent.id) != ItemKind.OUTCOME_UNKNOWN and not dismissed:
                self.truth.wrong(f"unknown intent {intent.id[:6]} is not shown")
            number = self._number_of(intent)
            if not intent.blocks and not self.truth.is_freed(intent, number):
                self.truth.wrong(f"unknown intent {intent.id[:6]} blocks no more, for no reason")
            if intent.blocks and intent.next_look_at is None:
                self.truth.wrong(f"unknown intent {intent.id[:6]} blocks and is looked for no more")
        open_drafts = self.db.ask(
            "SELECT thread, count(DISTINCT ref) FROM drafts WHERE state IN ('held', 'edited') "
            "GROUP BY thread HAVING count(DISTINCT ref) > 1"
        )
        for thread, _ in open_drafts:
            told = self.db.ask(
                "SELECT 1 FROM review_items WHERE thread = ? AND kind = 'duplicated' "
                "AND (state = 'open' OR closed_by != 'facts')",
                thread,
            )
            self.truth.seen["two drafts on record"] += 1
            if not told:
                self.truth.wrong(f"{thread} has two drafts on record and nobody is told")

    def _number_of(self, intent: Intent) -> int:
        (row,) = self.db.ask("SELECT subject FROM threads WHERE thread = ?", intent.thread)
        return int(str(row[0]).rpartition(" ")[2])

    def _hold_the_owners_drafts(self) -> None:
        lying = {one.ref: one.raw for one in self.place.messages(Folder.DRAFTS)}
        for ref, raw in self.truth.owned.items():
            if lying.get(ref) != raw:
                self.truth.wrong(f"{ref}, which its owner had saved, was changed or removed")
        for name in set(self.truth.seen) - self._told if currently_in_test_context() else ():
            self._told.add(name)
            event(name)

    def _hold_what_is_calm(self) -> None:
        told = {
            str(thread)
            for (thread,) in self.db.ask(
                "SELECT thread FROM review_items WHERE kind = 'duplicated' "
                "AND (state = 'open' OR closed_by != 'facts')"
            )
        }
        lying: Counter[str] = Counter()
        for one in self.place.messages(Folder.DRAFTS):
            known = self.truth.ours.get(one.ref)
            if known is not None and one.heads.mark is not None:
                (row,) = self.db.ask("SELECT thread FROM intents WHERE id = ?", known[0])
                lying[str(row[0])] += 1
        for thread, number in lying.items():
            if number > 1:
                self.truth.seen["two drafts of ours, when calm"] += 1
                if thread not in told:
                    self.truth.wrong(f"{number} drafts of ours lie in {thread}, and nobody is told")


async def _nothing(_: object) -> frozenset[Ref]:
    return frozenset()
