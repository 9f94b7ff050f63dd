"""A plan of faults around any mailbox: what networks, providers and crashes do to a call.

``fencepost demo`` loses one answer through it, and tests take every way in which a call can fail.
The wrapped mailbox does all the real work, so what is wrapped keeps its own rules (a withdrawn
staging can't be delivered late, say). A fault lies about the *answer* or leaves the call out; it
never makes the mailbox do what a provider could not do.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeVar

from anyio import sleep_forever

from providers.memory.journal import Effect, Journal
from providers.mime.reading import read_heads
from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Json,
    Known,
    Look,
    LookRequest,
    Mailbox,
    MailboxIllError,
    Profile,
    Snapshot,
    Staged,
    ThreadScope,
    TransientError,
)
from storage.words import Accepted, Clock, IntentId, Kind, Outcome, Ref, Rejected, Unknown

_T = TypeVar("_T")
Make = Callable[[], Awaitable[Outcome]]


class Behaviour(StrEnum):
    """What happens to one call.

    Reading calls and ``stage`` raise where a write would return its outcome: MailboxIllError for
    QUOTA and AUTH, TransientError for the other failures.
    """

    PASS = "pass"  # noqa: S105  # nothing out of the ordinary
    REFUSE = "refuse"  # a clear no, for good; nothing happened
    BUSY = "busy"  # a clear no, for now; nothing happened
    QUOTA = "quota"  # the mailbox is full; nothing happened
    AUTH = "auth"  # the credentials are not taken; nothing happened
    DROP = "drop"  # the connection broke before the effect; the caller cannot know
    LOSE = "lose"  # the effect happened and the answer was lost
    HANG = "hang"  # no effect and no answer until the caller gives up
    HANG_AFTER = "hang_after"  # the effect, and then no answer until the caller gives up
    TWICE = "twice"  # one request, executed twice inside the provider
    TWICE_LOST = "twice_lost"  # so, and the answer was lost
    LATE = "late"  # the effect at once, the answer after ``delay_s``
    LATE_EFFECT = "late_effect"  # the connection breaks; the effect follows when ``land`` is called


EFFECTS: Final = ("create", "remove")
"""Names of the calls that change the mailbox; every other call of the port reads or stages."""


@dataclass(slots=True)
class FaultPlan:
    """What the next calls meet: a script for each call by its name, then chance under a seed.

    *script* maps a call's name (``create``, ``remove``, ``stage``, ``changes``, ``look``, ...) to
    behaviours for its first calls in their order. After the script a call in *chances* behaves by
    weighted chance (weights by behaviour; what is missing to 1 passes), the same for the same
    *seed*. ``taken`` tells afterwards what was played.
    """

    script: Mapping[str, Sequence[Behaviour]] = field(default_factory=dict)
    seed: int = 0
    chances: Mapping[str, Mapping[Behaviour, float]] = field(default_factory=dict)
    delay_s: float = 60.0
    retry_after_s: float | None = 30.0
    taken: list[tuple[str, Behaviour]] = field(default_factory=list)
    _left: dict[str, deque[Behaviour]] = field(init=False)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        """Copy the script and seed the chance."""
        self._left = {call: deque(acts) for call, acts in self.script.items()}
        self._random = random.Random(self.seed)  # noqa: S311

    def add(self, call: str, *behaviours: Behaviour) -> None:
        """Script further calls of that name."""
        self._left.setdefault(call, deque()).extend(behaviours)

    def next(self, call: str) -> Behaviour:
        """What this call meets."""
        left = self._left.get(call)
        act = left.popleft() if left else self._chance(call)
        self.taken.append((call, act))
        return act

    def _chance(self, call: str) -> Behaviour:
        weights = self.chances.get(call, {})
        if not weights:
            return Behaviour.PASS
        drawn = self._random.random()
        for act, weight in weights.items():
            drawn -= weight
            if drawn < 0:
                return act
        return Behaviour.PASS


class FaultyMailbox:
    """Any mailbox under a plan of faults; keeps a journal of calls and effects."""

    def __init__(
        self, inner: Mailbox, plan: FaultPlan, *, clock: Clock, journal: Journal | None = None
    ) -> None:
        self.inner = inner
        self.plan = plan
        self.journal = Journal() if journal is None else journal
        self._clock = clock
        self._late: list[Make] = []

    @property
    def profile(self) -> Profile:
        """What the wrapped mailbox can do."""
        return self.inner.profile

    async def account(self) -> str:
        """The account of the wrapped mailbox."""
        return await self._read("account", self.inner.account)

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        """What is new, if the plan lets it through."""
        return await self._read(
            "changes", lambda: self.inner.changes(cursor, since=since, known=known)
        )

    async def wait(self, seconds: float) -> None:
        """Wait as the wrapped mailbox does."""
        await self.inner.wait(seconds)

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        """The bytes of *refs*, if the plan lets them through."""
        return await self._read("fetch", lambda: self.inner.fetch(refs))

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """The thread's place, if the plan lets it through."""
        return await self._read("snapshot", lambda: self.inner.snapshot(scope))

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        """Stage, if the plan lets it through."""
        return await self._read(
            "stage", lambda: self.inner.stage(content, intent=intent, attempt=attempt)
        )

    async def unstage(self, staged: Staged) -> None:
        """Drop staged bytes."""
        self.journal.call("unstage")
        await self.inner.unstage(staged)

    async def draft(self, draft: DraftRef) -> DraftNow:
        """A direct get, if the plan lets it through."""
        return await self._read("draft", lambda: self.inner.draft(draft))

    async def look(self, request: LookRequest) -> Look:
        """A look, if the plan lets it through."""
        return await self._read("look", lambda: self.inner.look(request))

    async def close(self) -> None:
        """Close the wrapped mailbox."""
        await self.inner.close()

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        """Make the draft, or what the plan makes of it."""
        intent, attempt = _whose(staged)
        mark = read_heads(staged.content).mark

        async def once() -> Outcome:
            return await self.inner.create(staged, scope=scope)

        async def again() -> Outcome:
            second = await self.inner.stage(staged.content, intent=intent, attempt=attempt)
            return await self.inner.create(second, scope=scope)

        effect = Effect(
            kind=Kind.CREATE_DRAFT,
            intent=intent,
            attempt=attempt,
            mark=mark,
            at=self._clock.now(),
        )
        return await self._write("create", self._noted(effect, once), self._noted(effect, again))

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        """Remove the draft, or what the plan makes of it."""

        async def once() -> Outcome:
            return await self.inner.remove(draft, intent=intent, attempt=attempt)

        effect = Effect(
            kind=Kind.REMOVE_DRAFT,
            intent=intent,
            attempt=attempt,
            mark=draft.mark,
            at=self._clock.now(),
            ref=draft.ref,
        )
        return await self._write("remove", self._noted(effect, once), once)

    async def land(self) -> list[Outcome]:
        """Let the effects happen that were promised late; what the mailbox said to each."""
        late, self._late = self._late, []
        return [await make() for make in late]

    def _noted(self, effect: Effect, make: Make) -> Make:
        """*make* with the hook called before it and the effect written down when it happened."""

        async def noted() -> Outcome:
            self.journal.before(effect)
            outcome = await make()
            if isinstance(outcome, Accepted):
                self.journal.happened(effect)
            return outcome

        return noted

    async def _write(self, call: str, once: Make, again: Make) -> Outcome:
        self.journal.call(call)
        act = self.plan.next(call)
        refusal = self._refusal(act)
        if refusal is not None:
            return refusal
        match act:
            case Behaviour.DROP:
                return Unknown(reason="the connection was lost")
            case Behaviour.LATE_EFFECT:
                self._late.append(once)
                return Unknown(reason="the connection was lost")
            case Behaviour.HANG:
                await sleep_forever()
            case _:
                pass
        outcome = await once()
        if act in (Behaviour.TWICE, Behaviour.TWICE_LOST):
            await again()
        return await self._answer(act, outcome)

    async def _answer(self, act: Behaviour, outcome: Outcome) -> Outcome:
        """What the caller hears after the effect."""
        match act:
            case Behaviour.LOSE | Behaviour.TWICE_LOST:
                return Unknown(reason="the answer was lost")
            case Behaviour.HANG_AFTER:
                await sleep_forever()
            case Behaviour.LATE:
                await self._clock.sleep(self.plan.delay_s)
            case _:
                pass
        return outcome

    def _refusal(self, act: Behaviour) -> Rejected | None:
        match act:
            case Behaviour.REFUSE:
                return Rejected(reason="the provider refused it")
            case Behaviour.BUSY:
                return Rejected(
                    reason="the provider is busy",
                    passing=True,
                    retry_after_s=self.plan.retry_after_s,
                )
            case Behaviour.QUOTA:
                return Rejected(reason="the mailbox is full", passing=True, illness=True)
            case Behaviour.AUTH:
                return Rejected(reason="the credentials were not taken", passing=True, illness=True)
            case _:
                return None

    async def _read(self, call: str, job: Callable[[], Awaitable[_T]]) -> _T:
        self.journal.call(call)
        act = self.plan.next(call)
        match act:
            case Behaviour.PASS:
                return await job()
            case Behaviour.QUOTA:
                raise MailboxIllError("the mailbox is full", "free some space or raise the quota")
            case Behaviour.AUTH:
                raise MailboxIllError("the credentials were not taken", "log in again")
            case Behaviour.HANG:
                await sleep_forever()
            case Behaviour.HANG_AFTER:
                await job()
                await sleep_forever()
            case Behaviour.LATE:
                answer = await job()
                await self._clock.sleep(self.plan.delay_s)
                return answer
            case Behaviour.LOSE:
                await job()
            case _:
                pass
        raise TransientError("the connection was lost: it is tried again")


def _whose(staged: Staged) -> tuple[IntentId, int]:
    """Intent and attempt as the token names them; empty where a provider stages nothing."""
    intent, attempt = staged.token.get("intent"), staged.token.get("attempt")
    known = isinstance(intent, str) and isinstance(attempt, int)
    return (IntentId(str(intent)), int(str(attempt))) if known else (IntentId(""), 0)
