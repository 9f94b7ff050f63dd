"""Processes that make guarded calls into one thread, whatever the thread needs.

What a plan would see by itself (a call that is open, a key that was used, a draft that lies there)
these do not look at, so nothing but the claim stands between them and a second effect.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import anyio
from sqlalchemy import Connection

from assistant.core.plan import CreateDraft
from assistant.effects import drafting
from assistant.effects.claim import Asked, Refused
from assistant.effects.guard import Effect, guarded
from assistant.effects.recording import Record
from assistant.loops import reading
from assistant.loops.reading import Record as Known
from assistant.loops.reconciler import Reconciler
from leases.keeper import Grip
from providers.mime.marks import mark_of
from providers.mime.message import Address, Envelope
from providers.ports import ProviderError
from storage import leases
from storage.errors import StorageError
from storage.intents import Intent
from storage.leases import Held
from storage.words import DraftState, Kind, Outcome, OwnerId, ThreadId
from tests.support.clock import single_errors
from tests.support.world import BOX, OWNER, ROBIN, SECRET, Process


class Twist(StrEnum):
    """What is wrong with a claim that must be refused for it."""

    NONE = "as it should be"
    OTHER_WORDS = "other words under the same key"
    OTHER_NAME = "the right fence under another name"
    OLD_FENCE = "the fence before"


@dataclass(frozen=True, slots=True)
class Ask:
    """What one turn asks for: an answer to message *answers*, or the removal of what is held.

    *both*: an answer to the other message as well, at the same moment.
    """

    answers: int = 0
    twist: Twist = Twist.NONE
    removes: bool = False
    both: bool = False


@dataclass
class Caller:
    """One process; ``tell`` hears what was wrong with a call that left."""

    process: Process
    thread: ThreadId
    tell: Callable[[str], None]
    busy: int = 0
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    async def turn(self, ask: Ask) -> None:
        """Take the lease, read, snapshot, stage, and make one guarded call."""
        await self._alone(lambda: self._turn(ask))

    async def look(self) -> None:
        """Sweep, and look for what is due."""
        await self._alone(self.process.reconcile)

    async def glance(self, intent: Intent) -> None:
        """Look for one intent, due or not."""
        house, account = self.process.house, self.process.account
        await self._alone(lambda: Reconciler(house).look(account, intent))

    async def _alone(self, work: Callable[[], Awaitable[object]]) -> None:
        self.busy += 1
        self.scope = anyio.CancelScope()
        try:
            with self.scope, single_errors():
                await work()
        except (StorageError, ProviderError):
            return
        finally:
            self.busy -= 1

    def cancel(self) -> None:
        """Cancel what it does now."""
        self.scope.cancel()

    async def _turn(self, ask: Ask) -> None:
        house = self.process.house
        started_s = house.clock.boot_s()
        held = await house.store.write(self._take)
        if held is None:
            return
        with house.keeper.holding(held, started_s=started_s) as grip:
            known = await house.store.read(lambda conn: reading.record(conn, BOX, self.thread))
            effects = [await self._effect(ask, held, known)]
            if ask.both:
                other = replace(ask, answers=1 - ask.answers, removes=False)
                effects.append(await self._effect(other, held, known))
            refused: list[Refused] = []
            async with anyio.create_task_group() as group:
                for effect in effects:
                    if effect is not None:
                        group.start_soon(self._guard, grip, effect, refused)
            if len(refused) == len([one for one in effects if one is not None]):
                await self._release(held)

    async def _guard(self, grip: Grip, effect: Effect, refused: list[Refused]) -> None:
        house = self.process.house
        outcome = await guarded(house.together, house.clock, house.faults, grip, effect)
        if isinstance(outcome, Refused):
            refused.append(outcome)

    def _take(self, conn: Connection) -> Held | None:
        house = self.process.house
        return leases.acquire(
            conn, BOX, self.thread, house.worker, house.settings.lease_ttl_ms, alone=True
        )

    async def _release(self, held: Held) -> None:
        await self.process.house.store.write(lambda conn: leases.release(conn, held))

    async def _effect(self, ask: Ask, held: Held, known: Known) -> Effect | None:
        house, account = self.process.house, self.process.account
        place = drafting.Place(
            user=ROBIN,
            held=held,
            row=known.row,
            mailbox=account.mailbox,
            scope=known.scope,
            secret=SECRET,
            call_timeout_s=house.settings.call_timeout_s,
            lease_ttl_ms=house.settings.lease_ttl_ms,
        )

        def record(claimed: Intent, outcome: Outcome) -> Record:
            return Record(
                claimed=claimed,
                outcome=outcome,
                timing=house.timing,
                first=lambda conn: self._end(conn, held),
            )

        if ask.removes:
            return _removal(place, known, record)
        snapshot = await account.mailbox.snapshot(known.scope)
        act = CreateDraft(
            answer=ask.answers,
            identity=known.mail[ask.answers].identity,
            envelope=ENVELOPES[ask.answers],
        )
        effect = await drafting.create(
            place,
            act,
            "Hello Mina,\n\nhere they are.\n\nRobin\n",
            snapshot,
            _prior(known, act.identity),
            house.clock.now(),
            record,
            {},
        )
        return self._checked(effect, _twisted(effect.asked, ask.twist))

    def _end(self, conn: Connection, held: Held) -> None:
        leases.release(conn, held)

    def _checked(self, effect: Effect, asked: Asked) -> Effect:
        async def call(claimed: Intent) -> Outcome:
            if claimed.fingerprint != asked.fingerprint:
                self.tell(f"{claimed.id[:6]}.{claimed.attempt} is called for other words")
            return await effect.call(claimed)

        return replace(effect, asked=asked, call=call)


def _twisted(asked: Asked, twist: Twist) -> Asked:
    match twist:
        case Twist.NONE:
            return asked
        case Twist.OTHER_WORDS:
            return replace(asked, fingerprint="of other words")
        case Twist.OTHER_NAME:
            return replace(asked, held=replace(asked.held, owner=OwnerId("somebody")))
        case Twist.OLD_FENCE:
            return replace(asked, held=replace(asked.held, fence=asked.held.fence - 1))


def _prior(known: Known, answers: str) -> Intent | None:
    return next(
        (
            one
            for one in known.intents
            if one.kind is Kind.CREATE_DRAFT
            and one.generation == known.row.generation
            and one.plan.get("answers") == answers
        ),
        None,
    )


def _removal(place: drafting.Place, known: Known, record: drafting.Recorder) -> Effect | None:
    held = [one for one in known.drafts if one.state is DraftState.HELD]
    if not held:
        return None
    draft = held[-1]
    prior = next(
        (
            one
            for one in known.intents
            if one.kind is Kind.REMOVE_DRAFT and one.plan.get("draft") == draft.id
        ),
        None,
    )
    return drafting.remove(place, draft, mark_of(SECRET, draft.intent), prior, record)


ENVELOPES = tuple(
    Envelope(
        to=(Address(name="Mina Okafor", addr="mina@example.org"),),
        cc=(),
        from_=Address(name=OWNER.name, addr=OWNER.addresses[0]),
        subject="Re: Figures 1",
        in_reply_to=answered,
        references=("<q1@example.org>",),
    )
    for answered in ("<q1@example.org>", "<q1.1@example.org>")
)
"""The heads of an answer to the question, and to the message that followed it."""
