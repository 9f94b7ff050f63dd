"""What must be true of the store at the moment at which an intent is claimed: section 3."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

from storage.words import Kind
from tests.simulation.rows import CALL_MS, Row
from tests.support.world import BOX

if TYPE_CHECKING:
    from tests.simulation.books import Books


def claimed(books: Books, raw: sqlite3.Connection, old: Row | None, new: Row, now: int) -> None:
    """Hold one claim that was committed against the rules."""
    lease, name = books.leases[new.thread], new.name
    if (lease.owner, lease.fence) != (new.owner, new.fence):
        books.wrong(f"{name} was claimed without its lease")
    elif lease.expires_at < now + 2 * CALL_MS:
        books.wrong(f"{name} was claimed and the lease not renewed")
    if max(lease.grace_until, books.grace.get(new.thread, 0)) > now:
        books.wrong(f"{name} was claimed in the grace of an earlier worker")
    if books.rests_until > now:
        books.wrong(f"{name} was claimed while its mailbox rests")
    if list(raw.execute("SELECT 1 FROM pauses WHERE integration IN (?, '*')", (BOX,))):
        books.wrong(f"{name} was claimed while paused")
    (thread,) = raw.execute(
        "SELECT generation, reconcile_first, failures FROM threads WHERE thread = ?",
        (new.thread,),
    )
    if thread[1]:
        books.wrong(f"{name} was claimed before its thread reconciled")
    if new.kind == Kind.CREATE_DRAFT:
        _created(books, raw, new, thread[0], thread[2])
    if old is not None:
        _called_again(books, old, new, now)


def _created(
    books: Books, raw: sqlite3.Connection, new: Row, generation: int, failures: int
) -> None:
    if generation != new.generation:
        books.wrong(f"{new.name} was claimed for generation {new.generation} of {generation}")
    if not (books.blind or _is_newest(raw, new, failures)):
        books.wrong(f"{new.name} was claimed for a message that is not the newest")
    lying = raw.execute(
        "SELECT 1 FROM drafts WHERE thread = ? AND state IN ('held', 'edited')", (new.thread,)
    ).fetchone()
    if lying is not None:
        books.wrong(f"{new.name} was claimed beside a draft on record")
    for ref in books.place.shown(int(json.loads(new.place).get("seq", 0))):
        home = raw.execute("SELECT thread FROM messages WHERE ref = ?", (ref,)).fetchone()
        mine = books.place.home(ref)
        if (home is not None and home[0] == new.thread) or mine in _keys(raw, new.thread):
            books.wrong(f"{new.name} was claimed beside {ref}, which the snapshot showed")


def _is_newest(raw: sqlite3.Connection, new: Row, failures: int) -> bool:
    newest = raw.execute(
        # One mail that lies twice (its draft was made twice, and both were sent) is one.
        "SELECT identity, folder, MIN(arrived_at) AS first FROM messages WHERE thread = ? "
        "AND gone_at IS NULL AND folder IN ('inbox', 'sent') GROUP BY identity "
        "ORDER BY first DESC, arrival_order DESC LIMIT 1",
        (new.thread,),
    ).fetchone()
    # After many failures what cannot be read is set aside, and the rest is judged without it;
    # that the owner wrote last is known all the same.
    judged = newest is not None and (newest[1] == "sent" or not failures)
    return not judged or json.loads(new.plan).get("answers") == newest[0]


def _keys(raw: sqlite3.Connection, thread: str) -> set[str]:
    rows = raw.execute("SELECT key FROM thread_keys WHERE thread = ?", (thread,))
    return {str(key).strip("<>") for (key,) in rows}


def _called_again(books: Books, old: Row, new: Row, now: int) -> None:
    if new.kind == Kind.CREATE_DRAFT and books.has_landed(new.id, None):
        books.wrong(f"{new.name} repeats a call that had an effect")
    if old.state != "rejected":
        return
    if not old.passing or old.settled_by == "person":
        books.wrong(f"{new.name} calls again what was refused for good")
    if old.tries_left <= 0:
        books.wrong(f"{new.name} calls again without a try left")
    if (old.retry_at or 0) > now:
        books.wrong(f"{new.name} does not wait for its back-off")
