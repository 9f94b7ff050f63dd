"""Find text that stands word for word in an earlier message of the same thread.

No intro and no mark is needed for that, which is what no parser of a single text can do. A word
counts as known when it lies in a run of words that a parent holds in the same order; a line when
all of its words do. Short runs prove nothing (people repeat short sentences) and are left alone.

Everything is word runs in sets: linear in the texts, whatever they hold. Only the last parents up
to a bound are taken, so that a long thread costs no more for its last message than for its first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_RUN: Final = 6
"""Words in a row that must be the same before any of them counts as known."""
LEAST_WORDS: Final = 12
"""Known words in neighbouring lines below which they stay: a sentence may be said twice."""
_MOST_PARENT_CHARS: Final = 120_000
_MOST_TEXT_CHARS: Final = 1_000_000

_TOKEN: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+"
)


def tokens(text: str) -> list[str]:
    """The words of ``text``, casefolded; a character each in scripts without spaces."""
    return _TOKEN.findall(text.casefold())


class Parents:
    """The words of earlier messages, to be asked which lines repeat them."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Takes full texts in order of arrival; of many the last count, of a long one its head."""
        self._runs: set[tuple[str, ...]] = set()
        self._short: set[tuple[str, ...]] = set()
        self._sizes: list[int] = []
        room = _MOST_PARENT_CHARS
        for text in reversed(texts):
            if room <= 0:
                break
            part = text[:room]
            room -= len(part)
            words = tokens(part)
            self._runs.update(_runs(words))
            self._sizes.append(len(words))
            for line in part.splitlines():
                found = tuple(tokens(line[:400]))
                if 0 < len(found) < _RUN:
                    self._short.add(found)

    def __bool__(self) -> bool:
        return bool(self._runs or self._short)

    def holds_line(self, line: str) -> bool:
        """Whether one line stands in a parent: as a line there, or as a part of one if longer."""
        words = tokens(line[:2000])
        if len(words) < _RUN:
            return tuple(words) in self._short
        return all(run in self._runs for run in _runs(words))

    def is_whole(self, known: int) -> bool:
        """Whether ``known`` words are about as many as some parent has, three at least."""
        return any(3 <= size <= known * 1.2 for size in self._sizes)

    def known(self, lines: Sequence[str]) -> list[tuple[int, int]]:
        """For each of ``lines``: how many words it has, and how many of them are known.

        Runs reach over line ends, so that other wrapping does not matter.
        """
        words: list[str] = []
        owner: list[int] = []
        room = _MOST_TEXT_CHARS
        for at, line in enumerate(lines):
            room -= len(line)
            if room < 0:
                break
            found = tokens(line)
            words.extend(found)
            owner.extend([at] * len(found))
        covered = bytearray(len(words))
        until = 0
        for at, run in enumerate(_runs(words)):
            if run in self._runs:
                for word in range(max(at, until), at + _RUN):
                    covered[word] = 1
                until = at + _RUN
        totals = [[0, 0] for _ in lines]
        for word, at in enumerate(owner):
            totals[at][0] += 1
            totals[at][1] += covered[word]
        return [(total, known) for total, known in totals]


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]


def repeated(lines: Sequence[str], parents: Parents) -> set[int]:
    """Positions of ``lines`` that only repeat a parent, in stretches of ``LEAST_WORDS`` at least.

    Blank lines and lines without words inside a stretch go with it. Never everything: a text that
    is wholly a repetition was sent again on purpose and stays.
    """
    counts = parents.known(lines)
    gone: set[int] = set()
    stretch: list[int] = []
    weight = 0
    for at, (total, known) in enumerate([*counts, (1, 0)]):
        if total == known:
            stretch.append(at)
            weight += total
            continue
        if weight >= LEAST_WORDS:
            gone.update(stretch)
        stretch, weight = [], 0
    if any(total and at not in gone for at, (total, _) in enumerate(counts)):
        return gone
    return set()


def _counts(lines: Sequence[str], parents: Parents) -> list[tuple[int, int]]:
    """As ``Parents.known``, where a line that a parent has as a line is known however short."""
    return [
        (total, total if total and parents.holds_line(line) else known)
        for line, (total, known) in zip(lines, parents.known(lines), strict=True)
    ]


def is_theirs(lines: Sequence[str], parents: Parents) -> bool:
    """Whether ``lines`` are plainly a quotation: mostly a parent's words, or a parent whole."""
    return _is_theirs(_counts(lines, parents), parents)


def _is_theirs(counts: Sequence[tuple[int, int]], parents: Parents) -> bool:
    total = sum(count for count, _ in counts)
    known = sum(count for _, count in counts)
    return (known >= LEAST_WORDS and known * 2 >= total) or parents.is_whole(known)


def answers_inside(lines: Sequence[str], parents: Parents) -> set[int]:
    """Positions of quoted ``lines`` that the parent does not hold: answers typed into a quotation.

    Only where the quotation is plainly that parent's, and only lines below its first known one.
    Lines that a parent has as lines are never answers.
    """
    counts = _counts(lines, parents)
    if not _is_theirs(counts, parents):
        return set()
    first = next(at for at, (_, count) in enumerate(counts) if count)
    return {at for at, (words, count) in enumerate(counts) if at > first and words and not count}
