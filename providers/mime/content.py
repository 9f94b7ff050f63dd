"""The bytes inside a part: transfer encodings undone, also where they are broken.

An encoding that nobody knows is none. Base64 that breaks off, lacks its padding or is followed by
a footer in clear is read as far as it goes; a label that is plainly wrong is not believed. Sizes
of attachments are counted in windows and never decoded whole.
"""

from __future__ import annotations

import binascii
import re
from typing import Final

from providers.mime.headers import unbase64
from providers.mime.scan import WINDOW_BYTES, Part

TEXT_BYTES: Final = 2 * 1024 * 1024
"""How much of one text part is decoded; nobody reads more and no model is given more."""

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_WHITE: Final = b" \t\r\n"
_BASE64_LINE: Final = re.compile(rb"[A-Za-z0-9+/]+={0,2}\s*\Z")
_UU_BEGIN: Final = re.compile(rb"(?:\A|\n)begin [0-7]{3,4} ([^\r\n]{1,255})\r?\n")


def encoding_of(part: Part) -> str:
    """The transfer encoding of *part*: base64, quoted-printable, uuencode, or "" for none."""
    value = part.headers.first("content-transfer-encoding") or b""
    label = value.decode("ascii", "replace").partition(";")[0].partition("(")[0]
    label = label.strip(" \t\r\n\"'").lower()
    if label in ("base64", "quoted-printable"):
        return label
    return "uuencode" if label in ("x-uuencode", "uuencode", "x-uue", "uue") else ""


def decode_base64(raw: bytes) -> bytes:
    """Base64 text as far as it goes, and in clear what follows it in clear.

    A list server that appends its footer, or a sender that forgot to encode, loses nothing that can
    be read. A line is in clear when it holds what base64 does not and either has white space in it
    or comes behind the padding.
    """
    lines = raw.split(b"\n")
    clear = len(lines)
    padded = False
    for index, line in enumerate(lines):
        bare = line.strip()
        if not bare:
            continue
        if _BASE64_LINE.match(bare) is None and (padded or b" " in bare):
            clear = index
            break
        padded = bare.endswith(b"=")
    while 0 < clear < len(lines) and not lines[clear - 1].strip():
        clear -= 1
    coded, rest = b"".join(lines[:clear]), b"\n".join(lines[clear:])
    decoded = unbase64(coded)
    if not rest.strip():
        return decoded
    return decoded + b"\n" + rest if decoded else rest


def decode_uu(raw: bytes) -> bytes:
    """A uuencoded body; lines that are none are skipped."""
    begin = _UU_BEGIN.search(raw)
    out = bytearray()
    for line in raw[begin.end() if begin else 0 :].split(b"\n"):
        bare = line.rstrip(b"\r")
        if bare == b"end":
            break
        try:
            out += binascii.a2b_uu(bare)
        except binascii.Error:
            count = ((bare[0] - 32) & 63) * 4 // 3 + 1 if bare else 0
            try:
                out += binascii.a2b_uu(bare[: count + 1])
            except (binascii.Error, IndexError):
                continue
    return bytes(out)


def decode_bytes(raw: bytes, encoding: str) -> bytes:
    """*raw* with its transfer *encoding* undone."""
    if encoding == "base64":
        return decode_base64(raw)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(raw)
    if encoding == "uuencode":
        return decode_uu(raw)
    return raw


def body(raw: bytes, part: Part, limit: int = TEXT_BYTES) -> tuple[bytes, bool]:
    """The decoded body of *part*, and whether it was cut at *limit* bytes."""
    cut = part.end - part.start > limit
    return decode_bytes(raw[part.start : min(part.end, part.start + limit)], encoding_of(part)), cut


def size(raw: bytes, part: Part) -> int:
    """The decoded size of an attached *part* in bytes."""
    encoding = encoding_of(part)
    if not encoding:
        return part.end - part.start
    if encoding == "quoted-printable" or part.end - part.start <= WINDOW_BYTES:
        return sum(
            len(decode_bytes(raw[at : min(part.end, at + WINDOW_BYTES)], encoding))
            for at in range(part.start, part.end, WINDOW_BYTES)
        )
    digits = 0
    for at in range(part.start, part.end, WINDOW_BYTES):
        window = raw[at : min(part.end, at + WINDOW_BYTES)]
        if encoding == "base64":
            digits += len(window) - len(window.translate(None, _ALPHABET))
        else:
            digits += len(window.translate(None, _WHITE))
    return digits * 3 // 4


def unwrap_uu(text: bytes) -> tuple[bytes, list[tuple[str, int]]]:
    """Plain text without the files that uuencode put into it, and their names and sizes."""
    files: list[tuple[str, int]] = []
    if b"begin " not in text:
        return text, files
    kept: list[bytes] = []
    position = 0
    while (begin := _UU_BEGIN.search(text, position)) is not None:
        end = text.find(b"\nend", begin.end() - 1)
        if end < 0:
            break
        kept.append(text[position : begin.start()])
        name = begin[1].decode("utf-8", "replace").strip()
        files.append((name, len(decode_uu(text[begin.end() : end]))))
        position = end + len(b"\nend")
    kept.append(text[position:])
    return (b"".join(kept), files) if files else (text, files)
