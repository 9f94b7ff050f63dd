"""The two effects on a mailbox: a draft made, and exactly one version of a draft removed.

Both are only described here; ``assistant.effects.guard`` makes them. The bytes of a draft are
composed once and stored with the intent; a call again under the same key sends the stored bytes.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assistant.core.plan import CreateDraft
from assistant.effects.claim import Asked
from assistant.effects.guard import Effect
from assistant.effects.keys import create_key, fingerprint, remove_key
from assistant.effects.recording import Record
from providers.mime.compose import compose, content_hash
from providers.mime.marks import intent_of, mark_of, message_id_of
from providers.mime.message import Address, Envelope
from providers.ports import DraftRef, Mailbox, Snapshot, Staged, ThreadScope
from storage.drafts import Draft
from storage.intents import Intent
from storage.leases import Held
from storage.threads import ThreadRow
from storage.words import IntentId, Kind, Outcome, Ref, UserName

Recorder = Callable[[Intent, Outcome], Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an effect happens and under which limits."""

    user: UserName
    held: Held
    row: ThreadRow
    mailbox: Mailbox
    scope: ThreadScope
    secret: bytes
    call_timeout_s: float
    lease_ttl_ms: int


async def create(
    place: Place,
    act: CreateDraft,
    body: str,
    snapshot: Snapshot,
    prior: Intent | None,
    now: datetime,
    record: Recorder,
    answering: Mapping[str, str | None],
) -> Effect:
    """Describe the making of a draft, its bytes staged. Raises what ``Mailbox.stage`` raises.

    *answering* tells the owner later what the draft answers: writer, time, beginning of the text.
    """
    intent = prior.id if prior is not None else IntentId(uuid.uuid4().hex)
    mark = mark_of(place.secret, intent)
    message_id = message_id_of(place.secret, intent, _domain(act.envelope.from_))
    if prior is None:
        rich = place.mailbox.profile.rich
        raw = compose(act.envelope, body, message_id=message_id, mark=mark, date=now, rich=rich)
        said: object = {**shown(act.envelope, body), "answering": dict(answering)}
    else:
        raw, said = prior.request, prior.plan.get("shown")
    attempt = prior.attempt + 1 if prior is not None else 1
    staged = await place.mailbox.stage(raw, intent=intent, attempt=attempt)
    ours = [one for one in snapshot.drafts if _is_ours(place.secret, one.mark)]
    asked = Asked(
        intent=intent,
        key=create_key(place.row.integration, place.row.thread, act.identity, place.row.generation),
        kind=Kind.CREATE_DRAFT,
        user=place.user,
        held=place.held,
        fingerprint=_creation(place.row, act),
        request=raw,
        plan={"answers": act.identity, "shown": said},
        call_timeout_s=place.call_timeout_s,
        lease_ttl_ms=place.lease_ttl_ms,
        message_set=place.row.message_set,
        generation=place.row.generation,
        mark=mark,
        content_hash=content_hash(raw),
        message_id=message_id,
        token=dict(staged.token),
        place=dict(snapshot.place),
        before=[one.ref for one in snapshot.drafts],
        drafts_in_place=bool(ours),
        owner_draft_in_place=len(ours) < len(snapshot.drafts),
    )

    async def call(claimed: Intent) -> Outcome:
        return await place.mailbox.create(
            Staged(content=claimed.request, token=claimed.token), scope=place.scope
        )

    async def unclaimed() -> None:
        await place.mailbox.unstage(staged)

    return Effect(asked=asked, call=call, unclaimed=unclaimed, record=record)


def _creation(row: ThreadRow, act: CreateDraft) -> str:
    """What is asked for, whatever a model wrote into it."""
    return fingerprint(
        kind="create_draft",
        integration=row.integration,
        thread=row.thread,
        answers=act.identity,
        generation=row.generation,
    )


def remove(
    place: Place,
    draft: Draft,
    mark: str,
    prior: Intent | None,
    record: Recorder,
    *,
    others: Iterable[Ref] = (),
) -> Effect:
    """Describe the removal of exactly the recorded version of a draft of ours."""
    intent = prior.id if prior is not None else IntentId(uuid.uuid4().hex)
    asked = Asked(
        intent=intent,
        key=remove_key(place.row.integration, place.row.thread, draft.id, draft.version),
        kind=Kind.REMOVE_DRAFT,
        user=place.user,
        held=place.held,
        fingerprint=fingerprint(kind="remove_draft", draft=draft.id, version=draft.version),
        request=b"",
        plan={"draft": draft.id, "version": draft.version, "shown": dict(draft.shown)},
        call_timeout_s=place.call_timeout_s,
        lease_ttl_ms=place.lease_ttl_ms,
        message_set=place.row.message_set,
        generation=place.row.generation,
        mark=mark,
        content_hash=draft.content_hash,
        token={},
        place={},
    )

    async def call(claimed: Intent) -> Outcome:
        return await place.mailbox.remove(
            draft_ref(draft, mark, place.scope, others), intent=claimed.id, attempt=claimed.attempt
        )

    async def unclaimed() -> None:
        return None

    return Effect(asked=asked, call=call, unclaimed=unclaimed, record=record)


def draft_ref(draft: Draft, mark: str, scope: ThreadScope, others: Iterable[Ref] = ()) -> DraftRef:
    """The draft as an adapter needs it to get or remove exactly that version."""
    return DraftRef(
        ref=draft.ref,
        version=draft.version,
        content_hash=draft.content_hash,
        mark=mark,
        scope=scope,
        others=frozenset(others) - {draft.ref},
    )


def refs_beside(draft: Draft, recorded: Iterable[Draft]) -> frozenset[Ref]:
    """Where the other drafts of the same call are, as far as they are on record."""
    return frozenset(
        one.ref for one in recorded if one.intent == draft.intent and one.id != draft.id and one.ref
    )


def shown(envelope: Envelope, body: str) -> dict[str, object]:
    """A draft's headers and body as its owner sees them, and what its headers leave out."""
    return {
        "from": envelope.from_.addr,
        "to": _addresses(envelope.to),
        "cc": _addresses(envelope.cc),
        "subject": envelope.subject,
        "in_reply_to": envelope.in_reply_to,
        "body": body,
        "notes": list(envelope.notes),
    }


def _addresses(addresses: Sequence[Address]) -> list[str]:
    return [address.addr for address in addresses]


def _is_ours(secret: bytes, mark: str | None) -> bool:
    return mark is not None and intent_of(secret, mark) is not None


def _domain(address: Address) -> str:
    return address.addr.rpartition("@")[2] or "localhost"
