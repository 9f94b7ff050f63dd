"""The statements by which ``storage.leases`` finds due threads whose lease is free.

Made once and kept apart from what decides by them. Nothing here is run here. ``i`` is a mailbox,
``n`` the database's time in epoch milliseconds.
"""

from __future__ import annotations

import sqlalchemy as sa

from storage.dbtime import NowMs
from storage.rows import NUMBER, TEXT, ForEach
from storage.tables import intents, leases, mailboxes, pauses, threads
from storage.words import IntentState

SAME_THREAD = sa.and_(
    threads.c.integration == leases.c.integration, threads.c.thread == leases.c.thread
)
PAUSED = (
    sa.select(sa.literal(1))
    .where(pauses.c.integration.in_(["*", mailboxes.c.integration]))
    .exists()
)
COLUMNS = (
    leases.c.thread,
    leases.c.owner,
    leases.c.fence,
    leases.c.expires_at,
    leases.c.grace_until,
    leases.c.takes,
    leases.c.orphaned,
    leases.c.alone,
)
_is_due = sa.and_(
    threads.c.due_at <= sa.bindparam("n", type_=sa.BigInteger), threads.c.quarantined_at.is_(None)
)
_is_free = sa.or_(leases.c.owner.is_(None), leases.c.expires_at <= sa.bindparam("n"))
_NOW = sa.select(NowMs()).scalar_subquery()
HUNGRY = (
    sa.select(mailboxes.c.integration, _NOW)
    .where(
        mailboxes.c.integration.in_(sa.bindparam("allowed", expanding=True)),
        mailboxes.c.problem.is_(None),
        ~PAUSED,
        sa.select(sa.literal(1))
        .where(
            threads.c.integration == mailboxes.c.integration,
            threads.c.due_at <= _NOW,
            threads.c.quarantined_at.is_(None),
        )
        .exists(),
    )
    .order_by(mailboxes.c.last_served_at.asc().nulls_first(), mailboxes.c.integration)
)
_CAN_BE_TAKEN_AT = sa.case(
    (
        sa.and_(leases.c.owner.is_not(None), leases.c.expires_at > threads.c.due_at),
        leases.c.expires_at,
    ),
    else_=threads.c.due_at,
)
NEXT_DUE = (
    sa.select(sa.func.min(_CAN_BE_TAKEN_AT))
    .join(leases, SAME_THREAD)
    .join(mailboxes, mailboxes.c.integration == threads.c.integration)
    .where(
        threads.c.integration.in_(sa.bindparam("allowed", expanding=True)),
        threads.c.due_at.is_not(None),
        threads.c.quarantined_at.is_(None),
        mailboxes.c.problem.is_(None),
        ~PAUSED,
    )
)
DUE = (
    sa.select(*COLUMNS)
    .join(threads, SAME_THREAD)
    .where(threads.c.integration == sa.bindparam("i"), _is_due, _is_free)
    .order_by(threads.c.due_at)
    .limit(sa.bindparam("limit", type_=sa.Integer))
    .with_for_update(of=leases, skip_locked=True)
)
SERVED = ForEach(
    {"i": TEXT, "n": NUMBER},
    lambda given, _: (
        sa.update(mailboxes)
        .where(mailboxes.c.integration == given["i"])
        .values(last_served_at=given["n"])
    ),
)
# A paused process may still write to its socket, and no fence can stop it there.
LONGEST_CALL = (
    sa.select(sa.func.max(intents.c.call_timeout_ms))
    .where(
        intents.c.integration == leases.c.integration,
        intents.c.thread == leases.c.thread,
        intents.c.ended_at.is_(None),
        intents.c.state.in_([str(IntentState.CALLING), str(IntentState.UNKNOWN)]),
    )
    .correlate(leases)
    .scalar_subquery()
)
