"""Noting: the transaction that turns what a listing showed into threads, revisions and dues.

What others wrote and what the owner did raises a thread's revision; what carries our mark does not,
in whatever folder and even while its intent is still ``calling``: a draft of ours that its owner
sent makes its thread due, frees it, and is no news. Only lying in Sent or Drafts proves that the
owner wrote something, and a mark is believed only in Drafts, Sent and Trash.

    watch lease: still ours? --> messages, keys, new threads --> lock the lease rows of all threads
      touched, in one order --> their rows, intents and drafts as they are now --> dues, cursor

The watch lease is verified inside each transaction, so a watcher that was overtaken writes nothing.
A worker may end its work on a thread at the same time; whatever both read and write is read and
written under the thread's lease row. The cursor moves in the same transaction, so a crash repeats
work and loses none; noting the same thing again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from sqlalchemy import Connection

from assistant.house import Account, House
from assistant.loops import nameless, placing
from providers.mime.marks import intent_of
from providers.mime.threads import reply_order
from providers.ports import Changes, Folder, Gap, Json, Sighting
from storage import drafts, intents, locks, mailboxes, messages, reviews, threads
from storage.dbtime import database_now_ms
from storage.events import log
from storage.intents import Intent
from storage.leases import Held
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

MAIL = (Folder.INBOX, Folder.SENT)
"""Folders of mail, in which a message arrives."""

CHUNK = 300
"""Sightings noted in one transaction, so that other writers never wait long."""

HOLD_MS = 600_000
"""How far off the due of a half-noted pass is set, until its last part is noted."""


UNLISTED_MS = 60_000
"""The least time that a draft of ours may stay unlisted before it is asked for directly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What a pass noted. ``strangers``: valid marks of ours whose intents the store lacks."""

    messages: int = 0
    strangers: int = 0
    due: Mapping[ThreadId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass over a mailbox: under which lease, from which cursor, and what it saw.

    ``lag_ms``: how long a draft of ours may stay unlisted before it is asked for directly.
    """

    held: Held
    came_from: Json | None
    changes: Changes
    lag_ms: int


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
    """One transaction of a pass.

    ``ours`` are sightings of our marks, ``left`` messages of ours that went: what follows from both
    waits until the lease rows are locked.
    """

    conn: Connection
    house: House
    account: Account
    began: int
    now: int = field(init=False)
    touched: dict[ThreadId, _Touched] = field(default_factory=dict)
    ours: list[tuple[IntentId, Sighting]] = field(default_factory=list)
    left: list[tuple[IntentId, ThreadId]] = field(default_factory=list)
    messages: int = 0
    strangers: int = 0

    def __post_init__(self) -> None:
        self.now = self.began

    def touch(self, thread: ThreadId) -> _Touched:
        """The thread as this transaction changes it."""
        if thread not in self.touched:
            had = messages.has_owner_draft(self.conn, self.account.integration, thread)
            self.touched[thread] = _Touched(had_owner_draft=had)
        return self.touched[thread]


async def note(house: House, account: Account, this: Pass) -> Noted:
    """Note a whole pass; only its last transaction moves the cursor.

    Until that one, threads are due far off, so that none is judged by a part of its mail. Raises
    ``storage.leases.LeaseLostError`` when the watch lease is another's: the pass has written
    nothing from there on, and the other one reads it all again.
    """
    told = await nameless.told_apart(house, account, this.changes)
    arrived = sorted(told, key=lambda one: (one.arrived_at, one.order, one.ref))
    # A fetcher brings the inbox and Sent in two strokes; what answers a mail belongs beside it.
    seen = [arrived[at] for at in reply_order([one.heads for one in arrived])]
    parts = [seen[at : at + CHUNK] for at in range(0, len(seen), CHUNK)] or [[]]
    noted = Noted()
    for number, sightings in enumerate(parts):
        unit = partial(
            _note,
            house=house,
            account=account,
            this=this,
            part=sightings,
            last=number == len(parts) - 1,
            before=noted,
        )
        noted = await house.store.write(unit)
    house.faults.hit(FaultPoint.NOTED)
    return noted


def _note(
    conn: Connection,
    *,
    house: House,
    account: Account,
    this: Pass,
    part: Sequence[Sighting],
    last: bool,
    before: Noted,
) -> Noted:
    locks.require(conn, this.held)
    work = _Part(conn=conn, house=house, account=account, began=database_now_ms(conn))
    for sighting in part:
        _sight(work, sighting)
    for ref in this.changes.vanished if last else ():
        _vanish(work, ref)
    doubtful = [*_unlisted(work, this.lag_ms), *_edited(work, this.changes)] if last else []
    _lock(work, [*before.due, *doubtful] if last else [])
    if last and before.strangers + work.strangers:
        locks.lock_everything(conn)
    for intent, sighting in work.ours:
        _wake_reconciler(work, intent, sighting)
    for intent, thread in work.left:
        _follow(work, intent, thread)
    due = dict(before.due)
    for thread, what in work.touched.items():
        _close_thread(work, thread, what, due, 0 if last else HOLD_MS)
    noted = Noted(
        messages=before.messages + work.messages,
        strangers=before.strangers + work.strangers,
        due=due,
    )
    if last:
        for thread in doubtful:
            threads.make_due(conn, account.integration, thread, work.now)
        _end_pass(work, this, noted)
    house.faults.hit(FaultPoint.NOTE_WRITTEN)
    return noted


def _lock(work: _Part, more: Sequence[ThreadId]) -> None:
    """Lock what this transaction reads and writes from here on, before it reads it."""
    wanted = {*work.touched, *more, *_threads_of_intents(work)}
    locks.lock_threads(work.conn, work.account.integration, wanted)
    work.now = database_now_ms(work.conn)


def _threads_of_intents(work: _Part) -> Iterator[ThreadId]:
    for intent_id in {intent for intent, _ in (*work.ours, *work.left)}:
        intent = intents.by_id(work.conn, intent_id)
        if intent is not None:
            yield intent.thread


def _unlisted(work: _Part, lag_ms: int) -> list[ThreadId]:
    """Threads with a draft of ours that by now some listing should have shown.

    Each draft falls into one pass: the first that ends after its window is over.
    """
    lag_ms = max(lag_ms, UNLISTED_MS)
    row = mailboxes.load(work.conn, work.account.integration)
    last = row.last_pass_at if row is not None else None
    return drafts.unlisted(
        work.conn,
        work.account.integration,
        after_ms=(last or 0) - lag_ms,
        until_ms=work.began - lag_ms,
    )


def _edited(work: _Part, changes: Changes) -> list[ThreadId]:
    """Threads with a draft of ours that is not what it was: edited, maybe before it was noted."""
    unmarked = [
        one.ref for one in changes.seen if one.folder is Folder.DRAFTS and one.heads.mark is None
    ]
    refs = list(dict.fromkeys([*changes.edited, *unmarked]))
    found: list[ThreadId] = []
    for at in range(0, len(refs), CHUNK):
        part = refs[at : at + CHUNK]
        found += drafts.held_as(work.conn, work.account.integration, part)
    return found


def _end_pass(work: _Part, this: Pass, noted: Noted) -> None:
    conn, integration = work.conn, work.account.integration
    for thread, due_at in noted.due.items():
        if thread not in work.touched:
            threads.make_due(conn, integration, thread, due_at)
    mailboxes.move_cursor(conn, integration, this.came_from, this.changes.cursor, work.began)
    if this.changes.gap is not None:
        _gap(work, this.changes.gap)
    if noted.strangers:
        threads.reconcile_everything(conn)


def _sight(work: _Part, sighting: Sighting) -> None:
    conn, integration = work.conn, work.account.integration
    known = messages.by_ref(conn, integration, sighting.ref)
    if known is not None and known.identity == sighting.heads.identity and known.gone_at is None:
        return
    intent = _ours(work.house, sighting)
    copies = messages.by_identity(conn, integration, sighting.heads.identity)
    thread = placing.thread_of(conn, integration, sighting, copies, intent, work.now)
    what = work.touch(thread)
    placing.put(conn, integration, sighting, thread, intent)
    if intent is not None:
        work.ours.append((intent, sighting))
        work.strangers += _is_stranger(conn, intent)
    if sighting.folder in MAIL:
        work.messages += 1
        if not any(copy.folder in MAIL for copy in copies):
            _arrive(work, sighting, what, ours=intent is not None)


def _arrive(work: _Part, sighting: Sighting, what: _Touched, *, ours: bool) -> None:
    arrived_at = threads.from_datetime(sighting.arrived_at)
    what.due_at = max(what.due_at, arrived_at + int(work.house.settings.settle_s * 1000))
    what.subject = what.subject or sighting.heads.subject
    if not ours:
        what.arrived.append(sighting.heads.identity)
    if sighting.folder is Folder.SENT:
        what.own_reply_at = max(what.own_reply_at or 0, arrived_at)


def _ours(house: House, sighting: Sighting) -> IntentId | None:
    mark = sighting.heads.mark
    if mark is None or sighting.folder not in BELIEVED:
        return None
    return intent_of(house.mark_secret, mark)


def _is_stranger(conn: Connection, intent: IntentId) -> bool:
    return intents.by_id(conn, intent) is None and not drafts.of_intent(conn, intent)


def _wake_reconciler(work: _Part, intent_id: IntentId, sighting: Sighting) -> None:
    """Have the reconciler look at a mark that was seen."""
    intent = intents.by_id(work.conn, intent_id)
    if intent is None:
        _back_again(work, intent_id, sighting)
        return
    expected = sighting.folder is not Folder.DRAFTS or any(
        draft.open and draft.ref == sighting.ref for draft in drafts.of_intent(work.conn, intent_id)
    )
    # A second draft under one mark, or one that had left and is back, is news.
    known = intent.state is IntentState.ACCEPTED and expected
    # While its call is under way one draft is what the call will tell of; a second one is not.
    awaited = intent.state is IntentState.CALLING and not _has_another(work, intent, sighting.ref)
    if not (awaited or known):
        intents.update(work.conn, intent, next_look_at=work.now)


def _back_again(work: _Part, intent: IntentId, sighting: Sighting) -> None:
    """A draft that was taken in, had left and lies there again is put on record anew."""
    mine = drafts.of_intent(work.conn, intent)
    if sighting.folder is Folder.DRAFTS and mine and not any(draft.open for draft in mine):
        threads.look_through(work.conn, mine[-1].integration, mine[-1].thread, work.now)


def _has_another(work: _Part, intent: Intent, ref: Ref) -> bool:
    """Whether another unsent draft under its mark is noted than the one that *ref* names."""
    return any(
        one.intent == intent.id
        and one.ref != ref
        and one.folder == Folder.DRAFTS
        and one.gone_at is None
        for one in messages.of_thread(work.conn, intent.integration, intent.thread)
    )


def _vanish(work: _Part, ref: Ref) -> None:
    conn, integration = work.conn, work.account.integration
    message = messages.by_ref(conn, integration, ref)
    if message is None or message.gone_at is not None:
        return
    work.touch(message.thread)
    messages.mark_gone(conn, integration, ref, work.now)
    if message.intent is not None:
        work.left.append((message.intent, message.thread))


def _follow(work: _Part, intent_id: IntentId, thread: ThreadId) -> None:
    """A hint about a draft of ours: whoever works on the thread next asks for it directly."""
    intent = intents.by_id(work.conn, intent_id)
    if intent is not None and intent.state is IntentState.DUPLICATED:
        intents.update(work.conn, intent, next_look_at=work.now)
    if any(draft.open for draft in drafts.of_intent(work.conn, intent_id)):
        threads.make_due(work.conn, work.account.integration, thread, work.now)


def _close_thread(
    work: _Part, thread: ThreadId, what: _Touched, due: dict[ThreadId, int], hold_ms: int
) -> None:
    conn, integration = work.conn, work.account.integration
    # An autosave replaces one unsent draft by another: only the first and the last are news.
    draft_moved = messages.has_owner_draft(conn, integration, thread) != what.had_owner_draft
    if not (what.arrived or draft_moved or what.own_reply_at is not None):
        return
    due_at = max(what.due_at, due.get(thread, 0)) or work.now
    due[thread] = due_at
    if what.arrived or draft_moved:
        row = threads.load(conn, integration, thread)
        threads.changed(
            conn,
            row,
            work.now,
            due_at=due_at + hold_ms,
            arrived=what.arrived,
            subject=None if row.subject else what.subject,
        )
        log(conn, work.now, integration, thread, "noted", messages=len(what.arrived))
    else:
        threads.make_due(conn, integration, thread, due_at + hold_ms)
    if what.own_reply_at is not None:
        _answered_by_hand(work, thread, what.own_reply_at)


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
