"""The notifier: tells a user what waits for them, each thing once, through the guarded call.

A notice is stored before it is sent. To each receiver it is called at most once by itself; after a
refusal that is passing it may be called again under the same key, after a lost answer never. An
unknown notice opens nothing of its own: it shows on the review item that it is about, which waits
in the queue either way. What is no longer open when its turn comes is not told.

    round --> what is due, and who was told of it (the intents say so)
      |-- every receiver has had its call, or the item is closed: the notice ends
      '-- a receiver has a call to make: served beside the others, under a lease of its own
               lease --> what next? --> guarded call --> what next? ... --> release

Each receiver has a lease of its own, as long as its kind of call needs: a mail server that keeps
silent for its ten minutes keeps nobody else waiting. What next is decided under that lease, from
committed facts only, so that a crash at any point repeats no call: an intent that exists is a call
that was made, whoever made it and whatever became of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import anyio
import structlog
from anyio.abc import TaskGroup
from sqlalchemy import Connection

from assistant.core.telling import About, Again, Due, Tell, Told, Wait, is_done, next_step, words
from assistant.effects.claim import Asked, Refused
from assistant.effects.guard import Effect, guarded
from assistant.effects.keys import fingerprint, notice_key
from assistant.effects.recording import Record
from assistant.house import House, Receiver, Telling
from leases.keeper import Grip
from providers.notifier_port import Notice
from storage import drafts, intents, leases, notices, reviews
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.intents import Intent
from storage.leases import Held
from storage.notices import Waiting
from storage.reviews import Item
from storage.words import (
    NOTICE_THREAD,
    Accepted,
    IntegrationId,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
    Outcome,
    Rejected,
    ThreadId,
    UserName,
)

log = structlog.get_logger()

DIGEST = "digest"
"""The kind of a notice about several items."""

_CLOCK_ROOM_MS = 86_400_000
"""How far a database's clock may have gone back between a notice and a call about it."""


def thread_of(receiver: Receiver) -> ThreadId:
    """The pseudo-thread under which one receiver of a user is served."""
    return ThreadId(f"{NOTICE_THREAD} {receiver.address}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What one transaction saw of a user's notices. ``calls`` are those made, by receiver."""

    now: int
    due: Sequence[Due]
    items: Mapping[int, Item]
    dropped: Sequence[int]
    calls: Mapping[str, Sequence[Intent]]

    def told(self, receiver: Receiver) -> list[Told]:
        """Who was told of what."""
        return [_told(intent) for intent in self.calls.get(receiver.address, ())]

    def done(self, receivers: Collection[Receiver]) -> list[int]:
        """Notices of which every receiver was told."""
        told = [self.told(receiver) for receiver in receivers]
        return [one.notice for one in self.due if all(is_done(one.notice, each) for each in told)]


class Notifier:
    """Sends the notices of every user whom this process serves."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._busy: set[tuple[UserName, str]] = set()
        self._draining = False

    def drain(self) -> None:
        """Begin nothing new; ``run`` ends when the calls in flight have ended and are recorded."""
        self._draining = True
        self._house.notice_bell.ring()

    async def run(self) -> None:
        """Send until drained."""
        async with anyio.create_task_group() as group:
            while not self._draining:
                pause_s = self._house.settings.poll_s
                try:
                    pause_s = min(pause_s, await self._round(group))
                except StorageError as error:
                    log.debug("the store does not answer", error=type(error).__name__)
                await self._house.notice_bell.wait(max(pause_s, 0.05))

    async def pass_once(self) -> None:
        """Send whatever is due; what nobody wants to be told of is dropped."""
        async with anyio.create_task_group() as group:
            await self._round(group)
        await self._round(None)

    async def _round(self, group: TaskGroup | None) -> float:
        """End what is done and begin what is due; gives the seconds until more falls due."""
        house = self._house
        users = frozenset(account.user for account in house.accounts.values())
        deaf = users - house.tellings.keys()
        if await house.store.read(partial(_has_untold, users=deaf)):
            await house.store.write(partial(_drop_untold, users=deaf))
        waits = [await self._begin(telling, group) for telling in list(house.tellings.values())]
        return min(waits, default=house.settings.poll_s)

    async def _begin(self, telling: Telling, group: TaskGroup | None) -> float:
        house = self._house
        await self._ask(telling)
        standing = await house.store.read(partial(_standing, telling=telling))
        done = standing.done(telling.receivers)
        if done or standing.dropped:
            await house.store.write(partial(_end, sent=done, dropped=standing.dropped))
        following = await house.store.read(
            lambda conn: notices.next_due_at(conn, [telling.user], standing.now)
        )
        wakes = [] if following is None else [following]
        for receiver in telling.receivers:
            step = next_step(standing.due, standing.told(receiver), telling.hours, standing.now)
            if isinstance(step, Wait):
                wakes += [] if step.until is None else [step.until]
            elif group is not None and (telling.user, receiver.address) not in self._busy:
                self._busy.add((telling.user, receiver.address))
                group.start_soon(self._serve, telling, receiver)
        return (min(wakes) - standing.now) / 1000 if wakes else house.settings.poll_s

    async def _ask(self, telling: Telling) -> None:
        """Ask for the notices that no fact asked for; of drafts also where they are not wanted,
        so that a later change of mind does not tell of old ones."""
        kinds = {ItemKind.DRAFT_READY, *(ItemKind(kind) for kind in telling.kinds)}
        unasked = partial(notices.unasked, user=telling.user, kinds=kinds)
        if not await self._house.store.read(unasked):
            return

        def ask(conn: Connection) -> None:
            # As of the fact, which is what decides in whose digest it stands.
            for one in unasked(conn):
                reviews.ask_to_tell(conn, telling.user, one.item, one.kind, one.opened_at)

        await self._house.store.write(ask)

    async def _serve(self, telling: Telling, receiver: Receiver) -> None:
        """Make the calls that one receiver is owed now."""
        calls = 0
        try:
            calls = await self._serve_leased(telling, receiver)
        except StorageError as error:
            log.debug("a notice waits for the store", error=type(error).__name__)
        finally:
            self._busy.discard((telling.user, receiver.address))
        if calls:
            self._house.notice_bell.ring()

    async def _serve_leased(self, telling: Telling, receiver: Receiver) -> int:
        house = self._house
        ttl_s = house.settings.lease_s_for(self._call_s(receiver))
        place = IntegrationId(telling.user), thread_of(receiver)
        started_s = house.clock.boot_s()
        held = await house.store.write(
            lambda conn: leases.acquire(conn, *place, house.worker, int(ttl_s * 1000))
        )
        if held is None:
            return 0
        calls = 0
        with house.keeper.holding(held, started_s=started_s, ttl_s=ttl_s) as grip:
            try:
                while not self._draining and await self._call_next(grip, telling, receiver):
                    calls += 1
            finally:
                # No call is under way here, so that nobody waits for the lease to run out.
                with anyio.CancelScope(shield=True), suppress(StorageError):
                    await house.store.write(lambda conn: leases.release(conn, held))
        return calls

    async def _call_next(self, grip: Grip, telling: Telling, receiver: Receiver) -> bool:
        """Make the next call; False when there is none to make now."""
        house = self._house
        standing = await house.store.read(partial(_standing, telling=telling))
        step = next_step(standing.due, standing.told(receiver), telling.hours, standing.now)
        if isinstance(step, Wait):
            return False
        if isinstance(step, Again):
            (prior,) = (one for one in standing.calls[receiver.address] if one.id == step.intent)
            asked = self._asked_again(grip.held, receiver, prior)
        else:
            about = await house.store.read(
                partial(_about, telling=telling, items=standing.items, wanted=step.notices)
            )
            asked = self._asked(grip.held, telling, receiver, step, about, standing.now)
        outcome = await guarded(
            house.together, house.clock, house.faults, grip, self._effect(receiver, asked)
        )
        return not isinstance(outcome, Refused)

    def _asked(
        self,
        held: Held,
        telling: Telling,
        receiver: Receiver,
        step: Tell,
        about: Sequence[About],
        now: int,
    ) -> Asked:
        intent = IntentId(uuid.uuid4().hex)
        first = about[0]
        kind = str(first.kind) if step.slot is None else DIGEST
        subject = first.item if step.slot is None else step.slot
        said = words(about, digest=step.slot is not None)
        notice = Notice(
            id=intent,
            kind=kind,
            title=said.title,
            text=said.text,
            at=datetime.fromtimestamp(now / 1000, UTC).replace(microsecond=0),
        )
        return Asked(
            intent=intent,
            key=notice_key(telling.user, subject, kind, receiver.address),
            kind=Kind.NOTIFY,
            user=telling.user,
            held=held,
            fingerprint=fingerprint(item=subject, kind=kind, receiver=receiver.address),
            request=receiver.notifier.render(notice),
            plan={
                "receiver": receiver.address,
                "notices": list(step.notices),
                "items": [one.item for one in about],
                "slot": step.slot,
            },
            call_timeout_s=self._call_s(receiver),
            lease_ttl_ms=self._lease_ms(receiver),
            token={},
            place={},
        )

    def _asked_again(self, held: Held, receiver: Receiver, prior: Intent) -> Asked:
        return Asked(
            intent=prior.id,
            key=prior.key,
            kind=Kind.NOTIFY,
            user=prior.user,
            held=held,
            fingerprint=prior.fingerprint,
            request=prior.request,
            plan=prior.plan,
            call_timeout_s=self._call_s(receiver),
            lease_ttl_ms=self._lease_ms(receiver),
            token={},
            place={},
        )

    def _effect(self, receiver: Receiver, asked: Asked) -> Effect:
        house = self._house

        async def call(claimed: Intent) -> Outcome:
            return await receiver.notifier.send(claimed.request)

        async def unclaimed() -> None:
            return None

        def record(claimed: Intent, outcome: Outcome) -> Record:
            known = isinstance(outcome, Accepted | Rejected)
            return Record(
                claimed=claimed,
                outcome=outcome,
                timing=house.timing,
                first=partial(_forget_refusals, claimed=claimed) if known else None,
            )

        return Effect(asked=asked, call=call, unclaimed=unclaimed, record=record)

    def _call_s(self, receiver: Receiver) -> float:
        return receiver.call_timeout_s or self._house.settings.call_timeout_s

    def _lease_ms(self, receiver: Receiver) -> int:
        return int(self._house.settings.lease_s_for(self._call_s(receiver)) * 1000)


def _standing(conn: Connection, telling: Telling) -> Standing:
    now = database_now_ms(conn)
    waiting = notices.due(conn, telling.user, now)
    items: dict[int, Item] = {}
    for one in waiting:
        item = reviews.one(conn, one.item)
        if item is not None and _is_wanted(item, one, telling):
            items[one.id] = item
    calls: dict[str, list[Intent]] = {}
    if items:
        oldest = min(one.due_at for one in waiting) - _CLOCK_ROOM_MS
        for intent in intents.of_integration(conn, telling.user, since_ms=oldest):
            if intent.kind is Kind.NOTIFY:
                calls.setdefault(str(intent.plan.get("receiver")), []).append(intent)
    return Standing(
        now=now,
        due=[Due(notice=one.id, due_at=one.due_at) for one in waiting if one.id in items],
        items=items,
        dropped=[one.id for one in waiting if one.id not in items],
        calls=calls,
    )


def _is_wanted(item: Item, waiting: Waiting, telling: Telling) -> bool:
    return item.state == "open" and not item.hidden and str(waiting.kind) in telling.kinds


def _told(intent: Intent) -> Told:
    named, slot = intent.plan.get("notices"), intent.plan.get("slot")
    return Told(
        intent=intent.id,
        notices=frozenset(named) if isinstance(named, list) else frozenset(),
        slot=slot if isinstance(slot, int) else None,
        again=intent.state is IntentState.REJECTED and intent.passing,
        retry_at=intent.retry_at or 0,
    )


def _about(
    conn: Connection, telling: Telling, items: Mapping[int, Item], wanted: Sequence[int]
) -> list[About]:
    return [
        About(
            item=item.id,
            kind=item.kind,
            place=item.integration or telling.user,
            subject=item.subject if telling.include_text else "",
            draft=_draft_text(conn, item) if telling.include_text else "",
        )
        for item in (items[notice] for notice in wanted)
    ]


def _draft_text(conn: Connection, item: Item) -> str:
    if item.kind is not ItemKind.DRAFT_READY:
        return ""
    draft = drafts.one(conn, int(item.about))
    body = None if draft is None else draft.shown.get("body")
    return body if isinstance(body, str) else ""


def _forget_refusals(conn: Connection, claimed: Intent) -> None:
    """Only a receiver's newest word stands in the queue, not one refusal for every notice."""
    reviews.close(
        conn,
        database_now_ms(conn),
        "facts",
        kind=ItemKind.REJECTED,
        integration=claimed.integration,
        thread=claimed.thread,
    )


def _end(conn: Connection, sent: Sequence[int], dropped: Sequence[int]) -> None:
    notices.end(conn, sent, "sent")
    notices.end(conn, dropped, "dropped")


def _has_untold(conn: Connection, users: Collection[UserName]) -> bool:
    now = database_now_ms(conn)
    return any(
        notices.due(conn, user, now) or notices.unasked(conn, user, [ItemKind.DRAFT_READY])
        for user in sorted(users)
    )


def _drop_untold(conn: Connection, users: Collection[UserName]) -> None:
    """Nobody is told on behalf of users without receivers, now or when they name one later."""
    now = database_now_ms(conn)
    for user in sorted(users):
        for one in notices.unasked(conn, user, [ItemKind.DRAFT_READY]):
            reviews.tell_nobody(conn, user, one.item, now)
        notices.end(conn, [one.id for one in notices.due(conn, user, now)], "dropped")
