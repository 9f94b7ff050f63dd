"""How the mailboxes are shared out among the live processes of a fleet, and which nobody can serve.

Each process takes its share of the watchers' leases and no more, so that mailboxes spread over the
hosts; when a process joins, those that hold more than their new share give the surplus up after a
pass. A mailbox that nobody took for a while is anybody's: sharing is a courtesy and the lease alone
decides who watches. A mailbox for which a host lacks something (its folder, a secret) is left whole
to the others; that none of them can serve it is found here too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from storage.words import IntegrationId

PARTS = frozenset({"watch", "work"})
"""What is done for a mailbox; a role names one of them, or all."""


def fair_share(
    mine: Collection[IntegrationId], others: Collection[Collection[IntegrationId]]
) -> int:
    """How many mailboxes to watch, of those that this process can serve (*mine*).

    *others* are, for each other live watcher, those of them that it can serve as well.
    """
    parts = (1 / (1 + sum(name in other for other in others)) for name in mine)
    # Rounded up, so that the shares together always cover every mailbox.
    return math.ceil(sum(parts) - 1e-9)


def left_undone(lacking: Iterable[str], able: Iterable[str]) -> frozenset[str]:
    """Which of PARTS nobody does for a mailbox: the roles *lacking* would, the roles *able* don't.

    Empty where nobody lacks anything: that no process runs is no trouble of the mailbox.
    """
    return _parts(lacking) - _parts(able)


def _parts(roles: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(roles)
    return wanted & PARTS if wanted <= PARTS else PARTS


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
