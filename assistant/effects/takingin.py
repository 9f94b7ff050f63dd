"""Drafts of ours whose intents the store has lost: after a restore, or beside a new database.

A valid mark makes a draft ours, whatever the store knows. It goes on record as what its bytes say,
with the message that it answers, so that it is reviewed like any other, and so that this message
counts as one that had its draft: whoever discards or sends it gets no second one. One that had left
and lies there again is on record again.

Called only inside a transaction, which locks the thread's lease row first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from assistant.effects import records
from providers.mime.marks import intent_of
from providers.mime.message import Mail
from providers.ports import DraftSight, Folder
from storage import drafts, intents, leases, mailboxes, messages
from storage.dbtime import database_now_ms
from storage.drafts import Draft, NewDraft
from storage.events import log
from storage.leases import Held
from storage.reviews import NewItem
from storage.threads import ThreadRow
from storage.words import DraftState, Identity, IntentId, ItemKind, Ref


def ours(sights: Sequence[DraftSight], secret: bytes) -> list[tuple[IntentId, DraftSight]]:
    """The unsent drafts that carry our valid mark, with the intents that the marks name."""
    found: list[tuple[IntentId, DraftSight]] = []
    for sight in sights:
        intent = None if sight.mark is None else intent_of(secret, sight.mark)
        if intent is not None and sight.folder is Folder.DRAFTS:
            found.append((intent, sight))
    return found


def take_in(
    conn: Connection,
    row: ThreadRow,
    held: Held,
    found: Sequence[tuple[IntentId, DraftSight]],
    mails: Mapping[Ref, Mail],
) -> None:
    """Put drafts of ours on record that the store lacks; *mails* are their words, as far as read.

    One whose intent is on record after all is looked for. Once *held* is another's, what was seen
    under it is old and changes nothing.
    """
    if not leases.lock(conn, row.integration, row.thread).is_held_by(held):
        return
    now = database_now_ms(conn)
    for intent, sight in found:
        mine = drafts.of_intent(conn, intent)
        known = intents.by_id(conn, intent)
        if any(draft.open and draft.ref == sight.ref for draft in mine):
            continue
        if known is not None:
            intents.update(conn, known, next_look_at=now)
        elif not mine:
            mail = mails.get(sight.ref)
            _review(conn, row, _record(conn, row, intent, sight, mail, now), now)
            log(conn, now, row.integration, row.thread, "draft_taken_in", ref=sight.ref)
        elif not any(draft.open for draft in mine):
            same = mine[-1].content_hash == sight.content_hash
            state = DraftState.HELD if same else DraftState.EDITED
            records.lies_again(conn, mine[-1], sight, state)
            _review(conn, row, mine[-1].id, now)


def had_its_draft(draft: Draft, generation: int) -> bool:
    """Whether a draft that was taken in answers its message in this generation of its thread."""
    return draft.answers is not None and draft.shown.get("generation") == generation


def _record(
    conn: Connection,
    row: ThreadRow,
    intent: IntentId,
    sight: DraftSight,
    mail: Mail | None,
    now: int,
) -> int:
    shown: dict[str, object] = {"subject": row.subject}
    if mail is not None:
        shown = {
            "from": next((address.addr for address in mail.from_), None),
            "to": [address.addr for address in mail.to],
            "cc": [address.addr for address in mail.cc],
            "subject": mail.subject,
            "in_reply_to": next(iter(mail.in_reply_to), None),
            "body": mail.text,
        }
    new = NewDraft(
        integration=row.integration,
        thread=row.thread,
        intent=intent,
        ref=sight.ref,
        version=sight.version,
        content_hash=sight.content_hash,
        state=DraftState.HELD,
        answers=_answered(conn, row, sight),
        shown={**shown, "message_id": sight.message_id, "generation": row.generation},
        made_at=now,
    )
    return drafts.record(conn, new)


def _answered(conn: Connection, row: ThreadRow, sight: DraftSight) -> Identity | None:
    """The newest noted message of the thread that the draft names as its parent."""
    parents = {name.strip("<>") for name in sight.parents}
    answered: Identity | None = None
    for message in messages.of_thread(conn, row.integration, row.thread):
        name = message.message_id
        if message.folder == Folder.INBOX and name is not None and name.strip("<>") in parents:
            answered = message.identity
    return answered


def _review(conn: Connection, row: ThreadRow, draft: int, now: int) -> None:
    mailbox = mailboxes.load(conn, row.integration)
    if mailbox is not None:
        item = NewItem(
            kind=ItemKind.DRAFT_READY,
            user=mailbox.user,
            opened_at=now,
            summary=records.WAITS,
            integration=row.integration,
            thread=row.thread,
            about=str(draft),
            subject=row.subject,
        )
        records.list_quietly(conn, item)
