"""What models cost: tokens by user and day, reserved before a call and booked after it.

The reservation is part of the sum at once, so that calls side by side can't pass the ceiling
together. Booking corrects it to what the server told; a call whose end nobody knows (cancelled, cut
off, the process killed) is never corrected and so stays booked whole. Also which user's server is
left alone for a while, since when and why, so that a restart does not begin to wait anew.

Rows are kept: they are the only account of what was spent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import model_rests, spend

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens of one user on one day of theirs, reservations included."""

    user: str
    day: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """A user's model server is left alone until ``until_at``, failing since ``since_at``.

    ``standing``: it will not answer before somebody acts.
    """

    since_at: int
    until_at: int
    tries: int
    problem: str
    standing: bool = False


def reserve(conn: Connection, user: str, day: str, tokens: int, ceiling: int) -> bool:
    """Add *tokens* to the day if that stays within *ceiling*; whether it did."""
    same = sa.and_(spend.c.user == user, spend.c.day == day)
    if conn.scalar(sa.select(sa.literal(1)).where(same)) is None:
        # The savepoint keeps the transaction alive where another one made the row meanwhile.
        try:
            with conn.begin_nested():
                conn.execute(sa.insert(spend), {"user": user, "day": day, "tokens": 0})
        except sa.exc.IntegrityError:
            pass
    done = conn.execute(
        sa.update(spend)
        .where(same, spend.c.tokens + tokens <= ceiling)
        .values(tokens=spend.c.tokens + tokens)
    )
    return bool(done.rowcount)


def book(conn: Connection, user: str, day: str, *, reserved: int, used: int) -> None:
    """Replace a reservation by what was really used, on the day on which it was made."""
    conn.execute(
        sa.update(spend)
        .where(spend.c.user == user, spend.c.day == day)
        .values(tokens=spend.c.tokens + (used - reserved))
    )


def on(conn: Connection, user: str, day: str) -> int:
    """Tokens of this user on this day."""
    found = conn.scalar(sa.select(spend.c.tokens).where(spend.c.user == user, spend.c.day == day))
    return int(found or 0)


def latest(conn: Connection, days: int = 7) -> list[Spent]:
    """The last *days* days of each user on which there was something, newest first."""
    rows = conn.execute(sa.select(spend).order_by(spend.c.user, spend.c.day.desc()))
    found: list[Spent] = []
    counted: dict[str, int] = {}
    for row in rows:
        counted[row.user] = counted.get(row.user, 0) + 1
        if counted[row.user] <= days:
            found.append(Spent(user=row.user, day=row.day, tokens=int(row.tokens)))
    return found


def rest_of(conn: Connection, user: str) -> Rest | None:
    """Whether and why this user's server is left alone; None when it answers."""
    row = conn.execute(sa.select(model_rests).where(model_rests.c.user == user)).first()
    if row is None:
        return None
    return Rest(
        since_at=row.since_at,
        until_at=row.until_at,
        tries=row.tries,
        problem=row.problem,
        standing=bool(row.standing),
    )


def put_to_rest(conn: Connection, user: str, rest: Rest) -> None:
    """Leave this user's server alone until then."""
    values = {
        "since_at": rest.since_at,
        "until_at": rest.until_at,
        "tries": rest.tries,
        "standing": int(rest.standing),
        "problem": rest.problem,
    }
    done = conn.execute(sa.update(model_rests).where(model_rests.c.user == user).values(values))
    if not done.rowcount:
        conn.execute(sa.insert(model_rests), {"user": user, **values})


def wake(conn: Connection, user: str) -> bool:
    """This user's server answers again; whether it had been at rest."""
    done = conn.execute(sa.delete(model_rests).where(model_rests.c.user == user))
    return bool(done.rowcount)
