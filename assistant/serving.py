"""Which mailboxes this host can serve: what it lacks for one is no illness of the mailbox.

    has --NotHereError, or a check that fails--> lacks --a later check that succeeds--> has

A Maildir lies on one host of a fleet, and a secret may be on some of them only. A host that lacks
something takes neither threads nor the watcher's lease of that mailbox, so that those who have it
serve it undisturbed; its row among the workers says what is lacking. It is asked for again, more
and more slowly up to a minute, and the mailbox is served once it is there.

Nothing here asks a provider, and nothing here decides who may act. What is lacking lives in memory
only; a new process finds it out again before it serves anything. One process alone (SQLite) leaves
its mailboxes to nobody: there the same trouble makes the mailbox ill, and nothing of this is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import anyio
import structlog
from anyio import to_thread

from providers.ports import NotHereError
from storage.words import Clock, IntegrationId
from storage.workers import Lack

log = structlog.get_logger()

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
"""How long to wait before something lacking is asked for again: doubled each time."""

ANSWER_S: Final = 35.0
"""How long a check may take (a command that prints a secret has 30 s)."""

NO_ANSWER: Final = Lack(
    problem="what this mailbox needs of this host gives no answer (a file system or a command "
    "that hangs)",
    remedy="see that it answers; it is tried again by itself",
)


OTHER_ACCOUNT: Final = Lack(
    problem="what this host has there is another account than the one that the mailbox is bound to",
    remedy="put the same Maildir at the same path on this host, or give its own one an id and a "
    "path of its own",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a mailbox needs of the host that serves it.

    ``check`` blocks, asks this host alone, and raises NotHereError; it gives the account that this
    host has, None where hosts can't differ in that. ``costly``: not asked while nothing seems
    lacking (it runs a command, or may ask a person).
    """

    check: Callable[[], str | None]
    costly: bool = False


@dataclass(slots=True)
class _Missing:
    lack: Lack
    pause_s: float
    again_s: float


@dataclass(slots=True)
class Serving:
    """What this host can serve, and what it lacks."""

    _missing: dict[IntegrationId, _Missing] = field(default_factory=dict)
    _asked: set[IntegrationId] = field(default_factory=set)
    """Checks without an answer yet; one that hangs is not begun a second time."""

    @property
    def lacks(self) -> Mapping[IntegrationId, Lack]:
        """What is lacking, by mailbox."""
        return {name: one.lack for name, one in self._missing.items()}

    def has(self, integration: IntegrationId) -> bool:
        """Whether nothing is known to be lacking for this mailbox."""
        return integration not in self._missing

    def lack(self, integration: IntegrationId, lack: Lack, now_s: float) -> None:
        """Leave a mailbox to others; told once for each thing that is lacking."""
        known = self._missing.get(integration)
        if known is None or known.lack != lack:
            log.warning(
                "a mailbox is left to other hosts",
                mailbox=integration,
                problem=lack.problem,
                remedy=lack.remedy,
            )
        pause_s = FIRST_PAUSE_S if known is None else min(known.pause_s * 2, LONGEST_PAUSE_S)
        self._missing[integration] = _Missing(lack, pause_s, now_s + pause_s)

    def keep_only(self, configured: Iterable[IntegrationId]) -> None:
        """Forget every mailbox that is not configured any more."""
        for name in self._missing.keys() - frozenset(configured):
            del self._missing[name]

    async def check(
        self,
        needs: Mapping[IntegrationId, Need],
        clock: Clock,
        *,
        bound: Mapping[IntegrationId, str] = MappingProxyType({}),
        all_: bool = False,
    ) -> bool:
        """Ask for what is needed, as far as it is time; whether a mailbox can be served again.

        *bound*: the accounts that mailboxes are bound to, as far as they are. *all_*: for all of
        it, whatever is known (for mailboxes that are new here).
        """
        before = frozenset(self._missing)
        async with anyio.create_task_group() as group:
            for name, need in needs.items():
                missing = self._missing.get(name)
                due = missing is not None and clock.boot_s() >= missing.again_s
                if all_ or due or (missing is None and not need.costly):
                    group.start_soon(self._check, name, need, bound.get(name), clock)
        return bool(before - self._missing.keys())

    async def _check(
        self, name: IntegrationId, need: Need, bound: str | None, clock: Clock
    ) -> None:
        if name in self._asked:
            return
        lack: Lack | None = NO_ANSWER
        with anyio.move_on_after(ANSWER_S):
            lack = await to_thread.run_sync(
                self._answer, name, need.check, bound, abandon_on_cancel=True
            )
        if lack is not None:
            self.lack(name, lack, clock.boot_s())
        elif self._missing.pop(name, None) is not None:
            log.info("a mailbox can be served here again", mailbox=name)

    def _answer(
        self, name: IntegrationId, check: Callable[[], str | None], bound: str | None
    ) -> Lack | None:
        self._asked.add(name)
        try:
            here = check()
        except NotHereError as error:
            return Lack(problem=error.problem, remedy=error.remedy)
        finally:
            self._asked.discard(name)
        return None if None in (here, bound) or here == bound else OTHER_ACCOUNT
