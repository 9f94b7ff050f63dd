"""What a process remembers of mails that it has read: header blocks and hashes of content.

A mail under its UIDVALIDITY and UID never changes, so what was read once is right for ever and only
flags are asked again. Thousands of drafts then cost one listing of flags. The memory is bounded and
a crash loses it without harm.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread

from providers.imap.refs import Spot, spot_of
from providers.imap.session import Item, Selected, Session
from providers.mime.compose import content_hash
from providers.mime.message import Heads
from providers.ports import DraftSight, Folder, Sighting, ThreadScope
from storage.words import Ref

KEPT: Final = 20_000
_LARGE: Final = 64 * 1024
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One listed mail: where it lies, in which role it counts, what its header block says."""

    spot: Spot
    role: Folder
    heads: Heads
    arrived_at: datetime
    thread: str | None

    @property
    def ref(self) -> Ref:
        """How others name it."""
        return self.spot.ref

    def sighting(self) -> Sighting:
        """The mail as a listing shows it."""
        return Sighting(
            ref=self.ref,
            folder=self.role,
            heads=self.heads,
            arrived_at=self.arrived_at,
            order=self.spot.uid,
            thread=self.thread,
        )

    def belongs(self, scope: ThreadScope) -> bool:
        """Whether it answers, or is, a message of the thread."""
        heads = self.heads
        if scope.thread is not None and self.thread == scope.thread:
            return True
        if heads.message_id is not None and heads.message_id in scope.message_ids:
            return True
        if self.ref in scope.refs:
            return True
        return not scope.message_ids.isdisjoint((*heads.in_reply_to, *heads.references))


@dataclass(slots=True)
class Shelf:
    """The memory of one mailbox. *limiter* bounds the threads that hash large mails."""

    limiter: CapacityLimiter
    _heads: OrderedDict[Spot, tuple[Heads, datetime, str | None]] = field(
        default_factory=OrderedDict
    )
    _hashes: OrderedDict[Spot, str] = field(default_factory=OrderedDict)

    def keep(self, sightings: Iterable[Sighting]) -> None:
        """Remember what a pass has read."""
        for one in sightings:
            spot = spot_of(one.ref)
            if spot is not None and one.unreadable is None:
                self._put(spot, one.heads, one.arrived_at, one.thread)

    async def listed(
        self, session: Session, role: Folder, box: Selected, uids: Sequence[int]
    ) -> list[Seen]:
        """The mails *uids* of the open folder; one that is gone is left out.

        A draft that is marked for deletion counts as trashed. Raises RefusedError or LostError.
        """
        spots = {uid: Spot(box.validity, uid, box.name) for uid in uids}
        missing = [uid for uid, spot in spots.items() if spot not in self._heads]
        flags: dict[int, Item] = {}
        if role is Folder.DRAFTS and uids:
            flags = {item.uid: item for item in await session.items(uids, header=False)}
        for item in await session.items(missing, header=True) if missing else []:
            self._put(spots[item.uid], item.heads, _arrived(item), item.thread)
        found = []
        for uid, spot in spots.items():
            held = self._heads.get(spot)
            if held is None or (role is Folder.DRAFTS and uid not in flags):
                continue
            trashed = role is Folder.DRAFTS and flags[uid].deleted
            found.append(
                Seen(
                    spot=spot,
                    role=Folder.TRASH if trashed else role,
                    heads=held[0],
                    arrived_at=held[1],
                    thread=held[2],
                )
            )
        return found

    async def sight(self, session: Session, seen: Seen) -> DraftSight | None:
        """The whole of a mail of the open folder as a thing that may be ours; None when gone."""
        if seen.spot not in self._hashes:
            item = await session.whole(seen.spot.uid)
            if item is None or item.raw is None:
                return None
            self._hashes[seen.spot] = await self.hashed(item.raw)
            _bound(self._hashes)
        heads = seen.heads
        return DraftSight(
            ref=seen.ref,
            version=seen.spot.version,
            folder=seen.role,
            content_hash=self._hashes[seen.spot],
            mark=heads.mark,
            message_id=heads.message_id,
            parents=frozenset(heads.in_reply_to) | frozenset(heads.references),
            thread=seen.thread,
        )

    async def hashed(self, raw: bytes) -> str:
        """The content hash, on a thread where that takes long."""
        if len(raw) < _LARGE:
            return content_hash(raw)
        return await to_thread.run_sync(content_hash, raw, limiter=self.limiter)

    def _put(self, spot: Spot, heads: Heads, arrived_at: datetime, thread: str | None) -> None:
        self._heads[spot] = (heads, arrived_at, thread)
        _bound(self._heads)


def _bound(memory: OrderedDict[Spot, _T]) -> None:
    while len(memory) > KEPT:
        memory.popitem(last=False)


def _arrived(item: Item) -> datetime:
    return item.arrived_at or datetime.fromtimestamp(0, UTC)
