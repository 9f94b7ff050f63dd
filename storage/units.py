"""What a provider's quota was spent on: units of the day for each mailbox, and of its last minute.

One row a mailbox, written by its watcher at most once a minute beside what it writes anyway. It is
for a person to see, never to decide: the limiter counts in memory, and of a fleet the host that
watches tells what itself has spent. A crash loses the units of the last minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import units

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Units of one mailbox on one day of its provider; ``told_at`` is epoch milliseconds."""

    integration: str
    day: str
    units: int
    last_minute: int
    told_at: int


def add(
    conn: Connection, integration: str, day: str, spent: int, last_minute: int, now_ms: int
) -> None:
    """Add what was spent to the day; a new day begins with it."""
    mine = units.c.integration == integration
    total = sa.case((units.c.day == day, units.c.units + spent), else_=spent)
    done = conn.execute(
        sa.update(units)
        .where(mine)
        .values(units=total, day=day, last_minute=last_minute, told_at=now_ms)
    )
    if not done.rowcount:
        conn.execute(
            sa.insert(units),
            {
                "integration": integration,
                "day": day,
                "units": spent,
                "last_minute": last_minute,
                "told_at": now_ms,
            },
        )


def everything(conn: Connection) -> dict[str, Spent]:
    """What is known of every mailbox that has a quota."""
    return {
        row.integration: Spent(
            integration=row.integration,
            day=row.day,
            units=int(row.units),
            last_minute=int(row.last_minute),
            told_at=int(row.told_at),
        )
        for row in conn.execute(sa.select(units))
    }
