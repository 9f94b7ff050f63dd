"""Drafts of ours: which exist, at which exact version, and what became of them.

A draft is recorded in the transaction that accepts its intent. ``held`` and ``edited`` mean that it
lies unsent in the mailbox, and while one does, no other draft is created in its thread.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.rows import Place, grouped, rows_of_threads
from storage.tables import drafts, messages
from storage.words import (
    OPEN_DRAFTS,
    DraftState,
    Identity,
    IntegrationId,
    IntentId,
    Ref,
    ThreadId,
    Version,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping


_OF_THREADS = rows_of_threads(drafts, drafts.c.id)
_OF_INTENT = sa.select(drafts).where(drafts.c.intent == sa.bindparam("k")).order_by(drafts.c.id)
_ONE = sa.select(drafts).where(drafts.c.id == sa.bindparam("k"))
_INSERT = sa.insert(drafts).returning(drafts.c.id, drafts.c.intent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One draft of ours. ``shown`` are the headers and the body that the owner sees of it."""

    id: int
    integration: IntegrationId
    thread: ThreadId
    intent: IntentId
    ref: Ref
    version: Version
    content_hash: str
    state: DraftState
    answers: Identity | None
    shown: Mapping[str, object]
    made_at: int
    missing_at: int | None
    discard_asked_by: str | None

    @property
    def open(self) -> bool:
        """Whether it lies unsent in the mailbox as far as we know."""
        return self.state in OPEN_DRAFTS


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDraft:
    """A draft that is not recorded yet; ``made_at`` in epoch milliseconds."""

    integration: IntegrationId
    thread: ThreadId
    intent: IntentId
    ref: Ref
    version: Version
    content_hash: str
    state: DraftState
    answers: Identity | None
    shown: Mapping[str, object]
    made_at: int


def record(conn: Connection, draft: NewDraft) -> int:
    """Record a draft; gives its id."""
    return record_all(conn, [draft])[draft.intent]


def record_all(conn: Connection, new: Sequence[NewDraft]) -> dict[IntentId, int]:
    """Record drafts, none two of one intent; gives the id of each intent's."""
    if not new:
        return {}
    rows = [
        {
            "integration": one.integration,
            "thread": one.thread,
            "intent": one.intent,
            "ref": one.ref,
            "version": one.version,
            "content_hash": one.content_hash,
            "state": str(one.state),
            "answers": one.answers,
            "shown": dict(one.shown),
            "made_at": one.made_at,
        }
        for one in new
    ]
    return {IntentId(intent): int(draft) for draft, intent in conn.execute(_INSERT, rows)}


def of_thread(conn: Connection, integration: str, thread: str) -> list[Draft]:
    """Every draft of ours in the thread, oldest first."""
    return of_threads(conn, [(integration, thread)])[integration, thread]


def of_threads(conn: Connection, places: Collection[Place]) -> dict[Place, list[Draft]]:
    """Every draft of ours in each thread, oldest first."""
    found = grouped(conn, _OF_THREADS, places)
    return {place: [_draft(row) for row in rows] for place, rows in found.items()}


def of_intent(conn: Connection, intent: IntentId) -> list[Draft]:
    """The drafts that one intent made (two when it was duplicated)."""
    return _many(conn, _OF_INTENT, intent)


def one(conn: Connection, draft: int) -> Draft | None:
    """The draft of this id."""
    found = _many(conn, _ONE, draft)
    return found[0] if found else None


def open_in(conn: Connection, integration: str, thread: str) -> bool:
    """Whether a draft of ours is recorded held or edited in the thread."""
    found = conn.scalar(
        sa.select(sa.literal(1))
        .where(
            drafts.c.integration == integration,
            drafts.c.thread == thread,
            drafts.c.state.in_(sorted(OPEN_DRAFTS)),
        )
        .limit(1)
    )
    return found is not None


_LISTED = (
    sa.select(sa.literal(1))
    .where(
        messages.c.integration == drafts.c.integration,
        messages.c.thread == drafts.c.thread,
        messages.c.intent == drafts.c.intent,
    )
    .exists()
)
_UNLISTED = (
    sa.select(drafts.c.thread)
    .where(
        drafts.c.integration == sa.bindparam("i"),
        drafts.c.state.in_(sorted(OPEN_DRAFTS)),
        drafts.c.made_at > sa.bindparam("after"),
        drafts.c.made_at <= sa.bindparam("until"),
        ~_LISTED,
    )
    .distinct()
)


def unlisted(conn: Connection, integration: str, *, after_ms: int, until_ms: int) -> list[ThreadId]:
    """Threads whose open draft was made after *after_ms*, up to *until_ms*, and never listed."""
    rows = conn.scalars(_UNLISTED, {"i": integration, "after": after_ms, "until": until_ms})
    return [ThreadId(thread) for thread in rows]


def held_as(conn: Connection, integration: str, refs: Sequence[Ref]) -> list[ThreadId]:
    """Threads with a draft held under one of *refs*."""
    if not refs:
        return []
    of = drafts.c.integration == integration, drafts.c.ref.in_(refs)
    held = sa.select(drafts.c.thread).where(*of, drafts.c.state == str(DraftState.HELD))
    return [ThreadId(thread) for thread in conn.scalars(held.distinct())]


def update(conn: Connection, draft: int, **values: object) -> None:
    """Change what is known of a draft."""
    if isinstance(values.get("state"), DraftState):
        values["state"] = str(values["state"])
    conn.execute(sa.update(drafts).where(drafts.c.id == draft).values(values))


def _many(conn: Connection, query: sa.Select[tuple[object, ...]], key: str | int) -> list[Draft]:
    return [_draft(row) for row in conn.execute(query, {"k": key}).mappings()]


def _draft(row: RowMapping) -> Draft:
    values = {str(name): value for name, value in row.items() if name != "state"}
    return Draft(**values, state=DraftState(row["state"]))
