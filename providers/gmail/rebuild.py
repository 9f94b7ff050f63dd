"""The octets of a mail from the parts in which ``format=full`` shows it.

A whole thread costs one call in that form, and one for each mail as it was sent. So the mail is
written anew from its header fields and bodies, always the same for the same answer: fields in their
order, every body in base64, an attachment whose content is not in the answer as so many zeros.
What reads mails finds the same text, names and addresses; hashes of content are never taken of such
octets.

The API gives text as UTF-8 and leaves the label of the charset as it was; some reports say
otherwise. Text that is UTF-8 and could not be what its label says is labelled anew.
Some parts can't do without their content (signed or enclosed mail, text kept apart); such a mail is
``None`` here and has to be read as it was sent. So is one whose address fields are not plain: the
API gives encoded words decoded, and a name that holds a comma or a bracket then reads as another
address.

Pure. Source: the resource ``users.messages`` of the Gmail API, ``MessagePart``.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Final

from providers.mime.params import media_type

FILLER_OCTETS: Final = 1024 * 1024
"""Zero octets that stand for an attachment at most; a larger one shows with this size."""
DEPTH: Final = 40
"""How deep parts may lie in one another."""
_NEEDED: Final = ("message/", "multipart/", "application/pkcs7", "application/x-pkcs7")
_NAME: Final = re.compile(r"[!-9;-~]+", re.ASCII)
_BREAK: Final = re.compile(r"[\r\n]+[ \t]*|\0")
_CHARSET: Final = re.compile(r"\bcharset(\*\d*)?\*?\s*=\s*(\"[^\"]*\"|[^;\s]*)", re.IGNORECASE)
_WIDE: Final = ("utf-16", "utf-32", "utf16", "utf32", "ucs-2", "ucs-4")
_LONG: Final = 50_000
_ADDRESSES: Final = {"from": 1, "sender": 1, "reply-to": 1, "to": 1_000, "cc": 1_000, "bcc": 1_000}
_MAILBOX: Final = re.compile(
    r'(?:(?:"[^"\\<>@]*"|[^<>@,;:"()\\]*) ?<[^\s<>@,;:"()\\]+@[^\s<>@,;:"()\\]+>'
    r'|[^\s<>@,;:"()\\]+@[^\s<>@,;:"()\\]+)'
)
_C1: Final = re.compile("[\x80-\x9f]")
_LATIN: Final = frozenset({"iso-8859-1", "latin1", "iso8859-1", "l1", "windows-1252", "us-ascii"})
_WRITTEN_ANEW: Final = frozenset({"content-type", "content-transfer-encoding"})


class _KeptApart(Exception):  # noqa: N818 - no error, but the way out of a deep walk
    """A part is needed and not in the answer."""


def rebuild(payload: Mapping[str, object]) -> bytes | None:
    """The mail in *payload*; None where a part that matters is not in it."""
    try:
        if not has_plain_fields(payload):
            return None
        return b"\r\n".join(_part(payload, 0)) + b"\r\n"
    except _KeptApart:
        return None


def head(payload: Mapping[str, object]) -> bytes:
    """The header block alone."""
    fields = (_field(name, value) for name, value in _headers(payload))
    return b"\r\n".join([*fields, b"", b""])


def has_plain_fields(payload: Mapping[str, object]) -> bool:
    """Whether the header fields mean what they say, decoded or not; senders are one each."""
    for name, value in _headers(payload):
        if "\ufffd" in value:
            return False
        most = _ADDRESSES.get(name.lower())
        if most is None or not value.strip():
            continue
        parts = _between_commas(" ".join(value.split())) if len(value) <= _LONG else []
        if not 0 < len(parts) <= most or not all(map(_MAILBOX.fullmatch, parts)):
            return False
    return True


def _between_commas(value: str) -> list[str]:
    """The parts of *value* between commas that stand outside quotation marks."""
    parts, start, quoted = [], 0, False
    for at, char in enumerate(value):
        quoted ^= char == '"'
        if char == "," and not quoted:
            parts.append(value[start:at].strip())
            start = at + 1
    return [*parts, value[start:].strip()]


def octets_of(data: object) -> bytes | None:
    """What base64url (RFC 4648 5, padded or not) stands for; None for anything else."""
    if not isinstance(data, str):
        return None
    try:
        return base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
    except (ValueError, binascii.Error):
        return None


def _part(part: Mapping[str, object], depth: int) -> list[bytes]:
    """The lines of a part: its header fields, an empty line, its body."""
    if depth > DEPTH:
        raise _KeptApart
    fields = _headers(part)
    kind = _text(part, "mimeType").lower()
    children = _list(part, "parts")
    if kind.startswith("multipart/") and children:
        return _several(fields, kind, children, depth)
    if kind.startswith("message/") and children:
        lines = [_field(name, value) for name, value in fields if name.lower() != _CODING]
        return [*lines, b"", *_part(children[0], depth + 1)]
    return _leaf(part, fields, kind)


_CODING: Final = "content-transfer-encoding"


def _several(
    fields: Sequence[tuple[str, str]],
    kind: str,
    children: Sequence[Mapping[str, object]],
    depth: int,
) -> list[bytes]:
    named = next((value for name, value in fields if name.lower() == "content-type"), None)
    boundary = media_type(named.encode()).params.get("boundary") if named is not None else None
    lines = [_field(name, value) for name, value in fields if name.lower() != _CODING]
    if not boundary or not boundary.isascii() or not boundary.isprintable():
        boundary = f"=_parts_{depth}"
        lines = [_field(name, value) for name, value in fields if name.lower() not in _WRITTEN_ANEW]
        lines.append(_field("Content-Type", f'{kind}; boundary="{boundary}"'))
    mark = b"--" + boundary.encode()
    lines.append(b"")
    for child in children:
        lines += [mark, *_part(child, depth + 1)]
    return [*lines, mark + b"--"]


def _leaf(part: Mapping[str, object], fields: Sequence[tuple[str, str]], kind: str) -> list[bytes]:
    body = part.get("body")
    body = body if isinstance(body, Mapping) else {}
    octets = octets_of(body.get("data"))
    if octets is None or kind.startswith("multipart/"):
        octets = _absent(part, body, kind)
    declared = next((value for name, value in fields if name.lower() == "content-type"), "")
    if kind.startswith("text/"):
        declared, octets = _labelled(declared or kind, octets)
    lines = [_field(name, value) for name, value in fields if name.lower() not in _WRITTEN_ANEW]
    if declared:
        lines.append(_field("Content-Type", declared))
    lines.append(_field("Content-Transfer-Encoding", "base64"))
    return [*lines, b"", base64.encodebytes(octets).replace(b"\n", b"\r\n").rstrip(b"\r\n")]


def _absent(part: Mapping[str, object], body: Mapping[object, object], kind: str) -> bytes:
    """What stands for a content that is not in the answer."""
    size = body.get("size")
    octets = size if isinstance(size, int) and size > 0 else 0
    if not octets:
        return b""
    if kind.startswith(_NEEDED) or "tnef" in kind or not _text(part, "filename"):
        raise _KeptApart
    return bytes(min(octets, FILLER_OCTETS))


def _labelled(declared: str, octets: bytes) -> tuple[str, bytes]:
    """Media type and octets so that the charset fits text which the API turned into UTF-8."""
    charset = (media_type(declared.encode()).params.get("charset") or "").lower()
    wide = charset.startswith(_WIDE) and b"\0" not in octets
    if charset in ("utf-8", "utf8") or (octets.isascii() and not wide):
        return declared, octets
    try:
        text = octets.decode()
        if charset in _LATIN and _C1.search(text):
            # Windows' signs under a Latin-1 label: whoever reads mail knows them by that label.
            return declared, text.encode("latin-1")
    except UnicodeError:
        return declared, octets
    bare = _CHARSET.sub("", declared).strip().rstrip("; ")
    return f"{bare}; charset=utf-8", octets


def _headers(part: Mapping[str, object]) -> list[tuple[str, str]]:
    found = []
    for one in _list(part, "headers"):
        name, value = one.get("name"), one.get("value")
        if isinstance(name, str) and isinstance(value, str) and _NAME.fullmatch(name):
            found.append((name, value))
    return found


def _field(name: str, value: str) -> bytes:
    """One header field on one line; a break in the value was folding."""
    return f"{name}: {_BREAK.sub(' ', value)}".encode("utf-8", "surrogatepass")


def _list(part: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    listed = part.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _text(part: Mapping[str, object], name: str) -> str:
    value = part.get(name)
    return value if isinstance(value, str) else ""
