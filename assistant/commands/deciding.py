"""What each action does to the item that it is asked of, inside one transaction.

Each function locks the thread's lease row first where it changes an intent, checks that the facts
still allow the action, and either does it or raises RefusedError; a refusal changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from assistant.effects import looks, records, settle
from storage import drafts, evidence, fences, intents, leases, mailboxes, reviews, threads
from storage.dbtime import database_now_ms
from storage.drafts import Draft
from storage.intents import Intent
from storage.reviews import Item
from storage.words import (
    ACTIONS,
    WATCH_THREAD,
    Accepted,
    Action,
    By,
    DraftState,
    Evidence,
    EvidenceKind,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
    Ref,
    Rejected,
)

SELF_CLOSING = frozenset(
    {ItemKind.MAILBOX_ILL, ItemKind.RECONNECT, ItemKind.CONFIG_FAULT, ItemKind.CEILING}
)
"""Items that only facts close; a person may hide them until it happens again."""


class RefusedError(Exception):
    """The facts do not allow this action now; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One action asked of one item."""

    item: Item
    action: Action
    ref: str | None
    note: str | None
    operation: str
    lag_ms: int


Result = Mapping[str, object]


def decide(conn: Connection, ask: Ask) -> Result:
    """Do what was asked. Raises RefusedError when the facts do not allow it."""
    if ask.item.state != "open":
        raise RefusedError(
            f"item {ask.item.id} is closed already ({ask.item.closed_by}); nothing was done"
        )
    if ask.action not in ACTIONS[ask.item.kind]:
        allowed = ", ".join(ACTIONS[ask.item.kind])
        raise RefusedError(f"a {ask.item.kind} item has these actions: {allowed}")
    return _DOES[ask.action](conn, ask)


def _keep(conn: Connection, ask: Ask) -> Result:
    draft = _open_draft(conn, ask)
    if draft.discard_asked_by is not None:
        if intents.another_blocks(conn, draft.integration, draft.thread, but=None) is not None:
            raise RefusedError("its discarding is under way and can't be taken back any more")
        drafts.update(conn, draft.id, discard_asked_by=None)
        threads.make_due(conn, draft.integration, draft.thread, database_now_ms(conn))
    _close(conn, ask)
    return {"draft": "kept"}


def _discard(conn: Connection, ask: Ask) -> Result:
    draft = _not_edited(_open_draft(conn, ask))
    records.ask_for_removal(conn, draft, ask.operation, database_now_ms(conn))
    return {"draft": "to be discarded"}


def _open_draft(conn: Connection, ask: Ask) -> Draft:
    """The draft that the item is about, its thread's lease row locked."""
    draft = drafts.one(conn, int(ask.item.about))
    if draft is not None:
        leases.lock(conn, draft.integration, draft.thread)
        draft = drafts.one(conn, draft.id)
    if draft is None or not draft.open:
        raise RefusedError("the draft is no longer there; the item will close by itself")
    return draft


def _still_ours(conn: Connection, removal: Intent) -> Draft:
    """The draft that a refused removal was to remove; its thread's lease row is locked."""
    draft = records.to_be_removed(conn, removal)
    if draft is None or not draft.open:
        raise RefusedError("the draft is no longer there; dismiss the item")
    return _not_edited(draft)


def _not_edited(draft: Draft) -> Draft:
    if draft.state is DraftState.EDITED:
        raise RefusedError(
            "the draft was changed by you and is yours: delete it in your mail program"
        )
    return draft


def _it_exists(conn: Connection, ask: Ask) -> Result:
    return _exists(conn, ask, ref=ask.ref or "")


def _adopt(conn: Connection, ask: Ask) -> Result:
    if ask.ref is None:
        raise RefusedError("name the draft with --ref; the evidence lists the candidates")
    if ask.ref not in candidates(conn, IntentId(ask.item.about)):
        raise RefusedError(f"{ask.ref} is none of the candidates that the evidence lists")
    return _exists(conn, ask, ref=ask.ref)


def _exists(conn: Connection, ask: Ask, *, ref: str) -> Result:
    intent, now = _unknown(conn, ask)
    _person_says(conn, ask, intent, now, ref=ref)
    settle.accept(
        conn,
        intent,
        By.PERSON,
        now,
        Accepted(ref=Ref(ref)),
        draft_state=DraftState.EDITED,
    )
    return {"intent": intent.id, "state": str(IntentState.ACCEPTED)}


def _not_ours(conn: Connection, ask: Ask) -> Result:
    if ask.ref is None:
        raise RefusedError("name the draft with --ref; the evidence lists the candidates")
    intent, now = _unknown(conn, ask)
    if ask.ref not in candidates(conn, intent.id):
        raise RefusedError(f"{ask.ref} is none of the candidates that the evidence lists")
    _person_says(conn, ask, intent, now, ref=ask.ref)
    return {"intent": intent.id, "state": str(intent.state)}


def _never_happened(conn: Connection, ask: Ask) -> Result:
    intent, now = _unknown(conn, ask)
    why_not = too_early(conn, intent, ask.lag_ms, now)
    if why_not is not None:
        raise RefusedError(why_not)
    _person_says(conn, ask, intent, now)
    settle.reject(
        conn, intent, By.PERSON, now, Rejected(reason="a person says that it never happened")
    )
    # Looks go on: a draft that surfaces late is shown.
    intents.update(conn, intent, next_look_at=intent.next_look_at)
    threads.raise_generation(conn, intent.integration, intent.thread, now)
    return {"intent": intent.id, "state": str(IntentState.REJECTED)}


def _retry(conn: Connection, ask: Ask) -> Result:
    now = database_now_ms(conn)
    if ask.item.kind is ItemKind.GAP:
        mailboxes.update(conn, ask.item.integration, cursor=None)
        _close(conn, ask)
        return {"mailbox": "is looked through again"}
    if _is_about_a_notice(ask.item):
        raise RefusedError(
            "a notice is not sent again: what it was about waits in the queue; "
            "mend [notify] of your file, and later notices go there"
        )
    leases.lock(conn, ask.item.integration, ask.item.thread)
    intent = intents.by_id(conn, IntentId(ask.item.about))
    if intent is not None and intent.kind is Kind.REMOVE_DRAFT:
        records.ask_for_removal(conn, _still_ours(conn, intent), ask.operation, now)
        return {"draft": "to be discarded"}
    fences.forgive(conn, ask.item.integration, ask.item.thread)
    if ask.item.thread == WATCH_THREAD:
        _close(conn, ask)
        return {"mailbox": "is watched again"}
    threads.raise_generation(conn, ask.item.integration, ask.item.thread, now)
    _close(conn, ask)
    return {"thread": "is worked on again"}


def _dismiss(conn: Connection, ask: Ask) -> Result:
    if ask.item.kind in SELF_CLOSING:
        reviews.hide(conn, ask.item.id)
        return {"item": "hidden until it happens again"}
    if ask.item.kind is ItemKind.OUTCOME_UNKNOWN:
        intent, now = _unknown(conn, ask)
        _person_says(conn, ask, intent, now)
        intents.update(conn, intent, blocks=0)
        threads.make_due(conn, intent.integration, intent.thread, now)
        _close(conn, ask)
        return {
            "intent": intent.id,
            "state": str(intent.state),
            "note": "a late draft may still appear; it would be shown",
        }
    _close(conn, ask)
    return {"item": "closed"}


_DOES: Mapping[Action, Callable[[Connection, Ask], Result]] = {
    Action.KEEP: _keep,
    Action.DISCARD: _discard,
    Action.IT_EXISTS: _it_exists,
    Action.ADOPT: _adopt,
    Action.NOT_OURS: _not_ours,
    Action.NEVER_HAPPENED: _never_happened,
    Action.RETRY: _retry,
    Action.DISMISS: _dismiss,
}


def candidates(conn: Connection, intent: IntentId) -> list[str]:
    """Drafts that may be an unknown intent's, as the looks saw them, less those said not to be."""
    found: dict[str, None] = {}
    for fact in evidence.of_intent(conn, intent):
        listed = fact.detail.get("candidates")
        if isinstance(listed, list):
            found.update((str(ref), None) for ref in listed)
        if fact.kind is EvidenceKind.PERSON and fact.detail.get("word") == Action.NOT_OURS:
            found.pop(str(fact.detail.get("ref")), None)
    return list(found)


def too_early(conn: Connection, intent: Intent, lag_ms: int, now: int) -> str | None:
    """Why nobody can know yet that a call never happened, or None; who decides has the lock."""
    lease = leases.seen(conn, intent.integration, intent.thread)
    wait_ms = max(lease.grace_until, looks.base_at(intent) + lag_ms) - now
    if wait_ms <= 0:
        return None
    return (
        f"it is too early to say that it never happened: a call may still arrive; "
        f"ask again in {-(-wait_ms // 1000)} s"
    )


def offered(conn: Connection, item: Item, lag_ms: int) -> list[Action]:
    """The actions that make sense on an item as the facts are now."""
    if item.state != "open":
        return []
    actions = list(ACTIONS[item.kind])
    if item.kind is ItemKind.DRAFT_READY:
        draft = drafts.one(conn, int(item.about))
        if draft is None or draft.state is not DraftState.HELD:
            actions.remove(Action.DISCARD)
    if _is_about_a_notice(item):
        actions.remove(Action.RETRY)
    if item.kind is ItemKind.OUTCOME_UNKNOWN:
        intent = intents.by_id(conn, IntentId(item.about))
        if not candidates(conn, IntentId(item.about)):
            actions = [one for one in actions if one not in (Action.ADOPT, Action.NOT_OURS)]
        if intent is None or too_early(conn, intent, lag_ms, database_now_ms(conn)):
            actions.remove(Action.NEVER_HAPPENED)
    return actions


def _is_about_a_notice(item: Item) -> bool:
    """Notices are kept under the bare name of their user, and no thread is behind them."""
    return item.kind is ItemKind.REJECTED and item.integration == item.user


def _unknown(conn: Connection, ask: Ask) -> tuple[Intent, int]:
    intent = intents.by_id(conn, IntentId(ask.item.about))
    if intent is None:
        raise RefusedError("the intent behind this item is not on record")
    leases.lock(conn, intent.integration, intent.thread)
    now = database_now_ms(conn)
    intent = intents.by_id(conn, intent.id) or intent
    if intent.state is not IntentState.UNKNOWN:
        raise RefusedError(f"the facts have settled it meanwhile: it is {intent.state}")
    return intent, now


def _person_says(
    conn: Connection, ask: Ask, intent: Intent, now: int, *, ref: str | None = None
) -> None:
    evidence.add(
        conn,
        intent.id,
        now,
        Evidence(
            kind=EvidenceKind.PERSON,
            attempt=intent.attempt,
            detail={"word": str(ask.action), "ref": ref, "note": ask.note},
        ),
    )


def _close(conn: Connection, ask: Ask) -> None:
    reviews.close(conn, database_now_ms(conn), f"person: {ask.action}", item=ask.item.id)
