"""The folders of one Maildir++ by their roles, and what lies in them as values.

Programs disagree on the names of Sent and Trash, so each role has a short list; every one that
exists is read, drafts are made in the first. Header blocks are kept in memory by the stamp of their
file, so that a mailbox of thousands of drafts is read once and looked at cheaply afterwards.
Blocking; nothing here writes. A crash loses the memory of header blocks and nothing else.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from providers.maildir.files import (
    Stamp,
    identity,
    listing,
    read_head,
    read_mail,
    settled_listing,
    stamp,
)
from providers.maildir.names import TRASHED, Entry, arrival, ref_of, version_of
from providers.mime.compose import content_hash
from providers.mime.message import Heads
from providers.mime.reading import read_heads
from providers.ports import DraftSight, Folder, Sighting, ThreadScope
from storage.words import Ref

INBOX: Final = "INBOX"
"""The label of the Maildir's own folder."""
DRAFTS_HOME: Final = ".Drafts"
"""The folder that is made when drafts have no place yet."""
NAMES: Final = MappingProxyType(
    {
        Folder.INBOX: ("",),
        Folder.SENT: (".Sent", ".Sent Items", ".Sent Messages", ".INBOX.Sent"),
        Folder.DRAFTS: (DRAFTS_HOME, ".INBOX.Drafts"),
        Folder.TRASH: (".Trash", ".Deleted Items", ".Deleted Messages", ".INBOX.Trash"),
    }
)
"""Under which names programs keep what; the Maildir's own folder is the inbox."""
_KEPT: Final = 50_000


@dataclass(frozen=True, slots=True)
class Place:
    """One folder: its role, the label that references carry, and where it is."""

    role: Folder
    label: str
    path: Path


@dataclass(frozen=True, slots=True)
class Found:
    """One listed mail with what its header block says."""

    place: Place
    item: Entry
    heads: Heads
    stamp: Stamp

    @property
    def ref(self) -> Ref:
        """How others name this mail."""
        return ref_of(self.place.label, self.item.uniq)

    @property
    def file(self) -> Path:
        """Where the mail is now."""
        return self.place.path / self.item.sub / self.item.on_disk

    @property
    def role(self) -> Folder:
        """Where it counts as lying: a draft flagged for deletion counts as trashed."""
        if self.place.role is Folder.DRAFTS and TRASHED in self.item.flags:
            return Folder.TRASH
        return self.place.role


@dataclass(slots=True)
class Places:
    """The folders under the Maildir at *path* and a memory of header blocks."""

    path: Path
    _heads: dict[Ref, tuple[Stamp, Heads]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def present(self, *roles: Folder) -> list[Place]:
        """The folders of *roles* that exist, each once though two names may lead to it.

        Raises OSError where that cannot be seen.
        """
        found: dict[tuple[int, int], Place] = {}
        for place in (place for role in roles for place in self._named(role)):
            known = identity(place.path)
            if known is not None:
                found.setdefault(known, place)
        return list(found.values())

    def labelled(self, label: str) -> Place | None:
        """The folder that references call *label*, whether it exists or not."""
        every = (place for role in NAMES for place in self._named(role))
        return next((place for place in every if place.label == label), None)

    def home(self) -> Place:
        """Where drafts are made: the first drafts folder that exists, else where one belongs."""
        found = self.present(Folder.DRAFTS)
        return found[0] if found else next(iter(self._named(Folder.DRAFTS)))

    def _named(self, role: Folder) -> Iterator[Place]:
        for name in NAMES[role]:
            yield Place(role, name.removeprefix(".") or INBOX, self.path / name)

    def heads(self, place: Place, item: Entry) -> Found:
        """What the header block of one mail says, from memory where the file is the same.

        Raises OSError for a file that is gone or cannot be read.
        """
        ref = ref_of(place.label, item.uniq)
        now = stamp(place.path, item)
        held = self._heads.get(ref)
        if held is not None and held[0] == now:
            return Found(place, item, held[1], now)
        raw, read = read_head(f"{place.path}/{item.sub}/{item.on_disk}")
        heads = read_heads(raw)
        with self._lock:
            self._heads[ref] = (read, heads)
            while len(self._heads) > _KEPT:
                self._heads.pop(next(iter(self._heads)))
        return Found(place, item, heads, read)

    def forget(self, refs: frozenset[Ref]) -> None:
        """Drop what is remembered of mails that are gone."""
        with self._lock:
            for ref in refs:
                self._heads.pop(ref, None)

    def read_all(
        self, place: Place, *, settled: bool = False
    ) -> tuple[list[Found], list[tuple[Entry, OSError]]]:
        """Every mail of a folder with its header block, and those that could not be read.

        A mail that is gone before it is opened is in neither. Raises OSError for the folder.
        """
        found: list[Found] = []
        failed: list[tuple[Entry, OSError]] = []
        for item in settled_listing(place.path) if settled else listing(place.path):
            try:
                found.append(self.heads(place, item))
            except FileNotFoundError:
                continue
            except OSError as error:
                failed.append((item, error))
        return found, failed


def sight(found: Found) -> DraftSight:
    """Read the whole of a mail and say what it is. Raises OSError."""
    raw = read_mail(found.file)
    heads = found.heads
    return DraftSight(
        ref=found.ref,
        version=version_of(found.item.uniq, sha256(raw)),
        folder=found.role,
        content_hash=content_hash(raw),
        mark=heads.mark,
        message_id=heads.message_id,
        parents=frozenset(heads.in_reply_to) | frozenset(heads.references),
    )


def sighting(found: Found, now: datetime) -> Sighting:
    """A mail as a listing shows it."""
    arrived_at, order = arrival(found.item.uniq, found.stamp.mtime_ns, now)
    return Sighting(
        ref=found.ref,
        folder=found.role,
        heads=found.heads,
        arrived_at=arrived_at,
        order=order,
    )


def belongs(found: Found, scope: ThreadScope) -> bool:
    """True when a mail answers, or is, a message of the thread."""
    heads = found.heads
    if heads.message_id is not None and heads.message_id in scope.message_ids:
        return True
    if found.ref in scope.refs:
        return True
    return not scope.message_ids.isdisjoint((*heads.in_reply_to, *heads.references))


def sha256(raw: bytes) -> str:
    """The SHA-256 of *raw* in hex."""
    return hashlib.sha256(raw).hexdigest()
