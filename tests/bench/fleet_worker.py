"""One worker process of a fleet on PostgreSQL, over a mailbox whose calls take their time.

    python -m tests.bench.fleet_worker '{"url": ..., "password": ..., "name": ..., ...}'

It is the worker loop with its keeper, as ``fencepost run`` has it, over mailboxes that make up the
mail of any thread. It says ``ready``, waits for a line on stdin, and works until the next line, or
the end of stdin; then it finishes what is in hand and ends. Each line on stdout is a JSON object:
``acted`` when a draft is made (``at``: CLOCK_MONOTONIC, the same in every process of a host), and,
told to hang, ``holding`` when it took a thread that nobody has read before and reads it for ever.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import anyio

from assistant.core.plan import Policy
from assistant.house import Account, House
from assistant.loops.worker import Worker
from assistant.settings import Settings
from assistant.timing import SystemClock
from leases.keeper import Keeper
from providers.mime.message import Owner
from providers.mime.reading import read_mail
from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Json,
    Known,
    Look,
    LookRequest,
    Profile,
    Snapshot,
    Staged,
    ThreadScope,
    Whereabouts,
)
from storage.pg_place import Place
from storage.postgres import open_postgres
from storage.words import (
    Accepted,
    Category,
    IntegrationId,
    IntentId,
    Outcome,
    OwnerId,
    Ref,
    UserName,
    Version,
)

OWNER = Owner(name="Robin Vale", addresses=("robin@example.com",))
PROFILE = Profile(
    provider="bench",
    lag_s=0.0,
    marks=frozenset({"header", "message_id", "content"}),
    versioned_removal=True,
    network=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a worker process is told."""

    url: str
    password: str
    name: str
    mailboxes: list[str]
    in_work: int = 8
    call_s: float = 0.05
    lease_ttl_s: float = 60.0
    call_timeout_s: float = 10.0
    poll_s: float = 1.0
    hang: str | None = None
    """A folder; the first process that reads a thread leaves a file there and hangs."""


def tell(event: str, **more: object) -> None:
    """One line on stdout."""
    print(json.dumps({"event": event, "at": time.monotonic(), **more}), flush=True)


def mail(ref: Ref) -> bytes:
    """The one mail of a thread: a question to Robin."""
    return (
        f"From: Mina Okafor <mina@example.org>\nTo: Robin Vale <robin@example.com>\n"
        f"Subject: Plan {ref}\nMessage-ID: <{ref}@example.org>\n"
        "Date: Mon, 02 Nov 2026 10:00:00 +0000\n\nRobin, could you send me the plan?\n"
    ).encode()


@dataclass(slots=True)
class SlowMailbox:
    """A mailbox of a provider that takes *call_s* for each draft."""

    order: Order
    made: dict[Ref, bytes] = field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        return PROFILE

    async def account(self) -> str:
        return "bench"

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        return Changes(cursor=cursor or {})

    async def wait(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        if self.order.hang is not None:
            for ref in refs:
                await self._hang_at_first(Path(self.order.hang) / ref, ref)
        return [Fetched(ref=ref, raw=mail(ref)) for ref in refs]

    async def _hang_at_first(self, mark: Path, ref: Ref) -> None:
        try:
            await anyio.to_thread.run_sync(lambda: mark.touch(exist_ok=False))
        except FileExistsError:
            return
        tell("holding", thread=ref)
        await anyio.sleep_forever()

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        return Snapshot(place={})

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        return Staged(content=content, token={"intent": intent})

    async def unstage(self, staged: Staged) -> None:
        return None

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        tell("acted", thread=min(scope.refs, default=""))
        await anyio.sleep(self.order.call_s)
        return Accepted(ref=Ref(f"drafts/{staged.token['intent']}"), version=Version("1"))

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        return Accepted(ref=draft.ref, version=draft.version)

    async def draft(self, draft: DraftRef) -> DraftNow:
        return DraftNow(where=Whereabouts.UNTOUCHED)

    async def look(self, request: LookRequest) -> Look:
        return Look()

    async def close(self) -> None:
        return None


async def main(order: Order) -> None:
    """Work between the first line on stdin and the next."""
    place = Place(url=order.url, password=order.password, name=order.name)
    store = await open_postgres(place, connections=order.in_work)
    clock = SystemClock()
    settings = Settings(
        concurrency=order.in_work,
        lease_ttl_s=order.lease_ttl_s,
        call_timeout_s=order.call_timeout_s,
        poll_s=order.poll_s,
    )
    house = House(
        store=store,
        clock=clock,
        worker=OwnerId(order.name),
        keeper=Keeper(store, clock, ttl_s=order.lease_ttl_s),
        settings=settings,
        mark_secret=b"bench",
        read=lambda raw, parents: read_mail(raw, parents=parents),
        sole=False,
    )
    for name in order.mailboxes:
        house.accounts[IntegrationId(name)] = Account(
            integration=IntegrationId(name),
            user=UserName("robin"),
            owner=OWNER,
            mailbox=SlowMailbox(order),
            policy=Policy(draft=frozenset({Category.NEEDS_REPLY}), never_draft_for=()),
            signature="Robin",
            since_s=None,
        )
    worker = Worker(house=house)
    tell("ready")
    await anyio.to_thread.run_sync(sys.stdin.readline)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(house.keeper.run)
            async with anyio.create_task_group() as work:
                work.start_soon(worker.run)
                await anyio.to_thread.run_sync(sys.stdin.readline)
                worker.drain()
            group.cancel_scope.cancel()
    finally:
        await store.close()


if __name__ == "__main__":
    anyio.run(main, Order(**json.loads(sys.argv[1])))
