"""Tell which lines of a mail are marked as quoted, and by what.

A ">" at the start of a line mostly is a quotation mark; it also is an arrow, a prompt, a path
through a menu and "more than". Some programs and people use another sign. What decides is what
stands around it: an introduction, a mail that answers, a parent that holds the line. Linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from providers.mime.intros import SubjectKind, introduction, marker
from providers.mime.quotes_parent import Parents

_SENTENCE_ENDS: Final = ".?!:;)。？！：；"
_OTHER_MARK: Final = re.compile(r"([#|)\]}:%+=~»]{1,3}|-{1,2}[\]>|]|[A-Za-z]{1,4}>)(?=\s|$|\w)")
"""What some programs and people put before quoted lines in place of ">": "| ", "# ", "RV> "."""
_MOST_MARKS: Final = 8
_LONGEST_LINE: Final = 400
_MOST_ASKED: Final = 200
"""Marked lines that parents are asked about."""


def is_marked(line: str) -> bool:
    """Whether ``line`` begins with ">", after three spaces at most (RFC 3676 section 4.4)."""
    return line[:4].lstrip(" \u00a0").startswith(">")


def unmarked(line: str) -> str:
    """``line`` without its quotation marks and the spaces between them."""
    return line.lstrip("> \u00a0\t")


def next_filled(lines: Sequence[str]) -> list[int]:
    """For each line the position of the next one with text; ``len(lines)`` where none follows."""
    after = [len(lines)] * len(lines)
    following = len(lines)
    for at in range(len(lines) - 1, -1, -1):
        after[at] = following
        if lines[at]:
            following = at
    return after


@dataclass(slots=True, kw_only=True)
class Marks:
    """Tells for one mail which of its lines are marked.

    ``lines`` are plain, ``after`` is ``next_filled`` of them, ``marked`` says which begin with ">"
    or are quoted for another reason, ``certain`` which are so beyond doubt.
    """

    lines: Sequence[str]
    after: Sequence[int]
    marked: list[bool]
    certain: frozenset[int]
    subject: SubjectKind
    parents: Parents

    def read(self) -> list[bool]:
        """For each line whether it is marked as quoted."""
        if self._marks_are_the_authors():
            self.marked[:] = [at in self.certain for at in range(len(self.lines))]
        self._other_marks()
        return self.marked

    def _other_marks(self) -> None:
        """Marks the lines that begin with another sign, where an introduction stands above one."""
        seen: set[str] = set()
        for at, line in enumerate(self.lines):
            following = self.after[at]
            if not line.endswith((":", "：")) or following >= len(self.lines):
                continue
            mark = _OTHER_MARK.match(self.lines[following])
            if mark is None or mark[1] in seen or len(seen) == _MOST_MARKS:
                continue
            if introduction(self.lines, at, first=0, marked_next=True) is None:
                continue
            seen.add(mark[1])
            for below in range(following, len(self.lines)):
                self.marked[below] = self.marked[below] or self.lines[below].startswith(mark[1])

    def _marks_are_the_authors(self) -> bool:
        """Whether ">" at the start of lines is an arrow, a prompt or a path and no quotation."""
        if self.certain or not any(self.marked):
            return False
        at = [line for line, marked in enumerate(self.marked) if marked]
        texts = [self.lines[line] for line in at]
        if self.parents and any(
            self.parents.holds_line(unmarked(text)) for text in texts[:_MOST_ASKED]
        ):
            return False
        if any(self._announced(line) for line in at if line == 0 or not self.marked[line - 1]):
            return False
        if all(text.startswith((">>> ", "... ")) for text in texts):
            return True
        if self.subject is SubjectKind.NEITHER and not self.parents:
            return True
        return all(self._is_arrow(line, alone=len(at) == 1) for line in at)

    def _announced(self, at: int) -> bool:
        before = at - 1
        while before >= 0 and before >= at - 3 and not self.lines[before]:
            before -= 1
        if before < 0:
            return False
        if marker(self.lines[before]) is not None:
            return True
        return introduction(self.lines, before, first=0, marked_next=True) is not None

    def _is_arrow(self, at: int, *, alone: bool) -> bool:
        """Whether the line goes on a sentence of the author, or is a path through a menu."""
        text = unmarked(self.lines[at][:_LONGEST_LINE])
        above = self.lines[at - 1] if at > 0 else ""
        if " > " in text or not text:
            return True
        if not above:
            return False
        if alone and above[-1] not in _SENTENCE_ENDS:
            return True
        return len(text.split()) <= 4 and text[-1] not in _SENTENCE_ENDS
