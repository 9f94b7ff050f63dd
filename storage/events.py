"""The append-only log: everything that happens to a thread, for ``fencepost explain``.

Written in the transaction that makes the thing true, never beside it. Holds no mail text. Of a call
that is under way the intent itself tells; whatever ends the attempt writes both its events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.rows import ForEach, Part, at_once, columns_of, inserting
from storage.tables import events, intents
from storage.words import IntentState

if TYPE_CHECKING:
    from sqlalchemy import Connection

_COLUMNS = columns_of(events, "at", "integration", "thread", "kind", "detail")
_INSERT = ForEach(_COLUMNS, inserting(events, tuple(_COLUMNS)))
_STORY = (
    sa.select(events.c.at, events.c.kind, events.c.detail)
    .where(
        events.c.integration == sa.bindparam("i"),
        events.c.thread == sa.bindparam("t"),
    )
    .order_by(events.c.id)
)
_UNDER_WAY = (
    sa.select(
        intents.c.claimed_at, intents.c.id, intents.c.kind, intents.c.attempt, intents.c.fence
    )
    .where(
        intents.c.integration == sa.bindparam("i"),
        intents.c.thread == sa.bindparam("t"),
        intents.c.state == str(IntentState.CALLING),
    )
    .order_by(intents.c.claimed_at)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event, not written yet; ``at`` in epoch milliseconds."""

    at: int
    kind: str
    detail: Mapping[str, object]


Story = tuple[str, str, Sequence[Event]]
"""The mailbox and the thread, and what happened there."""


def log(
    conn: Connection,
    now_ms: int,
    integration: str,
    thread: str,
    kind: str,
    /,
    **detail: object,
) -> None:
    """Append one event to the thread's story."""
    at_once(conn, [telling([(integration, thread, [Event(at=now_ms, kind=kind, detail=detail)])])])


def telling(stories: Iterable[Story]) -> Part:
    """What appends events to the stories of threads."""
    return _INSERT, [
        {
            "at": event.at,
            "integration": integration,
            "thread": thread,
            "kind": event.kind,
            "detail": dict(event.detail),
        }
        for integration, thread, happened in stories
        for event in happened
    ]


def claimed(at: int, intent: str, kind: str, attempt: int, fence: int) -> Event:
    """The event of a claim."""
    detail = {"intent": intent, "kind": kind, "attempt": attempt, "fence": fence}
    return Event(at=at, kind="claimed", detail=detail)


def story(conn: Connection, integration: str, thread: str) -> list[Mapping[str, object]]:
    """All events of one thread, oldest first, then open calls: ``{"at", "kind", "detail"}``."""
    where = {"i": integration, "t": thread}
    happened = [
        Event(at=row.at, kind=row.kind, detail=row.detail) for row in conn.execute(_STORY, where)
    ]
    under_way = [claimed(*row) for row in conn.execute(_UNDER_WAY, where)]
    return [
        {"at": one.at, "kind": one.kind, "detail": one.detail} for one in (*happened, *under_way)
    ]
