"""Where a pass goes on: the last history record that was seen, and what tells the rest.

The id of a *record* is kept and not what the server calls the present id: a listing that lags might
name an id beyond what it shows, and everything between would be lost. Only when a day has brought
no record at all is the present id taken, because old ids are forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from providers.ports import Json

KEPT_DRAFTS: Final = 1_000
"""Of how many drafts the ids are kept, so that one which goes or is edited is noticed."""
STILL_S: Final = 86_400.0
"""After how long without a record the server's present id is believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """``history`` is the last record seen, ``moved`` when it last moved, ``at`` the last good pass,
    ``floor`` before which mail is passed over (POSIX seconds). ``drafts`` holds the message behind
    each draft id, "" where that is not known; None: too many.
    ``blind``: the pass had no history to go by and listed the mail instead."""

    history: str
    moved: float
    at: float
    floor: float
    drafts: Mapping[str, str] | None
    blind: bool = False

    def json(self) -> Json:
        """For the store."""
        return {
            "history": self.history,
            "moved": self.moved,
            "at": self.at,
            "floor": self.floor,
            "drafts": None if self.drafts is None else dict(sorted(self.drafts.items())),
            "blind": self.blind,
        }


def cursor_of(value: Json) -> Cursor | None:
    """The cursor that the store kept, None where it is none of ours."""
    history = value.get("history")
    moved, at, floor = value.get("moved"), value.get("at"), value.get("floor")
    drafts = value.get("drafts")
    if not isinstance(history, str) or not history:
        return None
    if not (
        isinstance(moved, int | float)
        and isinstance(at, int | float)
        and isinstance(floor, int | float)
    ):
        return None
    return Cursor(
        history=history,
        moved=float(moved),
        at=float(at),
        floor=float(floor),
        drafts=_drafts(drafts),
        blind=value.get("blind") is True,
    )


def kept(drafts: Mapping[str, str]) -> Mapping[str, str] | None:
    """The drafts as a cursor holds them."""
    return drafts if len(drafts) <= KEPT_DRAFTS else None


def _drafts(value: object) -> Mapping[str, str] | None:
    """What the store kept of drafts; ids alone are from before messages were kept with them."""
    if isinstance(value, list):
        return {one: "" for one in value if isinstance(one, str)}
    if not isinstance(value, dict):
        return None
    return {draft: one for draft, one in value.items() if isinstance(one, str)}
