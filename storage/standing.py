"""What a claim, and the end of a call, have to know of a thread and its mailbox, in one statement.

Asked after the lease row was locked, never with it: a check inside the locking statement would be
decided on an older snapshot. It decides nothing; ``assistant.effects`` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.dbtime import NowMs
from storage.tables import drafts, intents, mailboxes, pauses, review_items, threads
from storage.words import MAILBOX_CHANGING, OPEN_DRAFTS, IntentId, IntentKey, ItemKind

if TYPE_CHECKING:
    from sqlalchemy import Connection


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


_I: sa.BindParameter[str] = sa.bindparam("i", type_=sa.Text)
_T: sa.BindParameter[str] = sa.bindparam("t", type_=sa.Text)
_EVERY = (
    NowMs(),
    sa.select(sa.literal(1)).where(pauses.c.integration.in_(["*", _I])).exists(),
    sa.select(intents.c.id).where(intents.c.key == sa.bindparam("k")).scalar_subquery(),
)
_ANY = sa.select(*_EVERY)
_THREAD = (
    sa.select(
        *_EVERY,
        mailboxes.c.calls_paused_until,
        mailboxes.c.look_needed,
        threads.c.message_set,
        threads.c.generation,
        threads.c.reconcile_first,
        sa.select(sa.literal(1))
        .where(
            intents.c.integration == _I,
            intents.c.thread == _T,
            intents.c.blocks == 1,
            intents.c.kind.in_(sorted(MAILBOX_CHANGING)),
            intents.c.id != sa.bindparam("but"),
        )
        .exists(),
        sa.select(sa.literal(1))
        .where(
            drafts.c.integration == _I,
            drafts.c.thread == _T,
            drafts.c.state.in_(sorted(OPEN_DRAFTS)),
        )
        .exists(),
    )
    .select_from(threads)
    .outerjoin(mailboxes, mailboxes.c.integration == threads.c.integration)
    .where(threads.c.integration == _I, threads.c.thread == _T)
)
# No column of the moved row: SQLAlchemy names columns without their table in SQLite's RETURNING.
_OTHER_DRAFT = (
    sa.select(sa.literal(1))
    .where(
        drafts.c.integration == _I,
        drafts.c.thread == _T,
        drafts.c.state.in_(sorted(OPEN_DRAFTS)),
        drafts.c.intent != sa.bindparam("this"),
    )
    .exists()
)
_TOLD = (
    sa.select(sa.literal(1))
    .where(
        review_items.c.integration == _I,
        sa.or_(review_items.c.thread == _T, review_items.c.thread == ""),
        review_items.c.state == "open",
        sa.or_(
            review_items.c.about == sa.bindparam("this"),
            review_items.c.kind == str(ItemKind.MAILBOX_ILL),
        ),
    )
    .exists()
)
_UNWELL = (
    sa.select(sa.literal(1))
    .where(
        mailboxes.c.integration == _I,
        sa.or_(
            mailboxes.c.unknowns_in_a_row != 0,
            mailboxes.c.pauses != 0,
            mailboxes.c.look_needed != 0,
            mailboxes.c.calls_paused_until.is_not(None),
        ),
    )
    .exists()
)
BESIDE = (_OTHER_DRAFT, _TOLD, _UNWELL)
"""The fields of Beside, for RETURNING; parameters ``i``, ``t`` and ``this`` name the intent."""


def for_any(conn: Connection, integration: str, key: IntentKey) -> Standing:
    """What a claim depends on that is about no thread's mail."""
    now, paused, earlier = conn.execute(_ANY, {"i": integration, "k": key}).one()
    return Standing(now=now, paused=bool(paused), earlier=earlier)


def for_thread(
    conn: Connection, integration: str, thread: str, key: IntentKey, *, but: IntentId
) -> ThreadStanding:
    """What a mailbox-changing claim of the intent *but* depends on.

    Raises LookupError when there is no such thread.
    """
    row = conn.execute(_THREAD, {"i": integration, "t": thread, "k": key, "but": but}).one_or_none()
    if row is None:
        raise LookupError(f"no thread {thread} in {integration}")
    now, paused, earlier, until, look, message_set, generation, first, blocked, held = row
    return ThreadStanding(
        now=now,
        paused=bool(paused),
        earlier=earlier,
        rests_until=until or 0,
        look_needed=bool(look),
        message_set=message_set,
        generation=generation,
        reconcile_first=bool(first),
        blocked=bool(blocked),
        draft_open=bool(held),
    )
