"""The rules of the state machine, from single steps to whole scenarios."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from typing_extensions import override

from assistant.commands import review
from providers.ports import Folder, Look
from storage import fences, mailboxes
from storage.words import Action, ItemKind
from tests.machine.ground import SEEN, Ground
from tests.machine.hands import Worker
from tests.machine.model import Act, Place, number_of
from tests.support.database import CommitFault
from tests.support.mails import edited, follow_up, own_reply, question
from tests.support.world import BOX, ROBIN

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


class Machine(Ground):
    """See the text of ``tests.machine.test_state_machine``."""

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
        if self.held_pass is not None and self.held_pass[0] is self.workers[which]:
            self.held_pass = None
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

    @precondition(lambda self: self.held_pass is None)
    @rule(which=WORKER)
    def list_mail(self, which: int) -> None:
        """A listing that is noted later."""
        listed = self._list(self.workers[which])
        if listed is not None:
            self.held_pass = self.workers[which], listed

    @precondition(lambda self: self.held_pass is not None)
    @rule()
    def note_what_was_listed(self) -> None:
        if self.held_pass is not None:
            held, self.held_pass = self.held_pass, None
            self._note_listed(*held)

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

    @precondition(lambda self: self.held_pass is None)
    @rule(which=WORKER, number=NUMBER, overtaken=st.booleans())
    def list_for_long(self, which: int, number: int, overtaken: bool) -> None:
        """a listing that takes its time -> another watches meanwhile -> what was listed is noted.

        What the owner did in between only the other one knows.
        """
        self.list_mail(which)
        self.owner_writes(number, Folder.DRAFTS)
        self.owner_lets_go(number, "for good")
        if overtaken:
            self.sleep(61)
            self._note(self.workers[1 - which])
        self.note_what_was_listed()

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
        self.held_look = self.held_pass = None
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
