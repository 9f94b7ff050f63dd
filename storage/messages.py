"""The messages that were noted, and the keys by which they bind into threads.

A message keeps its identity when its file is renamed or its UID changes; a key that a thread owns
stays with it for ever, so that the identity of a thread never changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.rows import Place, grouped, rows_of_threads
from storage.tables import messages, thread_keys
from storage.words import Identity, IntentId, Ref, ThreadId

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

_CHUNK = 400
_ARRIVAL = (messages.c.arrived_at, messages.c.arrival_order, messages.c.ref)
_OF_THREADS = rows_of_threads(messages, *_ARRIVAL)
_KEYS = rows_of_threads(thread_keys)
_AT_REF = sa.and_(messages.c.integration == sa.bindparam("i"), messages.c.ref == sa.bindparam("r"))
_BY_REF = sa.select(messages).where(_AT_REF)
_BY_IDENTITY = (
    sa.select(messages)
    .where(messages.c.integration == sa.bindparam("i"), messages.c.identity == sa.bindparam("k"))
    .order_by(*_ARRIVAL)
)
_NAMELESS = (
    sa.select(messages)
    .where(messages.c.integration == sa.bindparam("i"), messages.c.message_id.is_(None))
    .order_by(*_ARRIVAL)
)
_OWNER_DRAFT = (
    sa.select(sa.literal(1))
    .where(
        messages.c.integration == sa.bindparam("i"),
        messages.c.thread == sa.bindparam("t"),
        messages.c.folder == "drafts",
        messages.c.intent.is_(None),
        messages.c.gone_at.is_(None),
    )
    .limit(1)
)
_DROP = sa.delete(messages).where(_AT_REF)
_PUT = sa.insert(messages)
_GONE = sa.update(messages).where(_AT_REF).values(gone_at=sa.bindparam("n"))
_OWNED = sa.select(thread_keys.c.key, thread_keys.c.thread).where(
    thread_keys.c.integration == sa.bindparam("i"),
    thread_keys.c.key.in_(sa.bindparam("keys", expanding=True)),
)
_CLAIM = sa.insert(thread_keys)
_KNOWN = sa.select(messages.c.ref).where(
    messages.c.integration == sa.bindparam("i"),
    messages.c.ref.in_(sa.bindparam("refs", expanding=True)),
    messages.c.gone_at.is_(None),
)
"""Values in one IN list; SQLite allows 32,766 variables, statements of this size stay cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One noted message; ``intent`` names the intent of ours whose mark it carries."""

    ref: Ref
    identity: Identity
    message_id: str | None
    thread: ThreadId
    folder: str
    arrived_at: int
    arrival_order: int = 0
    intent: IntentId | None = None
    unreadable: str | None = None
    gone_at: int | None = None


def known_refs(conn: Connection, integration: str, refs: Sequence[Ref]) -> frozenset[Ref]:
    """Which of *refs* have been noted and are not known to be gone."""
    found: set[Ref] = set()
    for start in range(0, len(refs), _CHUNK):
        chunk = refs[start : start + _CHUNK]
        known = conn.scalars(_KNOWN, {"i": integration, "refs": chunk})
        found.update(Ref(ref) for ref in known)
    return frozenset(found)


def find_keys(conn: Connection, integration: str, keys: Iterable[str]) -> dict[str, ThreadId]:
    """The threads that already own any of these thread keys."""
    wanted = list(dict.fromkeys(keys))
    found: dict[str, ThreadId] = {}
    for start in range(0, len(wanted), _CHUNK):
        rows = conn.execute(_OWNED, {"i": integration, "keys": wanted[start : start + _CHUNK]})
        found.update((row.key, ThreadId(row.thread)) for row in rows)
    return found


def claim_keys(conn: Connection, integration: str, thread: ThreadId, keys: Sequence[str]) -> None:
    """Give *keys* to the thread; a key that another thread owns stays there for ever."""
    taken = find_keys(conn, integration, keys)
    fresh = [key for key in dict.fromkeys(keys) if key not in taken]
    if fresh:
        conn.execute(
            _CLAIM,
            [{"integration": integration, "key": key, "thread": thread} for key in fresh],
        )


def keys_of(conn: Connection, places: Collection[Place]) -> dict[Place, frozenset[str]]:
    """Every Message-ID and other key that belongs to each thread."""
    found = grouped(conn, _KEYS, places)
    return {place: frozenset(row["key"] for row in rows) for place, rows in found.items()}


def by_identity(conn: Connection, integration: str, identity: Identity) -> list[Message]:
    """Every noted copy of one message."""
    return _messages(conn, _BY_IDENTITY, {"i": integration, "k": identity})


def by_ref(conn: Connection, integration: str, ref: Ref) -> Message | None:
    """One noted message, whether or not it is gone."""
    rows = _messages(conn, _BY_REF, {"i": integration, "r": ref})
    return rows[0] if rows else None


def of_thread(conn: Connection, integration: str, thread: str) -> list[Message]:
    """Every noted message of the thread in order of arrival, gone ones too."""
    return of_threads(conn, [(integration, thread)])[integration, thread]


def of_threads(conn: Connection, places: Collection[Place]) -> dict[Place, list[Message]]:
    """Every noted message of each thread in order of arrival, gone ones too."""
    found = grouped(conn, _OF_THREADS, places)
    return {place: [_message(row) for row in rows] for place, rows in found.items()}


def threads_of(
    conn: Connection, integration: str, identities: Collection[Identity]
) -> dict[Identity, ThreadId]:
    """The thread in which each of these messages is noted, and not known to be gone."""
    found: dict[Identity, ThreadId] = {}
    for identity in identities:
        for one in by_identity(conn, integration, identity):
            if one.gone_at is None:
                found[identity] = one.thread
    return found


def elsewhere(conn: Connection, integration: str, thread: str) -> Ref | None:
    """The newest mail of the mailbox that lies in another thread and could be read."""
    found = conn.scalar(
        sa.select(messages.c.ref)
        .where(
            messages.c.integration == integration,
            messages.c.thread != thread,
            messages.c.folder.in_(["inbox", "sent"]),
            messages.c.unreadable.is_(None),
            messages.c.gone_at.is_(None),
        )
        .order_by(messages.c.arrived_at.desc())
        .limit(1)
    )
    return None if found is None else Ref(found)


def nameless(conn: Connection, integration: str) -> list[Message]:
    """Every noted message that has no Message-ID, gone ones too."""
    return _messages(conn, _NAMELESS, {"i": integration})


def has_owner_draft(conn: Connection, integration: str, thread: str) -> bool:
    """Whether an unsent draft of the owner's own is noted in the thread."""
    return conn.scalar(_OWNER_DRAFT, {"i": integration, "t": thread}) is not None


def put(conn: Connection, integration: str, message: Message) -> None:
    """Record a message under its reference, in place of what that reference was before."""
    conn.execute(_DROP, {"i": integration, "r": message.ref})
    conn.execute(
        _PUT,
        {
            "integration": integration,
            "ref": message.ref,
            "identity": message.identity,
            "message_id": message.message_id,
            "thread": message.thread,
            "folder": message.folder,
            "arrived_at": message.arrived_at,
            "arrival_order": message.arrival_order,
            "intent": message.intent,
            "unreadable": message.unreadable,
            "gone_at": message.gone_at,
        },
    )


def mark_gone(conn: Connection, integration: str, ref: Ref, now_ms: int) -> None:
    """Note that a listing no longer shows *ref*; a hint, kept so that it is not read again."""
    conn.execute(_GONE, {"i": integration, "r": ref, "n": now_ms})


def _messages(
    conn: Connection, query: sa.Select[tuple[object, ...]], values: Mapping[str, object]
) -> list[Message]:
    return [_message(row) for row in conn.execute(query, dict(values)).mappings()]


def _message(row: RowMapping) -> Message:
    intent = row["intent"]
    return Message(
        ref=Ref(row["ref"]),
        identity=Identity(row["identity"]),
        message_id=row["message_id"],
        thread=ThreadId(row["thread"]),
        folder=row["folder"],
        arrived_at=row["arrived_at"],
        arrival_order=row["arrival_order"],
        intent=None if intent is None else IntentId(intent),
        unreadable=row["unreadable"],
        gone_at=row["gone_at"],
    )
