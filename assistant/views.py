"""What a person is shown: the JSON documents of the command line, read from the store.

Units of work that only read; the shapes are those that others build on (DESIGN section 7): fields
may be added, none may change. Times are RFC 3339, UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection

from assistant.commands.deciding import offered
from assistant.effects.contracts import CONTRACTS
from assistant.views_health import Document, at, health, live, members, quota, waits
from storage import (
    drafts,
    events,
    evidence,
    intents,
    mailboxes,
    messages,
    overview,
    reviews,
    spend,
    threads,
    units,
)
from storage.drafts import Draft
from storage.intents import Intent
from storage.messages import Message
from storage.reviews import Item
from storage.threads import ThreadRow
from storage.words import IntentId, ItemKind

BEFORE_A_CALL: Final = ("triaged", "written")
"""The events of a work that lie before its call."""


def thread_list(conn: Connection, mailbox: str | None = None) -> list[Document]:
    """Every thread with mail in it, the one with the newest mail first."""
    found = []
    for row in overview.all_threads(conn, mailbox):
        mail = _mail(messages.of_thread(conn, row.integration, row.thread))
        if mail:
            found.append((mail[-1].arrived_at, _thread(conn, row, mail)))
    return [document for _, document in sorted(found, key=lambda one: one[0], reverse=True)]


def _mail(messages: Sequence[Message]) -> list[Message]:
    return [one for one in messages if one.folder in ("inbox", "sent") and one.gone_at is None]


def _thread(conn: Connection, row: ThreadRow, mail: Sequence[Message]) -> Document:
    triage: Mapping[str, object] = row.triage or {}
    made = drafts.of_thread(conn, row.integration, row.thread)
    return {
        "mailbox": row.integration,
        "thread": row.thread,
        "subject": row.subject,
        "with": triage.get("with"),
        "last_at": at(mail[-1].arrived_at) if mail else None,
        "messages": [one.message_id for one in mail],
        "refs": [one.ref for one in mail],
        "category": triage.get("category"),
        "urgency": triage.get("urgency"),
        "reason": triage.get("reason"),
        "engine": triage.get("engine"),
        "unsure": triage.get("unsure", False),
        "asked": triage.get("asked", []),
        "deadline": triage.get("deadline"),
        "language": triage.get("language"),
        "revision": row.revision,
        "due_at": at(row.due_at),
        "quarantined": row.quarantined_at is not None,
        "draft": draft(made[-1]) if made else None,
        "no_draft_because": None if made and made[-1].open else row.no_draft_because,
    }


def draft(one: Draft) -> Document:
    """A draft of ours as its owner sees it."""
    return {
        "state": str(one.state),
        "to": one.shown.get("to", []),
        "cc": one.shown.get("cc", []),
        "from": one.shown.get("from"),
        "subject": one.shown.get("subject"),
        "in_reply_to": one.shown.get("in_reply_to"),
        "message_id": one.shown.get("message_id"),
        "body": one.shown.get("body"),
        "provider_ref": one.ref,
        "made_at": at(one.made_at),
        "answering": one.shown.get("answering"),
        "notes": one.shown.get("notes", []),
    }


def review_list(
    conn: Connection, lag_ms: int, *, closed: bool = False, user: str | None = None
) -> list[Document]:
    """The review queue, oldest first."""
    return [
        review_item(conn, item, lag_ms) for item in reviews.listed(conn, closed=closed, user=user)
    ]


def review_item(conn: Connection, item: Item, lag_ms: int) -> Document:
    """One review item with its evidence and the actions that make sense now."""
    behind = _intents_behind(conn, item)
    return {
        "id": item.id,
        "kind": str(item.kind),
        "user": item.user,
        "mailbox": item.integration or None,
        "thread": item.thread or None,
        "subject": item.subject,
        "summary": item.summary,
        "state": item.state,
        "opened_at": at(item.opened_at),
        "closed_at": at(item.closed_at),
        "closed_by": item.closed_by,
        "actions": [str(action) for action in offered(conn, item, lag_ms)],
        "evidence": [fact for intent in behind for fact in _evidence(conn, intent)],
        "detail": dict(item.detail),
        "draft": _draft_of(conn, item),
    }


def _draft_of(conn: Connection, item: Item) -> Document | None:
    if item.kind not in (ItemKind.DRAFT_READY, ItemKind.DRAFT_OVERTAKEN):
        return None
    found = drafts.one(conn, int(item.about))
    return None if found is None else draft(found)


def _intents_behind(conn: Connection, item: Item) -> list[Intent]:
    found: list[Intent | None] = []
    if item.kind in (ItemKind.OUTCOME_UNKNOWN, ItemKind.DUPLICATED, ItemKind.REJECTED):
        found.append(intents.by_id(conn, IntentId(item.about)))
    elif item.kind in (ItemKind.DRAFT_READY, ItemKind.DRAFT_OVERTAKEN):
        made = drafts.one(conn, int(item.about))
        if made is not None:
            found.append(intents.by_id(conn, made.intent))
    found += overview.notices_about(conn, item)
    return [one for one in found if one is not None]


def _evidence(conn: Connection, intent: Intent) -> list[Document]:
    return [
        {
            "at": at(fact.at),
            "kind": str(fact.kind),
            "attempt": fact.attempt,
            "intent": intent.id,
            "of": str(intent.kind),
            "detail": {
                name: value for name, value in fact.detail.items() if value not in (None, "")
            },
        }
        for fact in evidence.of_intent(conn, intent.id)
    ]


def intent_list(conn: Connection, *, thread: tuple[str, str] | None = None) -> list[Document]:
    """Every intent with state and evidence, oldest first."""
    rows = intents.everything(conn) if thread is None else intents.of_thread(conn, *thread)
    return [
        {
            "id": intent.id,
            "key": intent.key,
            "kind": str(intent.kind),
            "mailbox": intent.integration,
            "thread": intent.thread,
            "state": str(intent.state),
            "attempt": intent.attempt,
            "fence": intent.fence,
            "generation": intent.generation,
            "blocks": intent.blocks,
            "reason": intent.reason,
            "settled_by": intent.settled_by,
            "message_id_asked": intent.message_id_asked,
            "message_id_seen": intent.message_id_seen,
            "provider_ref": intent.provider_ref,
            "claimed_at": at(intent.claimed_at),
            "ended_at": at(intent.ended_at),
            "settled_at": at(intent.settled_at),
            "next_look_at": at(intent.next_look_at),
            "evidence": _evidence(conn, intent),
        }
        for intent in rows
    ]


def status(conn: Connection, *, everyone: bool = False) -> Document:
    """Mailboxes, open intents, the review queue and who is at work; *everyone* as in members."""
    present = live(conn)
    due = mailboxes.due_counts(conn)
    spent = units.everything(conn)
    stopped_all = mailboxes.is_paused(conn, mailboxes.ALL)
    return {
        "mailboxes": [
            {
                "mailbox": row.integration,
                "provider": row.provider,
                "last_pass_at": at(row.last_pass_at),
                "cursor": row.cursor is not None,
                "due": due.get(row.integration, 0),
                "calls_rest_until": at(row.calls_paused_until),
                "quota": quota(spent.get(row.integration)),
                **health(conn, row, present, stopped_all=stopped_all),
            }
            for row in mailboxes.everything(conn)
        ],
        "intents": overview.intent_counts(conn),
        "review": reviews.counts(conn),
        "spend": [
            {"user": one.user, "day": one.day, "tokens": one.tokens} for one in spend.latest(conn)
        ],
        "workers": members(conn, everyone=everyone),
    }


def explain(conn: Connection, mailbox: str, thread: str) -> Document:
    """One thread's story: what it is, why there is (no) draft, and everything that happened.

    Raises LookupError when there is no such thread.
    """
    row = threads.load(conn, mailbox, thread)
    mail = _mail(messages.of_thread(conn, mailbox, thread))
    return {
        "thread": _thread(conn, row, mail),
        "waits": waits(conn, row),
        "drafts": [draft(one) for one in drafts.of_thread(conn, mailbox, thread)],
        "intents": intent_list(conn, thread=(mailbox, thread)),
        "events": [
            {"at": at(int(str(event["at"]))), "kind": event["kind"], "detail": event["detail"]}
            for event in _by_what_came_first(events.story(conn, mailbox, thread))
        ],
    }


def _by_what_came_first(story: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """The story with a judgement before the call that came of it.

    The end of a work writes both at once, the call first; a call is claimed after the judgement,
    which is therefore given the time of the claim.
    """
    ordered: list[Mapping[str, object]] = []
    for event in story:
        at = len(ordered)
        while event["kind"] in BEFORE_A_CALL and at > 0 and _is_call(ordered[at - 1], event):
            at -= 1
        if at < len(ordered):
            event = {**event, "at": min(int(str(one["at"])) for one in (ordered[at], event))}
        ordered.insert(at, event)
    return ordered


def _is_call(one: Mapping[str, object], judged: Mapping[str, object]) -> bool:
    """Whether *one* is of a call whose end was written together with *judged*."""
    together = one["kind"] == "claimed" or one["at"] == judged["at"]
    return together and one["kind"] not in (*BEFORE_A_CALL, "noted")


def workflows() -> list[Document]:
    """The contract of each kind of side effect."""
    return [
        {
            "kind": str(contract.kind),
            "key": contract.key,
            "commit_point": contract.commit_point,
            "replay": contract.replay,
            "uncertainty": contract.uncertainty,
            "recovery": contract.recovery,
            "blocks_thread": contract.blocks_thread,
        }
        for contract in CONTRACTS.values()
    ]
