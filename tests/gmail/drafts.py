"""Drafts as the store would record them, and looks for them."""

from __future__ import annotations

from datetime import datetime

from providers.gmail import GmailMailbox
from providers.mime.compose import content_hash
from providers.ports import DraftRef, LookRequest, Snapshot, ThreadScope
from storage.words import Accepted, IntentId, Ref
from tests.contracts.mails import ANSWER, INTENT, MARK, ours
from tests.gmail.conftest import scope


def recorded(outcome: Accepted, where: ThreadScope | None = None) -> DraftRef:
    return DraftRef(
        ref=outcome.ref,
        version=outcome.version,
        content_hash=content_hash(ours()),
        mark=MARK,
        scope=where or scope(None),
    )


async def make(mailbox: GmailMailbox, where: ThreadScope | None = None) -> DraftRef:
    """A draft of ours, made and recorded."""
    place = where or scope(None)
    staged = await mailbox.stage(ours(), intent=INTENT, attempt=1)
    outcome = await mailbox.create(staged, scope=place)
    assert isinstance(outcome, Accepted), outcome
    return recorded(outcome, place)


def request(
    where: ThreadScope,
    at: datetime,
    *,
    before: Snapshot | None = None,
    intent: IntentId = INTENT,
    mark: str = MARK,
    message_id: str | None = ANSWER,
) -> LookRequest:
    return LookRequest(
        intent=intent,
        attempt=1,
        scope=where,
        mark=mark,
        message_id=message_id,
        content_hash=content_hash(ours()),
        place=before.place if before is not None else {},
        before=frozenset(one.ref for one in before.drafts) if before is not None else frozenset(),
        token={},
        claimed_at=at,
        ended_at=at,
        may_withdraw=True,
        caller_ended=True,
    )


def thread_of(ref: Ref) -> str:
    """The thread that a mail's reference names."""
    return ref.split("/")[1]
