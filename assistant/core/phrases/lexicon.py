"""Phrases of many languages, looked up in the words of a sentence in one pass.

Phrases are data, one file a language, so that a reader of that language can check them. A phrase
is words with a small notation: ``a|b`` one of these, ``a?`` may be absent, ``a*`` any word that
begins so, ``_`` any word, ``...`` up to three words, and a leading ``^`` for "at the start of a
clause only". Phrases on one line are separated by `` / ``; a line that ends in ``|`` goes on in the
next, and so does one whose next begins with ``+``.

They are found by their first word, so a look-up costs a few steps for each word of the sentence:
linear in the text. Preparing them takes some milliseconds, so it is done at first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from assistant.core.phrases.sentences import fold, words


class Kind(StrEnum):
    """What a phrase tells."""

    REQUEST = "request"  # asks the reader for an answer or a thing
    ACT = "act"  # asks for something to be done, which needs no answer in a circular
    QUESTION = "question"  # a question that may lack its mark
    COURTESY = "courtesy"  # sounds like a request and is none
    WAIVE = "waive"  # says that no answer is needed
    SMALLTALK = "smalltalk"  # a polite question that nobody waits for
    RHETORIC = "rhetoric"  # a question that is none
    SOMEONE = "someone"  # asks anybody, not everybody
    EVERYONE = "everyone"  # asks each of the readers
    THANKS = "thanks"
    CLOSING = "closing"  # settles the matter
    INFORM = "inform"  # says that this is for information
    PROMISE = "promise"  # the writer will do or say something later
    DONE = "done"  # the writer did what was asked
    REMIND = "remind"  # refers to an earlier request
    URGENT = "urgent"
    DEADLINE = "deadline"
    SOON = "soon"  # a deadline of today or tomorrow
    LEGAL = "legal"  # the disclaimer below a mail
    BULK = "bulk"  # tells a reader of a circular how to leave
    PROMO = "promo"  # advertises
    GREETING = "greeting"
    PITCH = "pitch"  # says what a seller does for others
    SALES = "sales"  # how a seller asks for attention
    BILL = "bill"  # speaks of paying an ordinary bill
    GENERIC = "generic"  # a sender or salutation that knows no name
    BAIT = "bait"  # what is promised or threatened
    CREDENTIAL = "credential"  # asks for credentials or to "verify" something
    PAYMENT = "payment"  # asks for money in a way that others do not
    PRESSURE = "pressure"
    INJECTION = "injection"  # tells an assistant what to do
    ORDER = "order"  # could be such an order, or a person's wish


Pack = Mapping[Kind, str]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found in a sentence: words ``start`` to ``end`` (exclusive)."""

    kind: Kind
    language: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Step:
    """One piece of a phrase: any of these words, stems or runs of words; ``least`` 0: may lack."""

    words: frozenset[str] = frozenset()
    stems: tuple[str, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ()
    anything: bool = False
    least: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class _Phrase:
    kind: Kind
    language: str
    steps: tuple[_Step, ...]
    anchored: bool


_GAP: Final = 3
_MORE_WORDS: Final = re.compile(r"\|\n\s*")
_AND_SO_ON: Final = re.compile(r"\n\s*\+ ")


class Lexicon:
    """All phrases of the given languages, found by their first words."""

    def __init__(self, packs: Mapping[str, Pack]) -> None:
        """Raises ValueError for a phrase that could begin with any word."""
        self._by_word: dict[str, list[_Phrase]] = {}
        self._by_stem: dict[str, list[_Phrase]] = {}
        for language, pack in packs.items():
            for kind, lines in pack.items():
                for text in phrases(lines):
                    self._add(_compiled(text, kind, language), text)
        self._stem_lengths = tuple(sorted({len(stem) for stem in self._by_stem}))

    def find(
        self,
        sentence: Sequence[str],
        starts: frozenset[int],
        languages: frozenset[str] | None = None,
    ) -> list[Hit]:
        """Every phrase in the words, by start; ``starts`` are the words that begin a clause.

        Only phrases of the ``languages`` are looked for; None means all.
        """
        hits: list[Hit] = []
        for index, word in enumerate(sentence):
            known = list(self._by_word.get(word, ()))
            for length in self._stem_lengths:
                if length > len(word):
                    break
                known += self._by_stem.get(word[:length], ())
            for phrase in known:
                if languages is not None and phrase.language not in languages:
                    continue
                if phrase.anchored and index not in starts:
                    continue
                end = _match(phrase.steps, 0, sentence, index)
                if end > index:
                    hits.append(Hit(phrase.kind, phrase.language, index, end))
        return hits

    def _add(self, phrase: _Phrase, text: str) -> None:
        for step in phrase.steps:
            if step.anything:
                raise ValueError(f"the phrase {text!r} must begin with a word")
            for word in {*step.words, *(run[0] for run in step.runs)}:
                self._by_word.setdefault(word, []).append(phrase)
            for stem in step.stems:
                self._by_stem.setdefault(stem, []).append(phrase)
            if step.least:
                return
        raise ValueError(f"the phrase {text!r} has no word that must be there")


def phrases(lines: str) -> Iterator[str]:
    """The phrases of a block of lines."""
    whole = _AND_SO_ON.sub(" ", _MORE_WORDS.sub("|", lines))
    for line in whole.splitlines():
        for phrase in line.split(" / "):
            if phrase.strip():
                yield phrase.strip()


def _compiled(text: str, kind: Kind, language: str) -> _Phrase:
    steps = tuple(_step(piece) for piece in text.removeprefix("^").split())
    return _Phrase(kind=kind, language=language, steps=steps, anchored=text.startswith("^"))


def _step(piece: str) -> _Step:
    if piece == "...":
        return _Step(anything=True, least=0, most=_GAP)
    options = piece.removesuffix("?").split("|")
    plain = [words(option) for option in options if option != "_" and not option.endswith("*")]
    return _Step(
        words=frozenset(run[0] for run in plain if len(run) == 1),
        runs=tuple(run for run in plain if len(run) > 1),
        stems=tuple(fold(option[:-1]) for option in options if option.endswith("*")),
        anything="_" in options,
        least=0 if piece.endswith("?") else 1,
    )


def _match(steps: Sequence[_Step], at: int, sentence: Sequence[str], index: int) -> int:
    """Where the steps from ``at`` on end when they match from ``index``; -1 when they do not."""
    if at == len(steps):
        return index
    step = steps[at]
    if step.most > 1:
        for skipped in range(min(step.most, len(sentence) - index) + 1):
            end = _match(steps, at + 1, sentence, index + skipped)
            if end >= 0:
                return end
        return -1
    for length in _lengths(step, sentence, index):
        end = _match(steps, at + 1, sentence, index + length)
        if end >= 0:
            return end
    return -1


def _lengths(step: _Step, sentence: Sequence[str], index: int) -> Iterator[int]:
    """How many words the step may take here, the most telling first."""
    if index < len(sentence):
        word = sentence[index]
        for run in step.runs:
            if word == run[0] and tuple(sentence[index : index + len(run)]) == run:
                yield len(run)
        if step.anything or word in step.words or (step.stems and word.startswith(step.stems)):
            yield 1
    if not step.least:
        yield 0
