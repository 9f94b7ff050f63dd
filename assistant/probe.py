"""The probe: one draft to the owner themself, made, found again by every mark, and removed.

Only on a person's word (``fencepost check --probe``). It tells which marks this mailbox keeps and
whether one exact version of a draft can be removed there. A mailbox that does not know these things
of itself (``providers.ports.Probed``) is told, and the caller keeps it for later processes.
"""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import anyio

from assistant.house import Account
from providers.mime.compose import compose, content_hash
from providers.mime.marks import mark_of, message_id_of
from providers.mime.message import Address, Envelope
from providers.ports import (
    DraftRef,
    DraftSight,
    Kept,
    LookRequest,
    Probed,
    ProviderError,
    ThreadScope,
    Whereabouts,
)
from storage.words import Accepted, IntentId

SUBJECT = "Fencepost probe"
MARKS: Final = frozenset({"header", "message_id", "content"})
LOOKS: Final = 4
"""How often the draft is looked for: a listing may be behind."""
PAUSE_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """``problem`` None when everything worked; ``kept`` what a mailbox has to be told of itself."""

    problem: str | None = None
    kept: Kept | None = None


async def probe(account: Account, timeout_s: float) -> Tried:
    """Make, find and remove one draft."""
    try:
        with anyio.fail_after(timeout_s * 3):
            return await _probe(account)
    except TimeoutError:
        return Tried(problem=f"no answer within {timeout_s * 3:g} s")
    except ProviderError as error:
        return Tried(problem=str(error))


async def _probe(account: Account) -> Tried:
    mailbox = account.mailbox
    if isinstance(mailbox, Probed):
        # For the length of the trial: only so is a removal tried at all.
        mailbox.learn(Kept(marks=MARKS, versioned_removal=True))
    raw, request, scope = _asked(account)
    before = await mailbox.snapshot(scope)
    staged = await mailbox.stage(raw, intent=request.intent, attempt=1)
    made = await mailbox.create(staged, scope=scope)
    if not isinstance(made, Accepted):
        return Tried(problem=f"the draft was not made: {made.reason}")
    request = replace(
        request,
        place=before.place,
        before=frozenset(sight.ref for sight in before.drafts),
        token=staged.token,
    )
    found = await _found(account, request, made)
    draft = DraftRef(
        ref=made.ref,
        version=made.version,
        content_hash=request.content_hash,
        mark=request.mark,
        scope=scope,
    )
    removed = await mailbox.remove(draft, intent=IntentId(uuid.uuid4().hex), attempt=1)
    gone = isinstance(removed, Accepted) and (await mailbox.draft(draft)).where in (
        Whereabouts.ABSENT,
        Whereabouts.TRASHED,
    )
    kept = None
    claimed = mailbox.profile.marks
    if isinstance(mailbox, Probed):
        kept = Kept(marks=_marks(found, request), versioned_removal=gone)
        mailbox.learn(kept)
        claimed = frozenset()
    if not isinstance(removed, Accepted):
        return Tried(problem=f"the draft could not be removed: {removed.reason}", kept=kept)
    if found is None:
        return Tried(problem="the draft was made and removed, but not found by any mark", kept=kept)
    lost = sorted(claimed - _marks(found, request))
    if lost:
        return Tried(problem=f"marks that this mailbox does not keep: {', '.join(lost)}")
    return Tried(kept=kept)


def _asked(account: Account) -> tuple[bytes, LookRequest, ThreadScope]:
    """The draft, and what it is looked for by."""
    secret = secrets.token_bytes(32)
    intent = IntentId(uuid.uuid4().hex)
    me = Address(addr=account.owner.addresses[0], name=account.owner.name)
    domain = me.addr.rpartition("@")[2]
    # It answers a mail that never was, so that it is told from others without any mark.
    parent = message_id_of(secret, IntentId(uuid.uuid4().hex), domain)
    mark, message_id = mark_of(secret, intent), message_id_of(secret, intent, domain)
    envelope = Envelope(
        to=(me,), cc=(), from_=me, subject=SUBJECT, in_reply_to=parent, references=(parent,)
    )
    now = datetime.now(UTC)
    raw = compose(
        envelope,
        "This draft tests the mailbox; it is removed at once.\n",
        message_id=message_id,
        mark=mark,
        date=now,
        rich=account.mailbox.profile.rich,
    )
    scope = ThreadScope(thread=None, message_ids=frozenset({parent}))
    request = LookRequest(
        intent=intent,
        attempt=1,
        scope=scope,
        mark=mark,
        message_id=message_id,
        content_hash=content_hash(raw),
        place={},
        before=frozenset(),
        token={},
        claimed_at=now,
        may_withdraw=False,
        caller_ended=True,
    )
    return raw, request, scope


async def _found(account: Account, request: LookRequest, made: Accepted) -> DraftSight | None:
    """The draft, by any mark; looked for again where a listing is behind."""
    for number in range(LOOKS):
        if number:
            await anyio.sleep(PAUSE_S)
        look = await account.mailbox.look(request)
        seen = [one for one in (*look.found, *look.candidates) if one.ref == made.ref]
        if seen:
            return seen[0]
    return None


def _marks(found: DraftSight | None, request: LookRequest) -> frozenset[str]:
    """The marks that the draft bears as it lies there."""
    if found is None:
        return frozenset()
    kept = {
        "header": found.mark == request.mark,
        "message_id": found.message_id == request.message_id,
        "content": found.content_hash == request.content_hash,
    }
    return frozenset(name for name, is_kept in kept.items() if is_kept)
