"""When "it is not there" becomes "it never happened and never will". Pure.

One look proves nothing: a server that stands still can store a draft long after its client has
given up. The proof needs all of these (docs: the protocol, evidence):

* the call is over (its caller recorded that, or is dead; its connection discarded what was unsent);
* the owner says that nothing between us and this Dovecot or Cyrus holds octets back;
* two clean looks on the same numbering: UIDVALIDITY unchanged, every UID from the snapshot's
  UIDNEXT on present and none ours;
* the second of them ten minutes after the end of the call and a minute after the first.

The facts of a clean look are kept by the store with its time; what is known only in this process
counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from providers.ports import Json

AFTER_END_S: Final = 600.0
BETWEEN_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one complete look saw of the drafts folder when nothing of ours was there.

    ``settled`` says that the call was known to be over when the look was made.
    """

    validity: int
    start: int
    next: int
    settled: bool

    def json(self) -> Json:
        """The form in which they are kept as evidence."""
        return {
            "uidvalidity": self.validity,
            "from_uid": self.start,
            "uidnext": self.next,
            "call_over": self.settled,
        }


def proof(
    facts: Facts, earlier: Sequence[Json], *, ended_at: datetime | None, now: datetime
) -> str | None:
    """The text of the proof, or None. *earlier* are facts of looks with ``at`` in POSIX seconds.

    *ended_at* is when the caller recorded the end; without it, the first look that knew of the end
    counts.
    """
    at = now.timestamp()
    same = [one for one in earlier if _alike(one, facts)]
    over = [_at(one) for one in same if one.get("call_over") is True]
    if not facts.settled or not over:
        return None
    ended = ended_at.timestamp() if ended_at is not None else min(over)
    if at - ended < AFTER_END_S or not any(at - when >= BETWEEN_S for when in over):
        return None
    return (
        f"looked twice, the last {int(at - ended)} s after the call: UIDVALIDITY is still "
        f"{facts.validity} and no draft of ours is among UIDs {facts.start} to {facts.next - 1}"
        if facts.next > facts.start
        else f"looked twice, the last {int(at - ended)} s after the call: UIDVALIDITY is still "
        f"{facts.validity} and UIDNEXT still {facts.next}"
    )


def _alike(one: Json, facts: Facts) -> bool:
    return (one.get("uidvalidity"), one.get("from_uid")) == (facts.validity, facts.start)


def _at(one: Json) -> float:
    at = one.get("at")
    # A fact without a time is of no use: it counts as made just now, in a far future.
    return float(at) if isinstance(at, int | float) else float("inf")
