"""Where a pass goes on: the last history record that was seen, and what tells the rest.

The id of a *record* is kept and not what the server calls the present id: a listing that lags might
name an id beyond what it shows, and everything between would be lost. Only when a day has brought
no record at all is the present id taken, because old ids are forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from providers.ports import Json

KEPT_DRAFTS: Final = 1_000
"""Of how many drafts the ids are kept, so that one which goes is noticed."""
STILL_S: Final = 86_400.0
"""After how long without a record the server's present id is believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """``history`` is the last record seen, ``moved`` when it last moved, ``at`` the last good pass,
    ``floor`` before which mail is passed over (POSIX seconds). ``drafts`` None: too many.
    ``blind``: the pass had no history to go by and listed the mail instead."""

    history: str
    moved: float
    at: float
    floor: float
    drafts: frozenset[str] | None
    blind: bool = False

    def json(self) -> Json:
        """For the store."""
        return {
            "history": self.history,
            "moved": self.moved,
            "at": self.at,
            "floor": self.floor,
            "drafts": None if self.drafts is None else sorted(self.drafts),
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
    kept = (
        frozenset(one for one in drafts if isinstance(one, str))
        if isinstance(drafts, list)
        else None
    )
    return Cursor(
        history=history,
        moved=float(moved),
        at=float(at),
        floor=float(floor),
        drafts=kept,
        blind=value.get("blind") is True,
    )


def kept(drafts: frozenset[str]) -> frozenset[str] | None:
    """The draft ids as a cursor holds them."""
    return drafts if len(drafts) <= KEPT_DRAFTS else None
