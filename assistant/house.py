"""What the loops share: one process's store, clock, keeper and secrets, and the accounts it serves.

Plain values and ports, made by ``assistant.wiring``; no vendor's name stands here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Protocol, TypeVar

from anyio import to_thread

from assistant.core.hours import Hours
from assistant.core.plan import Policy
from assistant.core.reconciliation import Schedule
from assistant.core.sharing import Sharing
from assistant.core.tokens import Rate
from assistant.effects.settle import Timing
from assistant.floor import Floor
from assistant.serving import Need, Serving
from assistant.settings import Settings
from assistant.timing import Wake
from leases.keeper import Keeper
from providers.mime.message import Mail, Owner
from providers.model_port import Model
from providers.notifier_port import Notifier
from providers.ports import Mailbox, NotHereError
from storage import mailboxes, signals
from storage.errors import StorageError
from storage.signals import Signal
from storage.together import Store, Together
from storage.words import NO_FAULTS, Clock, Faults, IntegrationId, Outcome, OwnerId, UserName
from storage.workers import Lack

T = TypeVar("T")
Reader = Callable[[bytes, Sequence[str]], Mail]
"""Reads one mail; the texts are those of the earlier messages of its thread."""


class Aside(Protocol):
    """Runs long, blocking work beside the event loop; tests run it at once."""

    async def __call__(self, job: Callable[[], T], /) -> T:
        """Run *job* and give its result."""


async def on_a_thread(job: Callable[[], T], /) -> T:
    """Run *job* on a worker thread."""
    return await to_thread.run_sync(job)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brain:
    """The model that judges and writes for one user, and how much of it may be used.

    ``triage`` and ``draft`` are names of models at one server. ``zone`` says when the user's day
    ends. ``rates`` is what this process has learned of each model's tokens.
    """

    model: Model
    triage: str
    draft: str
    daily_tokens: int
    thread_tokens: int
    zone: tzinfo
    instructions: str = ""
    timeout_s: float = 120.0
    rates: dict[str, Rate] = field(default_factory=dict)


class Meter(Protocol):
    """What a provider's quota is spent on by this process; read to be shown, never to decide."""

    @property
    def total(self) -> int:
        """Units spent since the process began; never falls."""

    @property
    def last_minute(self) -> int:
        """Units spent within the last minute."""

    @property
    def day(self) -> str:
        """The day of the provider to which they are counted now, as ISO date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One mailbox and the person whose it is; ``need`` is what the host must have to serve it."""

    integration: IntegrationId
    user: UserName
    owner: Owner
    mailbox: Mailbox
    policy: Policy
    signature: str
    since_s: float | None
    brain: Brain | None = None
    meter: Meter | None = None
    need: Need | None = None

    @property
    def name(self) -> str:
        """The owner's name as it stands in From."""
        return self.owner.name

    @property
    def who(self) -> Owner:
        """The owner, with the addresses that the provider itself knows as theirs."""
        known = {address.lower() for address in self.owner.addresses}
        more = [one for one in self.mailbox.profile.addresses if one.lower() not in known]
        return replace(self.owner, addresses=(*self.owner.addresses, *more))


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """One way to tell a user; ``address`` names it in keys and evidence, without secrets.

    ``call_timeout_s``: how long its kind of call may take, None for the usual. ``says`` tells a
    person what it is; ``trial`` tries it without telling anybody anything, where that can be done.
    """

    address: str
    notifier: Notifier
    call_timeout_s: float | None = None
    says: str = ""
    trial: Callable[[], Awaitable[Outcome]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How one user wants to be told."""

    user: UserName
    receivers: tuple[Receiver, ...]
    kinds: frozenset[str]
    hours: Hours = field(default_factory=Hours)
    include_text: bool = False


@dataclass(slots=True, kw_only=True)
class House:
    """One process at work."""

    store: Store
    clock: Clock
    worker: OwnerId
    keeper: Keeper
    settings: Settings
    mark_secret: bytes
    read: Reader
    aside: Aside = on_a_thread
    sole: bool = True
    known_dead: Callable[[OwnerId], bool] | None = None
    sharing: Sharing = field(default_factory=Sharing)
    serving: Serving = field(default_factory=Serving)
    faults: Faults = NO_FAULTS
    accounts: dict[IntegrationId, Account] = field(default_factory=dict)
    floor: Floor = field(default_factory=Floor)
    tellings: dict[UserName, Telling] = field(default_factory=dict)
    together: Together = field(init=False)
    work_bell: Wake = field(init=False)
    look_bell: Wake = field(init=False)
    notice_bell: Wake = field(init=False)

    def __post_init__(self) -> None:
        self.together = Together(self.store)
        self.work_bell = Wake(self.clock)
        self.look_bell = Wake(self.clock)
        self.notice_bell = Wake(self.clock)

    @property
    def here(self) -> str:
        """Which host of a fleet met a trouble, to be told with it; empty for one process alone."""
        return "" if self.sole else f" (met on {self.host})"

    @property
    def host(self) -> str:
        """The name of this host."""
        return self.worker.rsplit(":", 2)[0]

    @property
    def served(self) -> Mapping[IntegrationId, Account]:
        """The accounts that this host can serve; for one process alone all of them."""
        return {name: one for name, one in self.accounts.items() if self.serving.has(name)}

    def leaves_to_others(self, integration: IntegrationId, error: Exception) -> bool:
        """Whether this trouble is this host's alone; then it leaves the mailbox to the others.

        One process alone has no others: to it the mailbox is ill.
        """
        if self.sole or not isinstance(error, NotHereError):
            return False
        lack = Lack(problem=error.problem, remedy=error.remedy)
        self.serving.lack(integration, lack, self.clock.boot_s())
        return True

    async def see_what_is_here(self, accounts: Iterable[Account], *, new: bool = False) -> bool:
        """Find out what this host lacks; whether a mailbox can be served again that could not be.

        *new*: they are new here, so everything is asked for. Nothing is done for one process alone.
        Raises StorageError.
        """
        if self.sole:
            return False
        needs = {one.integration: one.need for one in accounts if one.need is not None}
        if not needs:
            return False
        bound = await self.store.read(mailboxes.accounts)
        return await self.serving.check(needs, self.clock, bound=bound, all_=new)

    def is_dead(self, owner: OwnerId) -> bool:
        """Whether a worker is known to be dead: on SQLite, whoever is not this process.

        Only the holder of the file lock runs, and the lock of a dead process is free. In a fleet
        a process is known to be dead when it used this data folder and its own lock is free.
        """
        if owner == self.worker:
            return False
        return self.sole or (self.known_dead is not None and self.known_dead(owner))

    async def tell_others(self, *what: Signal) -> None:
        """Wake the other processes of a fleet; a signal that is lost costs them a wait only."""
        if self.sole:
            return
        with suppress(StorageError):
            await self.store.write(lambda conn: signals.send(conn, *what))

    def hear(self, what: Signal) -> None:
        """Ring the bell that a signal of another process is for."""
        match what:
            case Signal.WORK:
                self.work_bell.ring()
            case Signal.LOOK:
                self.look_bell.ring()
            case Signal.NOTICE:
                self.notice_bell.ring()

    @property
    def schedule(self) -> Schedule:
        """When to look for what an unknown call may have left."""
        return Schedule(
            looks_ms=[int(look * 1000) for look in self.settings.looks_s],
            lag_ms=int(self.settings.lag_s * 1000),
        )

    def schedule_for(self, account: Account) -> Schedule:
        """The same for one mailbox, whose listings may lag less than the widest window."""
        lag_s = min(self.settings.lag_s, account.mailbox.profile.lag_s)
        return Schedule(looks_ms=self.schedule.looks_ms, lag_ms=int(lag_s * 1000))

    @property
    def timing(self) -> Timing:
        """The waits that a record needs."""
        return Timing(
            first_look_ms=int(self.settings.looks_s[0] * 1000),
            notice_delay_ms=int(self.settings.notice_delay_s * 1000),
        )
