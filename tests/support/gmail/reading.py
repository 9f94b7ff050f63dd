"""The methods that only look: each takes a mailbox and what was asked, and answers an object."""

from __future__ import annotations

from typing import Any

from tests.support.gmail import render
from tests.support.gmail.asking import Asked
from tests.support.gmail.errors import RefusedError, invalid, not_found
from tests.support.gmail.mailbox import SYSTEM_LABELS, Entry, Labels, Mailbox, Message
from tests.support.gmail.search import matching

JSON = dict[str, Any]
_KINDS = {
    "messageAdded": "messagesAdded",
    "messageDeleted": "messagesDeleted",
    "labelAdded": "labelsAdded",
    "labelRemoved": "labelsRemoved",
}


def _at(box: Mailbox, listing: str, *, search: bool = False) -> float:
    lag_s = box.settings.lag_s
    behind_s = lag_s.get(listing, 0.0)
    return box.now_s() - (max(behind_s, lag_s.get("search", 0.0)) if search else behind_s)


def _shown(box: Mailbox, message: Message, labels: Labels, asked: Asked) -> JSON:
    form = asked.text("format", "full") or "full"
    wanted = tuple(asked.many("metadataHeaders"))
    return render.shown(message, labels, form, wanted, box.settings.headers_decoded)


def profile(box: Mailbox, asked: Asked) -> JSON:
    asked.only()
    now = [labels for _, labels in box.at(box.now_s())]
    threads = {message.thread for message, _ in box.at(box.now_s())}
    return {
        "emailAddress": box.address,
        "messagesTotal": len(now),
        "threadsTotal": len(threads),
        "historyId": str(box.history_id),
    }


def labels_list(box: Mailbox, asked: Asked) -> JSON:
    asked.only()
    told = [{"id": one, "name": one, "type": "system"} for one in SYSTEM_LABELS]
    told += [{"id": key, "name": name, "type": "user"} for key, name in box.labels.items()]
    return {"labels": told}


def labels_get(box: Mailbox, asked: Asked) -> JSON:
    asked.only()
    name = asked.args["id"]
    if name not in SYSTEM_LABELS and name not in box.labels:
        raise not_found()
    mine = [(m, labels) for m, labels in box.at(box.now_s()) if name in labels]
    unread = [m for m, labels in mine if "UNREAD" in labels]
    return {
        "id": name,
        "name": box.labels.get(name, name),
        "type": "user" if name in box.labels else "system",
        "messagesTotal": len(mine),
        "messagesUnread": len(unread),
        "threadsTotal": len({m.thread for m, _ in mine}),
        "threadsUnread": len({m.thread for m in unread}),
    }


def _listed(box: Mailbox, asked: Asked, listing: str) -> list[tuple[Message, Labels]]:
    query = asked.text("q") or ""
    wanted = asked.many("labelIds")
    everywhere = asked.flag("includeSpamTrash")
    hidden = {"TRASH", "SPAM"} - set(wanted)
    found = box.at(_at(box, listing, search=bool(query)))
    if query:
        passes, asks = matching(box, query)
        everywhere = everywhere or asks
        found = (pair for pair in found if passes(*pair))
    return [
        (message, labels)
        for message, labels in found
        if set(wanted) <= set(labels) and (everywhere or not hidden & set(labels))
    ]


def _newest(pair: tuple[Message, Labels]) -> tuple[int, str]:
    return -pair[0].internal_ms, pair[0].id


def messages_list(box: Mailbox, asked: Asked) -> JSON:
    asked.only("q", "labelIds", "includeSpamTrash", "maxResults", "pageToken")
    found = _listed(box, asked, "messages.list")
    page, token = asked.page(found, _newest, asked.number("maxResults", 100, 500))
    told: JSON = {"resultSizeEstimate": len(found)}
    if page:
        told["messages"] = [render.brief(message) for message, _ in page]
    return told | ({"nextPageToken": token} if token else {})


def messages_get(box: Mailbox, asked: Asked) -> JSON:
    asked.only("format", "metadataHeaders")
    message = box.get(asked.args["id"])
    return _shown(box, message, message.now, asked)


def attachments_get(box: Mailbox, asked: Asked) -> JSON:
    asked.only()
    return render.attachment(box.get(asked.args["id"]), asked.args["attachment"])


def threads_list(box: Mailbox, asked: Asked) -> JSON:
    asked.only("q", "labelIds", "includeSpamTrash", "maxResults", "pageToken")
    newest: dict[str, tuple[Message, Labels]] = {}
    for pair in sorted(_listed(box, asked, "threads.list"), key=_newest):
        newest.setdefault(pair[0].thread, pair)
    page, token = asked.page(newest.values(), _newest, asked.number("maxResults", 100, 500))
    told: JSON = {"resultSizeEstimate": len(newest)}
    if page:
        told["threads"] = [
            {
                "id": message.thread,
                "snippet": render.snippet(message.raw),
                "historyId": str(message.history_id),
            }
            for message, _ in page
        ]
    return told | ({"nextPageToken": token} if token else {})


def threads_get(box: Mailbox, asked: Asked) -> JSON:
    """Every member, those in the trash as well, oldest first; ``raw`` is no format of it."""
    asked.only("format", "metadataHeaders")
    if asked.text("format") == "raw":
        raise invalid("Invalid value at 'format': threads cannot be read raw")
    name = asked.args["id"]
    members = list(box.at(_at(box, "threads.get"), box.threads.get(name, [])))
    if not members:
        raise not_found()
    members.sort(key=lambda pair: (pair[0].internal_ms, pair[0].id))
    return {
        "id": name,
        "historyId": str(max(message.history_id for message, _ in members)),
        "messages": [_shown(box, message, labels, asked) for message, labels in members],
    }


def drafts_list(box: Mailbox, asked: Asked) -> JSON:
    asked.only("q", "includeSpamTrash", "maxResults", "pageToken")
    query = asked.text("q") or ""
    at_s = _at(box, "drafts.list", search=bool(query))
    passes = matching(box, query)[0] if query else None
    everywhere = asked.flag("includeSpamTrash")
    found = []
    for draft, name in box.drafts_at(at_s).items():
        message = box.messages[name]
        labels = message.labels_at(at_s) or ()
        if (everywhere or "TRASH" not in labels) and (passes is None or passes(message, labels)):
            found.append((draft, message))
    page, token = asked.page(
        found, lambda one: (-one[1].internal_ms, one[0]), asked.number("maxResults", 100, 500)
    )
    told: JSON = {"resultSizeEstimate": len(found)}
    if page:
        told["drafts"] = [
            {"id": draft, "message": render.brief(message)} for draft, message in page
        ]
    return told | ({"nextPageToken": token} if token else {})


def drafts_get(box: Mailbox, asked: Asked) -> JSON:
    """Always what is there now: a direct get does not lag."""
    asked.only("format", "metadataHeaders")
    message = box.draft(asked.args["id"])
    return {"id": asked.args["id"], "message": _shown(box, message, message.now, asked)}


def history_list(box: Mailbox, asked: Asked) -> JSON:
    asked.only("startHistoryId", "historyTypes", "labelId", "maxResults", "pageToken")
    start = asked.text("startHistoryId") or ""
    if not start.isascii() or not start.isdigit():
        raise invalid("Invalid value at 'startHistoryId'")
    if int(start) < box.oldest_history_id:
        raise not_found()
    kinds = _wanted_kinds(asked.many("historyTypes"))
    label = asked.text("labelId")
    if label is not None and label not in SYSTEM_LABELS and label not in box.labels:
        raise not_found()
    seen_s = _at(box, "history.list")
    seen = [one for one in box.history if one.at_s <= seen_s]
    found = [
        one
        for one in seen
        if one.id > int(start) and one.kind in kinds and (label is None or label in one.labels)
    ]
    page, token = asked.page(found, lambda one: (one.id,), asked.number("maxResults", 100, 500))
    newest = max([int(start), box.oldest_history_id] + [one.id for one in seen])
    newest = box.history_id if box.settings.history_cursor == "current" else newest
    if seen_s >= box.now_s():
        newest = box.history_id
    told: JSON = {"historyId": str(newest)}
    if page:
        told["history"] = [_entry(one) for one in page]
    return told | ({"nextPageToken": token} if token else {})


def _wanted_kinds(asked: list[str]) -> set[str]:
    unknown = set(asked) - set(_KINDS)
    if unknown:
        raise invalid(f"Invalid value at 'historyTypes': {sorted(unknown)[0]!r}")
    return {_KINDS[one] for one in asked} or set(_KINDS.values())


def _entry(one: Entry) -> JSON:
    told: JSON = {"id": one.message, "threadId": one.thread, "labelIds": list(one.labels)}
    item: JSON = {"message": told}
    if one.changed:
        item["labelIds"] = list(one.changed)
    brief = {"id": one.message, "threadId": one.thread}
    return {"id": str(one.id), "messages": [brief], one.kind: [item]}


def send_as_list(box: Mailbox, asked: Asked) -> JSON:
    asked.only()
    told = []
    for one in box.send_as:
        entry: JSON = {
            "sendAsEmail": one.address,
            "displayName": one.name,
            "replyToAddress": one.reply_to,
            "signature": one.signature,
            "isDefault": one.default,
            "treatAsAlias": not one.primary,
        }
        if one.primary:
            entry["isPrimary"] = True
        else:
            entry["verificationStatus"] = "accepted" if one.verified else "pending"
        told.append(entry)
    return {"sendAs": told}


def denied() -> RefusedError:
    """The token's scope does not cover the method."""
    return RefusedError(
        403, "insufficientPermissions", "Request had insufficient authentication scopes."
    )
