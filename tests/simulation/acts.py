"""What happens in a schedule of whole workers: what others write, the owner does, a person says."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from assistant.commands import switch
from assistant.commands.deciding import RefusedError
from assistant.commands.review import CommandError
from providers.ports import Folder
from storage import threads
from storage.errors import StorageError
from storage.receipts import ConflictError
from storage.words import Action
from tests.simulation.books import Books
from tests.simulation.styles import Style
from tests.support.clock import quiesce
from tests.support.mails import edited, follow_up, own_reply, question
from tests.support.world import Process, World, _until_killed


@dataclass
class Acts:
    """Each is drawn when it happens; ``threads``: how many questions have been asked so far."""

    world: World
    books: Books
    draw: random.Random
    style: Style
    say: Callable[[str], None]
    threads: int = 0
    _count: int = 0
    _said: dict[str, tuple[tuple[int, Action], str]] = field(default_factory=dict)

    async def by_name(self, name: str) -> None:
        """Have one of those happen that need no process."""
        acts = {
            "ask": self.ask,
            "mail": self.mail,
            "owner": self.owner,
            "write": self.write,
            "land": self.land,
            "restore": self.restore,
        }
        await acts[name]()

    def begin(self) -> None:
        """A question that begins a thread."""
        self.threads += 1
        self.world.hands.put(question(self.threads))

    async def ask(self) -> None:
        self.begin()
        self.say(f"a question begins {self.threads}")

    async def mail(self) -> None:
        self._count += 1
        number = self.draw.randint(1, self.threads)
        self.say(f"another message in {number}")
        self.world.hands.put(follow_up(number, self._count))

    async def owner(self) -> None:
        drafts = self.world.drafts()
        if not drafts:
            return
        lying = self.draw.choice(drafts)
        act = self.draw.choice(["edit", "edit bare", "send", "delete", "trash"])
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

    async def write(self) -> None:
        self._count += 1
        number = self.draw.randint(1, self.threads)
        folder = self.draw.choice([Folder.SENT, Folder.DRAFTS])
        self.say(f"the owner writes into {folder} of {number}")
        raw = own_reply(number, f"Words {self._count}")
        ref = self.world.hands.put(raw, folder)
        if folder is Folder.DRAFTS:
            self.books.owned[ref] = raw

    async def land(self) -> None:
        self.say("what was late lands")
        await self.world.box.land()

    async def restore(self) -> None:
        self.say("commits were lost: everything reconciles")
        self.world.db.run(threads.reconcile_everything)

    async def apart(
        self, group: anyio.abc.TaskGroup, command: Callable[[], Awaitable[None]]
    ) -> None:
        group.start_soon(_until_killed, command)
        if self.draw.random() < 0.2:
            group.start_soon(_until_killed, command)
        await quiesce()

    async def switch(self, process: Process) -> None:
        paused = bool(self.world.db.ask("SELECT 1 FROM pauses"))
        self.say("resume" if paused else "pause")
        turn = switch.resume if paused else switch.pause
        await self._quietly(lambda: turn(process.house, None))

    async def decide(self, process: Process) -> None:
        items = self.world.items()
        if not items:
            return
        if self._said and self.draw.random() < 0.2:
            key = self.draw.choice(sorted(self._said))
            number, action = self._said[key][0]
        else:
            wanted = [one for one in items if one.kind in self.style.about] or items
            number = self.draw.choice(wanted).id
            action = self.draw.choice(self.style.words)
            key = f"k{self.draw.randint(1, 20)}"
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
