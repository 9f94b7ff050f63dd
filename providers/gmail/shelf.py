"""What a process remembers of a mailbox: threads as they were read, and what drafts say.

A thread costs forty units to read, and is read again for its draft a moment later; so it is kept,
and the history (two units) says whether it is still so. A message under its id never changes, so
what a draft says is kept under the id of its message.

The memory is bounded and a crash loses it without harm. A thread that changed while it was being
read is not kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread

from providers.gmail.items import Event, Item
from providers.gmail.refs import Entry, Stub
from providers.mime.compose import content_hash
from providers.mime.message import Heads
from providers.ports import DraftSight, Folder, ThreadScope
from storage.words import Ref, Version

OCTETS: Final = 16 * 1024 * 1024
"""Octets of mail that are kept at most."""
THREADS: Final = 2_000
DRAFTS: Final = 5_000
_LARGE: Final = 64 * 1024
_FOLDERS: Final = frozenset({"INBOX", "SENT", "TRASH", "SPAM"})
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a draft, or a mail that may have been one, says under one message id."""

    heads: Heads
    content_hash: str

    def sight(self, ref: Ref, stub: Stub, folder: Folder) -> DraftSight:
        """As others compare it."""
        heads = self.heads
        return DraftSight(
            ref=ref,
            version=Version(stub.id),
            folder=folder,
            content_hash=self.content_hash,
            mark=heads.mark,
            message_id=heads.message_id,
            parents=frozenset(heads.in_reply_to) | frozenset(heads.references),
            thread=stub.thread,
        )


@dataclass(slots=True)
class Shelf:
    """The memory of one mailbox. ``point`` is the history id up to which the threads are true.

    *limiter* bounds the threads that hash large mails.
    """

    limiter: CapacityLimiter
    point: str | None = None
    checked_s: float = 0.0
    drafts_serial: int = 0
    """Rises when a draft is known to have come or gone."""
    homes: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """The thread of each draft that this process made."""
    thrown: OrderedDict[str, None] = field(default_factory=OrderedDict)
    """Messages that lay in the trash when they were read: what they say says not where they are."""
    _threads: OrderedDict[str, tuple[Item, ...]] = field(default_factory=OrderedDict)
    _words: OrderedDict[str, Words] = field(default_factory=OrderedDict)
    _changed: OrderedDict[str, int] = field(default_factory=OrderedDict)
    _octets: int = 0
    _serial: int = 0
    _cleared: int = 0

    def begin(self) -> int:
        """To be taken before a thread is read, and given back with it."""
        return self._serial

    def keep(self, thread: str, items: Iterable[Item], begun: int) -> None:
        """Remember a thread, unless it changed since *begun*."""
        if begun < self._cleared or self._changed.get(thread, 0) > begun:
            return
        self.forget(thread)
        held = tuple(items)
        self._threads[thread] = held
        self._octets += sum(map(_weight, held))
        while len(self._threads) > 1 and (self._octets > OCTETS or len(self._threads) > THREADS):
            _, dropped = self._threads.popitem(last=False)
            self._octets -= sum(map(_weight, dropped))

    def thread(self, thread: str) -> tuple[Item, ...] | None:
        """The thread as it was read, None where that is not known."""
        if thread in self._threads:
            self._threads.move_to_end(thread)
        return self._threads.get(thread)

    def forget(self, thread: str) -> None:
        """The thread is not as it was."""
        held = self._threads.pop(thread, ())
        self._octets -= sum(map(_weight, held))

    def heed(self, events: Iterable[Event]) -> None:
        """Forget the threads whose mail changed; drafts and stars change nothing."""
        self._serial += 1
        for event in events:
            if event.labels is None or "DRAFT" in event.labels:
                self.drafts_serial = self._serial
            if event.labels is not None and "DRAFT" in event.labels:
                continue
            if event.changed and not event.changed & _FOLDERS:
                continue
            self.forget(event.stub.thread)
            self._changed[event.stub.thread] = self._serial
            self._changed.move_to_end(event.stub.thread)
        _bound(self._changed, THREADS * 4)

    def clear(self) -> None:
        """Nothing is known to be true any more."""
        self._serial += 1
        self._cleared = self._serial
        self._threads.clear()
        self._octets = 0
        self.point = None

    def words(self, message: str) -> Words | None:
        """What the message says, None where it was not read."""
        return self._words.get(message)

    async def learn(self, item: Item) -> Words | None:
        """Remember what a message says that was read as it was sent."""
        if item.raw is None or not item.sent:
            return None
        self.thrown.pop(item.stub.id, None)
        if "TRASH" in item.labels:
            self.thrown[item.stub.id] = None
            _bound(self.thrown, DRAFTS)
        words = Words(heads=item.heads, content_hash=await self.hashed(item.raw))
        self._words[item.stub.id] = words
        _bound(self._words, DRAFTS)
        return words

    def made(self, entry: Entry) -> None:
        """Remember in which thread a draft of this process came to lie."""
        self.homes[entry.id] = entry.message.thread
        self._serial += 1
        self.drafts_serial = self._serial
        _bound(self.homes, DRAFTS)

    async def hashed(self, raw: bytes) -> str:
        """The content hash, on a thread where that takes long."""
        if len(raw) < _LARGE:
            return content_hash(raw)
        return await to_thread.run_sync(content_hash, raw, limiter=self.limiter)


def belongs(heads: Heads, thread: str, scope: ThreadScope) -> bool:
    """Whether a message answers, or is, one of the thread: Gmail's word, or its own references."""
    if scope.thread is not None and thread == scope.thread:
        return True
    if heads.message_id is not None and heads.message_id in scope.message_ids:
        return True
    return not scope.message_ids.isdisjoint((*heads.in_reply_to, *heads.references))


def _weight(item: Item) -> int:
    return len(item.raw or b"") + 1_000


def _bound(memory: OrderedDict[str, _T], most: int) -> None:
    while len(memory) > most:
        memory.popitem(last=False)
