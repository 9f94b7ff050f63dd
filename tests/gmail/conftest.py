"""A Gmail of the tests' own in the test's event loop, and the adapter on its account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from providers.gmail import GmailMailbox
from providers.gmail.transport import Transport
from providers.gmail.wire import Waits
from providers.ports import Kept, ThreadScope
from storage.words import Ref
from tests.contracts.clock import SkippingClock
from tests.gmail.neighbours import FixedTokens, Unlimited
from tests.support.gmail.server import ROBIN, GmailServer, running
from tests.support.gmail.settings import Settings

ALL = Kept(marks=frozenset({"header", "message_id", "content"}), versioned_removal=True)


@dataclass
class Site:
    """One account: the server, its neighbours here, and what was noted."""

    google: GmailServer
    clock: SkippingClock
    tokens: FixedTokens
    limiter: Unlimited = field(default_factory=Unlimited)
    refs: set[Ref] = field(default_factory=set)
    made: list[GmailMailbox] = field(default_factory=list)

    def mailbox(self, *, kept: Kept | None = ALL, answer_s: float = 5.0) -> GmailMailbox:
        """A new adapter on the account, as after a restart."""
        made = GmailMailbox(
            self.tokens,
            self.limiter,
            clock=self.clock,
            api_root=self.google.root,
            addresses=(ROBIN,),
            kept=kept,
            answer_s=answer_s,
        )
        self.made.append(made)
        return made

    def transport(self, waits: Waits | None = None) -> Transport:
        """The transport alone."""
        return Transport(self.google.root, self.tokens, self.limiter, self.clock, waits=waits)

    async def known(self, refs: object) -> frozenset[Ref]:
        return frozenset(refs) & self.refs  # type: ignore[call-overload]

    def deliver(self, raw: bytes, labels: list[str] | None = None, *, days_ago: float = 0) -> str:
        """Mail arrives now, by the test's clock; gives its id."""
        at_ms = round((self.clock.now().timestamp() - days_ago * 86_400) * 1000)
        made = self.google.owner().deliver(raw, labels, internal_ms=at_ms)
        return str(made["id"])

    def requests(self, method: str) -> int:
        """How many requests for *method* the server has seen."""
        return len(self.google.journal.of(method))

    @property
    def units(self) -> int:
        """Units that the server has counted."""
        return self.google.world.quota.total[ROBIN]


def scope(thread: str | None, *refs: Ref) -> ThreadScope:
    return ThreadScope(
        thread=thread, message_ids=frozenset({"<question@example.org>"}), refs=frozenset(refs)
    )


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """The account, at a Gmail that replaces what it is reported to replace."""
    clock = SkippingClock()
    settings = Settings(units_per_minute=10**9, concurrent=100, token_lifetime_s=1e9)
    async with running(clock=clock, settings=settings) as google:
        made = Site(google, clock, FixedTokens(google.login()["access_token"]))
        yield made
        for mailbox in made.made:
            await mailbox.close()
