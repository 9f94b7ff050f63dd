"""How mailboxes, threads and members of a fleet are right now, for what a person is shown.

The part of ``assistant.views`` that judges by the database's time: who is live, what rests and
until when, what a thread waits for. Only reads, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Connection

from assistant.loops.presence import unattended, unserved
from assistant.rests import Rest, rest_of
from storage import leases, mailboxes, overview, units, workers
from storage.threads import ThreadRow
from storage.words import WATCH_THREAD, OwnerId
from storage.workers import Worker

Document = dict[str, object]

GONE_MS: Final = 3_600_000
"""A member of a fleet that was not heard for so long is listed only where all are asked for."""


def at(ms: int | None) -> str | None:
    """Epoch milliseconds as RFC 3339 in UTC."""
    if ms is None:
        return None
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def health(
    conn: Connection, row: mailboxes.MailboxRow, live: Sequence[Worker], *, stopped_all: bool
) -> Document:
    """How a mailbox is, whether it rests, and which live members of a fleet can serve it."""
    state = _state(conn, row, stopped_all=stopped_all)
    problem, remedy = row.problem, row.remedy
    why = unserved(live, row.integration, row.user)
    if why is not None:
        state = "ill" if state != "paused" else state
    elif problem is None and conn.dialect.name == "postgresql":
        # One process alone shows by itself whether it runs.
        why = unattended(live, row.integration, row.user)
    if why is not None:
        problem, remedy = why.problem, why.remedy
    members = [one for one in live if row.user in one.serves]
    return {
        "state": state,
        "problem": problem,
        "remedy": remedy,
        "rests": _rest(rest_of(conn, row, overview.now(conn))),
        "hosts": [
            {
                "host": one.host,
                "worker": one.name,
                "role": one.role,
                "serves": lack is None,
                "problem": None if lack is None else lack.problem,
                "remedy": None if lack is None else lack.remedy,
            }
            for one in members
            for lack in [one.lacks.get(row.integration)]
        ],
    }


def _rest(rest: Rest | None) -> Document | None:
    if rest is None:
        return None
    return {
        "until": at(rest.until),
        "more_s": rest.more_s,
        "look_needed": rest.look_needed,
        "why": rest.why,
    }


def live(conn: Connection) -> list[Worker]:
    """The members of a fleet that are live now."""
    now = overview.now(conn)
    return [one for one in workers.everyone(conn) if one.is_live(now)]


def _ill(conn: Connection, row: mailboxes.MailboxRow) -> str | None:
    """What keeps a whole mailbox from being served."""
    lack = unserved(live(conn), row.integration, row.user)
    return row.problem if lack is None else lack.problem


def members(conn: Connection, *, everyone: bool = False) -> list[Document]:
    """Who holds leases, and the members of a fleet that were heard within an hour.

    *everyone*: also those that were heard before, as long as they are known of.
    """
    holds = {name: (number, expires) for name, number, expires in overview.workers(conn)}
    now = overview.now(conn)
    known = {
        one.name: one
        for one in workers.everyone(conn)
        if everyone or one.name in holds or one.is_live(now) or one.seen_at > now - GONE_MS
    }
    found: list[Document] = []
    for name in sorted(holds.keys() | known.keys()):
        number, expires = holds.get(name, (0, None))
        one = known.get(OwnerId(name))
        member: Document = (
            {}
            if one is None
            else {
                "host": one.host,
                "role": one.role,
                "state": _member_state(one, now),
                "serves": sorted(one.serves),
                "started_at": at(one.started_at),
                "seen_at": at(one.seen_at),
            }
        )
        found.append({"worker": name, "leases": number, "expires_at": at(expires), **member})
    return found


def _member_state(one: Worker, now: int) -> str:
    if one.ended_at is not None:
        return "ended"
    if not one.is_live(now):
        return "silent"
    return "draining" if one.draining else "live"


def quota(spent: units.Spent | None) -> Document | None:
    """What the mailbox's provider has counted, as of ``told_at``; None where it counts nothing."""
    if spent is None:
        return None
    return {
        "day": spent.day,
        "units": spent.units,
        "last_minute": spent.last_minute,
        "told_at": at(spent.told_at),
    }


def _state(conn: Connection, row: mailboxes.MailboxRow, *, stopped_all: bool) -> str:
    if stopped_all or mailboxes.is_paused(conn, row.integration):
        return "paused"
    if row.problem is not None:
        return "ill"
    if rest_of(conn, row, overview.now(conn)) is not None:
        return "resting"
    if row.last_pass_at is None:
        return "new"
    return "watching" if leases.is_held(conn, row.integration, WATCH_THREAD) else "idle"


def waits(conn: Connection, row: ThreadRow) -> str | None:
    """Why nothing is done in a thread right now; None when it waits for nothing."""
    now = overview.now(conn)
    mailbox = mailboxes.load(conn, row.integration)
    if row.quarantined_at is not None:
        return "it is set aside (quarantined); see: fencepost review list"
    if row.due_at is None:
        return None
    if (paused := pause_of(conn, row.integration)) is not None:
        return paused
    if mailbox is not None and (ill := _ill(conn, mailbox)) is not None:
        return f"the mailbox is ill: {ill}"
    if leases.is_held(conn, row.integration, row.thread):
        return "a worker has it in hand"
    if mailbox is not None and (rest := rest_of(conn, mailbox, now)) is not None:
        return f"no call is made into the mailbox: {rest.words}"
    if row.due_at > now:
        return f"it is taken up at {at(row.due_at)}"
    return "it is due, and is taken up by fencepost run or fencepost once"


def pause_of(conn: Connection, mailbox: str) -> str | None:
    """That calls into a mailbox are paused, by which pause, and what lifts that one."""
    if mailboxes.is_paused(conn, mailboxes.ALL):
        return "every mailbox is paused; lift it with: fencepost resume"
    if mailboxes.is_paused(conn, mailbox):
        return f"{mailbox} is paused; lift it with: fencepost resume {mailbox}"
    return None


def no_mailbox(conn: Connection, mailbox: str) -> str | None:
    """That no mailbox of this name was ever served, with those that were; None where one was."""
    known = [row.integration for row in mailboxes.everything(conn)]
    if mailbox in known:
        return None
    names = ", ".join(known) or "none yet, until a first pass was made"
    return f"there is no mailbox {mailbox}; there are: {names}"
