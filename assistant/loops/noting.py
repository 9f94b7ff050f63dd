"""Noting: the transaction that turns what a listing showed into threads, revisions and dues.

What others wrote and what the owner did raises a thread's revision; what carries our mark does not,
even while its intent is still ``calling``. Only lying in Sent or Drafts proves that the owner wrote
something, and a mark is believed only in Drafts, Sent and Trash. The cursor moves in the same
transaction, so a crash repeats work and loses none; noting the same thing again changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from sqlalchemy import Connection

from assistant.house import Account, House
from providers.mime.marks import intent_of
from providers.mime.threads import choose_thread, claimed_keys, new_thread_id, thread_keys
from providers.ports import Changes, Folder, Gap, Sighting
from storage import drafts, intents, mailboxes, messages, reviews, threads
from storage.dbtime import database_now_ms
from storage.events import log
from storage.messages import Message
from storage.words import (
    FaultPoint,
    Identity,
    IntentId,
    IntentState,
    ItemKind,
    Ref,
    ThreadId,
)

BELIEVED = frozenset({Folder.DRAFTS, Folder.SENT, Folder.TRASH})
"""Folders in which a mark of ours is believed: nobody else can put a mail there."""

CHUNK = 300
"""Sightings noted in one transaction, so that other writers never wait long."""

HOLD_MS = 600_000
"""How far off the due of a half-noted pass is set, until its last part is noted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What a pass noted. ``strangers``: valid marks of ours whose intents the store lacks."""

    messages: int = 0
    strangers: int = 0
    due: Mapping[ThreadId, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Touched:
    """One thread within one transaction of noting."""

    arrived: list[Identity] = field(default_factory=list)
    due_at: int = 0
    subject: str | None = None
    had_owner_draft: bool = False
    own_reply_at: int | None = None


@dataclass(slots=True)
class _Part:
    """One transaction of a pass."""

    conn: Connection
    house: House
    account: Account
    now: int
    vanishing: frozenset[Ref] = frozenset()
    touched: dict[ThreadId, _Touched] = field(default_factory=dict)
    messages: int = 0
    strangers: int = 0

    def touch(self, thread: ThreadId) -> _Touched:
        """The thread as this transaction changes it."""
        if thread not in self.touched:
            had = messages.has_owner_draft(self.conn, self.account.integration, thread)
            self.touched[thread] = _Touched(had_owner_draft=had)
        return self.touched[thread]


async def note(house: House, account: Account, changes: Changes) -> Noted:
    """Note a whole pass; only its last transaction moves the cursor.

    Until that one, threads are due far off, so that none is judged by a part of its mail.
    """
    seen = sorted(changes.seen, key=lambda one: (one.arrived_at, one.order, one.ref))
    parts = [seen[at : at + CHUNK] for at in range(0, len(seen), CHUNK)] or [[]]
    gone = frozenset(changes.vanished) | await _renamed(house, account, seen)
    noted = Noted()
    for number, sightings in enumerate(parts):
        whole = changes if number == len(parts) - 1 else None
        unit = partial(
            _note,
            house=house,
            account=account,
            part=sightings,
            whole=whole,
            vanishing=gone,
        )
        noted = await house.store.write(partial(unit, before=noted))
    house.faults.hit(FaultPoint.NOTED)
    return noted


async def _renamed(house: House, account: Account, seen: Sequence[Sighting]) -> frozenset[Ref]:
    """Noted mails without Message-ID that lie there no more, though one like each was seen now."""
    nameless = [one for one in seen if one.heads.message_id is None]
    if not nameless:
        return frozenset()

    def unit(conn: Connection) -> list[Ref]:
        found: dict[Ref, None] = {}
        for one in nameless:
            for copy in messages.by_identity(conn, account.integration, one.heads.identity):
                found[copy.ref] = None
        return list(found)

    refs = await house.store.read(unit)
    fetched = await account.mailbox.fetch(refs) if refs else []
    return frozenset(one.ref for one in fetched if one.raw is None)


def _note(
    conn: Connection,
    *,
    house: House,
    account: Account,
    part: Sequence[Sighting],
    whole: Changes | None,
    before: Noted,
    vanishing: frozenset[Ref] = frozenset(),
) -> Noted:
    now = database_now_ms(conn)
    work = _Part(conn=conn, house=house, account=account, now=now, vanishing=vanishing)
    for sighting in part:
        _sight(work, sighting)
    for ref in whole.vanished if whole is not None else ():
        _vanish(work, ref)
    due = dict(before.due)
    for thread, what in work.touched.items():
        _close_thread(work, thread, what, due, 0 if whole is not None else HOLD_MS)
    noted = Noted(
        messages=before.messages + work.messages,
        strangers=before.strangers + work.strangers,
        due=due,
    )
    if whole is not None:
        _end_pass(work, whole, noted)
    house.faults.hit(FaultPoint.NOTE_WRITTEN)
    return noted


def _end_pass(work: _Part, whole: Changes, noted: Noted) -> None:
    for thread, due_at in noted.due.items():
        if thread not in work.touched:
            threads.make_due(work.conn, work.account.integration, thread, due_at)
    mailboxes.set_cursor(work.conn, work.account.integration, whole.cursor, work.now)
    if whole.gap is not None:
        _gap(work, whole.gap)
    if noted.strangers:
        threads.reconcile_everything(work.conn)


def _told_apart(work: _Part, sighting: Sighting) -> Sighting:
    """Two mails without Message-ID and with one header block are two, unless a file was renamed."""
    if sighting.heads.message_id is not None:
        return sighting
    own = Identity(hashlib.sha256(f"{sighting.heads.identity} {sighting.ref}".encode()).hexdigest())
    copies = messages.by_identity(work.conn, work.account.integration, sighting.heads.identity)
    known = messages.by_ref(work.conn, work.account.integration, sighting.ref)
    twins = [
        one
        for one in copies
        if one.gone_at is None and one.ref != sighting.ref and one.ref not in work.vanishing
    ]
    if (known is not None and known.identity == own) or twins:
        return replace(sighting, heads=replace(sighting.heads, identity=own))
    return sighting


def _sight(work: _Part, sighting: Sighting) -> None:
    conn, integration = work.conn, work.account.integration
    sighting = _told_apart(work, sighting)
    known = messages.by_ref(conn, integration, sighting.ref)
    if known is not None and known.identity == sighting.heads.identity and known.gone_at is None:
        return
    intent = _ours(work.house, sighting)
    copies = messages.by_identity(conn, integration, sighting.heads.identity)
    thread = _thread_of(work, sighting, copies, intent)
    what = work.touch(thread)
    arrived_at = threads.from_datetime(sighting.arrived_at)
    messages.put(
        conn,
        integration,
        Message(
            ref=sighting.ref,
            identity=sighting.heads.identity,
            message_id=sighting.heads.message_id,
            thread=thread,
            folder=str(sighting.folder),
            arrived_at=arrived_at,
            arrival_order=sighting.order,
            intent=intent,
            unreadable=sighting.unreadable,
        ),
    )
    if intent is not None and not _wake_reconciler(work, intent, sighting):
        work.strangers += 1
    if sighting.folder not in (Folder.INBOX, Folder.SENT):
        return
    work.messages += 1
    if any(copy.folder in (Folder.INBOX, Folder.SENT) for copy in copies):
        return
    what.arrived.append(sighting.heads.identity)
    what.due_at = max(what.due_at, arrived_at + int(work.house.settings.settle_s * 1000))
    what.subject = what.subject or sighting.heads.subject
    if sighting.folder is Folder.SENT:
        what.own_reply_at = max(what.own_reply_at or 0, arrived_at)


def _ours(house: House, sighting: Sighting) -> IntentId | None:
    mark = sighting.heads.mark
    if mark is None or sighting.folder not in BELIEVED:
        return None
    return intent_of(house.mark_secret, mark)


def _wake_reconciler(work: _Part, intent_id: IntentId, sighting: Sighting) -> bool:
    """Have the reconciler look at a mark that was seen; False when the store lacks its intent."""
    intent = intents.by_id(work.conn, intent_id)
    records = drafts.of_intent(work.conn, intent_id)
    if intent is None:
        return bool(records)
    expected = sighting.folder is not Folder.DRAFTS or any(
        draft.open and draft.ref == sighting.ref for draft in records
    )
    # A second draft under one mark, or one that had left and is back, is news.
    known = intent.state is IntentState.ACCEPTED and expected
    if intent.state is not IntentState.CALLING and not known:
        intents.update(work.conn, intent, next_look_at=work.now)
    return True


def _thread_of(
    work: _Part, sighting: Sighting, copies: Sequence[Message], intent: IntentId | None
) -> ThreadId:
    conn, integration = work.conn, work.account.integration
    keys = thread_keys(sighting.heads)
    if copies:
        thread: ThreadId | None = copies[0].thread
    elif sighting.thread is not None:
        thread = ThreadId(sighting.thread)
    else:
        known = messages.find_keys(conn, integration, (*keys.own, *keys.parents))
        thread = choose_thread(keys, known)
    if thread is None and intent is not None:
        made = intents.by_id(conn, intent)
        thread = made.thread if made is not None else None
    if thread is None:
        thread = new_thread_id(sighting.heads)
    subject = sighting.heads.subject
    threads.ensure(
        conn, integration, thread, work.now, provider_thread=sighting.thread, subject=subject
    )
    messages.claim_keys(conn, integration, thread, claimed_keys(keys))
    return thread


def _vanish(work: _Part, ref: Ref) -> None:
    conn, integration = work.conn, work.account.integration
    message = messages.by_ref(conn, integration, ref)
    if message is None or message.gone_at is not None:
        return
    work.touch(message.thread)
    messages.mark_gone(conn, integration, ref, work.now)
    if message.intent is None:
        return
    # A hint about a draft of ours: whoever works on the thread next asks for it directly.
    intent = intents.by_id(conn, message.intent)
    if intent is not None and intent.state is IntentState.DUPLICATED:
        intents.update(conn, intent, next_look_at=work.now)
    if any(draft.open for draft in drafts.of_intent(conn, message.intent)):
        threads.make_due(conn, integration, message.thread, work.now)


def _close_thread(
    work: _Part, thread: ThreadId, what: _Touched, due: dict[ThreadId, int], hold_ms: int
) -> None:
    conn, integration = work.conn, work.account.integration
    # An autosave replaces one unsent draft by another: only the first and the last are news.
    draft_moved = messages.has_owner_draft(conn, integration, thread) != what.had_owner_draft
    if not what.arrived and not draft_moved:
        return
    row = threads.load(conn, integration, thread)
    due_at = max(what.due_at, due.get(thread, 0)) or work.now
    due[thread] = due_at
    threads.changed(
        conn,
        row,
        work.now,
        due_at=due_at + hold_ms,
        arrived=what.arrived,
        subject=None if row.subject else what.subject,
    )
    if what.own_reply_at is not None:
        _answered_by_hand(work, thread, what.own_reply_at)
    log(conn, work.now, integration, thread, "noted", messages=len(what.arrived))


def _answered_by_hand(work: _Part, thread: ThreadId, replied_at: int) -> None:
    for intent in intents.of_thread(work.conn, work.account.integration, thread):
        waits = intent.state is IntentState.UNKNOWN and intent.blocks
        # The delivery time of a mail has whole seconds on some stores.
        if waits and replied_at + 1000 >= intent.claimed_at:
            intents.update(work.conn, intent, blocks=0)


def _gap(work: _Part, gap: Gap) -> None:
    covered = gap.covered_from.isoformat(timespec="seconds") if gap.covered_from else "the start"
    reviews.open_item(
        work.conn,
        work.now,
        ItemKind.GAP,
        user=work.account.user,
        integration=work.account.integration,
        summary=f"{gap.reason}; mail that arrived since {covered} was looked through again",
        detail={"reason": gap.reason, "covered_from": covered},
    )
    log(work.conn, work.now, work.account.integration, "", "gap", reason=gap.reason)
