"""What is new in a Maildir since a cursor.

A Maildir keeps no journal, so a pass lists names. The cursor holds inode and time of change of each
``new`` and ``cur``: a folder whose times are the same, and older than the grain of file times, has
the same names and is not listed again. Names that the store has confirmed stay in memory; of the
others the store is asked; only what it does not know is opened. The store keeps cursor and notes in
one transaction, so a crash before it repeats the pass and a crash after it has lost nothing. The
cursor names the unsent drafts as well: one that goes between two passes, or while nobody runs, is
reported gone by the next.

Mail that had arrived before the first pass's look-back (the floor) is passed over, now and later.
Scanning and reading are blocking; the question to the store between them is the caller's.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from providers.maildir.files import NotRegularError, changed_ns, listing, stamp
from providers.maildir.names import TRASHED, Entry, arrival, named_second, parts_of, ref_of
from providers.maildir.places import Place, Places, sighting
from providers.mime.message import Heads
from providers.ports import Changes, Folder, Gap, Json, Sighting
from storage.words import Identity, Ref

RESCAN: Final = timedelta(days=30)
"""How far a pass goes back when nobody can say what has changed."""
_GRAIN_NS: Final = 2_000_000_000
_WATCHED: Final = (Folder.INBOX, Folder.SENT, Folder.DRAFTS)

Times = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a pass stood: seconds of its start, the floor, the Maildir's inode, folder times.

    ``drafts`` are the base names that lay in each folder of drafts.
    """

    at: float
    floor: float
    root: int
    folders: dict[str, Times]
    drafts: dict[str, list[str]]

    def json(self) -> Json:
        """The form in which the store keeps it."""
        times = {label: [list(one) for one in each] for label, each in self.folders.items()}
        return {
            "at": self.at,
            "floor": self.floor,
            "root": self.root,
            "folders": times,
            "drafts": self.drafts,
        }


def cursor_of(json: Json) -> Cursor | None:
    """Read a cursor back, None when it is none of ours."""
    at, floor, root = json.get("at"), json.get("floor"), json.get("root")
    folders = json.get("folders")
    if not (isinstance(at, int | float) and isinstance(floor, int | float)):
        return None
    if not (isinstance(root, int) and isinstance(folders, dict)):
        return None
    times: dict[str, Times] = {}
    for label, each in folders.items():
        pairs = each if isinstance(each, list) else []
        if all(isinstance(p, list) and len(p) == 2 for p in pairs):
            times[str(label)] = tuple((int(ino), int(ns)) for ino, ns in pairs)
    named = json.get("drafts")
    drafts = {
        str(label): [str(uniq) for uniq in names]
        for label, names in (named.items() if isinstance(named, dict) else ())
        if isinstance(names, list)
    }
    return Cursor(float(at), float(floor), root, times, drafts)


@dataclass(slots=True)
class Pass:
    """A pass under way: what was listed, what the store must be asked, what follows."""

    now: datetime
    floor: float
    root: int
    gap: Gap | None
    times: dict[str, Times] = field(default_factory=dict)
    listed: dict[str, tuple[Place, dict[str, Entry]]] = field(default_factory=dict)
    unasked: list[Ref] = field(default_factory=list)
    drafts: dict[str, list[str]] = field(default_factory=dict)
    drafts_before: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Fresh:
    """What ``fresh`` found last, and the state of the folder in which that stays right."""

    times: Times
    last: frozenset[str] | None
    items: list[Entry]


@dataclass(slots=True)
class Listing:
    """What this process remembers of names between passes."""

    places: Places
    _known: dict[str, set[str]] = field(default_factory=dict)
    _old: dict[str, set[str]] = field(default_factory=dict)
    _last: dict[str, frozenset[str]] = field(default_factory=dict)
    _floor: float = 0.0
    _trust: bool = False
    _fresh: dict[str, _Fresh] = field(default_factory=dict)

    def scan(
        self, cursor: Json | None, since: datetime | None, now: datetime, *, trust: bool
    ) -> Pass:
        """List the folders that changed. *trust* is false where file times prove nothing.

        Raises OSError for a folder that can't be listed.
        """
        root = self.places.path.stat().st_ino
        held = None if cursor is None else cursor_of(cursor)
        under_way = _begin(cursor, held, since, now, root)
        if held is not None:
            under_way.drafts_before = held.drafts
            under_way.drafts = dict(held.drafts)
        if under_way.gap is not None or under_way.floor != self._floor:
            self._known.clear()
            self._old.clear()
            self._floor = under_way.floor
        self._trust = trust
        same = trust and held is not None and under_way.gap is None
        past = held.folders if held is not None and same and held.floor == self._floor else {}
        for place in self.places.present(*_WATCHED):
            before_ns = time.time_ns()
            times = changed_ns(place.path)
            if all(before_ns - ns > _GRAIN_NS for _, ns in times):
                under_way.times[place.label] = times
                if past.get(place.label) == times:
                    continue
            self._list(place, under_way)
        return under_way

    def _list(self, place: Place, under_way: Pass) -> None:
        items = {
            item.uniq: item
            for item in listing(place.path)
            if not (place.role is Folder.DRAFTS and TRASHED in item.flags)
        }
        under_way.listed[place.label] = (place, items)
        if place.role is Folder.DRAFTS:
            under_way.drafts[place.label] = sorted(items)
        self._last[place.label] = frozenset(items)
        known = self._known.setdefault(place.label, set())
        old = self._old.setdefault(place.label, set())
        old.intersection_update(items)
        for uniq in items.keys() - known - old:
            drafts = place.role is Folder.DRAFTS
            if drafts or self._after(place, items[uniq], under_way.now, under_way.floor):
                under_way.unasked.append(ref_of(place.label, uniq))
            else:
                old.add(uniq)

    def confirm(self, known: frozenset[Ref], under_way: Pass) -> None:
        """Remember which of the listed names the store has noted already."""
        for parts in map(parts_of, known):
            if parts is not None and parts[0] in under_way.listed:
                self._known[parts[0]].add(parts[1])

    def read(self, under_way: Pass) -> Changes:
        """Open what is unknown and tell what vanished; the cursor follows what was seen."""
        seen: list[Sighting] = []
        vanished: list[Ref] = []
        for label, (place, items) in under_way.listed.items():
            known, old = self._known[label], self._old[label]
            gone = known.union(under_way.drafts_before.get(label, ())) - items.keys()
            known -= gone
            vanished += [ref_of(label, uniq) for uniq in sorted(gone)]
            for uniq in items.keys() - known - old:
                try:
                    seen.append(self._sighting(place, items[uniq], under_way.now))
                except FileNotFoundError:
                    under_way.times.pop(label, None)
        self.places.forget(frozenset(vanished))
        seen.sort(key=lambda one: (one.arrived_at, one.order, one.ref))
        cursor = Cursor(
            under_way.now.timestamp(),
            under_way.floor,
            under_way.root,
            under_way.times,
            under_way.drafts,
        )
        return Changes(
            cursor=cursor.json(), seen=tuple(seen), vanished=tuple(vanished), gap=under_way.gap
        )

    def _sighting(self, place: Place, item: Entry, now: datetime) -> Sighting:
        try:
            return sighting(self.places.heads(place, item), now)
        except FileNotFoundError:
            raise
        except OSError as error:
            return _unreadable(place, item, now, error)

    def fresh(self, place: Place, since: datetime, now: datetime) -> list[Entry]:
        """Mails that the last pass did not list, and those that arrived after *since*.

        Where this process has made no pass yet, those of the last thirty days. Kept while the
        folder's times stay the same. Raises OSError.
        """
        last = self._last.get(place.label)
        before_ns = time.time_ns()
        times = changed_ns(place.path)
        held = self._fresh.get(place.label)
        if held is not None and held.times == times and held.last is last:
            return held.items
        floor = (since if last is not None else now - RESCAN).timestamp()
        items = [
            item
            for item in listing(place.path)
            if (last is not None and item.uniq not in last) or self._after(place, item, now, floor)
        ]
        self._fresh.pop(place.label, None)
        if self._trust and all(before_ns - ns > _GRAIN_NS for _, ns in times):
            self._fresh[place.label] = _Fresh(times, last, items)
        return items

    def _after(self, place: Place, item: Entry, now: datetime, floor: float) -> bool:
        seconds = named_second(item.uniq, now)
        if seconds is not None and seconds + 1 <= floor:
            return False
        try:
            # A name, and the time of a file on some systems, tells whole seconds only.
            return stamp(place.path, item).mtime_ns > (floor - 1) * 1e9
        except OSError:
            return True


def _begin(
    cursor: Json | None, held: Cursor | None, since: datetime | None, now: datetime, root: int
) -> Pass:
    """The floor of this pass, and the gap where the cursor says nothing about this Maildir."""
    asked = 0.0 if since is None else since.timestamp()
    if cursor is None:
        return Pass(now, asked, root, None)
    if held is not None and held.root == root:
        return Pass(now, held.floor if since is None else min(held.floor, asked), root, None)
    start = now - RESCAN
    if held is not None:
        start = max(start, datetime.fromtimestamp(held.at, UTC))
    reason = "the Maildir was replaced" if held is not None else "the cursor cannot be read"
    return Pass(now, start.timestamp(), root, Gap(reason=reason, covered_from=start))


def _unreadable(place: Place, item: Entry, now: datetime, error: OSError) -> Sighting:
    ref = ref_of(place.label, item.uniq)
    seconds = named_second(item.uniq, now)
    at_ns = int(now.timestamp() if seconds is None else seconds) * 1_000_000_000
    arrived_at, order = arrival(item.uniq, at_ns, now)
    identity = hashlib.sha256(f"unreadable {ref}".encode()).hexdigest()
    return Sighting(
        ref=ref,
        folder=place.role,
        heads=Heads(identity=Identity(identity)),
        arrived_at=arrived_at,
        order=order,
        unreadable=_why(error),
    )


def _why(error: OSError) -> str:
    why = error.strerror or str(error)
    if isinstance(error, NotRegularError):
        return f"{why}: remove it from the Maildir"
    return f"{why}: give Fencepost permission to read it, or remove it"


def known_batches(refs: list[Ref], size: int = 500) -> Iterable[list[Ref]]:
    """Cut *refs* into questions of a size that any store can answer at once."""
    return (refs[at : at + size] for at in range(0, len(refs), size))
