"""One pass over the watched folders: what came, what went, and where the next pass goes on.

The server's own numbers say what is new: UIDs from the last UIDNEXT on. The store is asked which of
them it knows (a crash may have lost the cursor and not the notes), and only of the rest are header
blocks read. When UIDVALIDITY has changed the old numbers mean nothing: a bounded time is read anew
and the gap is told. Mail that had arrived before the first look-back is passed over, now and later.

Reads with EXAMINE and PEEK only. A pass that fails anywhere has moved no cursor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from providers.imap.cursor import Cursor, Mark, cursor_of
from providers.imap.folders import Roles
from providers.imap.refs import Spot
from providers.imap.session import Item, Selected, Session
from providers.imap.text import newest, read_uid_ranges, search_date, uid_set
from providers.imap.wire import RefusedError
from providers.mime.message import Heads
from providers.ports import Changes, Folder, Gap, Json, Known, Sighting
from storage.words import Identity, Ref

RESCAN: Final = timedelta(days=30)
"""How far a pass goes back when nobody can say what has changed."""
WATCHED: Final = (Folder.INBOX, Folder.SENT, Folder.DRAFTS)
VANISHED_MOST: Final = 10_000
"""Of how many departures the store is asked; they are hints, and the newest matter."""
KEPT_UIDS: Final = 5_000
"""Of how many drafts the UIDs are kept where the server counts no departures."""
_ASKED: Final = 500


@dataclass(slots=True)
class Pass:
    """A pass under way over one mailbox."""

    session: Session
    roles: Roles
    known: Known
    now: datetime
    seen: list[Sighting] = field(default_factory=list)
    vanished: list[Ref] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
    gap: Gap | None = None
    floor: datetime = field(default_factory=lambda: datetime.fromtimestamp(0, UTC))
    below: bool = False

    async def run(self, cursor: Json | None, since: datetime | None) -> Changes:
        """Read all watched folders. Raises TransientError or MailboxIllError."""
        held = self._begin(cursor, since)
        for role, name in self.roles.present(*WATCHED):
            mark = held.folders.get(name) if held is not None else None
            self.marks[name] = await self._folder(role, name, mark, held)
        self.seen.sort(key=lambda one: (one.arrived_at, one.order, one.ref))
        following = Cursor(
            at=self.now.timestamp(), floor=self.floor.timestamp(), folders=self.marks
        )
        return Changes(
            cursor=following.json(),
            seen=tuple(self.seen),
            vanished=tuple(self.vanished),
            gap=self.gap,
        )

    def _begin(self, cursor: Json | None, since: datetime | None) -> Cursor | None:
        """Read the cursor and set the floor."""
        held = cursor_of(cursor) if cursor is not None else None
        start = datetime.fromtimestamp(0, UTC)
        if held is not None:
            start = datetime.fromtimestamp(held.floor, UTC)
            self.below = since is not None and since < start
        elif cursor is not None:
            start = self.now - RESCAN
            self.gap = Gap(reason="the cursor cannot be read", covered_from=start)
        elif since is not None:
            start = since
        self.floor = min(start, since) if since is not None else start
        return held

    async def _folder(
        self, role: Folder, name: str, mark: Mark | None, held: Cursor | None
    ) -> Mark:
        box = await self.session.examine(name)
        if mark is not None and mark.validity != box.validity:
            self._lost(name, held)
            mark = None
        if mark is not None and self._same(box, mark) and not self.below:
            return mark
        uids: str | None = None
        if role is Folder.DRAFTS:
            there = await self.session.search(b"ALL") if box.exists else []
            uids = self._kept(there)
            if mark is not None and mark.uids is not None and not self.session.qresync:
                await self._went(box, _difference(mark.uids, there))
            fresh = [uid for uid in there if mark is None or uid >= mark.next]
        else:
            fresh = await self._fresh(box, mark)
        await self._read(role, box, [uid for uid in fresh if uid < box.next], self._start(mark))
        if mark is not None and self.session.qresync and mark.modseq is not None:
            await self._departed(box, mark)
        return Mark(validity=box.validity, next=box.next, modseq=box.modseq, uids=uids)

    def _same(self, box: Selected, mark: Mark) -> bool:
        """Whether nothing came or went: only a server with QRESYNC counts departures."""
        counted = self.session.qresync and box.modseq is not None
        return counted and (box.next, box.modseq) == (mark.next, mark.modseq)

    def _lost(self, name: str, held: Cursor | None) -> None:
        start = self.now - RESCAN
        if held is not None:
            start = max(start, datetime.fromtimestamp(held.at, UTC))
            # A clock is not as exact as a number: what came just before is read once more.
            start -= timedelta(minutes=10)
        self.gap = Gap(reason=f"the numbers of the folder {name} are new", covered_from=start)

    def _kept(self, there: Sequence[int]) -> str | None:
        if self.session.qresync or len(there) > KEPT_UIDS:
            return None
        return uid_set(there).decode() if there else ""

    async def _fresh(self, box: Selected, mark: Mark | None) -> list[int]:
        """UIDs that may be new in a folder of mail."""
        if not box.exists:
            return []
        if mark is not None and not self.below:
            if box.next <= mark.next:
                return []
            found = await self.session.search(b"UID %d:*" % mark.next)
            return [uid for uid in found if uid >= mark.next]
        start = self._start(mark)
        if start.timestamp() <= 0:
            return await self.session.search(b"ALL")
        # SEARCH knows days only, in the server's own zone.
        return await self.session.search(b"SINCE", search_date((start - timedelta(days=1)).date()))

    def _start(self, mark: Mark | None) -> datetime:
        """From when on mail counts; a folder whose numbers are new is read a bounded time back."""
        covered = self.gap.covered_from if self.gap is not None and mark is None else None
        return self.floor if covered is None else max(self.floor, covered)

    async def _read(
        self, role: Folder, box: Selected, uids: Sequence[int], start: datetime
    ) -> None:
        unknown: list[int] = []
        for batch in _batches(uids):
            spots = {Spot(box.validity, uid, box.name).ref: uid for uid in batch}
            noted = await self.known(list(spots))
            unknown += [uid for ref, uid in spots.items() if ref not in noted]
        if role is not Folder.DRAFTS:
            listed = await self.session.items(unknown, header=False) if unknown else []
            unknown = [one.uid for one in listed if _arrived(one) >= start]
        for batch in _batches(unknown):
            await self._heads(role, box, batch)

    async def _heads(self, role: Folder, box: Selected, uids: Sequence[int]) -> None:
        """Read header blocks; a mail that the server cannot give is told, and stops nothing."""
        try:
            items = await self.session.items(uids, header=True)
        except RefusedError as error:
            if len(uids) == 1:
                self.seen.append(_unreadable(role, box, uids[0], self.now, error))
                return
            half = len(uids) // 2
            await self._heads(role, box, uids[:half])
            await self._heads(role, box, uids[half:])
            return
        for item in items:
            if not (role is Folder.DRAFTS and item.deleted):
                self.seen.append(sighting(role, box, item))

    async def _departed(self, box: Selected, mark: Mark) -> None:
        """What went since the last pass, by the server's own count (RFC 7162 3.2.6)."""
        if mark.next <= 1 or mark.modseq is None:
            return
        ranges = await self.session.vanished((1, mark.next - 1), mark.modseq)
        low = ((max(1, low), min(high, mark.next - 1)) for low, high in ranges)
        await self._went(box, newest((each for each in low if each[0] <= each[1]), VANISHED_MOST))

    async def _went(self, box: Selected, uids: Iterable[int]) -> None:
        refs = [Spot(box.validity, uid, box.name).ref for uid in uids]
        for at in range(0, len(refs), _ASKED):
            noted = await self.known(refs[at : at + _ASKED])
            self.vanished += sorted(noted)


def sighting(role: Folder, box: Selected, item: Item) -> Sighting:
    """A mail as a listing shows it."""
    return Sighting(
        ref=Spot(box.validity, item.uid, box.name).ref,
        folder=role,
        heads=item.heads,
        arrived_at=_arrived(item),
        order=item.uid,
        thread=item.thread,
    )


def _arrived(item: Item) -> datetime:
    return item.arrived_at or datetime.fromtimestamp(0, UTC)


def _unreadable(
    role: Folder, box: Selected, uid: int, now: datetime, error: RefusedError
) -> Sighting:
    spot = Spot(box.validity, uid, box.name)
    identity = Identity(hashlib.sha256(spot.ref.encode()).hexdigest())
    return Sighting(
        ref=spot.ref,
        folder=role,
        heads=Heads(identity=identity),
        arrived_at=now,
        order=uid,
        unreadable=str(error),
    )


def _difference(before: str, there: Sequence[int]) -> list[int]:
    held = frozenset(newest(read_uid_ranges(before.encode()), KEPT_UIDS))
    return sorted(held - frozenset(there))


def _batches(uids: Sequence[int]) -> Iterator[Sequence[int]]:
    for at in range(0, len(uids), _ASKED):
        yield uids[at : at + _ASKED]
