"""The numbers that the daemon runs by, as plain values from ``fencepost.toml``.

Seconds throughout. ``assistant.wiring`` makes this from the configuration; nobody below it reads
configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from leases.term import MARGIN, TRUST

LOOKS_S = (5.0, 60.0, 120.0, 600.0, 3600.0, 21600.0, 86400.0)
"""When the reconciler looks after the end of a call (DESIGN section 3; this schedule binds)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the daemon times its work.

    ``renew_s`` and ``give_up_s`` follow from the lease's length: a holder renews at a quarter and
    stops at two thirds when nobody has confirmed. ``data_dir`` holds what was found out about
    mailboxes and the locks beside their logins.
    """

    concurrency: int = 8
    lease_ttl_s: float = 60.0
    call_timeout_s: float = 20.0
    smtp_timeout_s: float = 600.0
    settle_s: float = 5.0
    poll_s: float = 30.0
    looks_s: tuple[float, ...] = LOOKS_S
    lag_s: float = 600.0
    notice_delay_s: float = 120.0
    data_dir: Path | None = None

    @property
    def lease_ttl_ms(self) -> int:
        """The length of a lease in milliseconds."""
        return int(self.lease_ttl_s * 1000)

    def lease_s_for(self, call_s: float) -> float:
        """The length of a lease on which a call of *call_s* is made.

        The usual one where the call fits into it; else as long as it takes for the call to end
        while the lease is trusted, with a third of a usual lease to spare.
        """
        return max(self.lease_ttl_s, call_s / (TRUST - MARGIN) + self.lease_ttl_s / 3)

    @property
    def renew_s(self) -> float:
        """How often a held lease is renewed."""
        return self.lease_ttl_s / 4

    @property
    def give_up_s(self) -> float:
        """How long after the start of the last confirmed request a lease is trusted."""
        return self.lease_ttl_s * 2 / 3
