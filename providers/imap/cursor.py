"""Where a pass stood in each folder, in the form in which the store keeps it. Pure.

UIDVALIDITY says whether the numbers still mean the same mails, UIDNEXT what had come, HIGHESTMODSEQ
what had changed. Where a server counts no departures the UIDs of the drafts are kept too, so that a
draft that went is noticed after a restart as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from providers.ports import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One folder: UIDVALIDITY, UIDNEXT, HIGHESTMODSEQ or None, its UIDs as a set or None."""

    validity: int
    next: int
    modseq: int | None = None
    uids: str | None = None

    def json(self) -> Json:
        """The form in which the store keeps it."""
        return {"v": self.validity, "n": self.next, "m": self.modseq, "u": self.uids}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """A pass: POSIX seconds of its start, the floor of the look-back, a mark for each folder."""

    at: float
    floor: float
    folders: Mapping[str, Mark] = field(default_factory=dict)

    def json(self) -> Json:
        """The form in which the store keeps it."""
        folders = {name: mark.json() for name, mark in self.folders.items()}
        return {"at": self.at, "floor": self.floor, "folders": folders}


def cursor_of(json: Json) -> Cursor | None:
    """Read a cursor back; None when it is none of ours."""
    at, floor, folders = json.get("at"), json.get("floor"), json.get("folders")
    if not (isinstance(at, int | float) and isinstance(floor, int | float)):
        return None
    if not isinstance(folders, Mapping):
        return None
    marks = {str(name): mark for name, held in folders.items() if (mark := _mark(held)) is not None}
    return Cursor(at=float(at), floor=float(floor), folders=marks)


def _mark(held: object) -> Mark | None:
    if not isinstance(held, Mapping):
        return None
    validity, following = held.get("v"), held.get("n")
    modseq, uids = held.get("m"), held.get("u")
    if not (isinstance(validity, int) and isinstance(following, int)):
        return None
    return Mark(
        validity=validity,
        next=following,
        modseq=modseq if isinstance(modseq, int) else None,
        uids=uids if isinstance(uids, str) else None,
    )
