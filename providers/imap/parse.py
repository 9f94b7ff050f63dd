"""Octets from an IMAP server to values, with a bound on everything.

Sans I/O: octets are fed in, whole responses come out. A server is not trusted with our memory: a
line, a literal and the depth of lists have limits, and what goes beyond them is a ParseError, after
which the connection cannot be used any more. Nothing is taken out of the buffer before a response
is whole, so a caller that is cancelled while it waits loses nothing.

Sources: RFC 3501 section 9 (grammar), 7 (responses).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

LINE_OCTETS: Final = 8 * 1024 * 1024
"""The longest line: a SEARCH that names a million messages fits."""
LITERAL_OCTETS: Final = 72 * 1024 * 1024
"""The longest literal: a mail of the largest size that we ask for fits."""
DEPTH: Final = 32
"""How deep lists may lie in one another; nothing that we ask for needs ten."""

Value: TypeAlias = "bytes | tuple[Value, ...] | None"
"""An atom or string, NIL, or a list."""

_STATUS: Final = frozenset({b"OK", b"NO", b"BAD", b"BYE", b"PREAUTH"})
_LITERAL: Final = re.compile(rb"~?\{(\d{1,12})\}\Z")
_TOKEN: Final = re.compile(
    rb'[ \t]*(?:(?P<open>\()|(?P<close>\))|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    rb'|(?P<atom>(?:\[[^\]]*\]|[^ \t()"\[])+))',
    re.DOTALL,
)
_ESCAPED: Final = re.compile(rb"\\(.)", re.DOTALL)
_CODE: Final = re.compile(rb"\[([^\]]*)\] ?")


class ParseError(Exception):
    """The server sent what is no IMAP, or more than anybody needs."""


@dataclass(frozen=True, slots=True)
class Response:
    """One response.

    ``tag`` is ``*``, ``+`` or a command's tag; ``name`` the status or the kind of data in upper
    case ("" for ``+``); ``number`` stands before EXISTS, EXPUNGE and FETCH; ``code`` is what stands
    in brackets behind a status, its name in upper case first.
    """

    tag: bytes
    name: bytes
    number: int | None = None
    data: tuple[Value, ...] = ()
    code: tuple[Value, ...] = ()
    text: str = ""

    @property
    def is_status(self) -> bool:
        """True for OK, NO, BAD, BYE and PREAUTH."""
        return self.name in _STATUS

    @property
    def code_name(self) -> bytes:
        """The response code, or nothing."""
        first = self.code[0] if self.code else None
        return first if isinstance(first, bytes) else b""


class Parser:
    """Collects octets and gives whole responses."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._need = 0
        self._searched = (0, 0)

    def feed(self, octets: bytes) -> None:
        """Take what the server sent."""
        self._buffer += octets

    @property
    def pending(self) -> int:
        """How many octets wait to become a response."""
        return len(self._buffer)

    def next(self) -> Response | None:
        """The next whole response, None until it has arrived. Raises ParseError."""
        if len(self._buffer) < self._need:
            return None
        parts: list[bytes | tuple[bytes]] = []
        at = 0
        while True:
            end = self._line_end(at)
            if end is None:
                return None
            line = bytes(self._buffer[at:end]).rstrip(b"\r")
            at = end + 1
            found = _LITERAL.search(line) if parts or _may_hold_literals(line) else None
            if found is None:
                parts.append(line)
                break
            size = int(found[1])
            if size > LITERAL_OCTETS:
                raise ParseError(f"the server sends {size} octets at once, which nobody asked for")
            if len(self._buffer) < at + size:
                self._need = at + size
                return None
            parts += [line[: found.start()], (bytes(self._buffer[at : at + size]),)]
            at += size
        del self._buffer[:at]
        self._need, self._searched = 0, (0, 0)
        return _response(parts)

    def _line_end(self, at: int) -> int | None:
        start, searched = self._searched
        end = self._buffer.find(b"\n", searched if start == at else at)
        if (len(self._buffer) if end < 0 else end) - at > LINE_OCTETS:
            raise ParseError("the server sends a line without an end")
        if end < 0:
            self._searched = (at, len(self._buffer))
            self._need = len(self._buffer) + 1
            return None
        return end


def _may_hold_literals(line: bytes) -> bool:
    """A text for people may end like a literal; only untagged data holds real ones."""
    if not line.startswith(b"* "):
        return False
    return line[2:].split(b" ", 1)[0].upper() not in _STATUS


def _response(parts: list[bytes | tuple[bytes]]) -> Response:
    first = parts[0]
    if not isinstance(first, bytes):
        raise ParseError("a response begins with a literal")
    tag, _, rest = first.partition(b" ")
    if tag == b"+":
        return Response(tag=tag, name=b"", text=rest.decode("utf-8", "replace"))
    if not tag or len(tag) > 64:
        raise ParseError("a line is no response")
    name, _, more = rest.partition(b" ")
    if name.upper() in _STATUS:
        return _status(tag, name.upper(), more)
    if tag != b"*":
        raise ParseError("a tagged line has no status")
    number = None
    if name.isdigit() and len(name) <= 10:
        number = int(name)
        name, _, more = more.partition(b" ")
    data = _values([more, *parts[1:]])
    return Response(tag=tag, name=name.upper(), number=number, data=data)


def _status(tag: bytes, name: bytes, rest: bytes) -> Response:
    code: tuple[Value, ...] = ()
    found = _CODE.match(rest)
    if found is not None:
        try:
            code = _values([found[1]])
        except ParseError:
            code = (found[1].split(b" ", 1)[0],)
        if code and isinstance(code[0], bytes):
            code = (code[0].upper(), *code[1:])
        rest = rest[found.end() :]
    return Response(tag=tag, name=name, code=code, text=rest.decode("utf-8", "replace"))


def _values(parts: list[bytes | tuple[bytes]]) -> tuple[Value, ...]:
    stack: list[list[Value]] = [[]]
    for part in parts:
        if isinstance(part, tuple):
            stack[-1].append(part[0])
            continue
        at, end = 0, len(part.rstrip(b" \t"))
        while at < end:
            found = _TOKEN.match(part, at)
            if found is None:
                raise ParseError("the server's answer cannot be read")
            at = found.end()
            _take(found, stack)
    if len(stack) != 1:
        raise ParseError("a list in the server's answer has no end")
    return tuple(stack[0])


def _take(found: re.Match[bytes], stack: list[list[Value]]) -> None:
    if found["open"] is not None:
        if len(stack) > DEPTH:
            raise ParseError("the lists in the server's answer lie too deep")
        stack.append([])
    elif found["close"] is not None:
        if len(stack) == 1:
            raise ParseError("a list in the server's answer ends twice")
        done = tuple(stack.pop())
        stack[-1].append(done)
    elif found["quoted"] is not None:
        stack[-1].append(_ESCAPED.sub(rb"\1", found["quoted"]))
    else:
        atom = found["atom"]
        stack[-1].append(None if atom.upper() == b"NIL" else atom)


def pairs(values: Value) -> dict[bytes, Value]:
    """A list of names and values as a mapping; names in upper case; what is no name is left out."""
    if not isinstance(values, tuple):
        return {}
    found: dict[bytes, Value] = {}
    for at in range(0, len(values) - 1, 2):
        name = values[at]
        if isinstance(name, bytes):
            found[name.upper()] = values[at + 1]
    return found


def number(value: Value) -> int | None:
    """A value as a number, None where it is none."""
    return int(value) if isinstance(value, bytes) and value.isdigit() and len(value) < 20 else None
