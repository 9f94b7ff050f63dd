"""Address headers to addresses, as broken as they come.

The structure is found first and display names are decoded after it, so that neither an encoded
comma nor an address written into somebody's name can become an address. Groups, comments, routes,
bare commas in names and quotes that never close are all real; what holds no address gives none.
An address with something invisible inside is kept as one that nothing can be sent to: without it,
it would be somebody else's. Linear in the length of the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from providers.mime.headers import decode_text, encoded_word, raw_text
from providers.mime.invisible import visible, visible_line
from providers.mime.message import Address

ADDRESSES_MAX: Final = 5000
"""The most addresses read from one header; mailing by hand to more is not mail."""
COMMENT_DEPTH: Final = 16
"""How deep comments may nest before their brackets are plain characters."""
NAME_CHARS: Final = 1000
"""The longest display name that is kept."""
WRITTEN_CHARS: Final = 320
"""The longest unusable address that is kept to be shown."""

_PLAIN: Final = re.compile(r"[^\s\"(<,;:=]+")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_SPACE: Final = re.compile(r"\s+")
_ADDRESS: Final = re.compile(
    r'(?P<local>"[^"]+"|[^\s"<>()\[\],;:@]+)@(?P<domain>\[[^\]\s]+\]|[^\s"<>()\[\],;:@\\]+)'
)
# By far the most headers: one address, alone or behind a plain or quoted name.
_SIMPLE: Final = re.compile(
    r"\s*+(?:(?P<bare>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?:(?P<name>[\w .+\'&/-]{1,200})|\"(?P<quoted>[^\"\\<>\r\n\0]{1,200})\"\s?)?"
    r"<(?P<addr>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>)\s*+",
    re.ASCII,
)
_UNSEEN_SPACE: Final = re.compile("[\0\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_OBSOLETE_SPACE: Final = re.compile(r" ?([.@]) ?")


@dataclass(slots=True)
class _Entry:
    """What stands between two commas, as pieces: kind and text."""

    pieces: list[tuple[str, str]] = field(default_factory=list)

    def of(self, *kinds: str) -> str:
        return "".join(text for kind, text in self.pieces if kind in kinds)

    def has(self, kind: str) -> bool:
        return any(piece == kind for piece, _ in self.pieces)


def _quoted(text: str, start: int) -> int:
    """The end of the quoted string that opens at *start*, or -1 when it never closes."""
    position = start + 1
    while position < len(text):
        if text[position] == "\\":
            position += 2
        elif text[position] == '"':
            return position + 1
        else:
            position += 1
    return -1


def _comment(text: str, start: int) -> int:
    """The end of the comment that opens at *start*, or -1 when it never closes."""
    depth = 0
    position = start
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 1
        elif character == "(":
            depth += 1
            if depth > COMMENT_DEPTH:
                return -1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return -1


class _Scanner:
    """Cuts a header into pieces; remembers what never closes, so that no search is repeated."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._hopeless: set[str] = set()

    def _bracketed(self, opening: str, start: int) -> int:
        if opening in self._hopeless:
            return -1
        if opening == '"':
            end = _quoted(self._text, start)
        elif opening == "(":
            end = _comment(self._text, start)
        else:
            end = self._angle(start)
        if end < 0:
            self._hopeless.add(opening)
        return end

    def _angle(self, start: int) -> int:
        close = self._text.find(">", start)
        return close + 1 if close >= 0 else -1

    def pieces(self) -> Iterator[tuple[str, str]]:
        """Pieces as (kind, text): word, quoted, comment, angle, space, or the separator itself."""
        text, position = self._text, 0
        while position < len(text):
            kind, end = self._next(text[position], position)
            yield kind, text[position:end]
            position = end

    def _next(self, character: str, position: int) -> tuple[str, int]:
        kinds = {'"': "quoted", "(": "comment", "<": "angle"}
        if character in kinds:
            end = self._bracketed(character, position)
            return (kinds[character], end) if end > 0 else ("word", position + 1)
        if character in ",;:":
            return character, position + 1
        if character.isspace():
            space = _SPACE.match(self._text, position)
            return "space", space.end() if space else position + 1
        if character == "=":
            encoded = encoded_word(self._text, position)
            return ("encoded", encoded.end) if encoded else ("word", position + 1)
        plain = _PLAIN.match(self._text, position)
        return "word", plain.end() if plain else position + 1


def _entries(text: str) -> Iterator[_Entry]:
    """The entries of an address list, with group names taken off."""
    entry = _Entry()
    for kind, piece in _Scanner(text).pieces():
        if kind in ",;":
            yield entry
            entry = _Entry()
        elif kind == ":" and not entry.has("angle"):
            # "Name:" opens a group; inside an address ("mailto:x@y") it is only a prefix.
            entry = _Entry()
        else:
            entry.pieces.append((kind, piece))
    yield entry


def clean_address(text: str) -> str | None:
    """The one address that *text* (what stood in angle brackets) means, or None.

    Routes (``@a,@b:x@y``), ``mailto:`` and white space around dots are taken off. What is invisible
    at its edges too; where it hides inside, it is written out, so that the address is unusable.
    """
    text = text.strip("<> \t\r\n")
    shown = visible(text)
    if shown not in text:
        return _written_out(text) if "@" in text else None
    text = " ".join(shown.strip("<> \t\r\n").split())
    text = _OBSOLETE_SPACE.sub(r"\1", text)
    if text.lower().startswith("mailto:"):
        text = text[7:].partition("?")[0]
    if text.startswith("@") and ":" in text:
        text = text.rpartition(":")[2]
    found = _ADDRESS.fullmatch(text.strip(" '\t"))
    domain = "" if found is None else found["domain"].rstrip(".")
    return f"{found['local']}@{domain}" if found is not None and domain else None


def _written_out(text: str) -> str:
    """*text* with every odd character as an escape; no such address is usable."""
    return text.replace("<", "").replace(">", "").encode("unicode_escape").decode()[:WRITTEN_CHARS]


def _unquoted(text: str) -> str:
    return _ESCAPED.sub(r"\1", text[1:-1])


def _name(entry: _Entry, prefix: str) -> str:
    """The display name: words and quoted strings, else the comment; decoded last."""
    shown = [
        _unquoted(text) if kind == "quoted" else text
        for kind, text in entry.pieces
        if kind in ("quoted", "encoded", "space") or (kind == "word" and text.strip(">"))
    ]
    name = decode_text((prefix + "".join(shown)).strip())
    if not name:
        name = decode_text(" ".join(text[1:-1] for kind, text in entry.pieces if kind == "comment"))
    return name[:NAME_CHARS].strip()


def _bare(entry: _Entry) -> Address | None:
    """An entry without angle brackets: the address is its one word with an @.

    A quoted string counts only as a local part: what is quoted or encoded otherwise is a name.
    """
    parts: list[str] = []
    following = ""
    for kind, text in reversed(entry.pieces):
        if kind == "space" or (kind == "quoted" and not following.startswith("@")):
            parts.append(" ")
        elif kind in ("word", "quoted"):
            parts.append(text if kind == "word" else text.replace(" ", "\0"))
        following = text if kind != "space" else following
    joined = " ".join("".join(reversed(parts)).split())
    for word in _OBSOLETE_SPACE.sub(r"\1", joined).split(" "):
        address = clean_address(word.replace("\0", " ")) if "@" in word else None
        if address is not None:
            comments = " ".join(text[1:-1] for kind, text in entry.pieces if kind == "comment")
            return Address(addr=address, name=decode_text(comments)[:NAME_CHARS])
    return None


def _of_entry(entry: _Entry, prefix: str) -> Address | None:
    angles = [text for kind, text in entry.pieces if kind == "angle"]
    if not angles:
        return _bare(entry)
    for angle in reversed(angles):
        address = clean_address(angle)
        if address is not None:
            return Address(addr=address, name=_name(entry, prefix))
    return None


def parse_text(text: str) -> tuple[Address, ...]:
    """The addresses of one unfolded header, in their order, encoded words not yet decoded."""
    simple = _SIMPLE.fullmatch(text)
    if simple is not None and "=?" not in text:
        name = simple["name"] or simple["quoted"] or ""
        addr = (simple["bare"] or simple["addr"]).rstrip(".")
        return (Address(addr=visible_line(addr), name=visible_line(name)[:NAME_CHARS]),)
    # White space to Python (and NUL, which stands for a space below), but none between words.
    text = _UNSEEN_SPACE.sub("\x01", text)
    found: list[Address] = []
    prefix = ""
    for entry in _entries(text):
        address = _of_entry(entry, prefix)
        if address is not None:
            found.append(address)
            prefix = ""
            if len(found) == ADDRESSES_MAX:
                break
        elif entry.has("angle"):
            prefix = ""
        else:
            # "Last, First <x@y>" without quotes: the first half belongs to the next entry's name.
            words = entry.of("word", "quoted", "encoded", "space").strip()
            prefix = f"{prefix}{words}, "[-NAME_CHARS:] if words else prefix
    return tuple(found)


def parse_addresses(value: bytes | None, charset: str | None = None) -> tuple[Address, ...]:
    """The addresses of one raw address header (RFC 5322 section 3.4, RFC 6854, and worse).

    *charset* is what raw bytes above 0x7f are read in when they are not UTF-8.
    """
    return () if not value else parse_text(raw_text(value, charset))
