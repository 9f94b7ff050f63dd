"""One schedule: whole workers in one process under a seed, and what must hold at its end.

The same seed gives the same schedule. ``python -m tests.simulation.schedule 4711 4712`` runs single
seeds again, ``--from 0 --count 10000`` many; the first that breaks a promise is printed.
"""

from __future__ import annotations

import argparse
import logging
import random
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

import anyio
import structlog

from assistant.commands.deciding import RefusedError
from assistant.commands.review import CommandError
from providers.memory import Behaviour, MemoryMailbox
from providers.ports import Folder
from storage.words import Action, IntentState, Kind
from tests.support.clock import quiesce
from tests.support.gate import KilledError
from tests.support.invariants import broken, two_of_ours
from tests.support.mails import edited, follow_up, own_reply, question
from tests.support.world import Process, World, _until_killed

ACTIVE_S = 200.0
"""How long processes come and go, mail arrives and people act; then it is calm."""

_CREATES = [
    *[Behaviour.PASS] * 4,
    *[Behaviour.LOSE] * 3,
    *[Behaviour.DROP] * 2,
    Behaviour.REFUSE,
    *[Behaviour.BUSY] * 2,
    Behaviour.QUOTA,
    Behaviour.HANG,
    Behaviour.HANG_AFTER,
    Behaviour.TWICE,
    Behaviour.TWICE_LOST,
    Behaviour.LATE,
    Behaviour.LATE_EFFECT,
]
_REMOVES = [Behaviour.PASS, Behaviour.LOSE, Behaviour.DROP, Behaviour.HANG_AFTER, Behaviour.BUSY]
_READS = [*[Behaviour.PASS] * 6, Behaviour.DROP, Behaviour.LOSE]
_ACTIONS = list(Action)


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
    world: World = field(init=False)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)
        lag_s = self._draw.choice([0.0, 0.0, 45.0])
        self.world = World(lag_s=lag_s, stages=self._draw.random() < 0.5)
        self._sole = self._draw.random() < 0.5
        self._threads = self._draw.randint(1, 3)
        self._reminders = 0
        self._alive_since = 0.0
        self._landed = False
        if not self.calm:
            for call, acts in (("create", _CREATES), ("remove", _REMOVES), ("look", _READS)):
                self.world.plan.add(call, *[self._draw.choice(acts) for _ in range(12)])
            for call in ("snapshot", "fetch", "draft", "changes"):
                self.world.plan.add(call, *[self._draw.choice(_READS) for _ in range(4)])

    def say(self, what: str) -> None:
        """Note what happens, for whoever reads a failure."""
        self.log.append(f"{self.world.clock.boot_s() - 5000:8.2f} {what}")

    async def run(self) -> list[str]:
        """Run to the end; every promise that was broken."""
        world = self.world
        async with world.background() as group:
            world._behind = None
            self._start(group)
            if not self._sole and self._draw.random() < 0.6:
                # Another host beside it, as far as the store can tell.
                self._start(group)
            for number in range(1, self._threads + 1):
                world.hands.put(question(number))
            events = sorted(
                self._draw.uniform(1, ACTIVE_S) for _ in range(self._draw.randint(6, 14))
            )
            found: list[str] = []
            for at in events:
                await self._advance(at)
                await self._event(group)
                found += self._late_orphans()
            await self._advance(ACTIVE_S)
            found += self._late_orphans()
        last = world.process(sole=True)
        self.say("calm")
        world.plan._left.clear()
        world.plan.chances = {}
        await world.pass_days(last)
        await world.box.land()
        world.clock.skip(60)
        await world.pass_days(last)
        return [*found, *broken(world), *self._at_the_end()]

    def _start(self, group: anyio.abc.TaskGroup) -> None:
        process = self.world.process(sole=self._sole)
        if not self.calm:
            if self._draw.random() < 0.6:
                process.gate.kill_at = self._draw.randint(15, 90)
            elif self._draw.random() < 0.7:
                process.gate.stop_at = self._draw.randint(15, 90)
        self._alive_since = self.world.clock.database_s()
        self.say(f"start {process.gate.name} {process.gate.kill_at} {process.gate.stop_at}")
        group.start_soon(_until_killed, process.loops)

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
        acts = [
            self._ask,
            self._mail,
            self._owner,
            self._owner,
            self._owner,
            self._write,
            self._land,
        ]
        act = self._draw.choice(acts)
        if self._draw.random() < 0.35:
            await self._decide(next(one for one in running if one not in stopped))
        else:
            await act()

    async def _ask(self) -> None:
        self._threads += 1
        self.say(f"a question begins {self._threads}")
        self.world.hands.put(question(self._threads))

    async def _mail(self) -> None:
        self._reminders += 1
        number = self._draw.randint(1, self._threads)
        self.say(f"another message in {number}")
        self.world.hands.put(follow_up(number, self._reminders))

    async def _owner(self) -> None:
        drafts = self.world.drafts()
        if not drafts:
            return
        lying = self._draw.choice(drafts)
        act = self._draw.choice(["edit", "edit bare", "send", "delete", "trash"])
        self.say(f"the owner does {act} to {lying.ref}")
        if act.startswith("edit"):
            raw = edited(lying.raw, f"At {self.world.clock.boot_s()}", keeps_mark=act == "edit")
            self.world.hands.edit(lying.ref, raw)
        elif act == "send":
            self.world.hands.send(lying.ref)
        else:
            self.world.hands.delete(lying.ref, trash=act == "trash")

    async def _write(self) -> None:
        number = self._draw.randint(1, self._threads)
        folder = self._draw.choice([Folder.SENT, Folder.DRAFTS])
        self.say(f"the owner writes into {folder} of {number}")
        self.world.hands.put(own_reply(number, f"At {self.world.clock.boot_s()}"), folder)

    async def _land(self) -> None:
        self.say("what was late lands")
        await self.world.box.land()

    async def _decide(self, process: Process) -> None:
        items = self.world.items()
        if not items:
            return
        item, action = self._draw.choice(items), self._draw.choice(_ACTIONS)
        key = f"k{self._draw.randint(1, 3)}"
        self.say(f"a person says {action} to {item.kind} {item.id} under {key}")

        async def decide() -> None:
            try:
                await process.decide(item.id, action, key=key)
            except (RefusedError, CommandError, KilledError) as error:
                self.say(f"refused: {type(error).__name__}")
            except Exception as error:
                if type(error).__name__ != "ConflictError":
                    raise
                self.say("conflict")

        async with anyio.create_task_group() as group:
            group.start_soon(_until_killed, decide)
            await quiesce()
            group.cancel_scope.cancel()

    def _late_orphans(self) -> list[str]:
        """I8: within lease, grace and sweep interval of a living process, an orphan is seen."""
        world = self.world
        running = [one for one in world.processes if not one.gate.dead and not one.gate.stopped]
        if not running:
            return []
        waits_s = world.settings.call_timeout_s + world.settings.poll_s + 1.0
        rows = world.db.ask(
            "SELECT i.id, l.expires_at FROM intents i JOIN leases l USING (integration, thread) "
            "WHERE i.state = 'calling'"
        )
        now_s = world.clock.database_s()
        return [
            f"orphan {str(intent)[:6]} was seen by nobody"
            for intent, expires in rows
            if max(float(str(expires)) / 1000, self._alive_since) + waits_s < now_s
        ]

    def _at_the_end(self) -> list[str]:
        world = self.world
        found = [
            f"intent {intent.id[:6]} is still being called"
            for intent in world.intents()
            if intent.state is IntentState.CALLING
        ]
        found += [f"{name} is owed a draft and has none" for name in owed(world)]
        taken = {act for _, act in world.plan.taken}
        late = {Behaviour.TWICE, Behaviour.TWICE_LOST, Behaviour.LATE_EFFECT}
        if not taken & late:
            found += two_of_ours(world)
        if self.calm:
            found += [
                f"{item.kind} was opened though nothing failed"
                for item in world.items()
                if item.kind not in ("draft_ready", "draft_overtaken")
            ]
        return found


def owed(world: World) -> list[str]:
    """Threads whose last word is a question, and in which nothing was done about it."""
    found = []
    inner = world.hands.mailbox
    assert isinstance(inner, MemoryMailbox)
    intents = world.intents()
    for row in world.threads():
        messages = world.db.ask(
            "SELECT identity, folder, intent FROM messages WHERE thread = ? AND gone_at IS NULL "
            "AND folder IN ('inbox', 'sent') ORDER BY arrived_at, arrival_order",
            row.thread,
        )
        own_draft = world.db.ask(
            "SELECT 1 FROM messages WHERE thread = ? AND gone_at IS NULL AND folder = 'drafts'",
            row.thread,
        )
        ours = any(draft.open for draft in world.records() if draft.thread == row.thread)
        if not messages or messages[-1][1] == "sent" or own_draft or ours:
            continue
        blocked = any(
            one.thread == row.thread and one.blocks and one.kind is not Kind.NOTIFY
            for one in intents
        )
        asked = any(
            one.plan.get("answers") == messages[-1][0] and one.generation == row.generation
            for one in intents
        )
        if not asked and not blocked and row.quarantined_at is None:
            found.append(row.subject)
    return found


async def run(seed: int, *, calm: bool = False) -> Schedule | None:
    """Run one schedule; gives it back, with what it broke in its log, when it broke a promise."""
    with seeded_ids(seed):
        schedule = Schedule(seed, calm=calm)
        try:
            found = await schedule.run()
        except Exception as error:  # noqa: BLE001 -- whatever it is, the seed is told with it
            found = [f"{type(error).__name__}: {error}"]
    if not found:
        return None
    schedule.log += ["", *found]
    return schedule


def main() -> None:
    """Run schedules from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--calm", action="store_true")
    parser.add_argument("--keep-going", action="store_true")
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    seeds = [*asked.seeds, *range(asked.first, asked.first + asked.count)]

    async def all_of_them() -> int:
        bad = 0
        for seed in seeds:
            found = await run(seed, calm=asked.calm)
            if found is not None:
                bad += 1
                print(f"seed {seed}:", *found.log, sep="\n")
                if not asked.keep_going:
                    break
        return bad

    begun = time.monotonic()
    bad = anyio.run(all_of_them)
    print(f"{len(seeds)} schedules, {bad} broken, {time.monotonic() - begun:.1f} s")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
