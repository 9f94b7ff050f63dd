"""The probe: one draft to the owner themself, made, found again by every mark, and removed.

Only on a person's word (``fencepost check --probe``). It tells which marks this mailbox keeps.
"""

from __future__ import annotations

import secrets
import uuid
from datetime import UTC, datetime

import anyio

from assistant.house import Account
from providers.mime.compose import compose, content_hash
from providers.mime.marks import mark_of, message_id_of
from providers.mime.message import Address, Envelope
from providers.ports import DraftRef, LookRequest, ProviderError, ThreadScope
from storage.words import Accepted, IntentId

SUBJECT = "Fencepost probe"


async def probe(account: Account, timeout_s: float) -> str | None:
    """Make, find and remove one draft; None when everything worked, else what did not."""
    try:
        with anyio.fail_after(timeout_s * 3):
            return await _probe(account)
    except TimeoutError:
        return f"no answer within {timeout_s * 3:g} s"
    except ProviderError as error:
        return str(error)


async def _probe(account: Account) -> str | None:
    secret = secrets.token_bytes(32)
    intent = IntentId(uuid.uuid4().hex)
    me = Address(addr=account.owner.addresses[0], name=account.owner.name)
    mark = mark_of(secret, intent)
    message_id = message_id_of(secret, intent, me.addr.rpartition("@")[2])
    envelope = Envelope(to=(me,), cc=(), from_=me, subject=SUBJECT, in_reply_to=None, references=())
    body = "This draft tests the mailbox; it is removed at once.\n"
    now = datetime.now(UTC)
    raw = compose(envelope, body, message_id=message_id, mark=mark, date=now)
    scope = ThreadScope(thread=None, message_ids=frozenset())
    before = await account.mailbox.snapshot(scope)
    staged = await account.mailbox.stage(raw, intent=intent, attempt=1)
    made = await account.mailbox.create(staged, scope=scope)
    if not isinstance(made, Accepted):
        return f"the draft was not made: {made.reason}"
    look = await account.mailbox.look(
        LookRequest(
            intent=intent,
            attempt=1,
            scope=scope,
            mark=mark,
            message_id=message_id,
            content_hash=content_hash(raw),
            place=before.place,
            before=frozenset(sight.ref for sight in before.drafts),
            token=staged.token,
            claimed_at=now,
            may_withdraw=False,
            caller_ended=True,
        )
    )
    found = [sight for sight in look.found if sight.ref == made.ref]
    removed = await account.mailbox.remove(
        DraftRef(
            ref=made.ref,
            version=made.version,
            content_hash=content_hash(raw),
            mark=mark,
            scope=scope,
        ),
        intent=IntentId(uuid.uuid4().hex),
        attempt=1,
    )
    if not isinstance(removed, Accepted):
        return f"the draft could not be removed: {removed.reason}"
    if not found:
        return "the draft was made and removed, but not found by any mark"
    lost = [
        name
        for name, kept in (
            ("header", found[0].mark == mark),
            ("message_id", found[0].message_id == message_id),
            ("content", found[0].content_hash == content_hash(raw)),
        )
        if not kept and name in account.mailbox.profile.marks
    ]
    return f"marks that this mailbox does not keep: {', '.join(lost)}" if lost else None
