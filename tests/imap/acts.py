"""What the tests of the IMAP adapter do again and again."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from providers.imap import ImapMailbox, Server
from providers.mime.compose import content_hash
from providers.ports import DraftRef, Json, LookRequest, Staged, ThreadScope
from storage.words import Accepted, Ref
from tests.contracts.imap_harness import ImapHarness
from tests.contracts.mails import ANSWER, INTENT, MARK, QUESTION, ours
from tests.imap.fake import PASSWORD, FakeServer
from tests.support import dovecot

SCOPE = ThreadScope(thread=None, message_ids=frozenset({QUESTION}))


async def nothing_known(refs: Sequence[Ref]) -> frozenset[Ref]:
    """A store without a note."""
    return frozenset()


async def all_known(refs: Sequence[Ref]) -> frozenset[Ref]:
    """A store that knows everything."""
    return frozenset(refs)


def server_of(
    fake: FakeServer,
    *,
    password: Callable[[], str] | None = lambda: PASSWORD,
    token: Callable[[], str] | None = None,
    trusts: ssl.SSLContext | None = None,
    **other: object,
) -> Server:
    """The fake server as a mailbox is configured for it."""
    server = Server(
        host="localhost" if fake.tls is not None else "127.0.0.1",
        port=fake.port,
        username="robin",
        security="none",
        password=password,
        token=token,
        tls=trusts,
    )
    return replace(server, **other)  # type: ignore[arg-type]


def box_at(
    world: ImapHarness, port: int, *, answer_s: float = 15.0, direct: bool = True
) -> ImapMailbox:
    """The adapter on a real account, through *port*."""
    server = Server(
        host="127.0.0.1",
        port=port,
        username=world.user,
        security="none",
        password=lambda: dovecot.PASSWORD,
        direct=direct,
    )
    return ImapMailbox(server, clock=world.clock, answer_s=answer_s)


async def stage(box: ImapMailbox, raw: bytes | None = None) -> Staged:
    """Our draft, ready."""
    return await box.stage(ours() if raw is None else raw, intent=INTENT, attempt=1)


async def make(box: ImapMailbox) -> DraftRef:
    """Our draft, made."""
    outcome = await box.create(await stage(box), scope=SCOPE)
    assert isinstance(outcome, Accepted), outcome
    return DraftRef(
        ref=outcome.ref,
        version=outcome.version,
        content_hash=content_hash(ours()),
        mark=MARK,
        scope=SCOPE,
    )


def request(
    claimed_at: datetime,
    *,
    place: Json | None = None,
    before: frozenset[Ref] = frozenset(),
    ended_at: datetime | None = None,
    earlier: Sequence[Json] = (),
    caller_ended: bool = True,
) -> LookRequest:
    """A look for our draft."""
    return LookRequest(
        intent=INTENT,
        attempt=1,
        scope=SCOPE,
        mark=MARK,
        message_id=ANSWER,
        content_hash=content_hash(ours()),
        place={} if place is None else place,
        before=before,
        token={},
        claimed_at=claimed_at,
        may_withdraw=True,
        caller_ended=caller_ended,
        ended_at=ended_at,
        earlier=earlier,
    )
