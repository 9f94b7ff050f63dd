"""When a whole mailbox rests and for how long, held against what was seen of its calls: section 10.

A mailbox is given a rest when three calls in a row ended unknown, and what ends one is its own time
or a call that it answered.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from tests.simulation.rows import Row
from tests.support.world import BOX

if TYPE_CHECKING:
    from tests.simulation.books import Books

_IN_A_ROW: Final = 3


def seen(books: Books, raw: sqlite3.Connection, before: dict[str, Row], now: int) -> None:
    """Read what one commit made of the mailbox."""
    row = raw.execute(
        "SELECT calls_paused_until, unknowns_in_a_row FROM mailboxes WHERE integration = ?", (BOX,)
    ).fetchone()
    until, stored = (0, 0) if row is None else (int(row[0] or 0), int(row[1]))
    moved = [
        (old.state, new)
        for new in books.intents.values()
        if (old := before.get(new.id)) is not None and old.state != new.state
    ]
    answered = any(new.state == "accepted" and new.settled_by == "call" for _, new in moved)
    unknown = sum(old == "calling" and new.state == "unknown" for old, new in moved)
    # Which of a set was first is not told: with an answer in it the store's own number counts.
    books.unknowns = stored if answered else books.unknowns + unknown
    ends = max(until, books.rests_until)
    if unknown and not answered and books.unknowns >= _IN_A_ROW and ends <= now:
        books.wrong(f"{books.unknowns} calls in a row ended unknown, and the mailbox does not rest")
    books.rests_until = until if answered else max(books.rests_until, until)
