"""Reading a whole thread: what the store knows of it, and the mail as it is now.

Done under the lease, before anything is judged. One unreadable mail is set aside and told; it never
hides the rest of its thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import structlog
from sqlalchemy import Connection

from assistant.core.conversation import Conversation, Entry
from assistant.core.plan import Asked, Known, OurDraft
from assistant.effects.takingin import had_its_draft
from assistant.house import Account, Aside, House, Reader
from providers.mime.message import Mail, Owner
from providers.mime.threads import choose_thread, distinct_messages, reply_order, thread_keys
from providers.ports import Folder, ProviderError, Sighting, ThreadScope, TransientError
from storage import drafts, intents, messages, threads
from storage.drafts import Draft
from storage.intents import Intent
from storage.messages import Message
from storage.rows import Place
from storage.threads import ThreadRow
from storage.words import DraftState, Identity, IntentState, Kind, Ref, ThreadId

log = structlog.get_logger()

PARENTS = 12
"""Earlier messages that help to tell what a message quotes; a quotation nests its own ancestors."""


_HAD_ONE = Asked(state=IntentState.ACCEPTED, passing=False, retry_at=None, reason=None)

PATIENCE = 3
"""Failures of a thread after which its mails are fetched one by one."""

SOONEST_MS, LATEST_MS = 60_000, 86_400_000
"""How soon, and how late, a mail that could not be fetched is asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the store knows of one thread, read in one snapshot."""

    row: ThreadRow
    messages: tuple[Message, ...]
    drafts: tuple[Draft, ...]
    intents: tuple[Intent, ...]
    keys: frozenset[str]

    @property
    def scope(self) -> ThreadScope:
        """The thread as an adapter needs to know it."""
        return ThreadScope(
            thread=self.row.provider_thread,
            # Keys have no brackets, headers mostly do.
            message_ids=self.keys | {f"<{key}>" for key in self.keys},
            refs=frozenset(message.ref for message in self.messages if message.gone_at is None),
        )

    @property
    def mail(self) -> tuple[Message, ...]:
        """The noted messages that are mail, not drafts, and still there."""
        return tuple(
            message
            for message in self.messages
            if message.folder in (Folder.INBOX, Folder.SENT) and message.gone_at is None
        )

    def is_news(self, sighting: Sighting) -> bool:
        """Whether a message of the thread came that is not noted, copies aside.

        What is older than all of the thread's noted mail is no news: a first pass looks back only
        so far, and passes over what had arrived before.
        """
        known = {message.identity for message in self.messages}
        first_at = min((message.arrived_at for message in self.mail), default=0)
        arrived_at = threads.from_datetime(sighting.arrived_at)
        return sighting.heads.identity not in known and arrived_at >= first_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A message that could not be read, and why. ``passing``: the mailbox may give it later."""

    ref: Ref
    identity: Identity
    reason: str
    passing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A thread's mail. ``recovered`` could not be read when it was noted, and now can."""

    conversation: Conversation
    unread: tuple[Unread, ...]
    recovered: tuple[Mail, ...]


def record(conn: Connection, integration: str, thread: str) -> Record:
    """All that the store knows of one thread. Raises LookupError when there is no such thread."""
    return records(conn, [(integration, thread)])[0]


def records(conn: Connection, places: Sequence[Place]) -> list[Record]:
    """All that the store knows of threads, each named by its mailbox and itself; in that order."""
    once = frozenset(places)
    noted, keys = messages.of_threads(conn, once), messages.keys_of(conn, once)
    made, asked = drafts.of_threads(conn, once), intents.of_threads(conn, once)
    return [
        Record(
            row=row,
            messages=tuple(noted[place]),
            drafts=tuple(made[place]),
            intents=tuple(asked[place]),
            keys=keys[place],
        )
        for place, row in zip(places, threads.load_all(conn, places), strict=True)
    ]


def known(record: Record, open_drafts: Sequence[Draft]) -> Known:
    """What the plan needs to know besides the mail."""
    asked: dict[Identity, Asked] = {}
    for intent in record.intents:
        answers = intent.plan.get("answers")
        this_turn = intent.generation == record.row.generation
        if intent.kind is Kind.CREATE_DRAFT and this_turn and isinstance(answers, str):
            asked[Identity(answers)] = Asked(
                state=intent.state,
                passing=intent.passing,
                retry_at=intent.retry_at,
                reason=intent.reason,
            )
    on_record = {intent.id for intent in record.intents}
    for draft in record.drafts:
        lost = draft.intent not in on_record
        if draft.answers and lost and had_its_draft(draft, record.row.generation):
            asked.setdefault(draft.answers, _HAD_ONE)
    return Known(
        drafts=[
            OurDraft(
                id=draft.id,
                state=draft.state,
                answers=draft.answers,
                made_at=draft.made_at,
                discard_asked=draft.discard_asked_by is not None,
            )
            for draft in open_drafts
        ],
        asked=asked,
        owner_draft=any(
            message.folder == Folder.DRAFTS and message.intent is None and message.gone_at is None
            for message in record.messages
        ),
        open_calls=any(
            intent.blocks and intent.state in (IntentState.CALLING, IntentState.UNKNOWN)
            for intent in record.intents
        ),
    )


async def conversation(account: Account, record: Record, read: Reader, aside: Aside) -> Found:
    """The thread's mail as it is now, in order of arrival; and what could not be read.

    Raises what the mailbox raises (TransientError, MailboxIllError).
    """
    raws, unfetched = await _fetched(account, record)
    found = await aside(partial(_read_all, raws, account.who, record.row.subject, read))
    return replace(found, unread=(*unfetched, *found.unread))


def belongs_to(conn: Connection, record: Record, recovered: Sequence[Mail]) -> ThreadId | None:
    """Another thread of which one of *recovered* is, by what it refers to or as a copy."""
    integration, here = record.row.integration, record.row.thread
    for mail in recovered:
        keys = thread_keys(mail)
        known = messages.find_keys(conn, integration, (*keys.own, *keys.parents))
        homes = [*messages.threads_of(conn, integration, [mail.identity]).values()]
        if (thread := choose_thread(keys, known)) is not None:
            homes.append(thread)
        for home in homes:
            if home != here:
                return home
    return None


async def _fetched(
    account: Account, record: Record
) -> tuple[list[tuple[Message, bytes]], list[Unread]]:
    """The bytes of the thread's mail, and what cannot be had while other mail of it can."""
    sound = [message for message in record.mail if message.unreadable is None]
    doubtful = [message for message in record.mail if message.unreadable is not None]
    raws: dict[Ref, bytes | None] = {}
    unread: list[Unread] = []
    try:
        for one in await account.mailbox.fetch([message.ref for message in sound]):
            raws[one.ref] = one.raw
    except TransientError:
        if record.row.failures < PATIENCE:
            raise
        doubtful = [*sound, *doubtful]
    for message in doubtful:
        try:
            (one,) = await account.mailbox.fetch([message.ref])
        except TransientError as error:
            why = message.unreadable or f"it cannot be fetched: {error}"
            passing = message.unreadable is None
            unread.append(
                Unread(ref=message.ref, identity=message.identity, reason=why, passing=passing)
            )
        else:
            raws[message.ref] = one.raw
    if sound and len(unread) == len(record.mail):
        raise TransientError(unread[0].reason)
    found = [
        (message, raw) for message in record.mail if (raw := raws.get(message.ref)) is not None
    ]
    return found, unread


def own_unread_at(record: Record, unread: Sequence[Unread]) -> datetime | None:
    """When the newest mail of the owner's own arrived that could not be read."""
    refs = {one.ref for one in unread}
    times = [
        message.arrived_at
        for message in record.mail
        if message.folder == Folder.SENT and message.ref in refs
    ]
    return datetime.fromtimestamp(max(times) / 1000, UTC) if times else None


def asked_again_at(record: Record, unread: Sequence[Unread], now_ms: int) -> int | None:
    """When to ask again for mail that the mailbox did not give: after as long as it lay there."""
    refs = {one.ref for one in unread if one.passing}
    arrived = [message.arrived_at for message in record.mail if message.ref in refs]
    if not arrived:
        return None
    return now_ms + min(max(now_ms - max(arrived), SOONEST_MS), LATEST_MS)


async def others_can_be_read(house: House, account: Account, record: Record) -> bool:
    """Whether some other mail of the mailbox can be fetched now: then it is this thread's fault."""
    ref = await house.store.read(
        lambda conn: messages.elsewhere(conn, record.row.integration, record.row.thread)
    )
    if ref is None:
        return False
    try:
        (one,) = await account.mailbox.fetch([ref])
    except ProviderError:
        return False
    return one.raw is not None


def _read_all(
    raws: Sequence[tuple[Message, bytes]], owner: Owner, subject: str, read: Reader
) -> Found:
    mails: list[Mail] = []
    recovered: list[Mail] = []
    kept: list[Message] = []
    unread: list[Unread] = []
    texts: list[str] = []
    for message, raw in raws:
        try:
            mail = read(raw, texts[-PARENTS:])
        except Exception as error:
            # Whatever a stranger's bytes provoke must not stop the rest of the thread.
            log.exception("a mail could not be read")
            unread.append(
                Unread(ref=message.ref, identity=message.identity, reason=type(error).__name__)
            )
            continue
        if mail.unreadable is not None:
            unread.append(
                Unread(ref=message.ref, identity=message.identity, reason=mail.unreadable)
            )
            continue
        if message.unreadable is not None:
            recovered.append(mail)
        # The store tells apart what one header block does not.
        mails.append(replace(mail, identity=message.identity))
        kept.append(message)
        texts.append(mail.text)
    order = reply_order(mails)
    mails, kept = [mails[at] for at in order], [kept[at] for at in order]
    entries = tuple(
        _entry([mails[at] for at in group], [kept[at] for at in group])
        for group in distinct_messages(mails)
    )
    return Found(
        conversation=Conversation(owner=owner, entries=entries, subject=subject),
        unread=tuple(unread),
        recovered=tuple(recovered),
    )


def _entry(mails: Sequence[Mail], messages: Sequence[Message]) -> Entry:
    # The first copy that arrived stands for all, so that its identity never changes.
    return Entry(
        mail=mails[0],
        own=any(message.folder == Folder.SENT for message in messages),
        arrived_at=datetime.fromtimestamp(messages[0].arrived_at / 1000, UTC),
        ref=messages[0].ref,
        copies=tuple(message.ref for message in messages[1:]),
    )


def is_open(draft: Draft) -> bool:
    """Whether a draft lies unsent in the mailbox as far as the store knows."""
    return draft.state in (DraftState.HELD, DraftState.EDITED)
