"""What of a thread lies in the mailbox now: the list of drafts, the thread itself, the snapshot.

A thread is read once and then believed as long as the history (two units) brings nothing new of it.
The list of drafts is the same for all looks that are made within a few seconds, so that a hundred
of them cost it once.

Reads only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from providers.gmail.api import Api, ExpiredError, RefusedReadError
from providers.gmail.items import Item
from providers.gmail.refs import Entry, Stub, stub_of
from providers.gmail.shelf import Shelf, Words, belongs
from providers.ports import DraftSight, Folder, Json, LookRequest, Snapshot, ThreadScope
from storage.words import Clock

SHARED_S: Final = 5.0
"""For so long one list of drafts serves every look that began after its call had ended."""
KEPT_PLACE: Final = 200
"""Of how many drafts a snapshot names all, so that a new one elsewhere is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Every draft, and the ids of those that are not in the trash."""

    entries: tuple[Entry, ...]
    unsent: frozenset[str]
    at: datetime
    at_s: float
    serial: int

    def folder(self, entry: Entry) -> Folder:
        """Where a draft lies."""
        return Folder.DRAFTS if entry.id in self.unsent else Folder.TRASH


@dataclass(slots=True)
class Finder:
    """Searches of one mailbox; *shelf* remembers what was read."""

    api: Api
    shelf: Shelf
    clock: Clock
    listing: Listing | None = None

    async def refresh(self) -> None:
        """Have the shelf forget what changed since it was last true (2 units)."""
        point = self.shelf.point
        if point is not None:
            try:
                history = await self.api.history(point)
            except ExpiredError:
                pass
            else:
                self.shelf.heed(history.events)
                self.shelf.point = history.last
                self.shelf.checked_s = self.clock.boot_s()
                return
        self.shelf.clear()
        self.shelf.point = await self.api.point()
        self.shelf.checked_s = self.clock.boot_s()

    async def members(self, thread: str) -> Sequence[Item]:
        """The thread as it was read after the last refresh; nothing where there is none."""
        held = self.shelf.thread(thread)
        if held is not None:
            return held
        begun = self.shelf.begin()
        try:
            items = await self.api.thread(thread)
        except RefusedReadError:
            return await self.api.thread(thread, whole=False) or []
        if items is None:
            return []
        self.shelf.keep(thread, items, begun)
        return items

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """The thread's place, unsent drafts and unknown mail."""
        await self.refresh()
        threads = threads_of(scope)
        entries = await self.api.drafts()
        drafts = [await self._in_place(entry, scope, threads) for entry in entries]
        news = [
            item.sighting()
            for thread in threads
            for item in await self.members(thread)
            if item.is_mail and item.stub.ref not in scope.refs
        ]
        ids = sorted(entry.id for entry in entries)
        place: Json = {
            "history": self.shelf.point,
            "drafts": ids if len(ids) <= KEPT_PLACE else None,
        }
        return Snapshot(
            place=place,
            drafts=tuple(one for one in drafts if one is not None),
            news=tuple(news),
        )

    async def _in_place(
        self, entry: Entry, scope: ThreadScope, threads: Sequence[str]
    ) -> DraftSight | None:
        """The draft, if it belongs to the thread."""
        inside = entry.message.thread in threads
        if not inside and (scope.thread is not None or not scope.message_ids):
            words = self.shelf.words(entry.message.id)
            if words is None or not belongs(words.heads, entry.message.thread, scope):
                return None
        read = await self.read(entry)
        if read is None:
            return None
        words, stub = read
        if not inside and not belongs(words.heads, stub.thread, scope):
            return None
        return words.sight(entry.ref, stub, Folder.DRAFTS)

    async def read(self, entry: Entry) -> tuple[Words, Stub] | None:
        """What a draft says now, from memory where its message was read (else 20 units)."""
        words = self.shelf.words(entry.message.id)
        # Some servers list a draft that lies in the trash.
        if words is not None and entry.message.id not in self.shelf.thrown:
            return words, entry.message
        got = await self.api.draft(entry.id)
        if got is None or "TRASH" in got[1].labels:
            return None
        learned = await self.shelf.learn(got[1])
        return (learned, got[0].message) if learned is not None else None

    async def words(self, stub: Stub) -> Words | None:
        words = self.shelf.words(stub.id)
        if words is None:
            whole = await self.api.message(stub.id, whole=True)
            words = await self.shelf.learn(whole) if whole is not None else None
        return words

    async def all_drafts(self, request: LookRequest) -> Listing:
        """Every draft, with those in the trash: shared by looks that are made together.

        A look at an intent that is settled is about something that has just changed, and asks anew.
        """
        held = self.listing
        ended = request.ended_at or request.claimed_at
        now_s = self.clock.boot_s()
        if (
            held is not None
            and request.may_withdraw
            and held.serial == self.shelf.drafts_serial
            and now_s - held.at_s < SHARED_S
            and held.at > ended
        ):
            return held
        serial = self.shelf.drafts_serial
        at, at_s = self.clock.now(), now_s
        unsent = await self.api.drafts()
        entries = await self.api.drafts(thrown_away=True)
        self.listing = Listing(
            entries=tuple({one.id: one for one in (*entries, *unsent)}.values()),
            unsent=frozenset(one.id for one in unsent),
            at=at,
            at_s=at_s,
            serial=serial,
        )
        return self.listing


def threads_of(scope: ThreadScope) -> list[str]:
    """Gmail's ids of the thread: its own word, and those of the mail that the caller knows."""
    found: dict[str, None] = {}
    if scope.thread is not None:
        found[scope.thread] = None
    for ref in sorted(scope.refs):
        stub = stub_of(ref)
        if stub is not None:
            found[stub.thread] = None
    return list(found)
