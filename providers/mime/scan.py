"""The structure of a mail, found in one pass over its bytes: parts by offset, nothing copied.

A general parser reads every line of every attachment into memory before anybody asks for it. This
scan only looks for lines that begin with ``--`` and compares them with the boundaries that are
open, so a mail of any size costs one search through it and each part only its header block. Work
is linear in the size of the mail whatever it holds, a search never takes more than WINDOW_BYTES at
once (so other threads run in between), and every limit leaves a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from providers.mime.headers import Headers, split_headers
from providers.mime.params import Structured, media_type

DEPTH_MAX: Final = 50
"""How deep parts may nest; a chain of forwards made by hand stays below 20."""
PARTS_MAX: Final = 2000
"""The most parts of one mail; a digest of a busy list has about a hundred."""
WINDOW_BYTES: Final = 512 * 1024
"""How far one search goes before another thread may run: about a quarter of a millisecond."""
BOUNDARY_BYTES: Final = 512
"""The longest boundary line that is compared; RFC 2046 allows 70 characters."""
MISSES_MAX: Final = 500
"""How many lines may begin with ``--`` in vain before the boundaries are searched for by name."""
NEAR_BYTES: Final = 4096
"""How far behind a multipart's headers its boundary is looked for before one is guessed."""
TOO_DEEP: Final = f"parts nested deeper than {DEPTH_MAX} were not opened"

_GUESS: Final = re.compile(rb"(?:\A|\n)--([^\r\n]{1,200}?)[ \t]*\r?\n[!-9;-~]+:")


@dataclass(slots=True)
class Part:
    """One part: its headers, its media type, and where its body lies in the mail's bytes."""

    headers: Headers
    kind: Structured
    start: int
    end: int
    depth: int = 0
    fences: list[bytes] = field(default_factory=list)
    children: list[Part] = field(default_factory=list)
    closed: bool = False

    def walk(self) -> Iterator[Part]:
        """This part and all below it, in the order of the mail."""
        stack = [self]
        while stack:
            part = stack.pop()
            yield part
            stack.extend(reversed(part.children))


class _Scan:
    """The parts that are open while the bytes are read from front to back."""

    def __init__(self, raw: bytes, stop: int) -> None:
        self.raw = raw
        self.stop = stop
        self.open: list[Part] = []
        self.fences: dict[bytes, Part] = {}
        self.count = 0
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def begin(self, headers: Headers) -> Part:
        """Open the part whose header block has just been read."""
        parent = self.open[-1] if self.open else None
        given = headers.first("content-type")
        digest = parent is not None and parent.kind.value == "multipart/digest"
        kind = media_type(given) if given or not digest else Structured("message/rfc822")
        depth = 0 if parent is None else parent.depth + 1
        part = Part(headers, kind, headers.end, self.stop, depth)
        if parent is not None:
            parent.children.append(part)
        self.open.append(part)
        self.count += 1
        if kind.value.startswith("multipart/"):
            self._open_multipart(part)
        return part

    def _open_multipart(self, part: Part) -> None:
        if part.depth >= DEPTH_MAX:
            self.note(TOO_DEEP)
            return
        declared = part.kind.params.get("boundary", "").encode("utf-8", "replace").rstrip()
        near = self.raw[max(0, part.start - 1) : min(self.stop, part.start + NEAR_BYTES)]
        names = [declared] if 0 < len(declared) <= BOUNDARY_BYTES else []
        if not names or b"--" + declared not in near:
            guess = _GUESS.search(near)
            if guess is not None and guess[1] not in self.fences:
                names.append(guess[1])
        for name in names:
            if self.fences.setdefault(name, part) is part:
                part.fences.append(name)

    def close_to(self, part: Part | None, end: int) -> None:
        """Close everything that is open inside *part*; what is open ends at *end*."""
        while self.open and self.open[-1] is not part:
            inner = self.open.pop()
            inner.end = max(inner.start, end)
            for name in inner.fences:
                del self.fences[name]
            if inner.kind.value.startswith("multipart/") and inner.depth < DEPTH_MAX:
                if not inner.children:
                    self.note("a multipart without its boundary was read as text")
                elif not inner.closed:
                    self.note("the last boundary of a multipart is missing")

    def at_fence(self, fence: _Fence) -> int:
        """Act on a boundary line; returns where the search goes on."""
        self.close_to(fence.part, _end_before(self.raw, fence.start))
        if fence.last:
            fence.part.closed = True
            return fence.following - 1
        fence.part.closed = False
        headers = split_headers(self.raw, fence.following, self.stop, self.fences)
        self.begin(headers)
        return max(fence.following, headers.end) - 1


class _Fence(NamedTuple):
    """A boundary line of an open multipart; ``last`` when it is the closing one."""

    start: int
    part: Part
    last: bool
    following: int


def _end_before(raw: bytes, fence: int) -> int:
    """Where content ends before the boundary line at *fence*: its line end belongs to the line."""
    if raw[fence - 1 : fence] == b"\n":
        fence -= 1
    return fence - 1 if raw[fence - 1 : fence] == b"\r" else fence


def _next_fence(
    raw: bytes, position: int, stop: int, fences: Mapping[bytes, Part]
) -> _Fence | None:
    """The next line from *position* on that is a boundary of an open multipart."""
    misses = 0
    pattern: re.Pattern[bytes] | None = None
    while position < stop:
        window = min(stop, position + WINDOW_BYTES)
        if pattern is None:
            found = raw.find(b"\n--", position, window)
        else:
            match = pattern.search(raw, position, window)
            found = -1 if match is None else match.start()
        if found < 0:
            # The next window begins before this one's end: a boundary line may lie across it.
            position = stop if window == stop else max(position + 1, window - BOUNDARY_BYTES - 8)
            continue
        fence = _fence_at(raw, found, stop, fences)
        if fence is not None:
            return fence
        position = found + 1
        misses += 1
        if misses == MISSES_MAX:
            names = b"|".join(re.escape(name) for name in fences)
            pattern = re.compile(b"\n--(?:" + names + b")")
    return None


def _fence_at(raw: bytes, found: int, stop: int, fences: Mapping[bytes, Part]) -> _Fence | None:
    """The boundary line behind the line end at *found*, if it is one."""
    limit = min(stop, found + BOUNDARY_BYTES + 8)
    line_end = raw.find(b"\n", found + 1, limit)
    line_end = limit if line_end < 0 else line_end
    name = raw[found + 3 : line_end].rstrip()
    following = min(stop, line_end + 1)
    if name in fences:
        return _Fence(found + 1, fences[name], False, following)
    if name.endswith(b"--") and name[:-2].rstrip() in fences:
        return _Fence(found + 1, fences[name[:-2].rstrip()], True, following)
    return None


def scan(raw: bytes, headers: Headers, stop: int) -> tuple[Part, list[str]]:
    """The tree of parts of the mail whose header block is *headers* and that ends at *stop*.

    Returns the root and notes. A ``message/rfc822`` is a leaf: its content is scanned by whoever
    wants it. A multipart in which no boundary was found has no children and is to be read as text.
    """
    state = _Scan(raw, stop)
    root = state.begin(headers)
    position = max(0, headers.end - 1)
    while state.fences:
        fence = _next_fence(raw, position, stop, state.fences)
        if fence is None:
            break
        if state.count == PARTS_MAX:
            state.note(f"more than {PARTS_MAX} parts; the rest was not read")
            stop = fence.start
            break
        position = state.at_fence(fence)
    state.close_to(None, stop)
    return root, state.notes
