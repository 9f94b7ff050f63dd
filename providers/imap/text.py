"""What may stand in a command, and how: quoted strings, folder names, sets of UIDs, dates.

Everything that reaches a command passes through here, because a value from a mail or a
configuration file that held a line break or a quotation mark could otherwise end the command and
begin another. What cannot be written safely raises; nothing is repaired silently. Pure.

Sources: RFC 3501 sections 4.3 (strings), 5.1.3 (modified UTF-7), 9 (grammar).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

QUOTED_OCTETS: Final = 8192
"""The longest value that is sent as a quoted string; servers end a line at some such length."""
_FORBIDDEN: Final = re.compile(r"[\0\r\n]")
_PLAIN: Final = re.compile(r"[\x20-\x7e]*", re.ASCII)
_SHIFTED: Final = re.compile(r"&([A-Za-z0-9+,]*)-")
_MONTHS: Final = [
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
]
_RANGE: Final = re.compile(rb"(\d{1,10})(?::(\d{1,10}))?")


class UnsafeError(ValueError):
    """A value cannot stand in an IMAP command; the message says why and never shows a secret."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Octets that are sent by their length, after the server has said that it takes them."""

    octets: bytes


def quoted(text: str) -> bytes:
    """*text* as a quoted string. Raises UnsafeError unless it is printable ASCII."""
    if _PLAIN.fullmatch(text) is None or len(text) > QUOTED_OCTETS:
        raise UnsafeError("a value for the mail server is too long or not printable ASCII")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.encode("ascii")


def quotable(text: str) -> bool:
    """Whether *text* can be searched for: servers need not take anything but ASCII there."""
    return _PLAIN.fullmatch(text) is not None and 0 < len(text) <= QUOTED_OCTETS


def string(text: str) -> bytes | Literal:
    """*text* as a quoted string, or as a literal where it is not ASCII.

    Raises UnsafeError for CR, LF and NUL.
    """
    if _FORBIDDEN.search(text):
        raise UnsafeError("a value for the mail server holds a line break or a NUL")
    if quotable(text) or not text:
        return quoted(text)
    return Literal(text.encode())


def folder_name(name: str) -> bytes:
    """A folder's name in modified UTF-7, quoted. Raises UnsafeError for control characters."""
    if not name or any(ord(each) < 32 or ord(each) == 127 for each in name):
        raise UnsafeError("a folder's name is empty or holds control characters")
    try:
        return quoted(_encode(name))
    except UnicodeEncodeError as error:
        raise UnsafeError("a folder's name is no text") from error


def read_folder_name(wire: bytes) -> str:
    """The name that a server gave; what is no modified UTF-7 is taken as it stands."""
    text = wire.decode("utf-8", "replace")
    try:
        return _SHIFTED.sub(_decode, text)
    except (binascii.Error, UnicodeDecodeError):
        return text


def _encode(name: str) -> str:
    out: list[str] = []
    held: list[str] = []

    def flush() -> None:
        if held:
            octets = "".join(held).encode("utf-16-be")
            text = base64.b64encode(octets).decode().rstrip("=").replace("/", ",")
            out.append(f"&{text}-")
            held.clear()

    for each in name:
        if " " <= each <= "~":
            flush()
            out.append("&-" if each == "&" else each)
        else:
            held.append(each)
    flush()
    return "".join(out)


def _decode(shifted: re.Match[str]) -> str:
    packed = shifted[1].replace(",", "/")
    if not packed:
        return "&"
    return base64.b64decode(packed + "=" * (-len(packed) % 4)).decode("utf-16-be")


def uid_set(uids: Iterable[int]) -> bytes:
    """The UIDs as a sequence set, ranges joined. Raises UnsafeError for none and for zero."""
    parts: list[str] = []
    first = last = 0
    for uid in sorted(set(uids)):
        if uid < 1:
            raise UnsafeError("a UID is at least 1")
        if uid != last + 1 or not last:
            if last:
                parts.append(f"{first}:{last}" if first != last else str(first))
            first = uid
        last = uid
    if not last:
        raise UnsafeError("a set of UIDs is never empty")
    parts.append(f"{first}:{last}" if first != last else str(first))
    return ",".join(parts).encode("ascii")


def read_uid_ranges(wire: bytes) -> list[tuple[int, int]]:
    """The ranges of a sequence set, each low to high, unexpanded: a server may name millions."""
    found = []
    for part in wire.split(b","):
        match = _RANGE.fullmatch(part)
        if match is not None:
            low, high = int(match[1]), int(match[2] or match[1])
            found.append((min(low, high), max(low, high)))
    return found


def newest(ranges: Iterable[tuple[int, int]], most: int) -> Iterator[int]:
    """The UIDs of *ranges* from the highest down, *most* of them."""
    for low, high in sorted(ranges, reverse=True):
        for uid in range(high, low - 1, -1):
            if most <= 0:
                return
            most -= 1
            yield uid


def search_date(day: date) -> bytes:
    """A day as SEARCH wants it, whatever the locale: ``02-Mar-2026``."""
    return f"{day.day:02}-{_MONTHS[day.month - 1]}-{day.year:04}".encode("ascii")
