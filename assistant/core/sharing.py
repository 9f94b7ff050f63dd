"""How the watching of mailboxes is shared out among the live processes of a fleet.

Each process takes its share of the watchers' leases and no more, so that mailboxes spread over the
hosts; when a process joins, those that hold more than their new share give the surplus up after a
pass. A mailbox that nobody took for a while is anybody's: sharing is a courtesy and the lease alone
decides who watches.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from storage.words import IntegrationId, UserName


def fair_share(mine: Iterable[UserName], others: Collection[frozenset[UserName]]) -> int:
    """How many mailboxes to watch; *mine* names the user of each mailbox that this process serves.

    *others* are the users whom each other live watcher serves.
    """
    parts = (1 / (1 + sum(user in other for other in others)) for user in mine)
    # Rounded up, so that the shares together always cover every mailbox.
    return math.ceil(sum(parts) - 1e-9)


@dataclass(slots=True)
class Sharing:
    """What this process watches, and how much of it is its share (None: everything)."""

    share: int | None = None
    watching: set[IntegrationId] = field(default_factory=set)
    surplus: int = 0

    def may_take(self) -> bool:
        """Whether one more mailbox is within the share."""
        return self.share is None or len(self.watching) < self.share

    def regroup(self, share: int) -> None:
        """The fleet has changed: what is above the new share is to be given up."""
        self.share = share
        self.surplus = max(0, len(self.watching) - share)

    def gives_up(self) -> bool:
        """Whether the one who asks is to give its mailbox up now; each surplus one is told once."""
        if self.surplus <= 0:
            return False
        self.surplus -= 1
        return True
