"""What the owner and the world do to a mailbox, whatever keeps it."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from providers.maildir import MaildirMailbox
from providers.memory import MemoryMailbox
from providers.mime.reading import read_heads
from providers.ports import Folder, Mailbox
from storage.words import Ref
from tests.support.clock import FakeClock
from tests.support.gate import FaultsHere


@dataclass(frozen=True, slots=True)
class Lying:
    """One mail as it really lies there."""

    ref: Ref
    raw: bytes

    @property
    def mark(self) -> str | None:
        return read_heads(self.raw).mark


class Hands(Protocol):
    """An account and everything that is not Fencepost around it."""

    mailbox: Mailbox

    def put(self, raw: bytes, folder: Folder = Folder.INBOX) -> Ref:
        """A mail arrives, or the owner's program saves one."""

    def lying(self, folder: Folder) -> list[Lying]:
        """What really lies in a folder, without any lag."""

    def edit(self, ref: Ref, raw: bytes) -> Ref:
        """The owner saves a draft anew; gives its reference from now on."""

    def send(self, ref: Ref) -> None:
        """The owner sends a draft."""

    def delete(self, ref: Ref, *, trash: bool = False) -> None:
        """The owner deletes a draft."""


@runtime_checkable
class Reopening(Protocol):
    """Hands around an adapter that a restart makes anew, without a memory."""

    def reopened(self) -> Mailbox:
        """An adapter without memory, as after a restart."""


class MemoryHands:
    """A mailbox in memory."""

    def __init__(
        self, clock: FakeClock, *, lag_s: float = 0.0, stages: bool = True, room: int | None = None
    ) -> None:
        self.inner = MemoryMailbox(
            clock, faults=FaultsHere(), lag_s=lag_s, stages=stages, room=room
        )
        self.mailbox: Mailbox = self.inner

    def put(self, raw: bytes, folder: Folder = Folder.INBOX) -> Ref:
        return self.inner.deliver(raw, folder)

    def lying(self, folder: Folder) -> list[Lying]:
        return [Lying(one.ref, one.raw) for one in self.inner.messages(folder)]

    def edit(self, ref: Ref, raw: bytes) -> Ref:
        self.inner.owner_edits(ref, raw)
        return ref

    def send(self, ref: Ref) -> None:
        self.inner.owner_sends(ref)

    def delete(self, ref: Ref, *, trash: bool = False) -> None:
        self.inner.owner_deletes(ref, trash=trash)


_NAMES = {Folder.SENT: ".Sent", Folder.DRAFTS: ".Drafts", Folder.TRASH: ".Trash"}


class MaildirHands:
    """A Maildir++ in a folder; its owner's program renames and writes as such programs do."""

    def __init__(self, clock: FakeClock, root: Path) -> None:
        self._clock = clock
        self._count = itertools.count(1)
        self.root = root
        for folder in ("", *_NAMES.values()):
            for sub in ("cur", "new", "tmp"):
                (root / folder / sub).mkdir(parents=True, exist_ok=True)
        self.mailbox: Mailbox = self.reopened()

    def reopened(self) -> Mailbox:
        """An adapter without memory, as after a restart."""
        return MaildirMailbox(self.root, clock=self._clock, faults=FaultsHere(), network=False)

    def put(self, raw: bytes, folder: Folder = Folder.INBOX) -> Ref:
        seconds = int(self._clock.now().timestamp())
        name = f"{seconds}.M{next(self._count):06}P7.host.example"
        home = self._home(folder)
        (home / "tmp" / name).write_bytes(raw)
        os.utime(home / "tmp" / name, (seconds, seconds))
        inbox = folder is Folder.INBOX
        flags = {Folder.DRAFTS: "DS", Folder.SENT: "S"}.get(folder, "")
        target = home / "new" / name if inbox else home / "cur" / f"{name}:2,{flags}"
        (home / "tmp" / name).rename(target)
        label = "INBOX" if inbox else _NAMES[folder][1:]
        return Ref(f"{label}/{name}")

    def lying(self, folder: Folder) -> list[Lying]:
        label = "INBOX" if folder is Folder.INBOX else _NAMES[folder][1:]
        home = self._home(folder)
        files = sorted(
            file
            for sub in ("cur", "new")
            for file in (home / sub).iterdir()
            if not file.name.startswith(".")
        )
        return [
            Lying(Ref(f"{label}/{file.name.partition(':')[0]}"), file.read_bytes())
            for file in files
        ]

    def edit(self, ref: Ref, raw: bytes) -> Ref:
        fresh = self.put(raw, Folder.DRAFTS)
        self._file(ref).unlink()
        return fresh

    def send(self, ref: Ref) -> None:
        file = self._file(ref)
        self.put(file.read_bytes(), Folder.SENT)
        file.unlink()

    def delete(self, ref: Ref, *, trash: bool = False) -> None:
        file = self._file(ref)
        if trash:
            self.put(file.read_bytes(), Folder.TRASH)
        file.unlink()

    def hidden(self) -> list[str]:
        """Files that no mail program shows: staged, withdrawn, or lying aside."""
        drafts = self._home(Folder.DRAFTS)
        staged = [file.name for file in (drafts / "tmp").iterdir()]
        aside = [file.name for file in (drafts / "cur").iterdir() if file.name.startswith(".")]
        return sorted(staged + aside)

    def _home(self, folder: Folder) -> Path:
        return self.root / _NAMES.get(folder, "")

    def _file(self, ref: Ref) -> Path:
        label, _, uniq = ref.partition("/")
        home = self.root if label == "INBOX" else self.root / f".{label}"
        (found,) = [
            file
            for sub in ("cur", "new")
            for file in (home / sub).iterdir()
            if file.name.partition(":")[0] == uniq
        ]
        return found
