"""What the store records of drafts when their intents are settled, and what a person is shown.

Called only inside the transaction that settles an intent, with the thread's lease row locked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from providers.ports import DraftSight, Folder
from storage import drafts, intents, reviews, threads
from storage.drafts import Draft, NewDraft
from storage.events import log
from storage.intents import Intent
from storage.reviews import NewItem
from storage.words import (
    Accepted,
    DraftState,
    Identity,
    IntentState,
    ItemKind,
    Kind,
    Ref,
    Version,
)

WAITS = "a draft reply waits for your review"
SENT_TOO = "a copy of this reply was sent already; delete this one, unless you want both"


def made(
    intent: Intent, effect: Accepted, state: DraftState, content_hash: str | None, now: int
) -> NewDraft:
    """The draft that an accepted intent made, to be recorded."""
    return _draft(
        intent,
        now,
        effect.ref,
        effect.version,
        state,
        content_hash or intent.content_hash or "",
        message_id=effect.message_id,
    )


def beside_another(conn: Connection, intent: Intent, ref: Ref, now: int) -> None:
    """Tell of a draft that was made, or surfaced, beside another one of ours."""
    others = [
        one
        for one in drafts.of_thread(conn, intent.integration, intent.thread)
        if one.open and one.intent != intent.id
    ]
    if others:
        open_duplicated(conn, intent, now, [ref, *(one.ref for one in others)])


def _draft(
    intent: Intent,
    now: int,
    ref: Ref,
    version: Version,
    state: DraftState,
    content_hash: str,
    *,
    message_id: str | None = None,
) -> NewDraft:
    answers = intent.plan.get("answers")
    shown = intent.plan.get("shown")
    details: Mapping[str, object] = shown if isinstance(shown, dict) else {}
    return NewDraft(
        integration=intent.integration,
        thread=intent.thread,
        intent=intent.id,
        ref=ref,
        version=version,
        content_hash=content_hash,
        state=state,
        answers=Identity(answers) if isinstance(answers, str) else None,
        shown={**details, "message_id": message_id or intent.message_id_asked},
        made_at=now,
    )


def ready_for_review(conn: Connection, intent: Intent, draft: int, now: int) -> None:
    """Have the owner review a draft that no call of now made: it is listed, and nobody is told."""
    list_quietly(conn, to_review(intent, draft, now))


def list_quietly(conn: Connection, new: NewItem) -> None:
    """Open an item of which nobody is told."""
    reviews.tell_nobody(conn, new.user, reviews.open_new(conn, new), new.opened_at)


def to_review(intent: Intent, draft: int, now: int) -> NewItem:
    """The item by which the owner reviews a recorded draft; the notifier finds it by itself."""
    return NewItem(
        kind=ItemKind.DRAFT_READY,
        user=intent.user,
        opened_at=now,
        summary=WAITS,
        integration=intent.integration,
        thread=intent.thread,
        about=str(draft),
        subject=shown(intent, "subject"),
    )


def removed(conn: Connection, intent: Intent, now: int) -> None:
    """Record that a draft of ours was removed as its owner asked."""
    draft = to_be_removed(conn, intent)
    if draft is not None and draft.open:
        drafts.update(conn, draft.id, state=DraftState.DISCARDED, discard_asked_by=None)
        close_items(conn, draft, now)


def removal_refused(
    conn: Connection, intent: Intent, now: int, reason: str, *, exhausted: bool
) -> None:
    """Leave a draft that could not be removed, and tell why; *exhausted*: refused too often.

    Otherwise the version is not the one that we made and the draft is the owner's now, or the
    mailbox removes no exact version: *reason* says which.
    """
    draft = to_be_removed(conn, intent)
    if draft is not None and draft.open:
        drafts.update(conn, draft.id, discard_asked_by=None)
        log(
            conn,
            now,
            intent.integration,
            intent.thread,
            "draft_left",
            draft=draft.id,
            because="its removal was refused too often" if exhausted else reason,
        )
        for item in reviews.open_about(conn, ItemKind.DRAFT_READY, str(draft.id)):
            reviews.open_item(
                conn,
                now,
                item.kind,
                user=item.user,
                integration=item.integration,
                thread=item.thread,
                about=item.about,
                subject=item.subject,
                summary=f"the draft was not removed: {reason}",
                detail=item.detail,
            )


def ask_for_removal(conn: Connection, draft: Draft, operation: str, now: int) -> None:
    """Have a draft removed, because a person asks; its lease row is locked.

    A removal has one key for ever, so that one which was refused for good, or too often, gets new
    tries: it names an exact version, which a probe may have shown to be removable meanwhile.
    """
    drafts.update(conn, draft.id, discard_asked_by=operation)
    for intent in _removals_of(conn, draft):
        final = not intent.passing or intent.tries_left <= 0
        if intent.state is IntentState.REJECTED and final:
            intents.update(conn, intent, tries_left=intents.TRIES, passing=1, retry_at=now)
            _close(conn, draft, now, ItemKind.REJECTED, intent.id)
    threads.make_due(conn, draft.integration, draft.thread, now)


def close_items(conn: Connection, draft: Draft, now: int) -> None:
    """Close what waited for a person about a draft that is no longer there to review."""
    for kind in (ItemKind.DRAFT_READY, ItemKind.DRAFT_OVERTAKEN):
        _close(conn, draft, now, kind, str(draft.id))
    for intent in _removals_of(conn, draft):
        _close(conn, draft, now, ItemKind.REJECTED, intent.id)


def _close(conn: Connection, draft: Draft, now: int, kind: ItemKind, about: str) -> None:
    reviews.close(
        conn,
        now,
        "facts",
        kind=kind,
        integration=draft.integration,
        thread=draft.thread,
        about=about,
    )


def found_again(conn: Connection, intent: Intent, now: int, sights: Sequence[DraftSight]) -> None:
    """Put every draft of a duplicated intent on record that is not."""
    for draft in _put_on_record(conn, intent, now, sights):
        ready_for_review(conn, intent, draft, now)


def found_beside_a_sent_one(
    conn: Connection, intent: Intent, now: int, sights: Sequence[DraftSight]
) -> None:
    """Put every unsent copy of a sent draft on record that is not, and tell its owner."""
    for draft in _put_on_record(conn, intent, now, sights):
        tell_of_sent(conn, intent, draft, now)
        beside_another(conn, intent, sights[0].ref, now)
        threads.make_due(conn, intent.integration, intent.thread, now)


def tell_of_sent(conn: Connection, intent: Intent, draft: int, now: int) -> None:
    """Have a draft's item say that another copy of it was sent."""
    reviews.open_new(conn, replace(to_review(intent, draft, now), summary=SENT_TOO))


def _put_on_record(
    conn: Connection, intent: Intent, now: int, sights: Sequence[DraftSight]
) -> list[int]:
    """Record what lies unsent: as new, or as a draft that had left and is back; gives their ids."""
    known = {draft.ref: draft for draft in drafts.of_intent(conn, intent.id)}
    put: list[int] = []
    for sight in sights:
        draft, state = known.get(sight.ref), state_of(sight, intent.content_hash)
        if draft is None:
            new = _draft(intent, now, sight.ref, sight.version, state, sight.content_hash)
            put.append(drafts.record(conn, new))
        elif not draft.open:
            lies_again(conn, draft, sight, state)
            put.append(draft.id)
    return put


def lies_again(conn: Connection, draft: Draft, sight: DraftSight, state: DraftState) -> None:
    """A draft that had left lies unsent again."""
    drafts.update(
        conn,
        draft.id,
        state=state,
        ref=sight.ref,
        version=sight.version,
        content_hash=sight.content_hash,
        missing_at=None,
        discard_asked_by=None,
    )


def state_of(sight: DraftSight, asked_hash: str | None) -> DraftState:
    """What became of a draft that was found, by where it lies and what it says now."""
    match sight.folder:
        case Folder.SENT:
            return DraftState.SENT
        case Folder.TRASH:
            return DraftState.DISCARDED
        case Folder.DRAFTS | Folder.INBOX:
            same = asked_hash is None or sight.content_hash == asked_hash
            return DraftState.HELD if same else DraftState.EDITED


def close_duplicated(conn: Connection, integration: str, thread: str, now: int) -> None:
    """Close what tells of two drafts of ours in a thread, once there are not two any more."""
    twice = any(
        intent.state is IntentState.DUPLICATED
        for intent in intents.of_thread(conn, integration, thread)
    )
    left = sum(draft.open for draft in drafts.of_thread(conn, integration, thread))
    if not twice and left < 2:
        reviews.close(
            conn, now, "facts", kind=ItemKind.DUPLICATED, integration=integration, thread=thread
        )


def open_duplicated(conn: Connection, intent: Intent, now: int, refs: list[Ref]) -> None:
    """Show that a thread holds more than one draft of ours."""
    reviews.open_item(
        conn,
        now,
        ItemKind.DUPLICATED,
        user=intent.user,
        integration=intent.integration,
        thread=intent.thread,
        about=intent.id,
        subject=shown(intent, "subject"),
        summary=f"the thread holds {max(2, len(refs))} drafts of ours; delete all but one",
        detail={"refs": list(refs)},
    )


def shown(intent: Intent, name: str) -> str:
    """One field of the draft that an intent is about, as its owner sees it."""
    fields = intent.plan.get("shown")
    value = fields.get(name) if isinstance(fields, dict) else None
    return value if isinstance(value, str) else ""


def to_be_removed(conn: Connection, removal: Intent) -> Draft | None:
    """The draft that a removal names."""
    return drafts.one(conn, _target(removal))


def _removals_of(conn: Connection, draft: Draft) -> list[Intent]:
    return [
        intent
        for intent in intents.of_thread(conn, draft.integration, draft.thread)
        if intent.kind is Kind.REMOVE_DRAFT and _target(intent) == draft.id
    ]


def _target(intent: Intent) -> int:
    draft = intent.plan.get("draft")
    return draft if isinstance(draft, int) else -1
