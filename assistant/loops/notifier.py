"""The notifier: tells a user what waits for them, each thing once, through the guarded call.

A notice is stored before it is sent. To each receiver it is called at most once by itself; after a
refusal that is passing it may be called again under the same key, after a lost answer never. An
unknown notice opens nothing of its own: it shows on the review item that it is about, which waits
in the queue either way.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial

import structlog
from sqlalchemy import Connection

from assistant.effects import settle
from assistant.effects.claim import Asked, Refused
from assistant.effects.guard import Effect, guarded
from assistant.effects.keys import fingerprint, notice_key
from assistant.house import House, Receiver, Telling
from leases.keeper import Grip
from providers.ports import Notice
from storage import intents, leases, notices, reviews
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.intents import Intent
from storage.leases import Held
from storage.notices import Waiting
from storage.reviews import Item
from storage.words import (
    NOTICE_THREAD,
    IntegrationId,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
    Outcome,
    UserName,
)

log = structlog.get_logger()

TITLES = {
    ItemKind.DRAFT_READY: "A draft waits for review",
    ItemKind.OUTCOME_UNKNOWN: "The outcome of a call is unknown",
}


class Notifier:
    """Sends the notices of every user whom this process serves."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def run(self) -> None:
        """Send for ever."""
        while True:
            pause_s = self._house.settings.poll_s
            try:
                await self.pass_once()
                due_in_s = await self._due_in_s()
                pause_s = pause_s if due_in_s is None else min(pause_s, due_in_s)
            except StorageError as error:
                log.warning("the store does not answer", error=type(error).__name__)
            await self._house.notice_bell.wait(max(pause_s, 0.05))

    async def pass_once(self) -> None:
        """Send whatever is due; what nobody wants to be told of is dropped."""
        users = frozenset(account.user for account in self._house.accounts.values())
        deaf = users - self._house.tellings.keys()
        waits = await self._house.store.read(partial(_any_due, users=deaf))
        if waits:
            await self._house.store.write(partial(_drop, users=deaf))
        for telling in list(self._house.tellings.values()):
            waiting = await self._house.store.read(partial(_due, user=telling.user))
            if waiting:
                await self._send_all(telling, waiting)

    async def _send_all(self, telling: Telling, waiting: list[Waiting]) -> None:
        house = self._house
        started_s = house.clock.boot_s()
        held = await house.store.write(
            lambda conn: leases.acquire(
                conn,
                IntegrationId(telling.user),
                NOTICE_THREAD,
                house.worker,
                house.settings.lease_ttl_ms,
            )
        )
        if held is None:
            return
        with house.keeper.holding(held, started_s=started_s) as grip:
            for one in waiting:
                await self._send(grip, telling, one)
            await house.store.write(lambda conn: leases.release(conn, held))

    async def _send(self, grip: Grip, telling: Telling, waiting: Waiting) -> None:
        house = self._house
        item = await house.store.read(lambda conn: reviews.one(conn, waiting.item))
        if item is None or item.state != "open" or str(waiting.kind) not in telling.kinds:
            await house.store.write(lambda conn: notices.end(conn, waiting.id, "dropped"))
            return
        again_at = [
            when
            for receiver in telling.receivers
            if (when := await self._tell(grip, telling, receiver, waiting, item)) is not None
        ]
        if again_at:
            later = min(again_at)
            await house.store.write(lambda conn: notices.put_off(conn, waiting.id, later))
        else:
            await house.store.write(lambda conn: notices.end(conn, waiting.id, "sent"))

    async def _tell(
        self, grip: Grip, telling: Telling, receiver: Receiver, waiting: Waiting, item: Item
    ) -> int | None:
        """Call one receiver if it has not had its call; gives when to try again, if at all."""
        house = self._house
        key = notice_key(telling.user, waiting.item, str(waiting.kind), receiver.address)
        prior, now = await house.store.read(
            lambda conn: (intents.by_key(conn, key), database_now_ms(conn))
        )
        if prior is not None and not _may_call_again(prior):
            return None
        if prior is not None and (prior.retry_at or 0) > now:
            return prior.retry_at
        effect = self._effect(grip.held, telling, receiver, waiting, item, prior)
        outcome = await guarded(house.store, house.clock, house.faults, grip, effect)
        if isinstance(outcome, Refused):
            return outcome.until or now + int(house.settings.poll_s * 1000)
        after = await house.store.read(lambda conn: intents.by_key(conn, key))
        return after.retry_at if after is not None and _may_call_again(after) else None

    def _effect(
        self,
        held: Held,
        telling: Telling,
        receiver: Receiver,
        waiting: Waiting,
        item: Item,
        prior: Intent | None,
    ) -> Effect:
        house = self._house
        intent = prior.id if prior is not None else IntentId(uuid.uuid4().hex)
        request = (
            prior.request
            if prior is not None
            else receiver.notifier.render(_notice(intent, waiting, item))
        )
        asked = Asked(
            intent=intent,
            key=notice_key(telling.user, waiting.item, str(waiting.kind), receiver.address),
            kind=Kind.NOTIFY,
            user=telling.user,
            held=held,
            fingerprint=fingerprint(
                item=waiting.item, kind=str(waiting.kind), receiver=receiver.address
            ),
            request=request,
            plan={"item": waiting.item, "receiver": receiver.address},
            call_timeout_s=house.settings.call_timeout_s,
            lease_ttl_ms=house.settings.lease_ttl_ms,
            token={},
            place={},
        )

        async def call(claimed: Intent) -> Outcome:
            return await receiver.notifier.send(claimed.request)

        async def unclaimed() -> None:
            return None

        def record(conn: Connection, claimed: Intent, outcome: Outcome) -> None:
            settle.record_outcome(conn, claimed.id, claimed.attempt, outcome, house.timing)

        return Effect(asked=asked, call=call, unclaimed=unclaimed, record=record)

    async def _due_in_s(self) -> float | None:
        users = frozenset(self._house.tellings)
        when, now = await self._house.store.read(
            lambda conn: (notices.next_due_at(conn, users), database_now_ms(conn))
        )
        return None if when is None else max(0.0, (when - now) / 1000)


def _any_due(conn: Connection, users: Collection[UserName]) -> bool:
    when = notices.next_due_at(conn, users)
    return when is not None and when <= database_now_ms(conn)


def _drop(conn: Connection, users: Collection[UserName]) -> None:
    for user in sorted(users):
        for waiting in _due(conn, user):
            notices.end(conn, waiting.id, "dropped")


def _due(conn: Connection, user: UserName) -> list[Waiting]:
    return notices.due(conn, user, database_now_ms(conn))


def _may_call_again(intent: Intent) -> bool:
    return intent.state is IntentState.REJECTED and intent.passing


def _notice(intent: IntentId, waiting: Waiting, item: Item) -> Notice:
    # No subject and no mail text: a notice passes through services that its owner may not trust.
    return Notice(
        id=intent,
        kind=str(waiting.kind),
        title=TITLES.get(waiting.kind, f"Something waits for you: {waiting.kind}"),
        text=f"{item.integration}: {item.summary} (fencepost review show {item.id})",
        at=datetime.fromtimestamp(item.opened_at / 1000, UTC),
    )
