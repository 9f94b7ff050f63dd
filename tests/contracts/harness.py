"""What the contract suite needs of an adapter under test. Adding an adapter is one class here.

A harness plays the world around the mailbox: mail arrives, the owner edits, sends and deletes, and
an independent reader (never the adapter itself) tells what really lies there.
"""

from __future__ import annotations

import errno
import itertools
import mailbox
import os
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from providers.maildir import MaildirMailbox
from providers.memory import Behaviour, FaultPlan, FaultyMailbox, MemoryMailbox
from providers.ports import Folder, Mailbox
from storage.words import Ref
from tests.contracts.clock import SkippingClock


class Harness(ABC):
    """One account of one adapter, and the world around it."""

    name: ClassVar[str]
    stages: ClassVar[bool] = True
    """Whether staged bytes can be proved never to have been delivered."""
    pushes: ClassVar[bool] = True
    """Whether the provider tells of changes before the next poll."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = SkippingClock()
        self.plan = FaultPlan()

    async def begin(self) -> None:  # noqa: B027 - most have nothing to start
        """Start what needs the test's own event loop."""

    async def end(self) -> None:  # noqa: B027
        """Stop it."""

    def make(self) -> Mailbox:
        """A new adapter on the account, as after a restart."""
        return FaultyMailbox(self.plain(), self.plan, clock=self.clock)

    def lose_next_answer(self, when: str) -> None:
        """The next create loses its answer, *when* ``before`` or ``after`` the effect."""
        self.plan.add("create", {"before": Behaviour.DROP, "after": Behaviour.LOSE}[when])

    def execute_next_twice(self) -> None:
        """The provider makes the next draft twice by itself, and its answer is lost."""
        self.plan.add("create", Behaviour.TWICE_LOST)

    def settle(self) -> None:
        """Let the listings catch up."""
        self.clock.skip(60)

    @abstractmethod
    def plain(self) -> Mailbox:
        """The adapter itself."""

    @abstractmethod
    def deliver(self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0) -> None:
        """A mail arrives, or the owner's program saves one."""

    @abstractmethod
    def owner_edits(self, ref: Ref, raw: bytes) -> None:
        """The owner saves a draft anew, as the programs that they use do it."""

    @abstractmethod
    def owner_sends(self, ref: Ref) -> None:
        """The owner sends a draft."""

    @abstractmethod
    def owner_deletes(self, ref: Ref, *, trash: bool = False) -> None:
        """The owner deletes a draft, for good or into the trash."""

    @abstractmethod
    def lying_in(self, folder: Folder) -> list[bytes]:
        """The bytes of every mail in a folder, by an independent reader."""

    @abstractmethod
    def unread(self) -> int:
        """How many mails of the inbox are unread."""

    @abstractmethod
    def fill(self) -> None:
        """No draft fits any more."""

    def list_drafts(self) -> list[bytes]:
        """The bytes of every unsent draft, by an independent reader."""
        return self.lying_in(Folder.DRAFTS)

    def deliver_broken(self) -> int:
        """Mails that no program can read, where the provider can hold such; how many."""
        return 0

    @abstractmethod
    def tear_down(self) -> None:
        """Give back what was mounted or opened."""


class MemoryHarness(Harness):
    """The mailbox in memory, with a listing that lags."""

    name = "memory"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.account = MemoryMailbox(self.clock, lag_s=30, stages=self.stages)

    def plain(self) -> Mailbox:
        return self.account

    def deliver(self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0) -> None:
        arrived_at = self.clock.now() - timedelta(days=days_ago)
        self.account.deliver(raw, folder, arrived_at=arrived_at)

    def owner_edits(self, ref: Ref, raw: bytes) -> None:
        self.account.owner_edits(ref, raw)

    def owner_sends(self, ref: Ref) -> None:
        self.account.owner_sends(ref)

    def owner_deletes(self, ref: Ref, *, trash: bool = False) -> None:
        self.account.owner_deletes(ref, trash=trash)

    def lying_in(self, folder: Folder) -> list[bytes]:
        return [one.raw for one in self.account.messages(folder)]

    def unread(self) -> int:
        return sum(one.unread for one in self.account.messages(Folder.INBOX))

    def fill(self) -> None:
        self.account.room = 0

    def tear_down(self) -> None:
        """Nothing to give back."""


class UnstagedMemoryHarness(MemoryHarness):
    """The mailbox in memory, as a provider that has no place to stage bytes."""

    name = "memory_unstaged"
    stages = False


class MaildirHarness(Harness):
    """A Maildir++ on the local disk; the standard library's ``mailbox`` is the other program."""

    name = "maildir"
    network = False
    _names: ClassVar[dict[Folder, str]] = {
        Folder.SENT: "Sent",
        Folder.DRAFTS: "Drafts",
        Folder.TRASH: "Trash",
    }

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.root = path / "Mail"
        self.box = mailbox.Maildir(self.root, create=True)
        for name in self._names.values():
            self.box.add_folder(name)
        self._counter = itertools.count(1)
        self._mounted: list[Path] = []

    def plain(self) -> Mailbox:
        return MaildirMailbox(self.root, clock=self.clock, network=self.network)

    def folder(self, folder: Folder) -> Path:
        name = self._names.get(folder)
        return self.root if name is None else self.root / f".{name}"

    def deliver(self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0) -> None:
        self.drop(raw, folder, days_ago=days_ago)

    def drop(
        self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0, flags: str = ""
    ) -> Path:
        """Deliver as an MDA does: tmp, then new (the inbox) or cur (what the owner saves)."""
        seconds = int(time.time() - days_ago * 86400)
        name = f"{seconds}.M{next(self._counter):06}P7.host.example"
        tmp = self.folder(folder) / "tmp" / name
        tmp.write_bytes(raw)
        at = self.folder(folder)
        new = folder is Folder.INBOX and not flags
        target = at / "new" / name if new else at / "cur" / f"{name}:2,{flags}"
        tmp.rename(target)
        return target

    def file(self, ref: Ref) -> Path:
        """The file that a reference of the adapter names now."""
        label, _, uniq = ref.partition("/")
        at = self.root if label == "INBOX" else self.root / f".{label}"
        (found,) = [*at.glob(f"cur/{uniq}:2,*"), *at.glob(f"cur/{uniq}"), *at.glob(f"new/{uniq}")]
        return found

    def owner_edits(self, ref: Ref, raw: bytes) -> None:
        old = self.file(ref)
        self.drop(raw, Folder.DRAFTS, flags="DS")
        old.unlink()

    def owner_sends(self, ref: Ref) -> None:
        old = self.file(ref)
        self.drop(old.read_bytes(), Folder.SENT, flags="S")
        old.unlink()

    def owner_deletes(self, ref: Ref, *, trash: bool = False) -> None:
        old = self.file(ref)
        if trash:
            old.rename(self.folder(Folder.TRASH) / "cur" / old.name)
        else:
            old.unlink()

    def lying_in(self, folder: Folder) -> list[bytes]:
        name = self._names.get(folder)
        with_name = self.box if name is None else self.box.get_folder(name)
        # mail programs pass over dot-names; the library does so from Python 3.13 on
        keys = sorted(key for key in with_name.iterkeys() if not key.startswith("."))
        return [with_name.get_bytes(key) for key in keys]

    def unread(self) -> int:
        return sum("S" not in message.get_flags() for message in self.box)

    def fill(self) -> None:
        drafts = self.folder(Folder.DRAFTS)
        mount_tmpfs(drafts, "size=64k")
        self._mounted.append(drafts)
        for sub in ("cur", "new", "tmp"):
            (drafts / sub).mkdir()
        fill_up(drafts / "filler")

    def deliver_broken(self) -> int:
        cur = self.root / "cur"
        (cur / "1767225600.M1P1.folder:2,").mkdir()
        (cur / "1767225600.M2P1.dangling:2,").symlink_to("nowhere")
        (cur / "1767225600.M3P1.outside:2,S").symlink_to("/etc/hostname")
        os.mkfifo(cur / "1767225600.M4P1.pipe:2,")
        return 4

    def tear_down(self) -> None:
        for path in self._mounted:
            subprocess.run(["umount", str(path)], check=True)
        self.box.close()


class NetworkMaildirHarness(MaildirHarness):
    """The same where "no such file" proves nothing."""

    name = "maildir_network"
    network = True
    stages = True


HARNESSES: Sequence[type[Harness]] = (
    MemoryHarness,
    UnstagedMemoryHarness,
    MaildirHarness,
    NetworkMaildirHarness,
)


def mount_tmpfs(path: Path, options: str) -> None:
    """A small disk of its own at *path*; skips the test where it can't be had."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command here: a full disk cannot be made")
    if done.returncode != 0:
        pytest.skip(f"a small tmpfs cannot be mounted here: {done.stderr.strip()}")


def fill_up(path: Path, *, leave: int = 0) -> None:
    """Write until the disk is full, then give back *leave* bytes."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        file.truncate(max(file.tell() - leave, 0))
