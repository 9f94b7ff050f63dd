"""Logins that a fleet shares: one sealed row for each mailbox, replaced only by who has seen it.

Any number of hosts use one login. Who refreshes it holds the lease of the pseudo-thread TOKEN
(``storage.leases``), and what they bring replaces only the version that they began with: a host
that was paused past its lease can't put an older token over a newer one.

Units of work. What a row holds is opened outside the transaction; a crash leaves the old row or the
new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage.dbtime import database_now_ms
from storage.sealing import Sealer
from storage.tables import tokens
from storage.words import ThreadId

if TYPE_CHECKING:
    from sqlalchemy import Connection

TOKEN_THREAD: Final = ThreadId("token")
"""The pseudo-thread under which a mailbox's login is refreshed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A sealed login; ``refreshed_at`` is epoch milliseconds by the database's clock."""

    integration: str
    sealed: bytes
    fingerprint: str
    version: int
    refreshed_at: int

    def opened(self, sealer: Sealer) -> str:
        """What was sealed. Raises ``storage.sealing.SealError``."""
        return sealer.open(
            self.sealed,
            place=self.integration,
            version=self.version,
            fingerprint=self.fingerprint,
        )


def load(conn: Connection, integration: str) -> Row | None:
    """The row of a mailbox; None before its first login."""
    found = conn.execute(sa.select(tokens).where(tokens.c.integration == integration)).one_or_none()
    if found is None:
        return None
    return Row(
        integration=found.integration,
        sealed=bytes(found.sealed),
        fingerprint=found.fingerprint,
        version=int(found.version),
        refreshed_at=int(found.refreshed_at),
    )


def keep(
    conn: Connection, integration: str, text: str, sealer: Sealer, *, after: int | None
) -> bool:
    """Seal *text* into the row, where *after* is still its version (None: there is no row).

    False, and nothing is changed, when somebody else was there first.
    """
    version = 1 if after is None else after + 1
    values = {
        "sealed": sealer.seal(text, place=integration, version=version),
        "fingerprint": sealer.fingerprint,
        "version": version,
        "refreshed_at": database_now_ms(conn),
    }
    if after is None:
        return _first(conn, {"integration": integration, **values})
    done = conn.execute(
        sa.update(tokens)
        .where(tokens.c.integration == integration, tokens.c.version == after)
        .values(values)
    )
    return bool(done.rowcount)


def _first(conn: Connection, values: dict[str, object]) -> bool:
    # The savepoint keeps the transaction alive where another host made the row meanwhile.
    try:
        with conn.begin_nested():
            conn.execute(sa.insert(tokens), values)
    except sa.exc.IntegrityError:
        return False
    return True
