"""Schedules of the guarded call alone: claim, call, record, sweep, look, takeover.

Two processes call into one thread, blindly (see ``tests.simulation.callers``). The first numbers
are every single fault of every await, COMMIT and fault point of a call, on each way that a provider
may take; the numbers after them draw several faults and what comes between from the number itself.
The same number gives the same schedule.

    python -m tests.simulation.calls --from 0 --count 100000 --keep-going
    python -m tests.simulation.calls 4711
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import anyio

from assistant.commands.deciding import RefusedError
from assistant.commands.review import CommandError
from storage.errors import StorageError
from storage.receipts import ConflictError
from storage.words import ACTIONS, Action, IntentState, ItemKind, ThreadId
from tests.simulation.callbooks import CallBooks
from tests.simulation.callers import Ask, Caller
from tests.simulation.cases import HOWS, SAME, Case, Step, afterwards, drawn
from tests.simulation.faults import each_alone
from tests.simulation.opening import Opening, opening
from tests.simulation.place import WatchedHands
from tests.simulation.running import parser, run_all
from tests.simulation.schedule import seeded_ids
from tests.support.clock import quiesce
from tests.support.gate import KilledError, RestlessError
from tests.support.invariants import broken
from tests.support.mails import edited
from tests.support.quick import QuickDatabase
from tests.support.remembered import remembered
from tests.support.world import World, _until_killed

MOST: Final = 2_000


@dataclass
class Calls:
    """One schedule of calls."""

    case: Case
    begin: Opening
    draw: random.Random = field(default_factory=lambda: random.Random(0))
    log: list[str] = field(default_factory=list)
    world: World = field(init=False)
    books: CallBooks = field(init=False)
    callers: list[Caller] = field(init=False)

    def __post_init__(self) -> None:
        lag_s, stages = self.case.lag_s, self.case.stages
        self.world = World(
            hands=lambda clock: WatchedHands(clock, lag_s=lag_s, stages=stages),
            store=QuickDatabase,
        )
        hands = self.world.hands
        assert isinstance(hands, WatchedHands)
        self.begin.put_into(self.world)
        self.books = CallBooks(world=self.world, place=hands.watched)
        self.books.open(self.world.db)
        self.world.plan.delay_s = self.case.delay_s
        self.world.plan.add("create", *self.case.hows)
        self.world.plan.add("look", *self.case.looks)
        self.callers = [self._caller(), self._caller()]
        for who, fault in self.case.faults:
            fault.put_into(self.callers[who])

    def _caller(self) -> Caller:
        process = self.world.process()
        gate, thread = process.gate, ThreadId(self.begin.thread)
        gate.most = MOST
        gate.ear = lambda *heard: self.books.hear(gate.name, *heard)
        return Caller(process, thread, self.books.wrong)

    def say(self, what: str) -> None:
        """Note what happens, for whoever reads a failure."""
        self.log.append(f"{self.world.clock.boot_s() - 5000:8.2f} {what}")

    async def run(self) -> list[str]:
        """Run to the end; every promise that was broken."""
        self.say(f"{self.case.name}: {', '.join(self.case.hows)}, staged: {self.case.stages}")
        for who, fault in self.case.faults:
            self.say(f"p{who + 1} will meet: {fault}")
        async with self.world.background() as group:
            for step in self.case.steps:
                await self._step(group, step)
                await self._settle()
            self._go_on()
            await self._advance(130.0)
            unrecorded = self.books.unrecorded()
            self._bury()
        await self._end()
        return [*broken(self.world), *unrecorded, *self._open(), *self._untold()]

    async def _step(self, group: anyio.abc.TaskGroup, step: Step) -> None:
        match step:
            case ("wait", float(seconds)):
                await self._advance(seconds)
            case ("skip", float(seconds)):
                self.say(f"nobody runs for {seconds} s")
                self.world.clock.skip(seconds)
            case ("go on",):
                self._go_on()
            case ("land",):
                self.say("what was late lands")
                await self.world.box.land()
            case ("owner", str(act)):
                self._owner(act)
            case ("set", float(seconds)):
                self.say(f"the database's clock is set by {seconds} s")
                self.world.clock.database_off_s += seconds
                self.books.stepped()
            case ("stop", int(who)):
                self.say(f"{self.callers[who].process.gate.name} stops")
                self.callers[who].process.gate.stop()
            case _:
                self._begin(group, step)

    def _begin(self, group: anyio.abc.TaskGroup, step: Step) -> None:
        """Have a process begin something that goes on beside the schedule."""
        match step:
            case ("turn", int(who), Ask() as ask):
                self._start(group, who, f"asks: {ask}", lambda one: one.turn(ask))
            case ("beside", int(who), Ask() as ask):
                what = f"asks beside what it does: {ask}"
                self._start(group, who, what, lambda one: one.turn(ask), is_beside=True)
            case ("look", int(who)):
                self._start(group, who, "looks", lambda one: one.look())
            case ("say", Action() as action):
                self._start(group, 1, f"hears {action}", lambda one: self._decide(one, action))
            case ("glance", int(who)):
                known = self.world.intents()
                if known:
                    intent = self.draw.choice(known)
                    self._start(group, who, f"looks at {intent.id[:6]}", lambda c: c.glance(intent))
            case _:
                raise ValueError(step)

    def _start(
        self,
        group: anyio.abc.TaskGroup,
        who: int,
        what: str,
        work: Callable[[Caller], Awaitable[object]],
        *,
        is_beside: bool = False,
    ) -> None:
        caller = self.callers[who]
        gate = caller.process.gate
        if gate.dead:
            caller = self.callers[who] = self._caller()
        elif gate.stopped or (caller.busy and not is_beside):
            return
        self.say(f"{caller.process.gate.name} {what}")

        async def run() -> None:
            await work(caller)

        group.start_soon(_until_killed, run)

    def _go_on(self) -> None:
        for process in self.world.processes:
            if process.gate.stopped and not process.gate.dead:
                self.say(f"{process.gate.name} goes on")
                process.gate.go_on()

    def _owner(self, act: str) -> None:
        drafts = self.world.drafts()
        if not drafts:
            return
        lying = drafts[-1]
        self.say(f"the owner does {act} to {lying.ref}")
        if act == "edit":
            self.world.hands.edit(lying.ref, edited(lying.raw))
        elif act == "send":
            self.world.hands.send(lying.ref)
        else:
            self.world.hands.delete(lying.ref)

    async def _decide(self, caller: Caller, action: Action) -> None:
        items = [one for one in self.world.items() if action in ACTIONS[one.kind]]
        if not items:
            return
        number, key = items[-1].id, f"k{len(self.log)}"
        try:
            await caller.process.decide(number, action, key=key)
        except (RefusedError, CommandError, StorageError, ConflictError) as error:
            self.say(f"refused: {type(error).__name__}: {error}")

    async def _settle(self) -> None:
        await quiesce()
        for process in self.world.processes:
            if process.gate.dead and not process.gate.buried:
                self.say(f"{process.gate.name} died at {process.gate.crossed[-1]}")
                process.gate.bury()
        await quiesce()
        self.books.compare()

    async def _advance(self, seconds: float) -> None:
        clock = self.world.clock
        until_s = clock.boot_s() + seconds
        await self._settle()
        while clock.next_wake_s is not None and clock.boot_s() + clock.next_wake_s < until_s:
            clock.skip(max(0.0, clock.next_wake_s))
            await self._settle()
        clock.skip(max(0.0, until_s - clock.boot_s()))
        await self._settle()

    def _bury(self) -> None:
        for process in self.world.processes:
            process.gate.bury()
        self.world.clock.wake_everybody()

    async def _end(self) -> None:
        """Nothing fails any more: what is open is looked for until there is no look to come."""
        world = self.world
        self.say("calm")
        world.plan._left.clear()
        world.clock.skip(61.0)
        await world.box.land()
        last = world.process(sole=True)
        last.gate.most = MOST
        last.gate.ear = lambda *heard: self.books.hear("last", *heard)
        while True:
            await world.drive(last.reconcile)
            due = world.db.ask("SELECT min(next_look_at) FROM intents")[0][0]
            if due is None:
                break
            world.clock.skip(max(1.0, int(str(due)) / 1000 - world.clock.database_s()))

    def _open(self) -> list[str]:
        return [
            f"intent {one.id[:6]} is still being called"
            for one in self.world.intents()
            if one.state is IntentState.CALLING
        ]

    def _untold(self) -> list[str]:
        """Two drafts of ours on record in the thread, of which nobody is told."""
        made = {draft.intent for draft in self.world.records() if draft.open}
        if len(made) < 2 or self.world.items(ItemKind.DUPLICATED, closed=True):
            return []
        return [f"{len(made)} intents have a draft on record in one thread, and nobody is told"]


async def singles(begin: Opening) -> list[Case]:
    """Every fault alone, wherever it can happen in a call, on every way of the provider."""
    found = []
    for how in HOWS:
        for stages in (True, False):
            plain = Case(
                name="alone", hows=(how,), stages=stages, steps=[("turn", 0, SAME), ("wait", 30.0)]
            )
            probe = Calls(plain, begin)
            with seeded_ids(0):
                await probe.run()
            for number, fault in enumerate(each_alone(probe.callers[0].process.gate)):
                found += afterwards(how, fault, number, stages=stages)
    return found


@dataclass
class Runner:
    """Runs schedules by their number; what all of them share is made once."""

    begin: Opening
    first: list[Case]

    @classmethod
    async def made(cls) -> Runner:
        """The opening, and the faults that can happen alone."""
        with remembered():
            begin = await opening()
            return cls(begin, await singles(begin))

    def case(self, number: int) -> Case:
        """What happens in this schedule."""
        return self.first[number] if number < len(self.first) else drawn(number)

    async def run(self, number: int) -> Calls | None:
        """Run one; gives it back, with what it broke in its log, when it broke a promise."""
        with seeded_ids(number), remembered():
            calls = Calls(self.case(number), self.begin, random.Random(number))
            try:
                found = await calls.run()
            except (Exception, BaseExceptionGroup, RestlessError, KilledError) as error:  # noqa: BLE001
                # Whatever it is, the number is told with it.
                found = [*calls.books.broken, f"{type(error).__name__}: {error}"]
        if not found:
            return None
        calls.log += ["", *found]
        return calls


def main() -> None:
    """Run schedules of calls from the command line."""

    async def prepare(_: argparse.Namespace) -> Callable[[int], Awaitable[Calls | None]]:
        return (await Runner.made()).run

    run_all(parser(__doc__).parse_args(), prepare)


if __name__ == "__main__":
    main()
