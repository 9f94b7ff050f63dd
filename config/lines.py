"""On which line each key of a TOML text stands.

The standard parser gives values without places, and a fault without a line is hard to find in a
long file. So this module reads the text a second time, only for places. It expects text that
``tomllib`` has accepted, knows nothing of meaning, and never raises: where it is lost it returns
what it has found so far.

Places: a key stands where it is written, a table at its header, an element of an array at its
first character. A table that only its children imply stands at the first of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

Path = tuple[str | int, ...]
"""Keys and zero-based positions from the top of the file down."""

_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR: Final = re.compile(r"[^,\]}#\n]+")
_STRINGS: Final = (
    re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}', re.DOTALL),
    re.compile(r"'''(?:[^']|'(?!''))*'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)")
_ESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class _LostError(Exception):
    """The text is not what this reader expects; what was found so far stands."""


def key_lines(text: str) -> Mapping[Path, int]:
    """Map every key, table and array element of *text* to its 1-based line."""
    text = text.replace("\r\n", "\n")
    reader = _Reader(text)
    with suppress(_LostError, RecursionError):
        reader.document()
    breaks = [at for at, character in enumerate(text) if character == "\n"]
    return {path: bisect_right(breaks, at) + 1 for path, at in reader.found.items()}


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of *path*, else of the nearest thing that holds it; None if nothing does."""
    for end in range(len(path), 0, -1):
        if (line := lines.get(path[:end])) is not None:
            return line
    return None


class _Reader:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}

    def document(self) -> None:
        """Read the whole text."""
        table: Path = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _header(self) -> Path:
        start = self.at
        many = self.text.startswith("[[", start)
        self.at += 2 if many else 1
        *parents, last = self._key()
        self._expect("]]" if many else "]")
        path: Path = ()
        for part in parents:
            path = self._into((*path, part), start)
        path = (*path, last)
        if not many:
            self.found[path] = start
            return path
        self.found.setdefault(path, start)
        count = self._counts[path] = self._counts.get(path, 0) + 1
        path = (*path, count - 1)
        self.found[path] = start
        return path

    def _into(self, path: Path, at: int) -> Path:
        """Step into a parent that a header names: the newest element, if it is an array."""
        self.found.setdefault(path, at)
        count = self._counts.get(path)
        return path if count is None else (*path, count - 1)

    def _pair(self, table: Path) -> None:
        start = self.at
        path = table
        for part in self._key():
            path = (*path, part)
            self.found.setdefault(path, start)
        self._expect("=")
        self._skip(_SPACE)
        self._value(path)

    def _key(self) -> list[str]:
        parts: list[str] = []
        while True:
            self._skip(_SPACE)
            parts.append(self._key_part())
            self._skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def _key_part(self) -> str:
        quote = self.text[self.at : self.at + 1]
        if quote == '"':
            return _ESCAPE.sub(_unescape, self._take(_STRINGS[2])[1:-1])
        return self._take(_STRINGS[3])[1:-1] if quote == "'" else self._take(_BARE)

    def _value(self, path: Path) -> None:
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            for index, _ in enumerate(self._items("]")):
                self.found[(*path, index)] = self.at
                self._value((*path, index))
        elif opening == "{":
            for _ in self._items("}"):
                self._pair(path)
        elif opening in {'"', "'"}:
            self._string()
        else:
            self._take(_SCALAR)

    def _items(self, closing: str) -> Iterator[None]:
        """Stop before each item of an array or inline table; the caller reads it."""
        self.at += 1
        self._skip(_BLANK)
        while not self.text.startswith(closing, self.at):
            yield
            self._skip(_BLANK)
            if self.text.startswith(",", self.at):
                self.at += 1
                self._skip(_BLANK)
            elif not self.text.startswith(closing, self.at):
                raise _LostError
        self.at += 1

    def _string(self) -> None:
        for form in _STRINGS:
            if (match := form.match(self.text, self.at)) is not None:
                self.at = match.end()
                return
        raise _LostError

    def _expect(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise _LostError
        self.at += len(token)

    def _skip(self, blank: re.Pattern[str]) -> None:
        if (match := blank.match(self.text, self.at)) is not None:
            self.at = match.end()

    def _take(self, form: re.Pattern[str]) -> str:
        match = form.match(self.text, self.at)
        if match is None:
            raise _LostError
        self.at = match.end()
        return match.group()


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)
