"""Messages, threads and drafts as the API shows them: minimal, metadata, full and raw."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import Message as Parsed
from functools import lru_cache
from typing import Any

from tests.support.gmail import headers
from tests.support.gmail.errors import invalid, not_found
from tests.support.gmail.mailbox import Labels, Message

FORMATS = ("minimal", "full", "raw", "metadata")


def shown(
    message: Message,
    labels: Labels,
    form: str = "full",
    wanted: tuple[str, ...] = (),
    decoded: bool = True,
) -> dict[str, Any]:
    """A Message resource; *wanted* are the fields that ``metadata`` is asked for."""
    if form not in FORMATS:
        raise invalid(f"Invalid value at 'format': {form!r}")
    told: dict[str, Any] = {
        "id": message.id,
        "threadId": message.thread,
        "labelIds": list(labels),
        "snippet": snippet(message.raw),
        "historyId": str(message.history_id),
        "internalDate": str(message.internal_ms),
        "sizeEstimate": len(message.raw),
    }
    if not labels:
        del told["labelIds"]
    if form == "raw":
        told["raw"] = headers.pack(message.raw)
    elif form == "full":
        told["payload"] = _part(message_from_bytes(message.raw), "", message.id, decoded)
    elif form == "metadata":
        told["payload"] = _metadata(message.raw, wanted, decoded)
    return told


def brief(message: Message, labels: Labels | None = None) -> dict[str, Any]:
    """What a write answers: the ids and the labels."""
    told: dict[str, Any] = {"id": message.id, "threadId": message.thread}
    if labels:
        told["labelIds"] = list(labels)
    return told


def _metadata(raw: bytes, wanted: tuple[str, ...], decoded: bool) -> dict[str, Any]:
    names = {one.lower() for one in wanted}
    kept = [
        {"name": name, "value": value}
        for name, value in headers.pairs(raw, decoded)
        if not names or name.lower() in names
    ]
    told: dict[str, Any] = {"mimeType": message_from_bytes(raw).get_content_type()}
    if kept:
        told["headers"] = kept
    return told


def _octets(part: Parsed) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Parsed) -> bytes:
    """Text is given as UTF-8 whatever it was written in."""
    octets = _octets(part)
    try:
        return octets.decode(part.get_content_charset() or "utf-8").encode()
    except (LookupError, UnicodeError):
        return octets


def _field(name: str, value: object) -> bytes:
    return f"{name}: {value}".encode("utf-8", "surrogateescape")


def _part(part: Parsed, number: str, message: str, decoded: bool) -> dict[str, Any]:
    filename = part.get_filename() or ""
    told: dict[str, Any] = {
        "partId": number,
        "mimeType": part.get_content_type(),
        "filename": filename,
        "headers": [
            {"name": name, "value": headers.value_of(_field(name, value), decoded)}
            for name, value in part.raw_items()
        ],
    }
    if part.is_multipart():
        told["body"] = {"size": 0}
        told["parts"] = [
            _part(child, f"{number}.{index}" if number else str(index), message, decoded)
            for index, child in enumerate(part.get_payload())
            if isinstance(child, Parsed)
        ]
    elif filename:
        told["body"] = {"attachmentId": f"ANG-{message}-{number}", "size": len(_octets(part))}
    else:
        octets = _text(part) if part.get_content_maintype() == "text" else _octets(part)
        told["body"] = {"size": len(octets)}
        if octets:
            told["body"]["data"] = headers.pack(octets)
    return told


def attachment(message: Message, wanted: str) -> dict[str, Any]:
    """A MessagePartBody with its data; raises 404."""
    prefix, _, number = wanted.rpartition("-")
    if prefix != f"ANG-{message.id}":
        raise not_found()
    part: object = message_from_bytes(message.raw)
    assert isinstance(part, Parsed)
    for step in filter(None, number.split(".")):
        children = part.get_payload()
        if not isinstance(children, list) or int(step) >= len(children):
            raise not_found()
        part = children[int(step)]
        assert isinstance(part, Parsed)
    octets = _octets(part)
    return {"attachmentId": wanted, "size": len(octets), "data": headers.pack(octets)}


@lru_cache(maxsize=4096)
def words(raw: bytes) -> str:
    """The visible text, in lower case and on one line: what search and snippets read."""
    parts = [part for part in message_from_bytes(raw).walk() if not part.get_filename()]
    plain = [one for one in parts if one.get_content_type() == "text/plain"]
    chosen = plain or [one for one in parts if one.get_content_type() == "text/html"]
    found = [_text(one).decode("utf-8", "replace") for one in chosen]
    if not plain:
        found = [re.sub(r"<[^>]*>", " ", one) for one in found]
    return " ".join(" ".join(found).split())


def snippet(raw: bytes) -> str:
    """The first words."""
    return words(raw)[:200]
