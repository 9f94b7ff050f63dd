"""How long a lease may be trusted, as arithmetic on values.

The database decides who holds a lease; this decides how long the holder may *believe* it without
asking. Both must hold before a call leaves the process:

    request sent        confirmed                give up              expires (database)
        |------------------|------------------------|----------------------|
        start                                    start + 2/3 ttl         start' + ttl

The database's start' is never before our start: the term counts from the moment *before* the
request that took or renewed the lease was sent, so a slow answer shortens the trust and never
lengthens it. It counts on a clock that runs on while the machine sleeps, so that a laptop which
wakes up does not believe in a lease of last night.

Invariant: trusted_until <= expiry in the database, for any delay of the answer and any wall clock.
A crash needs nothing from here: the database's expiry stands by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

TRUST = 2 / 3
"""The share of the lease's length after which an unconfirmed holder stops."""

RENEW = 1 / 4
"""The share of the lease's length after which it is renewed."""

MARGIN = 1 / 12
"""The share of the lease's length that stays between the latest end of a call and giving up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One confirmed stretch of a lease. Seconds on the boot-time clock.

    Raises ValueError for a lease without length.
    """

    started_s: float
    ttl_s: float

    def __post_init__(self) -> None:
        if self.ttl_s <= 0:
            raise ValueError(f"a lease needs a positive length, not {self.ttl_s} s")

    @property
    def trusted_until_s(self) -> float:
        """The moment from which the holder must stop."""
        return self.started_s + self.ttl_s * TRUST

    @property
    def renew_at_s(self) -> float:
        """The moment at which to ask for a renewal."""
        return self.started_s + self.ttl_s * RENEW

    def remaining_s(self, boot_s: float) -> float:
        """How much longer the lease may be trusted; never negative."""
        return max(0.0, self.trusted_until_s - boot_s)

    def allows(self, boot_s: float, call_s: float) -> bool:
        """Whether a call of at most *call_s* that starts now ends while the lease is trusted."""
        return self.remaining_s(boot_s) >= call_s + self.ttl_s * MARGIN

    def renewed(self, started_s: float) -> Term:
        """The term after a renewal whose request was sent at *started_s*."""
        return Term(started_s=max(started_s, self.started_s), ttl_s=self.ttl_s)
