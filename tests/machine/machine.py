"""The rules of the state machine, and what must hold after each of them."""

from __future__ import annotations

import itertools
import random
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final
from unittest.mock import patch

from hypothesis import currently_in_test_context, event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from typing_extensions import override

from assistant.commands import review
from assistant.commands.deciding import RefusedError, candidates
from assistant.commands.review import CommandError, Decision
from assistant.effects import drafting
from assistant.effects.looks import record_look
from assistant.effects.sweep import sweep
from assistant.loops import noting, reading
from assistant.loops.reconciler import Reconciler, _as_look
from providers.mime.marks import mark_of
from providers.ports import Changes, Folder, Look
from storage import drafts, fences, intents, mailboxes, reviews
from storage.intents import Intent
from storage.receipts import ConflictError
from storage.reviews import Item
from storage.words import Action, IntentId, IntentState, ItemKind, Kind, Ref
from tests.machine.hands import Worker
from tests.machine.model import Act, Eyes, Place, Truth, number_of, run_now
from tests.support.clock import FakeClock
from tests.support.database import CommitFault, InlineDatabase
from tests.support.mails import edited, follow_up, own_reply, question
from tests.support.world import BOX, ROBIN, SECRET

SEEN: Counter[str] = Counter()
"""What all runs together came across."""

SECONDS = st.sampled_from([1, 5, 6, 20, 61, 61, 120, 600, 601, 3_600, 21_600, 86_400, 90_000])
POINTS = st.sampled_from(
    ["leased", "read", "asked", "planned", "staged", "claimed", "allowed", "answered"]
)
LATE_POINTS = st.sampled_from(["asked", "staged", "claimed", "allowed", "answered"])
ACTS = st.sampled_from([*[Act.PASS] * 4, *[Act.LOSE] * 2, *Act])
LOST = st.sampled_from([Act.LOSE, Act.DROP, Act.LATE])
FAULTS = st.sampled_from([*[None] * 12, *CommitFault])
WHICH = st.integers(0, 5)
WORKER = st.integers(0, 1)
NUMBER = st.integers(1, 2)
FREEING = st.sampled_from([Action.DISMISS, Action.NEVER_HAPPENED, Action.IT_EXISTS])
EDITS = st.tuples(st.booleans(), st.booleans())
LEAVING = st.sampled_from(["send", "trash", "for good"])


class Machine(RuleBasedStateMachine):
    """See the text of ``tests.machine.test_state_machine``."""

    def __init__(self) -> None:
        super().__init__()
        draw = random.Random(7)
        self._ids = patch.object(
            uuid, "uuid4", lambda: uuid.UUID(int=draw.getrandbits(128), version=4)
        )
        self._ids.start()
        self.clock = FakeClock()
        self.db = InlineDatabase(self.clock)
        self.eyes = Eyes()
        self.db.watch = self.eyes
        self.truth = Truth(self.db, self.clock)
        self.count = itertools.count(1)
        self.receipts: dict[str, tuple[Decision, str]] = {}
        self.dues: dict[str, int] = {}
        self.held_look: tuple[Intent, Look] | None = None
        self._told: set[str] = set()

    @initialize(
        stages=st.booleans(), lag_s=st.sampled_from([0.0, 45.0, 600.0]), eager=st.booleans()
    )
    def begin(self, stages: bool, lag_s: float, eager: bool) -> None:
        self.place = Place(self.truth, lag_s=lag_s, stages=stages)
        self.eager = eager
        self.workers = [self._start(), self._start()]
        self.db.run(lambda conn: mailboxes.ensure(conn, BOX, ROBIN, "memory"))
        self.mail(1)
        self.sleep(6)

    @override
    def teardown(self) -> None:
        try:
            if hasattr(self, "place"):
                self.calm_down()
                self.hold_everything()
        finally:
            self._ids.stop()
            SEEN.update(self.truth.seen)
            SEEN.update({f"{old} to {new}": n for (old, new), n in self.eyes.moves.items()})

    # helpers

    def _start(self) -> Worker:
        return Worker(f"w{next(self.count)}", self.db, self.place, self.truth, eager=self.eager)

    def _note(self, worker: Worker) -> None:
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
        run_now(noting.note(worker.house, worker.account, whole))

    def _search(self, intent: Intent) -> Look:
        worker = self.workers[0]
        record = self.db.run(lambda conn: reading.record(conn, BOX, intent.thread))
        if intent.kind is Kind.CREATE_DRAFT:
            facts = self.db.run(lambda conn: intents.evidence_of(conn, intent.id))
            request = Reconciler(worker.house)._request(intent, record, facts)
            return run_now(self.place.look(request))
        draft = next(one for one in record.drafts if one.id == intent.plan["draft"])
        ref = drafting.draft_ref(draft, mark_of(SECRET, draft.intent), record.scope)
        return _as_look(run_now(self.place.draft(ref)))

    def _record_look(self, intent: Intent, look: Look) -> None:
        house = self.workers[0].house
        finding = self.db.run(
            lambda conn: record_look(
                conn,
                intent.id,
                intent.attempt,
                look,
                house.schedule_for(self.workers[0].account),
                house.timing,
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

    # fine rules: the daemon

    @rule(which=WORKER, eager=st.booleans())
    def take(self, which: int, eager: bool) -> None:
        self.workers[which].eager = eager
        self.workers[which].take()

    @rule(which=WORKER, act=ACTS, fault=FAULTS, steps=st.integers(1, 3))
    def step(self, which: int, act: Act, fault: CommitFault | None, steps: int) -> None:
        self.place.act = act
        self.db.faults[:] = [] if fault is None else [fault]
        for _ in range(steps):
            self.workers[which].step()
        self.db.faults.clear()

    @rule(which=WORKER, act=ACTS)
    def turn(self, which: int, act: Act) -> None:
        self.place.act = act
        self.workers[which].take()
        self.workers[which].run()

    @rule(which=WORKER)
    def renew(self, which: int) -> None:
        self.workers[which].renew()

    @rule(which=WORKER)
    def crash(self, which: int) -> None:
        self.workers[which].crash()
        self.workers[which] = self._start()

    @rule()
    def restart(self) -> None:
        """Everything dies, and one process comes back that knows it."""
        for which in (0, 1):
            self.crash(which)
        self.db.run(fences.take_over_all)
        for thread in self.truth.holder:
            self.truth.holder[thread] = None
        self.truth.seen["restarted"] += 1

    @rule(which=WORKER)
    def note(self, which: int) -> None:
        self._note(self.workers[which])

    @rule()
    def sweep(self) -> None:
        self._sweep()

    @rule(complete=st.booleans())
    def look(self, complete: bool) -> None:
        for intent in self._due_looks():
            if complete:
                self._look(intent)
            else:
                self._record_look(intent, Look(complete=False))

    @rule()
    def search(self) -> None:
        """A look whose finding is recorded later."""
        due = self._due_looks()
        if due and self.held_look is None:
            self.held_look = due[0], self._search(due[0])

    @precondition(lambda self: self.held_look is not None)
    @rule()
    def record_what_was_searched(self) -> None:
        if self.held_look is not None:
            self.truth.seen["a late look"] += 1
            held, self.held_look = self.held_look, None
            self._record_look(*held)

    @rule(seconds=SECONDS)
    def sleep(self, seconds: int) -> None:
        self.clock.skip(seconds)

    @rule()
    def land(self) -> None:
        self.place.land()

    # fine rules: people

    @rule(number=NUMBER)
    def mail(self, number: int) -> None:
        again = next(self.count)
        first = not any(number_of(one) == number for one in self.place.messages(Folder.INBOX))
        self.place.deliver(question(number) if first else follow_up(number, again))
        self._note(self.workers[0])

    @rule(number=NUMBER, folder=st.sampled_from([Folder.SENT, Folder.DRAFTS]))
    def owner_writes(self, number: int, folder: Folder) -> None:
        raw = own_reply(number, f"Words {next(self.count)}.")
        ref = self.place.deliver(raw, folder, unread=False)
        if folder is Folder.SENT:
            self.truth.sent_at[number].append(self.truth.now)
        else:
            self.truth.owned[ref] = raw

    @rule(which=WHICH, how=EDITS)
    def owner_edits(self, which: int, how: tuple[bool, bool]) -> None:
        keeps_mark, moves = how
        lying = self.place.messages(Folder.DRAFTS)
        if lying:
            one = lying[which % len(lying)]
            raw = edited(one.raw, f"Mine {next(self.count)}.", keeps_mark=keeps_mark)
            self.place.saves(one.ref, raw, moves=moves)

    @rule(which=WHICH, how=LEAVING)
    def owner_lets_go(self, which: int, how: str) -> None:
        lying = self.place.messages(Folder.DRAFTS)
        if lying:
            self.place.leaves(lying[which % len(lying)].ref, how)

    @rule(which=WHICH)
    def owner_takes_back(self, which: int) -> None:
        trashed = self.place.messages(Folder.TRASH)
        if trashed:
            self.place.back(trashed[which % len(trashed)].ref)

    @rule(which=WHICH, action=st.sampled_from(list(Action)), key=st.sampled_from("abcdef"))
    def decide(self, which: int, action: Action, key: str) -> None:
        items = self._items()
        if items:
            self._decide(items[which % len(items)], action, f"{key}{next(self.count) // 9}")

    @rule(which=WHICH)
    def ask_again(self, which: int) -> None:
        """The same command once more, whatever became of its item."""
        known = list(self.receipts.values())
        if known:
            decision, operation = known[which % len(known)]
            answer = self.db.run(
                lambda conn: review._perform(conn, self.workers[0].house, decision)
            )
            if (answer.operation, answer.replayed) != (operation, True):
                self.truth.wrong("a command was done again under its old key")

    # rules of the size of a scenario

    def _due_thread(self, worker: Worker, number: int) -> bool:
        """Have *worker* hold a thread that wants a draft, if one can be had."""
        if worker.idle and not worker.take():
            self.mail(number)
            self.sleep(6)
            worker.take()
        return not worker.idle

    @rule(which=WORKER, number=NUMBER, until=POINTS, act=LOST, retaken=st.booleans())
    def die_and_sweep(self, which: int, number: int, until: str, act: Act, retaken: bool) -> None:
        """claim -> effect -> crash -> sweep -> looks, and somebody who takes the thread again."""
        worker = self.workers[which]
        if not self._due_thread(worker, number):
            return
        self.place.act = act
        worker.run(until)
        self.crash(which)
        self.sleep(61)
        other = self.workers[1 - which]
        if retaken and other.idle and other.take():
            self.place.act = Act.PASS
            other.run()
        self._sweep()
        self.look(True)
        if not retaken:
            self.workers[which].take()
            self.workers[which].run()

    @rule(
        which=WORKER,
        number=NUMBER,
        until=LATE_POINTS,
        act=ACTS,
        seconds=SECONDS,
        meets=st.sampled_from(["", "leased", "staged"]),
    )
    def outlive_the_lease(
        self, which: int, number: int, until: str, act: Act, seconds: int, meets: str
    ) -> None:
        """wait past the lease -> another takes and redoes -> the first goes on."""
        worker, other = self.workers[which], self.workers[1 - which]
        if not self._due_thread(worker, number) or not worker.run(until):
            return
        self.sleep(61)
        other.run()
        other.eager = True
        if other.take():
            self.truth.seen[f"retaken from one that stopped at {until}"] += 1
            other.run(meets)
        self._sweep()
        if not meets:
            self.sleep(seconds)
        self.place.act = act
        worker.run()
        other.run()

    @rule(which=WORKER, number=NUMBER, until=POINTS)
    def meet_a_message(self, which: int, number: int, until: str) -> None:
        """work under way -> another message -> the end of that work."""
        worker = self.workers[which]
        if self._due_thread(worker, number) and worker.run(until) and worker.grip is not None:
            row = self.db.ask(
                "SELECT subject FROM threads WHERE thread = ?", worker.grip.held.thread
            )[0]
            self.mail(int(str(row[0]).rpartition(" ")[2]))
            worker.run()

    @rule(number=NUMBER, act=LOST, how=st.sampled_from(["", "land", "look", "trash"]))
    def search_for_long(self, number: int, act: Act, how: str) -> None:
        """lost answer -> a look that takes its time -> what happened meanwhile -> its record."""
        if not self._lose(number, act):
            return
        self.sleep(6)
        self.search()
        if how == "look":
            self.look(True)
        if how == "land":
            self.land()
        for one in self.place.messages(Folder.DRAFTS)[:1] if how == "trash" else ():
            self.place.leaves(one.ref, how)
        self.sleep(61)
        self.record_what_was_searched()

    @rule(which=WORKER, number=NUMBER, seconds=st.sampled_from([30, 45]))
    def stall_and_try_again(self, which: int, number: int, seconds: int) -> None:
        """claim -> too late for the call -> never left -> the same key once more."""
        worker = self.workers[which]
        if self._due_thread(worker, number) and worker.run("claimed"):
            self.sleep(seconds)
            worker.run()
            self.sleep(6)
            worker.take()
            worker.run()

    @rule(number=NUMBER, act=st.sampled_from([Act.TWICE, Act.TWICE_LOST]), how=LEAVING)
    def double(self, number: int, act: Act, how: str) -> None:
        """the provider makes two of one -> both are seen -> the owner lets one go."""
        worker = self.workers[0]
        if not self._due_thread(worker, number):
            return
        self.place.act = act
        worker.run()
        self.sleep(601)
        self._note(worker)
        self.look(True)
        for one in self.place.messages(Folder.DRAFTS)[-1:]:
            self.place.leaves(one.ref, how)
        self._note(worker)
        self.sleep(6)
        self.look(True)

    def _lose(self, number: int, act: Act) -> bool:
        """Have a call end unknown."""
        worker = self.workers[0]
        if not self._due_thread(worker, number):
            return False
        self.place.act = act
        worker.run()
        return bool(self._unsettled())

    @rule(number=NUMBER, act=LOST, early=st.booleans())
    def look_to_the_end(self, number: int, act: Act, early: bool) -> None:
        """lost answer -> looks to their end -> second message -> what was late lands."""
        if not self._lose(number, act):
            return
        for _ in range(12):
            due = [at for at in self.db.ask("SELECT min(next_look_at) FROM intents")[0] if at]
            if not due or (early and self.truth.now > 700_000 + int(str(due[0]))):
                break
            self.clock.skip(max(0.0, (int(str(due[0])) - self.truth.now) / 1000))
            self.look(True)
            if early:
                break
        self._second_message(number)

    @rule(number=NUMBER, act=LOST, action=FREEING, seconds=SECONDS)
    def free_by_word(self, number: int, act: Act, action: Action, seconds: int) -> None:
        """lost answer -> a person's word -> second message -> what was late lands."""
        if not self._lose(number, act):
            return
        self.sleep(seconds)
        for item in self._items(ItemKind.OUTCOME_UNKNOWN):
            self._decide(item, action, f"word {next(self.count)}")
        self._second_message(number)

    @rule(number=NUMBER, act=LOST)
    def answer_by_hand(self, number: int, act: Act) -> None:
        """lost answer -> the owner answers -> second message -> what was late lands."""
        if self._lose(number, act):
            self.owner_writes(number, Folder.SENT)
            self._second_message(number)

    def _second_message(self, number: int) -> None:
        self.sleep(2)
        self.mail(number)
        self.sleep(6)
        for worker in self.workers:
            worker.run()
            worker.eager = True
        self.workers[1].take()
        self.workers[1].run()
        self.place.land()
        self.sleep(601)
        self._note(self.workers[0])
        self.look(True)

    @rule(number=NUMBER, meanwhile=st.sampled_from(["", "edit", "move", "send", "trash"]), act=ACTS)
    def discard(self, number: int, meanwhile: str, act: Act) -> None:
        """a draft -> its owner wants it gone -> changes their mind by hand -> the removal."""
        worker = self.workers[0]
        if self._due_thread(worker, number):
            worker.run()
        for item in self._items(ItemKind.DRAFT_READY)[:1]:
            self._decide(item, Action.DISCARD, f"discard {next(self.count)}")
        if not worker.take() or not worker.run("staged"):
            return
        for one in self.place.messages(Folder.DRAFTS)[:1]:
            if meanwhile in ("edit", "move"):
                raw = edited(one.raw, f"Mine {next(self.count)}.")
                self.place.saves(one.ref, raw, moves=meanwhile == "move")
            elif meanwhile:
                self.place.leaves(one.ref, meanwhile)
        self.place.act = act
        worker.run()
        self.sleep(6)
        self.look(True)

    @rule()
    def calm_down(self) -> None:
        """Nothing fails any more: whatever can be known becomes known, and the rest is shown."""
        self.held_look = None
        self.restart()
        self.place.land()
        for _ in range(3):
            self.sleep(601)
            self._note(self.workers[0])
            self._sweep()
            self.look(True)
            for _ in range(6):
                if not self.workers[0].take():
                    break
                self.workers[0].run()
        stuck = self.db.ask("SELECT id FROM intents WHERE state = 'calling'")
        if stuck:
            self.truth.wrong(f"{stuck} are being called by nobody")
        self._hold_what_is_calm()

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
                "SELECT thread, kind, attempt, state FROM intents WHERE id = ?", intent_id
            )
            thread, kind, attempt, state = (str(value) for value in row)
            settled = new not in (IntentState.CALLING, IntentState.UNKNOWN)
            if settled and dues[thread] == self.dues.get(thread, -1):
                self.truth.wrong(f"{old} to {new} did not wake its thread")
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


WALKS: Final[Mapping[str, Mapping[str, Sequence[object]]]] = {
    "take": {"which": (0, 1), "eager": (False, True)},
    "step": {"which": (0, 1), "act": list(Act), "fault": [None, *CommitFault], "steps": (1, 2, 3)},
    "note": {"which": (0, 1)},
    "look": {"complete": (True, True, False)},
    "sleep": {"seconds": (1, 6, 61, 601, 90_000)},
    "mail": {"number": (1, 2)},
    "owner_writes": {"number": (1, 2), "folder": (Folder.SENT, Folder.DRAFTS)},
    "owner_lets_go": {"which": range(4), "how": ("send", "trash", "for good")},
    "owner_takes_back": {"which": range(4)},
    "decide": {"which": range(4), "action": list(Action), "key": "abc"},
    "die_and_sweep": {
        "which": (0, 1),
        "number": (1, 2),
        "until": ("staged", "claimed", "allowed", "answered"),
        "act": (Act.LOSE, Act.DROP, Act.LATE),
        "retaken": (False, True),
    },
    "outlive_the_lease": {
        "which": (0, 1),
        "number": (1, 2),
        "until": ("asked", "staged", "claimed", "allowed", "allowed", "answered"),
        "act": list(Act),
        "seconds": (1, 61, 90_000),
        "meets": ("", "", "leased", "staged"),
    },
    "look_to_the_end": {
        "number": (1, 2),
        "act": (Act.LOSE, Act.DROP, Act.LATE),
        "early": (False, True),
    },
    "free_by_word": {
        "number": (1, 2),
        "act": (Act.LOSE, Act.LATE),
        "action": (Action.DISMISS, Action.NEVER_HAPPENED, Action.IT_EXISTS),
        "seconds": (1, 700),
    },
    "answer_by_hand": {"number": (1, 2), "act": (Act.LOSE, Act.LATE)},
    "meet_a_message": {"which": (0, 1), "number": (1, 2), "until": ("read", "staged", "answered")},
    "search_for_long": {
        "number": (1, 2),
        "act": (Act.LOSE, Act.DROP, Act.LATE),
        "how": ("", "land", "look", "trash"),
    },
    "stall_and_try_again": {"which": (0, 1), "number": (1, 2), "seconds": (30, 45)},
    "double": {
        "number": (1, 2),
        "act": (Act.TWICE, Act.TWICE_LOST),
        "how": ("send", "trash", "for good"),
    },
    "discard": {"number": (1, 2), "meanwhile": ("", "edit", "move", "send"), "act": list(Act)},
    "restart": {},
    "calm_down": {},
}
"""Rules and what a plain walk gives them."""


def walk(number: int, steps: int) -> None:
    """Walk through the rules at random; the same number is the same walk."""
    draw = random.Random(number)
    machine = Machine()
    try:
        machine.begin(
            stages=draw.random() < 0.5,
            lag_s=draw.choice([0.0, 45.0, 600.0]),
            eager=draw.random() < 0.5,
        )
        for _ in range(steps):
            name = draw.choice(list(WALKS))
            values = {key: draw.choice(list(of)) for key, of in WALKS[name].items()}
            getattr(machine, name)(**values)
            machine.hold_everything()
    finally:
        machine.teardown()


async def _nothing(_: object) -> frozenset[Ref]:
    return frozenset()
