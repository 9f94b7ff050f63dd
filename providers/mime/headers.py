"""The header block of a mail or of a part: found, split and decoded, one header by itself.

A header that cannot be decoded never takes the others with it. Values stay bytes until somebody
asks, because identity and threading need them as they are on the wire.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from providers.mime.charset import codec_for, decode
from providers.mime.invisible import visible_line

BLOCK_BYTES: Final = 1024 * 1024
"""The longest header block that is read; real ones with thousands of recipients stay below."""
HEADERS_MAX: Final = 1000
"""The most headers of one block; a long way of relays makes about a hundred."""
VALUE_BYTES: Final = 256 * 1024
"""The longest value of one header; 2,000 recipients need about 100 KiB."""
LINE_BYTES: Final = 512
"""How far into the lines of an unset header block a known header's name is looked for."""

_FIELD: Final = re.compile(rb"([!-9;-~]{1,256})[ \t]*:([^\n]*+(?:\n[ \t][^\n]*+)*+)(?:\n|\Z)")
_DASH: Final = ord("-")
_KNOWN: Final = re.compile(
    rb"(?:from|to|cc|date|subject|sender|reply-to|message-id|mime-version|content-[a-z-]+|received"
    rb"|return-path|references|in-reply-to|dkim-signature|list-[a-z-]+|x-[a-z0-9-]+)[ \t]*:",
    re.IGNORECASE,
)
_WORD_START: Final = re.compile(r"=\?([^?\s=]{0,64})\?([bBqQ])\?")
_WORD_CHARS: Final = 4096
"""The longest encoded word that is read; RFC 2047 allows 75, senders write one for a whole line."""
_Q_BYTE: Final = re.compile(rb"=([0-9A-Fa-f]{2})")
_NOT_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/]")
_FOLD: Final = re.compile(rb"\r{0,4}\n[ \t]*")


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of one block: lower-case names and raw, still folded values in their order.

    ``end`` is where the body begins in the bytes that were split, ``note`` says what was wrong.
    """

    fields: Mapping[str, Sequence[bytes]]
    end: int
    note: str | None = None

    def all(self, name: str) -> Sequence[bytes]:
        """Every value of *name* (lower case), first one first."""
        return self.fields.get(name, ())

    def first(self, name: str) -> bytes | None:
        """The first value of *name* (lower case), or None."""
        values = self.fields.get(name)
        return values[0] if values else None

    def text(self, name: str, charset: str | None = None) -> str:
        """The first value of *name* decoded as one visible line; "" where there is none."""
        value = self.first(name)
        return "" if value is None else decode_words(value, charset)


def start_of_headers(raw: bytes, start: int = 0) -> int:
    """Where the header block begins: behind a byte order mark, blank lines and an mbox line."""
    position = start + 3 if raw.startswith(b"\xef\xbb\xbf", start) else start
    while raw[position : position + 1] in (b"\r", b"\n"):
        position += 1
    while raw.startswith((b"From ", b">From "), position):
        line_end = raw.find(b"\n", position, position + BLOCK_BYTES)
        if line_end < 0:
            return position
        position = line_end + 1
    return position


def _goes_on(raw: bytes, start: int, stop: int) -> bool:
    """Whether a known header follows the line at *start*, which is none itself."""
    if raw.startswith(b"--", start):
        return False
    end = raw.find(b"\n", start, min(stop, start + 4 * LINE_BYTES))
    return end >= 0 and _KNOWN.match(raw, end + 1, min(stop, end + 1 + LINE_BYTES)) is not None


def split_headers(
    raw: bytes, start: int, stop: int, fences: Container[bytes] = frozenset()
) -> Headers:
    """Split the header block that begins at *start*, reading no further than *stop*.

    *fences* are boundaries of open multiparts: a line that is one of them ends the block, though it
    may look like a header. A line that is no header ends the block too, unless a known header
    follows it: then it was a folded line that lost its indent, or rubbish on top.
    """
    limit = min(stop, start + BLOCK_BYTES)
    fields: list[tuple[str, bytes]] = []
    position = start
    while position < limit:
        field = _FIELD.match(raw, position, limit)
        if field is not None and not (raw[position] == _DASH and _fenced(raw, position, fences)):
            if len(fields) == HEADERS_MAX:
                return _made(fields, _blank_line(raw, position, stop), "too many headers")
            fields.append((_name(field[1]), field[2]))
            position = field.end()
            continue
        end = raw.find(b"\n", position, limit)
        end = limit if end < 0 else end + 1
        if not raw[position:end].strip(b"\r\n"):
            return _made(fields, end)
        if not _goes_on(raw, position, limit):
            return _made(fields, position, "no blank line after the headers")
        if fields:
            name, value = fields.pop()
            fields.append((name, value + b" " + raw[position:end]))
        position = end
    if limit < stop:
        return _made(fields, _blank_line(raw, limit, stop), "header block cut")
    return _made(fields, limit)


@lru_cache(maxsize=1024)
def _name(raw: bytes) -> str:
    return raw.decode("ascii").lower()


def _fenced(raw: bytes, position: int, fences: Container[bytes]) -> bool:
    """Whether the line at *position* is a boundary of an open multipart."""
    if not raw.startswith(b"--", position):
        return False
    end = raw.find(b"\n", position, position + LINE_BYTES)
    line = raw[position + 2 : end if end >= 0 else position + LINE_BYTES].rstrip()
    return _is_fence(line, fences)


def _is_fence(name: bytes, fences: Container[bytes]) -> bool:
    return name in fences or (name.endswith(b"--") and name[:-2] in fences)


def _blank_line(raw: bytes, start: int, stop: int) -> int:
    """The end of the first blank line after *start*, for a block that is not read to its end."""
    while start < stop:
        window = min(stop, start + BLOCK_BYTES)
        for blank in (b"\n\n", b"\n\r\n"):
            found = raw.find(blank, start, window)
            if found >= 0:
                return found + len(blank)
        start = window
    return stop


def _made(fields: Sequence[tuple[str, bytes]], end: int, note: str | None = None) -> Headers:
    found: dict[str, list[bytes]] = {}
    for name, value in fields:
        found.setdefault(name, []).append(value[:VALUE_BYTES].strip())
    return Headers(found, end, note)


def unfold(value: bytes) -> bytes:
    """*value* as one line: each fold is one space (RFC 5322 section 2.2.3)."""
    return _FOLD.sub(b" ", value) if b"\n" in value else value


def raw_text(value: bytes, charset: str | None = None) -> str:
    """*value* unfolded as text, encoded words not yet decoded.

    Bytes above 0x7f are read as UTF-8, else in *charset* (that of the body), else by detection.
    """
    value = unfold(value)
    if value.isascii() and b"\x1b" not in value:
        return value.decode("ascii")
    try:
        return value.decode("utf-8") if b"\x1b" not in value else decode(value, None).text
    except UnicodeDecodeError:
        return decode(value, charset).text


class EncodedWord(NamedTuple):
    """One encoded word: its character set, ``b`` or ``q``, its text, and where it stands."""

    charset: str
    way: str
    text: str
    start: int
    end: int


def encoded_word(text: str, start: int) -> EncodedWord | None:
    """The encoded word that begins at *start*; one that breaks off reaches to the end of *text*."""
    opening = _WORD_START.match(text, start)
    if opening is None:
        return None
    close = text.find("?=", opening.end(), opening.end() + _WORD_CHARS)
    end = close + 2
    if close < 0:
        close = end = len(text)
        if end - opening.end() > _WORD_CHARS:
            return None
    body = text[opening.end() : close]
    return EncodedWord(opening[1].lower(), opening[2].lower(), body, start, end)


def _encoded_words(text: str) -> Iterator[EncodedWord]:
    position = text.find("=?")
    while position >= 0:
        word = encoded_word(text, position)
        if word is not None:
            yield word
        position = text.find("=?", word.end if word else position + 2)


def _word_bytes(way: str, text: str) -> bytes:
    """The bytes behind one encoded word's text; what is no code stays as it is."""
    raw = text.encode("utf-8", "replace")
    if way == "q":
        return _Q_BYTE.sub(lambda found: bytes((int(found[1], 16),)), raw.replace(b"_", b" "))
    return unbase64(raw)


def unbase64(raw: bytes) -> bytes:
    """Base64 as far as it goes: strange characters skipped, padding not needed."""
    out = bytearray()
    for piece in raw.split(b"="):
        clean = _NOT_BASE64.sub(b"", piece)
        clean = clean[: len(clean) - 1] if len(clean) % 4 == 1 else clean
        out += binascii.a2b_base64(clean + b"=" * (-len(clean) % 4))
    return bytes(out)


def _join(words: Sequence[EncodedWord]) -> str:
    """Neighbouring encoded words of one character set: each by itself, else all bytes together.

    Senders cut words in the middle of a character, which RFC 2047 forbids.
    """
    charset = words[0].charset.partition("*")[0]
    codec = codec_for(charset)
    chunks = [_word_bytes(word.way, word.text) for word in words]
    if len(words) > 1 and codec is not None:
        try:
            return "".join(chunk.decode(codec) for chunk in chunks)
        except (UnicodeError, LookupError):
            pass
        if all(word.way == "b" and "=" not in word.text for word in words[:-1]):
            chunks = [_word_bytes("b", "".join(word.text for word in words))]
    elif len(words) > 1:
        return "".join(decode(chunk, charset).text for chunk in chunks)
    return decode(b"".join(chunks), charset).text


def decode_text(text: str) -> str:
    """*text* with its encoded words decoded (RFC 2047, and what is sent instead); one line."""
    if "=?" not in text:
        return visible_line(text)
    out: list[str] = []
    pending: list[EncodedWord] = []
    position = 0
    for word in _encoded_words(text):
        between = text[position : word.start]
        apart = not pending or bool(between.strip())  # white space between two words is not text
        if pending and (apart or pending[0].charset != word.charset):
            out.append(_join(pending))
            pending = []
        if apart:
            out.append(between)
        pending.append(word)
        position = word.end
    if pending:
        out.append(_join(pending))
    out.append(text[position:])
    return visible_line("".join(out))


def decode_words(value: bytes, charset: str | None = None) -> str:
    """A raw header *value* as one visible line of text."""
    return decode_text(raw_text(value, charset))
