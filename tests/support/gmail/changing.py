"""The methods that change: they read the body, have ``writing`` do the effect, and answer."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.gmail import headers, render, writing
from tests.support.gmail.asking import Asked
from tests.support.gmail.errors import RefusedError, invalid
from tests.support.gmail.journal import Line
from tests.support.gmail.mailbox import Mailbox, Message

JSON = dict[str, Any]
_BOUNDARY = re.compile(r'boundary="?([^";]+)"?')


def _given(asked: Asked) -> tuple[JSON, bytes | None]:
    """The JSON of the body, and the octets of a media upload."""
    kind = asked.headers.get("content-type", "")
    if not asked.path.startswith("/upload/"):
        return asked.json(), None
    if kind.startswith("message/rfc822"):
        return {}, headers.crlf(asked.body)
    if not kind.startswith("multipart/related"):
        raise invalid("Media type of an upload must be message/rfc822 or multipart/related")
    found = _BOUNDARY.search(kind)
    sections = [] if found is None else asked.body.split(b"--" + found[1].encode("latin-1"))
    parts = [one.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for one in sections[1:-1]]
    if len(parts) != 2:
        raise invalid("Bad multipart body: a JSON part and a message/rfc822 part are needed")
    try:
        told = json.loads(parts[0])
    except ValueError as error:
        raise RefusedError(400, "parseError", "Parse Error") from error
    return told, headers.crlf(parts[1])


def _message(value: object, media: bytes | None, line: Line) -> tuple[bytes, str | None]:
    """The raw message and the thread asked for."""
    told = value if isinstance(value, dict) else {}
    raw = headers.unpack(told.get("raw")) if media is None else media
    thread = told.get("threadId")
    if thread is not None and not isinstance(thread, str):
        raise invalid("Invalid value at 'message.thread_id' (TYPE_STRING)")
    line.mark(raw)
    return raw, thread or None


def _draft(box: Mailbox, draft: str) -> JSON:
    message = box.draft(draft)
    return {"id": draft, "message": render.brief(message, message.now)}


def drafts_create(box: Mailbox, asked: Asked, line: Line) -> JSON:
    asked.only()
    body, media = _given(asked)
    if media is None and not body.get("message"):
        raise invalid("Missing draft message")
    raw, thread = _message(body.get("message"), media, line)
    draft = writing.create_draft(box, raw, thread)
    line.made = draft
    return _draft(box, draft)


def drafts_update(box: Mailbox, asked: Asked, line: Line) -> JSON:
    asked.only()
    body, media = _given(asked)
    raw, thread = _message(body.get("message"), media, line)
    writing.replace_draft(box, asked.args["id"], raw, thread)
    line.made = asked.args["id"]
    return _draft(box, asked.args["id"])


def drafts_delete(box: Mailbox, asked: Asked, line: Line) -> None:
    asked.only()
    writing.delete_draft(box, asked.args["id"])


def drafts_send(box: Mailbox, asked: Asked, line: Line) -> JSON:
    """With a message in the body the draft is replaced by it first."""
    asked.only()
    body = asked.json()
    draft = body.get("id")
    if not isinstance(draft, str):
        raise invalid("Missing draft id")
    box.draft(draft)
    if (body.get("message") or {}).get("raw"):
        raw, thread = _message(body["message"], None, line)
        writing.sendable(raw)
        writing.replace_draft(box, draft, raw, thread)
    sent = writing.send_draft(box, draft)
    line.made = sent.id
    return render.brief(sent, sent.now)


def messages_send(box: Mailbox, asked: Asked, line: Line) -> JSON:
    asked.only()
    body, media = _given(asked)
    raw, thread = _message(body, media, line)
    sent = writing.send(box, raw, thread)
    line.made = sent.id
    return render.brief(sent, sent.now)


def messages_insert(box: Mailbox, asked: Asked, line: Line) -> JSON:
    asked.only("internalDateSource", "deleted")
    body, media = _given(asked)
    raw, thread = _message(body, media, line)
    at_ms = None
    if asked.text("internalDateSource") == "dateHeader":
        at_ms = writing.date_ms(raw)
    made = writing.insert(box, raw, _labels(body, "labelIds"), thread, at_ms)
    line.made = made.id
    return render.brief(made, made.now)


def _labels(body: JSON, name: str) -> list[str]:
    value = body.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise invalid(f"Invalid value at '{name}' (TYPE_STRING)")
    return value


def _answered(message: Message) -> JSON:
    return render.brief(message, message.now)


def messages_modify(box: Mailbox, asked: Asked, line: Line) -> JSON:
    asked.only()
    message = box.get(asked.args["id"])
    body = asked.json()
    writing.modify(box, message, _labels(body, "addLabelIds"), _labels(body, "removeLabelIds"))
    return _answered(message)


def messages_trash(box: Mailbox, asked: Asked, line: Line) -> JSON:
    asked.only()
    message = box.get(asked.args["id"])
    writing.trash(box, message)
    return _answered(message)


def messages_untrash(box: Mailbox, asked: Asked, line: Line) -> JSON:
    asked.only()
    message = box.get(asked.args["id"])
    writing.untrash(box, message)
    return _answered(message)


def messages_delete(box: Mailbox, asked: Asked, line: Line) -> None:
    asked.only()
    message = box.get(asked.args["id"])
    draft = box.draft_of(message.id)
    box.drop(message)
    if draft is not None:
        box.point(draft, None)
