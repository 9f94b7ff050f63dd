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

from assistant.commands import switch
from assistant.commands.deciding import RefusedError
from assistant.commands.review import CommandError
from providers.memory import Behaviour
from providers.ports import Folder
from storage import mailboxes, threads
from storage.errors import StorageError
from storage.receipts import ConflictError
from storage.words import Action
from tests.simulation.books import Books
from tests.simulation.ends import at_the_end, late_orphans
from tests.simulation.place import WatchedHands
from tests.simulation.running import parser, run_all
from tests.simulation.styles import STYLES, Style
from tests.support.clock import quiesce
from tests.support.database import CommitFault
from tests.support.gate import Gate, KilledError, RestlessError
from tests.support.invariants import broken
from tests.support.mails import edited, follow_up, own_reply, question
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
            store=QuickDatabase,
        )
        hands = self.world.hands
        assert isinstance(hands, WatchedHands)
        self.books = Books(world=self.world, place=hands.watched)
        self.world.db.watch = self.books
        self._sole = self._style.processes == 1 and self._draw.random() < 0.7
        self._threads = self._draw.randint(1, self._style.threads)
        self._count = 0
        self._alive_since = 0.0
        self._said: dict[str, tuple[tuple[int, Action], str]] = {}
        if not self.calm:
            for call, acts in self._style.calls.items():
                self.world.plan.add(call, *[self._draw.choice(acts) for _ in range(12)])

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
            for number in range(1, self._threads + 1):
                world.hands.put(question(number))
            events = sorted(
                self._draw.uniform(1, ACTIVE_S)
                for _ in range(self._draw.randint(4, self._style.events))
            )
            for at in events:
                await self._advance(at)
                await self._event(group)
                found += late_orphans(world, self._alive_since)
            await self._advance(ACTIVE_S)
            found += [*late_orphans(world, self._alive_since), *self.books.unrecorded()]
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
        self.say("calm")
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
        group.start_soon(_until_killed, process.loops)

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
        acts = {"mail": self._mail, "owner": self._owner, "write": self._write, "land": self._land}
        match what:
            case "pause":
                db.run(lambda conn: mailboxes.pause(conn, mailboxes.ALL, 1))
            case "restore":
                await self._restore()
            case "decide":
                await self._decide(process)
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
                await acts[what]()

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
        acts: dict[str, Callable[[], Awaitable[None]]] = {
            "ask": self._ask,
            "mail": self._mail,
            "owner": self._owner,
            "write": self._write,
            "land": self._land,
            "restore": self._restore,
            "decide": lambda: self._apart(group, lambda: self._decide(awake)),
            "switch": lambda: self._apart(group, lambda: self._switch(awake)),
        }
        awake = next(one for one in running if one not in stopped)
        names = list(self._style.acts)
        (name,) = self._draw.choices(names, [self._style.acts[one] for one in names])
        await acts[name]()

    async def _ask(self) -> None:
        self._threads += 1
        self.say(f"a question begins {self._threads}")
        self.world.hands.put(question(self._threads))

    async def _mail(self) -> None:
        self._count += 1
        number = self._draw.randint(1, self._threads)
        self.say(f"another message in {number}")
        self.world.hands.put(follow_up(number, self._count))

    async def _owner(self) -> None:
        drafts = self.world.drafts()
        if not drafts:
            return
        lying = self._draw.choice(drafts)
        act = self._draw.choice(["edit", "edit bare", "send", "delete", "trash"])
        self.say(f"the owner does {act} to {lying.ref}")
        self.books.owned.pop(lying.ref, None)
        if act.startswith("edit"):
            raw = edited(lying.raw, f"At {self.world.clock.boot_s()}", keeps_mark=act == "edit")
            self.world.hands.edit(lying.ref, raw)
            self.books.owned[lying.ref] = raw
        elif act == "send":
            self.world.hands.send(lying.ref)
        else:
            self.world.hands.delete(lying.ref, trash=act == "trash")

    async def _write(self) -> None:
        self._count += 1
        number = self._draw.randint(1, self._threads)
        folder = self._draw.choice([Folder.SENT, Folder.DRAFTS])
        self.say(f"the owner writes into {folder} of {number}")
        raw = own_reply(number, f"Words {self._count}")
        ref = self.world.hands.put(raw, folder)
        if folder is Folder.DRAFTS:
            self.books.owned[ref] = raw

    async def _land(self) -> None:
        self.say("what was late lands")
        await self.world.box.land()

    async def _restore(self) -> None:
        self.say("commits were lost: everything reconciles")
        self.world.db.run(threads.reconcile_everything)

    async def _apart(
        self, group: anyio.abc.TaskGroup, command: Callable[[], Awaitable[None]]
    ) -> None:
        group.start_soon(_until_killed, command)
        if self._draw.random() < 0.2:
            group.start_soon(_until_killed, command)
        await quiesce()

    async def _switch(self, process: Process) -> None:
        paused = bool(self.world.db.ask("SELECT 1 FROM pauses"))
        self.say("resume" if paused else "pause")
        turn = switch.resume if paused else switch.pause
        await self._quietly(lambda: turn(process.house, None))

    async def _decide(self, process: Process) -> None:
        items = self.world.items()
        if not items:
            return
        if self._said and self._draw.random() < 0.2:
            key = self._draw.choice(sorted(self._said))
            number, action = self._said[key][0]
        else:
            wanted = [one for one in items if one.kind in self._style.about] or items
            number = self._draw.choice(wanted).id
            action = self._draw.choice(self._style.words)
            key = f"k{self._draw.randint(1, 20)}"
        self.say(f"a person says {action} to {number} under {key}")
        await self._quietly(lambda: self._answered(process, number, action, key))

    async def _answered(self, process: Process, number: int, action: Action, key: str) -> None:
        named = (number, action)
        answer = await process.decide(number, action, key=key)
        known = self._said.setdefault(key, (named, answer.operation))
        if known[0] != named:
            self.books.wrong(f"the key {key} served two commands")
        if known[1] != answer.operation:
            self.books.wrong(f"a replay under {key} gave another operation")

    async def _quietly(self, command: Callable[[], Awaitable[object]]) -> None:
        try:
            await command()
        except (RefusedError, CommandError, StorageError, ConflictError) as error:
            self.say(f"refused: {type(error).__name__}")


async def run(seed: int, *, calm: bool = False, style: str | None = None) -> Schedule | None:
    """Run one schedule; gives it back, with what it broke in its log, when it broke a promise."""
    with seeded_ids(seed), remembered():
        schedule = Schedule(seed, calm=calm, style=STYLES[style] if style else None)
        try:
            found = await schedule.run()
        except (Exception, BaseExceptionGroup, RestlessError, KilledError) as error:  # noqa: BLE001
            # Whatever it is, the seed is told with it.
            found = [*schedule.books.broken, f"{type(error).__name__}: {error}"]
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
