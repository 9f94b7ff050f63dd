"""One schedule: whole workers in one process under a seed, and what must hold at its end.

The same seed gives the same schedule, in whatever process it is run. A schedule has a style, which
leads it to one kind of danger more often than chance would: processes that stop, a fleet, effects
that land late, removals, a person's words, an ill mailbox, pauses, commits that fail, commits that
were lost. The books of ``tests.simulation.books`` are held against the store at each commit.

By hand, single seeds again and long runs::

    python -m tests.simulation.schedule 4711 4712
    python -m tests.simulation.schedule --from 0 --count 100000 --keep-going

The first that breaks a promise is printed with all that happened in it (``--keep-going``: each),
and at the end how many a minute that is on one core. ``--style fleet`` runs one style alone.
"""

from __future__ import annotations

import argparse
import random
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from unittest.mock import patch

import anyio

from providers.memory import Behaviour
from storage import mailboxes
from storage.words import IntentState
from tests.simulation.acts import Acts
from tests.simulation.books import Books
from tests.simulation.ends import at_the_end, late_orphans
from tests.simulation.locked import LockedRows
from tests.simulation.odd import OddMailbox
from tests.simulation.ordered import Ordered
from tests.simulation.place import WatchedHands
from tests.simulation.power import DiskDatabase
from tests.simulation.running import parser, run_all
from tests.simulation.styles import STYLES, Style
from tests.support.clock import FakeClock, quiesce
from tests.support.database import CommitFault
from tests.support.gate import Gate, KilledError, RestlessError
from tests.support.invariants import broken
from tests.support.quick import QuickDatabase
from tests.support.remembered import remembered
from tests.support.world import Process, World, _until_killed

ACTIVE_S = 110.0
"""How long processes come and go, mail arrives and people act; then it is calm."""

MOST = 4_000
"""Crossings of one process; more means that it never rests."""


@contextmanager
def seeded_ids(seed: int) -> Iterator[None]:
    """Random ids that are the same for the same seed."""
    draw = random.Random(seed)

    def uuid4() -> uuid.UUID:
        return uuid.UUID(int=draw.getrandbits(128), version=4)

    with patch.object(uuid, "uuid4", uuid4):
        yield


@dataclass
class Schedule:
    """What happens when, drawn from a seed. *calm*: no faults at all."""

    seed: int
    calm: bool = False
    style: Style | None = None
    world: World = field(init=False)
    books: Books = field(init=False)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)
        lag_s = self._draw.choice([0.0, 0.0, 45.0])
        stages = self._draw.random() < 0.5
        # From a source of its own: a style that is added leaves what the others draw as it is.
        drawn = random.Random(f"style {self.seed}").choice(list(STYLES.values()))
        self._style = self.style or drawn
        self.world = World(
            hands=lambda clock: WatchedHands(clock, lag_s=lag_s, stages=stages),
            store=self._kind_of_store(),
        )
        hands = self.world.hands
        assert isinstance(hands, WatchedHands)
        if self._style.is_odd:
            self.world.box = OddMailbox(
                hands.mailbox, self.world.plan, clock=self.world.clock, journal=self.world.journal
            )
        self.books = Books(world=self.world, place=hands.watched)
        self.world.db.watch = self.books
        self._sole = self._style.processes == 1 and self._draw.random() < 0.7
        self._begin_with = self._draw.randint(1, self._style.threads)
        self.acts = Acts(self.world, self.books, self._draw, self._style, self.say)
        self._ordered: dict[str, Ordered] = {}
        self._alive_since = 0.0
        if not self.calm:
            for call, acts in self._style.calls.items():
                self.world.plan.add(call, *[self._draw.choice(acts) for _ in range(12)])

    def _kind_of_store(self) -> Callable[[FakeClock], QuickDatabase]:
        if "cut" in self._style.acts:
            return DiskDatabase
        return LockedRows if "lock" in self._style.does else QuickDatabase

    def say(self, what: str) -> None:
        """Note what happens, for whoever reads a failure."""
        self.log.append(f"{self.world.clock.boot_s() - 5000:8.2f} {what}")

    async def run(self) -> list[str]:
        """Run to the end; every promise that was broken."""
        world = self.world
        self.say(f"style {self._style.name}")
        found: list[str] = []
        async with world.background() as group:
            world._behind = None
            for _ in range(1 if self._sole else self._draw.randint(1, self._style.processes)):
                self._start(group)
            for _ in range(self._begin_with):
                self.acts.begin()
            events = sorted(
                self._draw.uniform(1, ACTIVE_S)
                for _ in range(self._draw.randint(4, self._style.events))
            )
            for at in events:
                await self._advance(at)
                await self._event(group)
                found += late_orphans(world, self._alive_since, self.books.locked)
            await self._advance(ACTIVE_S)
            found += [
                *late_orphans(world, self._alive_since, self.books.locked),
                *self.books.unrecorded(),
            ]
            for process in world.processes:
                process.gate.bury()
            # What is held inside a shielded scope would sleep for ever: no time passes any more.
            world.clock.wake_everybody()
        await self._calm_down()
        return [
            *found,
            *broken(world),
            *self.books.at_the_end(),
            *at_the_end(world, calm=self.calm),
        ]

    async def _calm_down(self) -> None:
        world = self.world
        if not self.calm and self._draw.random() < 0.25:
            # Nobody runs for more than a day: all looks that were missed count as one.
            world.clock.skip(100_000)
        world.db.run(lambda conn: conn.exec_driver_sql("DELETE FROM pauses"))
        last = self._process(sole=True)
        self.books.last = last.gate.name
        self.say("calm")
        self.books.locked.clear()
        world.plan._left.clear()
        world.plan.chances = {}
        if not self.calm and self._draw.random() < 0.4:
            world.plan.chances = {"look": {Behaviour.DROP: 0.7}}
        await world.pass_days(last)
        await world.box.land()
        world.plan.chances = {}
        # Until every listing shows what was made last.
        world.clock.skip(60)
        await world.pass_days(last)

    def _process(self, *, sole: bool) -> Process:
        process = self.world.process(sole=sole)
        gate = process.gate
        gate.most = MOST
        gate.ear = lambda *heard: self.books.hear(gate.name, *heard)
        return process

    def _start(self, group: anyio.abc.TaskGroup) -> None:
        process = self._process(sole=self._sole)
        gate, draw = process.gate, self._draw
        if not self.calm:
            if draw.random() < self._style.kills:
                gate.kill_at = draw.randint(15, 90)
            elif draw.random() < self._style.stops:
                gate.stop_at = draw.randint(15, 120)
            for _ in range(self._style.holds):
                self._hold(process)
        self._alive_since = self.world.clock.database_s()
        self.say(f"start {gate.name} {gate.kill_at} {gate.stop_at}")
        ordered = self._ordered[gate.name] = Ordered(process, self.books)
        group.start_soon(_until_killed, ordered.run)

    def _hold(self, process: Process) -> None:
        """Have something happen at one await, or one task held there, or the process stopped."""
        draw, gate, style = self._draw, process.gate, self._style
        where = draw.choice(style.at), draw.randint(1, 3)
        seconds = draw.choice(style.seconds)
        stops = draw.random() < style.stops / 2
        does = draw.choice(style.does)
        fails = draw.random() < 0.1

        async def hold() -> None:
            self.say(f"{gate.name} at {where}: {does or 'nothing'}, {seconds} s, stops: {stops}")
            await self._do(does, process)
            if stops:
                gate.stop()
            if seconds:
                await self.world.clock.sleep(seconds)
            if stops:
                gate.go_on()
            if fails and where[0] in ("create done", "remove done"):
                raise RuntimeError("a fault that a schedule asked for")

        gate.holds[where] = hold

    async def _do(self, what: str, process: Process) -> None:
        """What happens while a task of this process is at an await."""
        gate, db = process.gate, self.world.db
        match what:
            case "pause":
                db.run(lambda conn: mailboxes.pause(conn, mailboxes.ALL, 1))
            case "decide":
                await self.acts.decide(process)
            case "end":
                self._end(process)
            case "step":
                self._step()
            case "lock":
                self._lock()
            case "fail":
                fault = self._draw.choice(list(CommitFault)[1:])
                self.say(f"the next COMMIT is {fault}")
                gate.commits[gate.counts["write"] + 1] = fault
            case "die":
                gate.dead = True
            case "stall":
                gate.holds["written", gate.counts["written"] + 1] = lambda: self._stall(gate)
            case "":
                pass
            case _:
                await self.acts.by_name(what)

    def _cut(self) -> None:
        """The power of the one host goes: every process is dead, the disk has what was synced."""
        self.say("the power is cut")
        for process in self.world.processes:
            process.gate.dead = True
        assert isinstance(self.world.db, DiskDatabase)
        self.world.db.cut()

    def _lock(self) -> None:
        """Another session changes the row of an intent and leaves its transaction open."""
        open_still = [one for one in self.world.intents() if one.state is IntentState.CALLING]
        if open_still:
            intent = self._draw.choice(open_still).id
            seconds = self._draw.choice([3, 20, 75, 100])
            self.say(f"the row of {intent[:6]} is locked for {seconds} s")
            self.books.locked[intent] = self.books.boot + seconds * 1000

    def _step(self) -> None:
        """Somebody sets the clock of the database's host."""
        seconds = self._draw.choice([20.0, 45.0, 61.0, 75.0, 3600.0, -45.0, -120.0])
        self.say(f"the database's clock is set by {seconds} s")
        self.world.clock.database_off_s += seconds
        self._alive_since = self.world.clock.database_s()
        self.books.stepped()

    def _end(self, process: Process) -> None:
        """The process is told to end; a second time: at once."""
        self.say(f"{process.gate.name} is told to end")
        self._ordered[process.gate.name].signal()

    async def _stall(self, gate: Gate) -> None:
        """The process stops for less than a lease, and for longer than a call may wait."""
        gate.stop()
        await self.world.clock.sleep(self._draw.choice([25.0, 45.0, 55.0]))
        gate.go_on()

    async def _advance(self, until_s: float) -> None:
        clock = self.world.clock
        while True:
            await quiesce()
            for process in self.world.processes:
                if process.gate.dead and not process.gate.buried:
                    self.say(f"died {process.gate.name} at {process.gate.crossed[-1]}")
                    process.gate.bury()
                    await quiesce()
            wake_s = clock.next_wake_s
            left_s = 5000 + until_s - clock.boot_s()
            if wake_s is None or wake_s > left_s:
                clock.skip(max(0.0, left_s))
                await quiesce()
                return
            clock.skip(max(0.0, wake_s))

    async def _event(self, group: anyio.abc.TaskGroup) -> None:
        running = [one for one in self.world.processes if not one.gate.dead]
        stopped = [one for one in running if one.gate.stopped]
        if not running or len(stopped) == len(running):
            self._start(group)
            return
        if stopped and self._draw.random() < 0.6:
            self.say(f"go on {stopped[0].gate.name}")
            stopped[0].gate.go_on()
            return
        awake = next(one for one in running if one not in stopped)
        names = list(self._style.acts)
        (name,) = self._draw.choices(names, [self._style.acts[one] for one in names])
        match name:
            case "decide":
                await self.acts.apart(group, lambda: self.acts.decide(awake))
            case "switch":
                await self.acts.apart(group, lambda: self.acts.switch(awake))
            case "end":
                self._end(awake)
            case "step":
                self._step()
            case "lock":
                self._lock()
            case "cut":
                self._cut()
            case _:
                await self.acts.by_name(name)


async def run(seed: int, *, calm: bool = False, style: str | None = None) -> Schedule | None:
    """Run one schedule; gives it back, with what it broke in its log, when it broke a promise."""
    with seeded_ids(seed), remembered():
        schedule = Schedule(seed, calm=calm, style=STYLES[style] if style else None)
        try:
            found = await schedule.run()
        except (Exception, BaseExceptionGroup, RestlessError, KilledError) as error:  # noqa: BLE001
            # Whatever it is, the seed is told with it.
            found = [*schedule.books.broken, f"{type(error).__name__}: {error}"]
        finally:
            if isinstance(schedule.world.db, DiskDatabase):
                schedule.world.db.end()
    if not found:
        return None
    schedule.log += ["", *found]
    return schedule


def main() -> None:
    """Run schedules from the command line."""
    options = parser(__doc__)
    options.add_argument("--style", choices=sorted(STYLES), help="of one style alone")
    options.add_argument("--calm", action="store_true", help="without faults")

    async def prepare(asked: argparse.Namespace) -> Callable[[int], Awaitable[Schedule | None]]:
        return partial(run, calm=asked.calm, style=asked.style)

    run_all(options.parse_args(), prepare)


if __name__ == "__main__":
    main()
