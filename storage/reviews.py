"""Review items: what waits for a person, and what closes by itself.

An item is one thing about one subject; opening it again while it is open updates it. An item closes
in the same transaction as the fact that settles it. ``hidden`` items were dismissed by a person
and come back only when the thing happens again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from storage.rows import Build, ForEach, Given, Part, columns_of, inserting
from storage.tables import notices, review_items
from storage.words import ItemKind

if TYPE_CHECKING:
    from sqlalchemy import Connection


_ONE_THING = ("kind", "user", "integration", "thread", "about")
_TOLD_ANEW = ("summary", "subject", "detail")


_COLUMNS = columns_of(review_items, *_ONE_THING, *_TOLD_ANEW, "state", "opened_at", "hidden")


def _opening(insert: type[sqlite.Insert | postgresql.Insert]) -> Build:
    adding = inserting(review_items, tuple(_COLUMNS), insert)

    def build(given: Given, source: sa.FromClause) -> sa.Executable:
        new = cast("sqlite.Insert | postgresql.Insert", adding(given, source))
        return new.on_conflict_do_update(
            index_elements=_ONE_THING,
            index_where=sa.text("state = 'open'"),
            set_={name: new.excluded[name] for name in _TOLD_ANEW},
        ).returning(review_items.c.id)

    return build


_OPEN = ForEach(_COLUMNS, _opening(postgresql.Insert), on_sqlite=_opening(sqlite.Insert))


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One review item. ``about`` names its subject (an intent, a message, a mailbox)."""

    id: int
    kind: ItemKind
    user: str
    integration: str
    thread: str
    about: str
    subject: str
    summary: str
    state: str
    opened_at: int
    closed_at: int | None
    closed_by: str | None
    hidden: bool
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """An item to open; ``opened_at`` in epoch milliseconds."""

    kind: ItemKind
    user: str
    opened_at: int
    summary: str
    integration: str = ""
    thread: str = ""
    about: str = ""
    subject: str = ""
    detail: Mapping[str, object] = field(default_factory=dict)


def open_item(
    conn: Connection,
    now_ms: int,
    kind: ItemKind,
    *,
    user: str,
    integration: str = "",
    thread: str = "",
    about: str = "",
    subject: str = "",
    summary: str,
    detail: Mapping[str, object] | None = None,
) -> int:
    """Open an item, or update the open one about the same thing; gives its id."""
    new = NewItem(
        kind=kind,
        user=user,
        opened_at=now_ms,
        summary=summary,
        integration=integration,
        thread=thread,
        about=about,
        subject=subject,
        detail=detail or {},
    )
    return open_new(conn, new)


def open_new(conn: Connection, new: NewItem) -> int:
    """As ``open_item``, of an item that is described already."""
    [(item,)] = _OPEN.run(conn, [_row(new)])
    return int(str(item))


def opening(new: Sequence[NewItem]) -> Part:
    """What opens items, or updates the open ones about the same things; no two about one thing."""
    return _OPEN, [_row(one) for one in new]


def _row(new: NewItem) -> dict[str, object]:
    return {
        "kind": str(new.kind),
        "user": new.user,
        "integration": new.integration,
        "thread": new.thread,
        "about": new.about,
        "subject": new.subject,
        "summary": new.summary,
        "state": "open",
        "opened_at": new.opened_at,
        "detail": dict(new.detail),
        "hidden": 0,
    }


def close(
    conn: Connection,
    now_ms: int,
    by: str,
    *,
    kind: ItemKind | None = None,
    integration: str | None = None,
    thread: str | None = None,
    about: str | None = None,
    item: int | None = None,
) -> int:
    """Close open items that match every criterion given; gives how many."""
    where = [review_items.c.state == "open"]
    if kind is not None:
        where.append(review_items.c.kind == str(kind))
    if integration is not None:
        where.append(review_items.c.integration == integration)
    if thread is not None:
        where.append(review_items.c.thread == thread)
    if about is not None:
        where.append(review_items.c.about == about)
    if item is not None:
        where.append(review_items.c.id == item)
    if len(where) == 1:
        raise ValueError("name what to close")
    done = conn.execute(
        sa.update(review_items).where(*where).values(state="closed", closed_at=now_ms, closed_by=by)
    )
    return int(done.rowcount)


def hide(conn: Connection, item: int) -> None:
    """Keep an open item off the list until it is closed by facts and opened again."""
    conn.execute(sa.update(review_items).where(review_items.c.id == item).values(hidden=1))


def one(conn: Connection, item: int) -> Item | None:
    """The item of this id."""
    found = _many(conn, review_items.c.id == item)
    return found[0] if found else None


def listed(conn: Connection, *, closed: bool = False, user: str | None = None) -> list[Item]:
    """Items that wait for a person, oldest first; with *closed* also those that ended."""
    where = []
    if not closed:
        where += [review_items.c.state == "open", review_items.c.hidden == 0]
    if user is not None:
        where.append(review_items.c.user == user)
    return _many(conn, *where)


def listed_kind(conn: Connection, kind: ItemKind) -> list[Item]:
    """Open items of one kind, hidden ones too."""
    return _many(conn, review_items.c.state == "open", review_items.c.kind == str(kind))


def open_about(conn: Connection, kind: ItemKind, about: str) -> list[Item]:
    """Open items of one kind about one thing."""
    return _many(
        conn,
        review_items.c.state == "open",
        review_items.c.kind == str(kind),
        review_items.c.about == about,
    )


def was_told(conn: Connection, kind: ItemKind, integration: str, about: str) -> bool:
    """Whether an item of this kind about this thing was ever opened, open or not."""
    found = conn.scalar(
        sa.select(sa.literal(1))
        .where(
            review_items.c.kind == str(kind),
            review_items.c.integration == integration,
            review_items.c.about == about,
        )
        .limit(1)
    )
    return found is not None


def was_dismissed(
    conn: Connection,
    kind: ItemKind,
    integration: str,
    thread: str,
    about: str,
    detail: Mapping[str, object],
) -> bool:
    """Whether a person closed the last item of this kind about this thing, *detail* and all."""
    row = conn.execute(
        sa.select(review_items.c.state, review_items.c.closed_by, review_items.c.detail)
        .where(
            review_items.c.kind == str(kind),
            review_items.c.integration == integration,
            review_items.c.thread == thread,
            review_items.c.about == about,
        )
        .order_by(review_items.c.id.desc())
        .limit(1)
    ).one_or_none()
    if row is None or row.state == "open":
        return False
    return str(row.closed_by).startswith("person:") and dict(row.detail) == dict(detail)


def counts(conn: Connection) -> dict[str, int]:
    """How many open items there are of each kind."""
    rows = conn.execute(
        sa.select(review_items.c.kind, sa.func.count())
        .where(review_items.c.state == "open", review_items.c.hidden == 0)
        .group_by(review_items.c.kind)
    )
    return {kind: int(number) for kind, number in rows}


def ask_to_tell(conn: Connection, user: str, item: int, kind: ItemKind, due_at: int) -> None:
    """Have the owner told of an item at *due_at*, once."""
    found = conn.scalar(
        sa.select(notices.c.id).where(notices.c.item == item, notices.c.kind == str(kind))
    )
    if found is None:
        _notice(conn, user, item, kind, due_at, "waiting")


def tell_nobody(conn: Connection, user: str, item: int, now_ms: int) -> None:
    """Have a draft that waits for review listed only: no notice tells of it."""
    _notice(conn, user, item, ItemKind.DRAFT_READY, now_ms, "dropped")


def _notice(
    conn: Connection, user: str, item: int, kind: ItemKind, due_at: int, state: str
) -> None:
    conn.execute(
        sa.insert(notices),
        {"user": user, "item": item, "kind": str(kind), "due_at": due_at, "state": state},
    )


def _many(conn: Connection, *where: sa.ColumnElement[bool]) -> list[Item]:
    rows = conn.execute(sa.select(review_items).where(*where).order_by(review_items.c.id))
    return [
        Item(
            id=row.id,
            kind=ItemKind(row.kind),
            user=row.user,
            integration=row.integration,
            thread=row.thread,
            about=row.about,
            subject=row.subject,
            summary=row.summary,
            state=row.state,
            opened_at=row.opened_at,
            closed_at=row.closed_at,
            closed_by=row.closed_by,
            hidden=bool(row.hidden),
            detail=dict(row.detail),
        )
        for row in rows
    ]
