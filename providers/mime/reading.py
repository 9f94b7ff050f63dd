"""Bytes of a mail to what it says: the one way in for everything that comes from outside.

Mail is written by strangers and by broken programs, and one that cannot be read must not stop a
mailbox. So nothing here raises: each header is decoded by itself, each part by its own ladder, each
limit leaves a note, and the last line of defence turns a fault of our own into an ``unreadable``
mail that is quarantined and kept. Only MemoryError may escape.

Pure: no I/O, no clock. Run ``read_mail`` in a worker thread; no step of it holds the interpreter
for long, whatever the size of the mail.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from providers.mime.addresses import clean_address, parse_addresses
from providers.mime.automated import automated_reason
from providers.mime.bodies import read_body
from providers.mime.headers import Headers, raw_text, split_headers, start_of_headers, unfold
from providers.mime.language import language_of
from providers.mime.marks import MARK_HEADER
from providers.mime.message import Address, Heads, Mail
from providers.mime.newtext import new_text
from providers.mime.params import media_type
from providers.mime.scan import WINDOW_BYTES, Part, scan
from providers.mime.threads import parent_ids
from storage.words import Identity

IDENTITY_BYTES: Final = 64 * 1024
"""How much of a header block makes the identity: the least that a caller of read_heads has."""
SUBJECT_CHARS: Final = 2000
"""The longest subject that is kept; no mail program shows a tenth of it."""
RELAYS_MAX: Final = 50
"""How many Received headers are looked at for whom a mail was meant."""
IDS_MAX: Final = 1000
"""The most ids of one References header that are kept; the longest threads have some hundreds."""
ID_CHARS: Final = 998
"""The longest line of a mail (RFC 5322 section 2.1.1), and so the longest id that is kept."""

_BRACKETED: Final = re.compile(rb"<[^<>]+>")
_FOR: Final = re.compile(rb"\sfor\s+<([^<>\s]{3,320})>")
_FOLD: Final = re.compile(rb"\r{0,4}\n[ \t]*")


def _line_ends(raw: bytes) -> bytes:
    """Mail with bare carriage returns as line ends, read as if they were line feeds."""
    near = raw[:IDENTITY_BYTES]
    if b"\n" in near or b"\r" not in near:
        return raw
    windows = range(0, len(raw), WINDOW_BYTES)
    return b"".join(raw[at : at + WINDOW_BYTES].replace(b"\r", b"\n") for at in windows)


def _identity(raw: bytes, headers: Headers, start: int) -> Identity:
    """sha256 over the Message-ID and the raw header block, the same for CRLF and LF.

    At most IDENTITY_BYTES of the block count, so that the block alone gives the same identity.
    """
    block = raw[start : min(headers.end, IDENTITY_BYTES)].replace(b"\r\n", b"\n").strip(b"\r\n")
    message_id = (headers.first("message-id") or b"") if headers.end < IDENTITY_BYTES else b""
    digest = hashlib.sha256(_FOLD.sub(b" ", message_id))
    digest.update(b"\0")
    digest.update(block)
    return Identity(digest.hexdigest())


def identity_with_body(raw: bytes) -> Identity:
    """The identity of a whole mail that has no Message-ID: its body tells it from its namesakes.

    The same for CRLF and LF. Never raises but MemoryError.
    """
    try:
        raw, start, headers = _split(raw)
        identity, body = _identity(raw, headers, start), raw[headers.end :]
    except Exception:  # noqa: BLE001 - a stranger's bytes must never stop a mailbox
        identity, body = read_heads(raw).identity, raw
    text = body.replace(b"\r\n", b"\n").strip(b"\r\n")
    return Identity(hashlib.sha256(identity.encode() + b"\0" + text).hexdigest())


def _id_text(value: bytes) -> str:
    text = raw_text(_FOLD.sub(b"", value).strip())
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")[:ID_CHARS]


def _message_id(headers: Headers) -> str | None:
    """The Message-ID: what stands in its one pair of brackets, else the whole value."""
    value = headers.first("message-id")
    if not value:
        return None
    found = _BRACKETED.findall(value)
    text = _id_text(found[0] if len(found) == 1 else unfold(value))
    return text if text.strip("<> ") else None


def _ids(values: Sequence[bytes]) -> tuple[str, ...]:
    """The ids of References or In-Reply-To in their order; bare words where none has brackets."""
    found: list[bytes] = []
    for value in values:
        bracketed = _BRACKETED.findall(value)
        found += bracketed or [word for word in unfold(value).split() if b"@" in word[1:-1]]
    if len(found) > IDS_MAX:
        found = found[:20] + found[-(IDS_MAX - 20) :]
    return tuple(text for value in found if (text := _id_text(value)))


def _parents(headers: Headers) -> tuple[str, ...]:
    """The ids of In-Reply-To without the prose and the addresses that some programs put there."""
    values = (raw_text(_FOLD.sub(b"", value)) for value in headers.all("in-reply-to"))
    return _ids([" ".join(parent_ids(value)).encode("utf-8", "replace") for value in values])


def _bare(headers: Headers, name: str) -> str | None:
    """A header that is kept as it is, as one line without control characters; None if absent."""
    value = headers.first(name)
    text = "" if value is None else "".join(filter(str.isprintable, raw_text(value))).strip()
    return text or None


def _thread_index(headers: Headers) -> str | None:
    value = headers.first("thread-index")
    return _id_text(b"".join(value.split())) or None if value else None


def _date(headers: Headers) -> datetime | None:
    """The Date in UTC; None where there is none or no calendar holds it."""
    value = headers.first("date")
    if not value:
        return None
    try:
        found = parsedate_to_datetime(raw_text(value)[:200])
        # Without a zone ("-0000") it is meant in UTC (RFC 5322 section 3.3).
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def read_date(raw: bytes) -> datetime | None:
    """The Date of a mail in UTC, from its header block; None where there is none that makes sense.

    Never raises but MemoryError.
    """
    try:
        return _date(_split(raw)[2])
    except Exception:  # noqa: BLE001 - a stranger's bytes must never stop a mailbox
        return None


def _split(raw: bytes) -> tuple[bytes, int, Headers]:
    raw = _line_ends(raw)
    start = start_of_headers(raw)
    return raw, start, split_headers(raw, start, len(raw))


def _heads(raw: bytes) -> Heads:
    raw, start, headers = _split(raw)
    senders = _addresses(headers, "from", None)
    charset = media_type(headers.first("content-type")).params.get("charset")
    return Heads(
        identity=_identity(raw, headers, start),
        message_id=_message_id(headers),
        in_reply_to=_parents(headers),
        references=_ids(headers.all("references")),
        thread_index=_thread_index(headers),
        mark=_bare(headers, MARK_HEADER.lower()),
        subject=headers.text("subject", charset)[:SUBJECT_CHARS],
        sender=senders[0].addr if senders else "",
    )


def read_heads(raw: bytes) -> Heads:
    """What threading needs of a mail, from its header block; *raw* may be cut anywhere behind that.

    Never raises but MemoryError. The identity is the one that ``read_mail`` gives for the whole
    mail, as long as *raw* holds the header block or its first IDENTITY_BYTES.
    """
    try:
        return _heads(raw)
    except Exception:  # noqa: BLE001 - a stranger's bytes must never stop a mailbox
        return Heads(identity=Identity(hashlib.sha256(raw[:IDENTITY_BYTES]).hexdigest()))


def _charset_below(root: Part) -> str | None:
    """The character set of the first text part: what raw bytes in the headers are read in."""
    for part in root.walk():
        charset = part.kind.params.get("charset")
        if charset:
            return charset
    return None


def _delivered_to(headers: Headers) -> tuple[str, ...]:
    """The addresses that the mail was delivered to, as relays wrote them down."""
    found = [
        address.addr
        for name in ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to")
        for address in _all_addresses(headers, name, None)
    ]
    # What a relay was asked to deliver to, where nobody wrote a header for it (RFC 5321 4.4).
    received = b"\n".join(headers.all("received")[:RELAYS_MAX])
    found += [
        address
        for raw in dict.fromkeys(_FOR.findall(received))
        if (address := clean_address(raw_text(raw)))
    ]
    return tuple(dict.fromkeys(found))


def _no_mail(raw: bytes) -> str:
    if not raw.strip():
        return "empty: there is nothing in it"
    return 'no mail: it does not begin with a header block (lines like "From: somebody")'


def _all_addresses(headers: Headers, name: str, charset: str | None) -> tuple[Address, ...]:
    values = headers.all(name)
    return tuple(address for value in values for address in parse_addresses(value, charset))


def _addresses(headers: Headers, name: str, charset: str | None) -> tuple[Address, ...]:
    """The addresses of a header that may stand only once: the first one that holds any counts.

    A second From is not another author but an attempt to show one and be judged by the other.
    """
    for value in headers.all(name):
        found = parse_addresses(value, charset)
        if found:
            return found
    return ()


def _read(raw: bytes, parents: Sequence[str]) -> Mail:
    raw, start, headers = _split(raw)
    identity = _identity(raw, headers, start)
    if not headers.fields:
        return Mail(identity=identity, unreadable=_no_mail(raw))
    root, notes = scan(raw, headers, len(raw))
    charset = root.kind.params.get("charset") or _charset_below(root)
    body = read_body(raw, root, [*notes, *([headers.note] if headers.note else [])], charset)
    text = "\n\n".join(body.texts)
    subject = headers.text("subject", charset)[:SUBJECT_CHARS]
    said = new_text(text, html=body.html, subject=subject, parents=parents).text if text else ""
    from_ = _addresses(headers, "from", charset)
    senders = _addresses(headers, "sender", charset)
    return Mail(
        identity=identity,
        message_id=_message_id(headers),
        in_reply_to=_parents(headers),
        references=_ids(headers.all("references")),
        thread_index=_thread_index(headers),
        from_=from_,
        original_from=_addresses(headers, "x-original-from", charset),
        sender=senders[0] if senders else None,
        reply_to=_addresses(headers, "reply-to", charset),
        to=_all_addresses(headers, "to", charset),
        cc=_all_addresses(headers, "cc", charset),
        bcc=_all_addresses(headers, "bcc", charset),
        mail_followup_to=_all_addresses(headers, "mail-followup-to", charset),
        delivered_to=_delivered_to(headers),
        list_id=_bare(headers, "list-id"),
        list_post=_bare(headers, "list-post"),
        date=_date(headers),
        subject=subject,
        text=text,
        new_text=said,
        language=language_of(said or text) if text else None,
        automated=automated_reason(headers, root, from_, subject, text),
        attachments=tuple(body.attachments),
        body_unreadable=body.unreadable,
        mark=_bare(headers, MARK_HEADER.lower()),
        notes=tuple(body.notes),
    )


def read_mail(raw: bytes, *, parents: Sequence[str] = ()) -> Mail:
    """The mail in *raw* as a person would read it.

    *parents* are whole texts of earlier mails of the thread, the nearest last; they help to tell
    quoted lines from own ones. Never raises but MemoryError: what is no mail comes back with
    ``unreadable`` set, what has a body that only a key opens with ``body_unreadable``.
    """
    try:
        return _read(raw, parents)
    except Exception as error:  # noqa: BLE001 - a stranger's bytes must never stop a mailbox
        heads = read_heads(raw)
        return Mail(
            identity=heads.identity,
            message_id=heads.message_id,
            in_reply_to=heads.in_reply_to,
            references=heads.references,
            thread_index=heads.thread_index,
            subject=heads.subject,
            mark=heads.mark,
            unreadable=f"reading failed ({type(error).__name__}); please report this mail",
        )
