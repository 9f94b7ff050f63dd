"""What of a thread, or of an intent, lies in the mailbox now: snapshot, look and direct get.

Every header block of the folders in question is read (from memory where the file is the same); the
whole of a mail only where it belongs to the thread or carries the mark, so that thousands of drafts
cost a listing and a stat each. Reading never changes a flag. What is not found is only not found:
the one proof of never comes from ``staging``. Blocking; a crash here loses nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

from providers.maildir.listing import Listing
from providers.maildir.names import TRASHED, Entry, arrival, named_second, ref_of
from providers.maildir.places import Found, Place, Places, belongs, sight, sighting
from providers.ports import (
    DraftNow,
    DraftRef,
    DraftSight,
    Folder,
    Json,
    LookRequest,
    Sighting,
    Snapshot,
    ThreadScope,
    TransientError,
    Whereabouts,
    effects_of,
)

NEWS: Final = timedelta(hours=48)
"""Mail that a pass has listed is still compared with the thread for so long."""
_SLACK: Final = timedelta(minutes=1)
_TRIES: Final = 5
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Search:
    """Searches in the folders *places*; *listing* knows what the last pass has shown."""

    places: Places
    listing: Listing

    def snapshot(self, scope: ThreadScope, now: datetime) -> Snapshot:
        """Unsent drafts and unknown mails of the thread. Raises OSError or TransientError."""

        def once() -> Snapshot:
            found = [found for place in self.drafts() for found in self._all(place)]
            unsent = [one for one in found if one.role is Folder.DRAFTS and belongs(one, scope)]
            return Snapshot(
                place=self._place(found),
                drafts=tuple(sight(one) for one in unsent),
                news=tuple(self._news(scope, now)),
            )

        return _again(once)

    def drafts(self) -> list[Place]:
        """The drafts folders that exist."""
        return self.places.present(Folder.DRAFTS)

    def _all(self, place: Place) -> list[Found]:
        """Every readable mail of a drafts folder; one that can't be read can't be ours to judge."""
        return self.places.read_all(place, settled=True)[0]

    def _place(self, found: Iterable[Found]) -> Json:
        names = sorted(one.ref for one in found)
        home = self.places.home().path
        state = home.stat() if self.drafts() else None
        return {
            "dev": state.st_dev if state else 0,
            "ino": state.st_ino if state else 0,
            "digest": hashlib.sha256("\n".join(names).encode()).hexdigest(),
        }

    def _news(self, scope: ThreadScope, now: datetime) -> Iterable[Sighting]:
        for place in self.places.present(Folder.INBOX, Folder.SENT):
            for item in self.listing.fresh(place, now - NEWS, now):
                if ref_of(place.label, item.uniq) in scope.refs:
                    continue
                try:
                    found = self.places.heads(place, item)
                except OSError:
                    continue
                if belongs(found, scope):
                    yield sighting(found, now)

    def look(self, request: LookRequest) -> tuple[list[DraftSight], list[DraftSight], list[str]]:
        """Effects found, candidates, and what could not be read. Raises TransientError."""

        def once() -> tuple[list[DraftSight], list[DraftSight], list[str]]:
            hits: list[DraftSight] = []
            candidates: list[DraftSight] = []
            unread: list[str] = []
            for place in self.places.present(Folder.DRAFTS, Folder.SENT, Folder.TRASH):
                try:
                    found, failed = self.places.read_all(place, settled=place.role is Folder.DRAFTS)
                except FileNotFoundError:
                    raise
                except OSError as error:
                    unread.append(f"{place.label}: {error.strerror or error}")
                    continue
                for one in found:
                    self._judge(one, request, hits, candidates)
                unread += _unread(place, failed, request)
            return effects_of(hits), candidates, unread

        return _again(once)

    def _judge(
        self,
        one: Found,
        request: LookRequest,
        hits: list[DraftSight],
        candidates: list[DraftSight],
    ) -> None:
        heads = one.heads
        named = request.message_id is not None and heads.message_id == request.message_id
        if heads.mark == request.mark or named:
            hits.append(sight(one))
            return
        if heads.mark is not None or not belongs(one, request.scope):
            return
        if not _since(one, request):
            return
        seen = sight(one)
        if seen.content_hash == request.content_hash:
            hits.append(seen)
        elif one.role is Folder.DRAFTS:
            candidates.append(seen)

    def whereabouts(self, draft: DraftRef) -> DraftNow:
        """A direct get of one recorded draft. Raises OSError or TransientError."""
        return _again(lambda: self._whereabouts(draft))

    def _whereabouts(self, draft: DraftRef) -> DraftNow:
        found = [
            one
            for place in self.drafts()
            for one in self._all(place)
            if one.ref not in draft.others
        ]
        named = [one for one in found if one.ref == draft.ref]
        marked = [one for one in found if one.heads.mark == draft.mark]
        # One that says the very same is rather a second one: what left is looked for first.
        lying = [_as_found(sight(one), draft) for one in marked if one.role is Folder.DRAFTS]
        edits = [now for now in lying if now.where is Whereabouts.EDITED]
        for now in (*(_as_found(sight(one), draft) for one in named), *edits):
            return now
        for role, where in ((Folder.SENT, Whereabouts.SENT), (Folder.TRASH, Whereabouts.TRASHED)):
            for seen in self._kept(role, draft):
                return DraftNow(where=where, sight=seen)
        for now in lying:
            return now
        for one in marked:
            return DraftNow(where=Whereabouts.TRASHED, sight=sight(one))
        for one in found:
            if _plain_draft(one) and belongs(one, draft.scope):
                return DraftNow(where=Whereabouts.EDITED, sight=sight(one))
        return DraftNow(where=Whereabouts.ABSENT)

    def _kept(self, role: Folder, draft: DraftRef) -> Iterable[DraftSight]:
        """Mails in Sent or Trash that are the draft, by its mark or by equal content."""
        for place in self.places.present(role):
            for one in self.places.read_all(place)[0]:
                if one.heads.mark == draft.mark:
                    yield sight(one)
                elif one.heads.mark is None and belongs(one, draft.scope):
                    seen = sight(one)
                    if seen.content_hash == draft.content_hash:
                        yield seen


def _as_found(seen: DraftSight, draft: DraftRef) -> DraftNow:
    """A draft that lies in the drafts folder: as it was made, changed, or flagged for deletion."""
    if seen.folder is Folder.TRASH:
        return DraftNow(where=Whereabouts.TRASHED, sight=seen)
    same = seen.version.rpartition("#")[2] == draft.version.rpartition("#")[2]
    return DraftNow(where=Whereabouts.UNTOUCHED if same else Whereabouts.EDITED, sight=seen)


def _plain_draft(one: Found) -> bool:
    return one.role is Folder.DRAFTS and one.heads.mark is None


def _since(one: Found, request: LookRequest) -> bool:
    """True for what came after the snapshot: drafts by their names, other mail by its arrival."""
    if one.place.role is Folder.DRAFTS:
        return one.ref not in request.before
    arrived_at, _ = arrival(one.item.uniq, one.stamp.mtime_ns, request.claimed_at)
    return arrived_at >= request.claimed_at - _SLACK


def _unread(
    place: Place, failed: Iterable[tuple[Entry, OSError]], request: LookRequest
) -> Iterable[str]:
    """Names of unreadable files that might be what the look is for: those since the claim."""
    earliest = (request.claimed_at - _SLACK).timestamp()
    for item, error in failed:
        seconds = named_second(item.uniq, request.claimed_at)
        if (seconds is None or seconds >= earliest) and TRASHED not in item.flags:
            yield f"{ref_of(place.label, item.uniq)}: {error.strerror or error}"


def _again(once: Callable[[], _T]) -> _T:
    """Run *once* anew when a file is renamed between its listing and its reading."""
    for _ in range(_TRIES):
        try:
            return once()
        except FileNotFoundError:
            continue
    raise TransientError("the folders change all the time: it is tried again")
