"""What a claim, and the end of a call, have to know of a thread and its mailbox, in one statement.

Asked after the lease row was locked, never with it: a check inside the locking statement would be
decided on an older snapshot. It decides nothing; ``assistant.effects`` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.dbtime import NowMs
from storage.rows import NUMBER, TEXT, ForEach, Given
from storage.tables import drafts, intents, mailboxes, pauses, review_items, threads
from storage.words import MAILBOX_CHANGING, OPEN_DRAFTS, IntentId, IntentKey, ItemKind

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What every claim depends on. ``now`` in epoch ms; ``earlier`` has the key already."""

    now: int
    paused: bool
    earlier: IntentId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadStanding(Standing):
    """What a mailbox-changing claim depends on besides.

    ``rests_until`` (epoch ms) and ``look_needed`` are the mailbox's; ``blocked``: another
    mailbox-changing intent blocks the thread; ``draft_open``: a draft of ours lies there unsent.
    """

    rests_until: int
    look_needed: bool
    message_set: str
    generation: int
    reconcile_first: bool
    blocked: bool
    draft_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What the statement that moved an intent saw around it.

    ``other_draft``: another draft of ours lies unsent in the thread; ``told``: an open review item
    is about this intent, or about drafts that its mailbox does not take; ``unwell``: its mailbox
    rests, or counts unknown calls.
    """

    other_draft: bool
    told: bool
    unwell: bool


def _is_there(*where: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    # EXISTS lets PostgreSQL read a whole table at once instead of one index entry for each row.
    found = sa.select(sa.literal(1)).where(*where).limit(1).scalar_subquery()
    return found.is_not(None)


def _asked(given: Given, source: sa.FromClause) -> sa.Executable:
    own = threads.c.integration == given["i"], threads.c.thread == given["t"]
    earlier = sa.select(intents.c.id).where(intents.c.key == given["k"]).scalar_subquery()
    blocked = _is_there(
        intents.c.integration == given["i"],
        intents.c.thread == given["t"],
        intents.c.blocks == 1,
        intents.c.kind.in_(sorted(MAILBOX_CHANGING)),
        intents.c.id != given["but"],
    )
    draft_open = _is_there(
        drafts.c.integration == given["i"],
        drafts.c.thread == given["t"],
        drafts.c.state.in_(sorted(OPEN_DRAFTS)),
    )
    return (
        sa.select(
            given["n"].label("at"),
            NowMs().label("now"),
            _is_there(pauses.c.integration.in_(["*", given["i"]])).label("paused"),
            earlier.label("earlier"),
            mailboxes.c.calls_paused_until,
            mailboxes.c.look_needed,
            threads.c.message_set,
            threads.c.generation,
            threads.c.reconcile_first,
            blocked.label("blocked"),
            draft_open.label("draft_open"),
        )
        .select_from(source)
        .outerjoin(threads, sa.and_(*own))
        .outerjoin(mailboxes, mailboxes.c.integration == threads.c.integration)
    )


_ASKED = ForEach({"n": NUMBER, "i": TEXT, "t": TEXT, "k": TEXT, "but": TEXT}, _asked)
# The moved row, by a name that no table inside a subquery has: SQLAlchemy writes columns without
# their table into RETURNING on SQLite.
_I: sa.ColumnElement[str] = sa.literal_column("intents.integration", sa.Text)
_T: sa.ColumnElement[str] = sa.literal_column("intents.thread", sa.Text)
_THIS: sa.ColumnElement[str] = sa.literal_column("intents.id", sa.Text)
_OTHER_DRAFT = _is_there(
    drafts.c.integration == _I,
    drafts.c.thread == _T,
    drafts.c.state.in_(sorted(OPEN_DRAFTS)),
    drafts.c.intent != _THIS,
)
# Written out, so that a plan made for every value may use the index of open items.
_OPEN = review_items.c.state == sa.literal_column("'open'")
_ILL = review_items.c.kind == sa.literal_column(f"'{ItemKind.MAILBOX_ILL}'")
# Two questions, each of which has an index; as one, every open item of the mailbox would be read.
_TOLD = sa.or_(
    _is_there(
        review_items.c.integration == _I,
        review_items.c.thread == _T,
        _OPEN,
        review_items.c.about == _THIS,
    ),
    _is_there(
        _ILL,
        review_items.c.integration == _I,
        _OPEN,
    ),
)
_UNWELL = _is_there(
    mailboxes.c.integration == _I,
    sa.or_(
        mailboxes.c.unknowns_in_a_row != 0,
        mailboxes.c.pauses != 0,
        mailboxes.c.look_needed != 0,
        mailboxes.c.calls_paused_until.is_not(None),
    ),
)
BESIDE = (
    _OTHER_DRAFT.label("other_draft"),
    _TOLD.label("told"),
    _UNWELL.label("unwell"),
)
"""The fields of Beside, for the RETURNING of a statement that moves intents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a claim is about: the place of its lease, its key, its intent."""

    integration: str
    thread: str
    key: IntentKey
    intent: IntentId


def of_all(conn: Connection, questions: Sequence[Question]) -> list[Standing]:
    """What each claim depends on, in the order of *questions*.

    A ThreadStanding where the place is a thread's; a Standing where it is not (a user's notices).
    """
    rows: list[Mapping[str, object]] = [
        {"n": at, "i": one.integration, "t": one.thread, "k": one.key, "but": one.intent}
        for at, one in enumerate(questions)
    ]
    found = {row["at"]: _standing(row) for row in _ASKED.run(conn, rows).mappings()}
    return [found[at] for at in range(len(questions))]


def _standing(row: RowMapping) -> Standing:
    now, paused, earlier = row["now"], bool(row["paused"]), row["earlier"]
    if row["message_set"] is None:
        return Standing(now=now, paused=paused, earlier=earlier)
    return ThreadStanding(
        now=now,
        paused=paused,
        earlier=earlier,
        rests_until=row["calls_paused_until"] or 0,
        look_needed=bool(row["look_needed"]),
        message_set=row["message_set"],
        generation=row["generation"],
        reconcile_first=bool(row["reconcile_first"]),
        blocked=bool(row["blocked"]),
        draft_open=bool(row["draft_open"]),
    )
