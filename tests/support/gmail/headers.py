"""The head of a raw message as fields that can be read, dropped and replaced octet for octet."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from email.header import decode_header, make_header
from email.utils import getaddresses

from tests.support.gmail.errors import invalid

_IDS = re.compile(r"<[^<>\s]+>")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*={0,2}")
Field = tuple[str, bytes]
"""A name as written, and the whole field with its line ends."""


def unpack(raw: object) -> bytes:
    """The octets of a base64url ``raw`` with CRLF line ends; raises RefusedError."""
    if not isinstance(raw, str) or _BASE64URL.fullmatch(raw) is None:
        raise invalid("Invalid value at 'message.raw' (TYPE_BYTES), not base64url")
    try:
        octets = base64.urlsafe_b64decode(raw.rstrip("=") + "=" * (-len(raw.rstrip("=")) % 4))
    except binascii.Error as error:
        raise invalid("Invalid value at 'message.raw' (TYPE_BYTES), not base64url") from error
    return crlf(octets)


def crlf(octets: bytes) -> bytes:
    """The same lines, each ended by CRLF."""
    return re.sub(rb"\r\n|\r|\n", b"\r\n", octets)


def pack(octets: bytes) -> str:
    """base64url with padding, as the API answers."""
    return base64.urlsafe_b64encode(octets).decode("ascii")


def split(raw: bytes) -> tuple[list[Field], bytes]:
    """The fields of the head, and everything from the blank line on."""
    if raw.startswith(b"\r\n"):
        return [], raw
    head, blank, body = raw.partition(b"\r\n\r\n")
    fields: list[Field] = []
    for line in head.split(b"\r\n"):
        if line[:1] in {b" ", b"\t"} and fields:
            name, octets = fields[-1]
            fields[-1] = (name, octets + line + b"\r\n")
        elif line:
            fields.append((line.partition(b":")[0].decode("latin-1").strip(), line + b"\r\n"))
    return fields, (b"\r\n" + body if blank else b"\r\n")


def joined(fields: Iterable[Field], body: bytes) -> bytes:
    """The message again."""
    return b"".join(octets for _, octets in fields) + body


def value_of(octets: bytes, decoded: bool = True) -> str:
    """What a field says: unfolded, encoded words decoded."""
    text = octets.partition(b":")[2].decode("utf-8", "surrogateescape")
    text = re.sub(r"\r?\n(?=[ \t])", "", text).strip()
    if not decoded:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        return str(make_header(decode_header(text)))
    except (LookupError, ValueError, UnicodeError):
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def pairs(raw: bytes, decoded: bool = True) -> list[tuple[str, str]]:
    """All fields as (name as written, value)."""
    return [(name, value_of(octets, decoded)) for name, octets in split(raw)[0]]


def first(raw: bytes, wanted: str) -> str:
    """The value of the first field of that name, or nothing."""
    for name, octets in split(raw)[0]:
        if name.lower() == wanted.lower():
            return value_of(octets)
    return ""


def set_field(raw: bytes, name: str, value: str) -> bytes:
    """The message with one field *name*, where the first stood or at the end of the head."""
    fields, body = split(raw)
    new: Field = (name, f"{name}: {value}\r\n".encode())
    at = [index for index, (one, _) in enumerate(fields) if one.lower() == name.lower()]
    kept = [one for index, one in enumerate(fields) if index not in at[1:]]
    if at:
        kept[at[0]] = new
    else:
        kept.append(new)
    return joined(kept, body)


def without_x(raw: bytes) -> bytes:
    """The message without its ``X-`` fields."""
    fields, body = split(raw)
    return joined([one for one in fields if not one[0].lower().startswith("x-")], body)


def ids_in(text: str) -> list[str]:
    """The message ids in angle brackets that *text* names."""
    return _IDS.findall(text)


def parents(raw: bytes) -> list[str]:
    """What In-Reply-To and References name."""
    return ids_in(first(raw, "References") + " " + first(raw, "In-Reply-To"))


def addresses(raw: bytes, *names: str) -> list[str]:
    """The bare addresses, in lower case, of those fields."""
    found = getaddresses([value for value in (first(raw, name) for name in names) if value])
    return [address.lower() for _, address in found if "@" in address]


def plain_subject(raw: bytes) -> str:
    """The subject without its Re:, in one case."""
    text = first(raw, "Subject")
    return re.sub(r"^(?:\s*(?:re|fwd?|aw|tr)\s*:)+", "", text, flags=re.IGNORECASE).strip().lower()
