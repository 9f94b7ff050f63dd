"""Why no call is made into a mailbox for a while, and until when, as a person is told it.

Said in one place, so that ``status``, ``explain`` and ``once`` give the same reason. Only reads:
what makes a mailbox rest, and what ends that, is ``assistant.effects.illness``.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from assistant.effects.illness import UNKNOWNS_BEFORE_REST
from storage import reviews
from storage.mailboxes import MailboxRow
from storage.words import ItemKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The rest of a mailbox; ``until`` is epoch milliseconds, ``more_s`` what is left of it.

    ``until`` None: its time is over, and only a look that succeeds ends it. ``look_needed``: the
    same has to happen besides.
    """

    until: int | None
    more_s: float
    look_needed: bool
    why: str

    @property
    def words(self) -> str:
        """The same for a person: how long and why."""
        ends = [] if self.until is None else [f"for {self.more_s:.0f} s more"]
        if self.look_needed:
            ends.append("until a look into it has succeeded")
        return f"it rests {' and '.join(ends)}: {self.why}"


def rest_of(conn: Connection, row: MailboxRow, now: int) -> Rest | None:
    """The rest of a mailbox at *now* (epoch ms, the database's); None where it does not rest."""
    until = row.calls_paused_until or 0
    if until <= now and not row.look_needed:
        return None
    return Rest(
        until=until if until > now else None,
        more_s=max(0, until - now) / 1000,
        look_needed=row.look_needed,
        why=_why(conn, row),
    )


def _why(conn: Connection, row: MailboxRow) -> str:
    lost = (
        f"of {row.unknowns_in_a_row} calls in a row nobody knows the outcome (no answer, or the "
        "process that made them died)"
    )
    if row.look_needed:
        return lost
    for kind, about in ((ItemKind.RECONNECT, "login"), (ItemKind.MAILBOX_ILL, "write")):
        for item in reviews.open_about(conn, kind, about):
            if item.integration == row.integration:
                return item.summary
    # Unknown calls are counted until one succeeds, whatever else was met meanwhile.
    refused = "the last call into it was refused"
    return lost if row.unknowns_in_a_row >= UNKNOWNS_BEFORE_REST else refused
