"""The bytes of a draft, and a hash by which a draft is known again.

Written by hand because the library's own generator folds a long Message-ID in References into
encoded words, which breaks the thread at the receiver. What is made here is the same for the same
arguments, so that a retry sends the same bytes; no value can add a header or a line of its own,
and what cannot be written raises instead of being quietly left out.

``content_hash`` answers "is this still what we made?" after a provider has put in a Message-ID and
a Date of its own and changed line ends or encodings: it covers what a person would notice.
Nothing here reads, writes or knows the time; a crash loses nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from email.errors import HeaderParseError
from email.header import decode_header
from email.parser import BytesParser
from email.policy import compat32
from email.quoprimime import body_encode
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING, Final

from providers.mime.marks import MARK_HEADER
from providers.mime.owners import address_key, ascii_domain, usable
from providers.mime.threads import message_ids, wire_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from email.message import Message

    from providers.mime.message import Address, Envelope

LINE_OCTETS: Final = 998
"""Octets that a line has at most, without its end (RFC 5322 2.1.1)."""
FOLD_OCTETS: Final = 76
"""Octets at which a line is folded where it may be (RFC 2047 2)."""

_WORD_OCTETS: Final = 36  # of UTF-8 in one encoded word, so that the first fits behind any name
_BODY_OCTETS: Final = 74  # leaves room to encode an F, and stays below 76 (RFC 2045 6.7)
_DECODED_OCTETS: Final = 8192  # longer header values are compared as they stand
_ATOMS: Final = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?: [\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_UNWRITABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_BODY_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_SPACES: Final = re.compile(r"^ +| {2,}")
_TOKEN: Final = re.compile(r"[!-~]{1,900}", re.ASCII)
_ADDRESS_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[^\s<>,;:"()@]+|[^\s]', re.DOTALL)


class ComposeError(ValueError):
    """A value cannot stand in a mail; the message says which one and why."""


def compose(
    envelope: Envelope,
    body: str,
    *,
    message_id: str,
    mark: str,
    date: datetime,
    rich: bool = False,
) -> bytes:
    """The whole draft with CRLF line ends: headers, mark, and *body* as quoted-printable UTF-8.

    *rich* adds the same text as HTML (RFC 2046 5.1.4): Gmail's composer opens a draft without it as
    plain text and breaks its lines at 70 columns when it is sent. The same arguments give the same
    bytes. No line is over 998 octets, ids in In-Reply-To and References stand as they are. Raises
    ComposeError for an address, id or mark that a header cannot hold and for a *date* without a
    time zone; control characters in names, Subject and body become spaces or vanish.
    """
    if date.tzinfo is None:
        raise ComposeError("the date of a draft needs a time zone: give an aware datetime")
    if not envelope.to:
        raise ComposeError("a draft needs somebody in To")
    lines = [
        *_fold("From", _mailbox(envelope.from_)),
        *_fold("To", _mailboxes(envelope.to)),
        *(_fold("Cc", _mailboxes(envelope.cc)) if envelope.cc else ()),
        *_fold("Subject", _unstructured(envelope.subject)),
        f"Date: {format_datetime(date)}",
        *_fold("Message-ID", [_named("Message-ID", message_id)]),
        *_ids("In-Reply-To", () if envelope.in_reply_to is None else (envelope.in_reply_to,)),
        *_ids("References", envelope.references),
        f"{MARK_HEADER}: {_token(mark)}",
        "MIME-Version: 1.0",
        *(_alternatives(body) if rich else _text_part("plain", body)),
    ]
    return "".join(line + "\r\n" for line in lines).encode()


def _fold(name: str, tokens: Iterable[str]) -> list[str]:
    """The lines of one header field, folded between *tokens* only."""
    lines = [f"{name}:"]
    fresh = True
    for token in tokens:
        octets = len(lines[-1].encode()) + 1 + len(token.encode())
        if octets > (LINE_OCTETS if fresh else FOLD_OCTETS):
            lines.append("")
        lines[-1] += f" {token}"
        fresh = False
    return lines


def _token(value: str) -> str:
    if _TOKEN.fullmatch(value) is None:
        raise ComposeError(f"{value[:80]!r} is no mark: give what mark_of returns")
    return value


def _named(name: str, value: str) -> str:
    if wire_ids(value) != [value]:
        raise ComposeError(f"{value[:80]!r} cannot stand in {name}: give one id in angle brackets")
    return value


def _ids(name: str, ids: Sequence[str]) -> list[str]:
    return _fold(name, [_named(name, each) for each in ids]) if ids else []


def _clean(text: str) -> str:
    """*text* on one line: controls become one space, what has no UTF-8 the replacement sign."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _UNWRITABLE.sub(" ", whole).strip()


def _encoded_words(text: str) -> list[str]:
    """*text* as RFC 2047 words of 75 octets at most, cut between characters."""
    words, chunk = [], b""
    for char in text:
        octets = char.encode()
        if len(chunk) + len(octets) > _WORD_OCTETS:
            words.append(chunk)
            chunk = b""
        chunk += octets
    return [f"=?utf-8?b?{base64.b64encode(word).decode()}?=" for word in (*words, chunk)]


def _unstructured(text: str) -> list[str]:
    """The tokens of a Subject: its words where they are short ASCII, else encoded words."""
    clean = _clean(text)
    words = clean.split(" ")
    plain = clean.isascii() and "=?" not in clean and all(0 < len(word) <= 60 for word in words)
    return words if plain or not clean else _encoded_words(clean)


def _mailbox(address: Address) -> list[str]:
    """The tokens of one mailbox (RFC 5322 3.4)."""
    if not usable(address.addr):
        raise ComposeError(f"{address.addr[:80]!r} is no address that a draft can go to")
    local, _, domain = address.addr.rpartition("@")
    bare = f"{local}@{ascii_domain(domain)}"
    name = _clean(address.name)
    if not name:
        return [bare]
    if not name.isascii() or "=?" in name or len(name) > 60:
        return [*_encoded_words(name), f"<{bare}>"]
    if _ATOMS.fullmatch(name):
        return [name, f"<{bare}>"]
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return [f'"{quoted}"', f"<{bare}>"]


def _mailboxes(addresses: Sequence[Address]) -> list[str]:
    tokens: list[str] = []
    for address in addresses:
        if tokens:
            tokens[-1] += ","
        tokens += _mailbox(address)
    return tokens


def _text_part(subtype: str, text: str) -> list[str]:
    """One part: its header fields, an empty line, its text."""
    return [
        f'Content-Type: text/{subtype}; charset="utf-8"',
        "Content-Transfer-Encoding: quoted-printable",
        "",
        *_encoded_body(text),
    ]


def _alternatives(body: str) -> list[str]:
    """*body* twice, as text and as HTML that shows the same lines."""
    # An equals sign and what follows here never stand so in quoted-printable.
    boundary = f"=_{hashlib.sha256(body.encode('utf-8', 'replace')).hexdigest()[:32]}"
    return [
        f'Content-Type: multipart/alternative; boundary="{boundary}"',
        "",
        f"--{boundary}",
        *_text_part("plain", body),
        f"--{boundary}",
        *_text_part("html", _as_html(body)),
        f"--{boundary}--",
    ]


def _as_html(body: str) -> str:
    """Each line in a block of its own, as a composer writes it; runs of spaces stay."""
    lines = [
        _SPACES.sub(lambda run: "&nbsp;" * len(run[0]), escape(line, quote=False))
        for line in _LINE_END.split(body.rstrip())
    ]
    return "\n".join(f"<div>{line or '<br>'}</div>" for line in lines)


def _encoded_body(body: str) -> list[str]:
    """The lines of *body* in quoted-printable.

    A line that starts with "From " or is a lone dot is encoded, since mbox files and SMTP relays
    are known to change such lines.
    """
    plain = _BODY_CONTROLS.sub("", "\n".join(_LINE_END.split(body)))
    octets = plain.encode("utf-8", "replace")
    text = body_encode(octets.decode("latin-1"), maxlinelen=_BODY_OCTETS)
    lines = text.rstrip("\n").split("\n")
    return [
        "=46" + line[1:] if line.startswith("From ") else "=2E" if line == "." else line
        for line in lines
    ]


def content_hash(raw: bytes) -> str:
    """SHA-256 in hex over what a person would notice of the mail *raw*; any bytes will do.

    Equal for From, To, Cc, Bcc (addresses only), Subject, In-Reply-To, text and attachments that
    are equal, whatever Message-ID, Date, other headers, line ends, header order, encoding words or
    transfer encoding stand around them. Trailing white space is no difference.
    """
    try:
        facts = _facts(BytesParser(policy=compat32).parsebytes(raw))
    except (LookupError, ValueError, RecursionError):
        # nested beyond what the library reads: the bytes themselves are the content
        return hashlib.sha256(b"\n".join(raw.split())).hexdigest()
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _facts(message: Message) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        headers.setdefault(name.lower(), []).append(str(value))
    facts = {name: _addresses(headers.get(name, ())) for name in ("from", "to", "cc", "bcc")}
    facts["subject"] = [_words(value) for value in headers.get("subject", ())[:1]]
    parents = (message_ids(_words(value)) for value in headers.get("in-reply-to", ()))
    facts["in-reply-to"] = [each for ids in parents for each in ids]
    facts["parts"] = [_part(part) for part in message.walk() if not part.is_multipart()]
    return facts


def _addresses(values: Iterable[str]) -> list[str]:
    """The addresses in *values* as a sorted set; names, quotes and comments left out."""
    found = set()
    for value in values:
        parts = _ADDRESS_TOKEN.findall(value)
        at = [place for place, part in enumerate(parts) if part == "@"]
        found |= {address_key("".join(parts[max(place - 1, 0) : place + 2])) for place in at}
    return sorted(found)


def _words(value: str) -> str:
    """A Subject decoded (RFC 2047), with single spaces."""
    text = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if len(text) <= _DECODED_OCTETS:
        try:
            pairs = decode_header("".join(_LINE_END.split(text)))
            text = "".join(
                part if isinstance(part, str) else _decoded(part, charset or "latin-1")
                for part, charset in pairs
            )
        except HeaderParseError:
            pass
    return " ".join(text.split())


def _decoded(octets: bytes, charset: str) -> str:
    try:
        return octets.decode(charset, "replace")
    except (LookupError, ValueError):
        return octets.decode("latin-1")


def _part(part: Message) -> str:
    """One leaf: its text with plain line ends, or the hash of its bytes; and its file name."""
    payload = part.get_payload(decode=True)
    octets = payload if isinstance(payload, bytes) else b""
    name = part.get_filename("")
    if part.get_content_maintype() != "text":
        return f"{name} {hashlib.sha256(octets).hexdigest()}"
    text = _decoded(octets, part.get_content_charset("utf-8"))
    lines = [line.rstrip() for line in text.splitlines()]
    return f"{part.get_content_subtype()} {name} " + "\n".join(lines).rstrip()
