"""What became of a draft of ours, by a direct get: held, edited, sent, discarded or gone.

Absent from a listing is not gone. A recorded draft is held until a direct get says absent twice,
the second time after the lag window, or Sent or Trash shows where it went. Gone is not sent.
"""

from __future__ import annotations

import dataclasses

from sqlalchemy import Connection

from assistant.effects.records import close_duplicated, close_items
from providers.ports import DraftNow, DraftSight, Folder, Whereabouts
from storage import drafts, intents, leases, messages, threads
from storage.dbtime import database_now_ms
from storage.drafts import Draft
from storage.events import log
from storage.leases import Held
from storage.words import By, DraftState, IntentState


def is_news(draft: Draft, now: DraftNow) -> bool:
    """Whether a direct get says anything that is not recorded yet."""
    if now.where is Whereabouts.UNTOUCHED:
        moved = now.sight is not None and now.sight.ref != draft.ref
        return moved or draft.missing_at is not None
    if now.where is Whereabouts.EDITED and now.sight is not None:
        return draft.state is not DraftState.EDITED or draft.version != now.sight.version
    return True


def follow(
    conn: Connection, draft: Draft, where: DraftNow, lag_ms: int, held: Held | None = None
) -> tuple[Draft, int | None]:
    """Record what a direct get says; gives the draft as it is now, and when to ask again.

    A worker names its lease in *held*: once that is another's, what it saw is old and changes
    nothing.
    """
    lease = leases.lock(conn, draft.integration, draft.thread)
    if held is not None and not lease.is_held_by(held):
        return draft, None
    now = database_now_ms(conn)
    match Whereabouts.ABSENT if is_another(conn, draft, where) else where.where:
        case Whereabouts.UNTOUCHED:
            # The same words may lie under another name now.
            sight = where.sight
            at = {} if sight is None else {"ref": sight.ref, "version": sight.version}
            return _update(conn, draft, missing_at=None, **at), None
        case Whereabouts.EDITED:
            return _edited(conn, draft, where.sight, now), None
        case Whereabouts.SENT:
            return _left(conn, draft, DraftState.SENT, now), None
        case Whereabouts.TRASHED:
            return _left(conn, draft, DraftState.DISCARDED, now), None
        case Whereabouts.ABSENT:
            if draft.missing_at is None:
                return _update(conn, draft, missing_at=now), now + lag_ms
            if now - draft.missing_at < lag_ms:
                return draft, draft.missing_at + lag_ms
            return _left(conn, draft, DraftState.GONE, now), None


def is_another(conn: Connection, draft: Draft, now: DraftNow) -> bool:
    """Whether what bears the draft's mark is the other of two: lying on record, or sent as such."""
    others = [one for one in drafts.of_intent(conn, draft.intent) if one.id != draft.id]
    if now.where is Whereabouts.SENT:
        return any(one.state is DraftState.SENT for one in others)
    ref = None if now.sight is None else now.sight.ref
    return any(one.open and one.ref == ref for one in others)


def _edited(conn: Connection, draft: Draft, sight: DraftSight | None, now: int) -> Draft:
    if sight is None:
        return _update(conn, draft, state=DraftState.EDITED, missing_at=None, discard_asked_by=None)
    if draft.state is not DraftState.EDITED:
        log(conn, now, draft.integration, draft.thread, "draft_edited", draft=draft.id)
    return _update(
        conn,
        draft,
        state=DraftState.EDITED,
        ref=sight.ref,
        version=sight.version,
        content_hash=sight.content_hash,
        missing_at=None,
        discard_asked_by=None,
    )


def _left(conn: Connection, draft: Draft, state: DraftState, now: int) -> Draft:
    close_items(conn, draft, now)
    log(conn, now, draft.integration, draft.thread, f"draft_{state}", draft=draft.id)
    left = _update(conn, draft, state=state, discard_asked_by=None)
    intent = intents.by_id(conn, draft.intent)
    twice = intent is not None and intent.state is IntentState.DUPLICATED
    some_left = any(other.open for other in drafts.of_intent(conn, draft.intent))
    if intent is not None and twice and not some_left:
        intents.move(conn, intent, IntentState.ACCEPTED, By.COUNT, now)
        threads.make_due(conn, draft.integration, draft.thread, now)
    if intent is not None and ((twice and some_left) or _lies_noted(conn, draft)):
        # The other of two made by one call, or what the owner made of this one.
        intents.update(conn, intent, next_look_at=now)
    close_duplicated(conn, draft.integration, draft.thread, now)
    return left


def _lies_noted(conn: Connection, draft: Draft) -> bool:
    """Whether another unsent mail under a draft's mark is noted, and not on record as one."""
    recorded = {other.ref for other in drafts.of_intent(conn, draft.intent) if other.open}
    return any(
        one.intent == draft.intent
        and one.folder == Folder.DRAFTS
        and one.gone_at is None
        and one.ref not in (draft.ref, *recorded)
        for one in messages.of_thread(conn, draft.integration, draft.thread)
    )


def _update(conn: Connection, draft: Draft, **values: object) -> Draft:
    drafts.update(conn, draft.id, **values)
    again = drafts.one(conn, draft.id)
    return draft if again is None else dataclasses.replace(again)
