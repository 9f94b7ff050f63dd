"""What the API does to a mailbox: create, update, delete and send drafts, send, insert, trash.

Here stands what Gmail does to a message that it is given: another Message-ID, another message id,
X- fields kept or dropped, and the thread that it ends up in. Each function either does its whole
effect or raises RefusedError before any.
"""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from tests.support.gmail import headers
from tests.support.gmail.errors import RefusedError, invalid, not_found
from tests.support.gmail.mailbox import SYSTEM_LABELS, Mailbox, Message
from tests.support.gmail.settings import Custom, Header


def thread_for(box: Mailbox, raw: bytes, asked: str | None) -> str | None:
    """The thread that *raw* joins, None for one of its own; raises 404 for an unknown *asked*."""
    if asked is None:
        return None
    there = [message for message, _ in box.at(box.now_s(), box.threads.get(asked, []))]
    if not there:
        raise not_found()
    if box.settings.threading == "thread_id":
        return asked
    named = set(headers.parents(raw))
    known = {headers.first(one.raw, "Message-ID") for one in there}
    subjects = {headers.plain_subject(one.raw) for one in there}
    return asked if named & known and headers.plain_subject(raw) in subjects else None


def checked(box: Mailbox, raw: bytes) -> bytes:
    """Refuse what is too large."""
    if len(raw) > box.settings.max_raw:
        code = box.settings.too_large
        reason = "uploadTooLarge" if code == 413 else "invalidArgument"
        raise RefusedError(code, reason, "The message is larger than the limit.")
    return raw


def composed(box: Mailbox, raw: bytes, message_id: Header, custom: Custom) -> bytes:
    """The message as Gmail keeps it when it was written through the API or the web page."""
    if custom == "drop":
        raw = headers.without_x(raw)
    if message_id == "replace" or not headers.ids_in(headers.first(raw, "Message-ID")):
        raw = headers.set_field(raw, "Message-ID", box.fresh_message_id())
    sender = headers.addresses(raw, "From")
    if not any(one.address in sender for one in box.send_as):
        chosen = next(one for one in box.send_as if one.default)
        name = f"{chosen.name} <{chosen.address}>" if chosen.name else chosen.address
        raw = headers.set_field(raw, "From", name)
    if not headers.first(raw, "Date"):
        when = datetime.fromtimestamp(box.now_s(), UTC)
        raw = headers.set_field(raw, "Date", format_datetime(when))
    if not headers.first(raw, "MIME-Version"):
        raw = headers.set_field(raw, "MIME-Version", "1.0")
    return raw


def create_draft(box: Mailbox, raw: bytes, thread: str | None) -> str:
    """A new draft; its id."""
    to = thread_for(box, checked(box, raw), thread)
    rules = box.settings
    kept = composed(box, raw, rules.message_id_on_create, rules.x_headers_on_create)
    draft = box.fresh_draft_id()
    box.point(draft, box.add(kept, ["DRAFT"], to))
    return draft


def replace_draft(box: Mailbox, draft: str, raw: bytes, thread: str | None) -> None:
    """drafts.update: everything is replaced, and without a thread the draft leaves its own."""
    old = box.draft(draft)
    to = thread_for(box, checked(box, raw), thread)
    rules = box.settings
    kept = composed(box, raw, rules.message_id_on_update, rules.x_headers_on_create)
    box.drop(old)
    box.point(draft, box.add(kept, ["DRAFT"], to))


def delete_draft(box: Mailbox, draft: str) -> None:
    """Away for good, not into the trash."""
    old = box.draft(draft)
    box.drop(old)
    box.point(draft, None)


def send_draft(box: Mailbox, draft: str, *, by_user: bool = False) -> Message:
    """The draft goes, and a sent message with an id of its own comes into the same thread."""
    old = box.draft(draft)
    rules = box.settings
    raw = sendable(old.raw)
    custom = rules.x_headers_on_user_send if by_user else rules.x_headers_on_send
    kept = composed(box, raw, rules.message_id_on_send, custom)
    if by_user and rules.wrap_on_user_send:
        kept = wrapped(kept)
    box.drop(old)
    box.point(draft, None)
    return _filed(box, kept, old.thread)


def wrapped(raw: bytes) -> bytes:
    """A plain text of one part as the web page's composer sends it: lines of 70 at most."""
    fields, body = headers.split(raw)
    kind = headers.first(raw, "Content-Type").lower() or "text/plain"
    if not kind.startswith("text/plain"):
        return raw
    if headers.first(raw, "Content-Transfer-Encoding").lower() in {"base64", "quoted-printable"}:
        return raw
    lines = body.decode("utf-8", "surrogateescape").split("\r\n")
    broken = [part for line in lines for part in (textwrap.wrap(line, 70) or [line])]
    return headers.joined(fields, "\r\n".join(broken).encode("utf-8", "surrogateescape"))


def send(box: Mailbox, raw: bytes, thread: str | None) -> Message:
    """messages.send."""
    to = thread_for(box, checked(box, sendable(raw)), thread)
    rules = box.settings
    return _filed(box, composed(box, raw, rules.message_id_on_send, rules.x_headers_on_send), to)


def sendable(raw: bytes) -> bytes:
    """Refuse a message that nobody would get."""
    if not headers.addresses(raw, "To", "Cc", "Bcc"):
        if headers.first(raw, "To"):
            raise invalid("Invalid To header")
        raise invalid("Recipient address required")
    return raw


def _filed(box: Mailbox, raw: bytes, thread: str | None) -> Message:
    labels = ["SENT"]
    if box.address in headers.addresses(raw, "To", "Cc", "Bcc"):
        labels += ["INBOX", "UNREAD"]
    return box.add(raw, labels, thread)


def insert(
    box: Mailbox, raw: bytes, labels: list[str], thread: str | None, internal_ms: int | None
) -> Message:
    """messages.insert: the Message-ID is kept; it makes neither drafts nor sent mail."""
    if {"DRAFT", "SENT"} & set(labels):
        raise invalid("Invalid label: SENT and DRAFT cannot be set")
    _known(box, labels)
    to = thread_for(box, checked(box, raw), thread)
    if thread is None:
        to = parent_thread(box, raw)
    return box.add(raw, labels, to, internal_ms)


def date_ms(raw: bytes) -> int | None:
    """The Date of the message, in milliseconds."""
    try:
        return round(parsedate_to_datetime(headers.first(raw, "Date")).timestamp() * 1000)
    except (TypeError, ValueError):
        return None


def parent_thread(box: Mailbox, raw: bytes) -> str | None:
    """Where a message that arrives belongs by what it refers to and its subject."""
    for parent in box.by_message_id(headers.parents(raw)):
        if headers.plain_subject(parent.raw) == headers.plain_subject(raw):
            return parent.thread
    return None


def _known(box: Mailbox, labels: list[str]) -> None:
    for label in labels:
        if label not in SYSTEM_LABELS and label not in box.labels:
            raise invalid(f"Invalid label: {label}")


def modify(box: Mailbox, message: Message, add: list[str], remove: list[str]) -> None:
    """messages.modify: DRAFT and SENT are nobody's to set, and a draft takes no label."""
    if {"DRAFT", "SENT"} & set(add + remove):
        raise invalid("Invalid label: SENT and DRAFT cannot be set")
    _known(box, add + remove)
    if "DRAFT" in message.now and add:
        raise invalid("Invalid label: a draft cannot be labelled")
    box.relabel(message, add, remove)


def trash(box: Mailbox, message: Message) -> None:
    """messages.trash; what it does to a draft is contested and set."""
    draft = box.draft_of(message.id)
    rule = box.settings.trash_draft
    if draft is not None and rule == "refused":
        raise RefusedError(400, "failedPrecondition", "Precondition check failed.",
                           status="FAILED_PRECONDITION")  # fmt: skip
    if draft is not None and rule == "leaves":
        box.relabel(message, ["TRASH"], ["DRAFT", "INBOX"])
        box.point(draft, None)
    else:
        box.relabel(message, ["TRASH"], ["INBOX"])


def untrash(box: Mailbox, message: Message) -> None:
    """Out of the trash; a draft that left Drafts does not become one again."""
    box.relabel(message, [], ["TRASH"])
