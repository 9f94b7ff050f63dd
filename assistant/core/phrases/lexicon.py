"""Phrases of many languages, looked up in the words of a sentence in one pass.

Phrases are data, one file a language, so that a reader of that language can check them. A phrase
is words with a small notation: ``a|b`` one of these, ``a?`` may be absent, ``a*`` any word that
begins so, ``_`` any word, ``...`` up to three words, and a leading ``^`` for "at the start of a
clause only". Phrases on one line are separated by `` / ``.

All of them sit in one tree of words; a look-up costs a few steps for each word of the sentence,
however many phrases there are. Building it takes some milliseconds, so it is done at first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from typing import Final

from assistant.core.phrases.sentences import fold, words


class Kind(StrEnum):
    """What a phrase tells."""

    REQUEST = "request"  # asks the reader for an answer or a thing
    ACT = "act"  # asks for something to be done, which needs no answer in a circular
    QUESTION = "question"  # a question that may lack its mark
    COURTESY = "courtesy"  # sounds like a request and is none
    WAIVE = "waive"  # says that no answer is needed
    SMALLTALK = "smalltalk"  # a question that nobody waits for
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
    GREETING = "greeting"
    SALES = "sales"
    BAIT = "bait"  # what is promised or threatened
    CREDENTIAL = "credential"  # asks for credentials or to "verify" something
    PAYMENT = "payment"  # asks for money in a way that others do not
    PRESSURE = "pressure"
    INJECTION = "injection"  # tells an assistant what to do


Pack = Mapping[Kind, str]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found in a sentence: words ``start`` to ``end`` (exclusive)."""

    kind: Kind
    language: str
    start: int
    end: int


@dataclass(slots=True)
class _Node:
    words: dict[str, _Node] = field(default_factory=dict)
    stems: dict[str, _Node] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()
    any: _Node | None = None
    ends: list[tuple[Kind, str]] = field(default_factory=list)


_GAP: Final = 3


class Lexicon:
    """All phrases of the given languages."""

    def __init__(self, packs: Mapping[str, Pack]) -> None:
        self._anywhere = _Node()
        self._at_start = _Node()
        for language, pack in packs.items():
            for kind, lines in pack.items():
                for phrase in phrases(lines):
                    self._add(phrase, kind, language)

    def find(self, sentence: Sequence[str], starts: frozenset[int]) -> list[Hit]:
        """Every phrase in the words, by start; ``starts`` are the words that begin a clause."""
        hits: list[Hit] = []
        for index in range(len(sentence)):
            _walk(self._anywhere, sentence, index, index, hits)
            if index in starts:
                _walk(self._at_start, sentence, index, index, hits)
        return hits

    def _add(self, phrase: str, kind: Kind, language: str) -> None:
        anchored = phrase.startswith("^")
        root = self._at_start if anchored else self._anywhere
        for sequence in _expand(phrase.removeprefix("^").split()):
            node = root
            for step in sequence:
                node = _child(node, step)
            if node is not root and (kind, language) not in node.ends:
                node.ends.append((kind, language))


def phrases(lines: str) -> Iterator[str]:
    """The phrases of a block of lines."""
    for line in lines.splitlines():
        for phrase in line.split(" / "):
            if phrase.strip():
                yield phrase.strip()


def _expand(pieces: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every plain sequence of steps that a phrase in the notation stands for."""
    choices: list[list[tuple[str, ...]]] = []
    for piece in pieces:
        if piece == "...":
            choices.append([("_",) * count for count in range(_GAP + 1)])
            continue
        optional = piece.endswith("?")
        options = [_steps(option) for option in piece.removesuffix("?").split("|")]
        choices.append([*options, ()] if optional else options)
    for combination in product(*choices):
        yield tuple(step for part in combination for step in part)


def _steps(piece: str) -> tuple[str, ...]:
    if piece == "_":
        return ("_",)
    if piece.endswith("*"):
        return (fold(piece),)
    return words(piece)


def _child(node: _Node, step: str) -> _Node:
    if step == "_":
        node.any = node.any or _Node()
        return node.any
    if step.endswith("*"):
        stem = step[:-1]
        child = node.stems.setdefault(stem, _Node())
        node.lengths = tuple(sorted({len(known) for known in node.stems}))
        return child
    return node.words.setdefault(step, _Node())


def _walk(node: _Node, sentence: Sequence[str], begin: int, index: int, hits: list[Hit]) -> None:
    for kind, language in node.ends:
        hits.append(Hit(kind, language, begin, index))
    if index >= len(sentence):
        return
    word = sentence[index]
    exact = node.words.get(word)
    if exact is not None:
        _walk(exact, sentence, begin, index + 1, hits)
    for length in node.lengths:
        stem = node.stems.get(word[:length]) if len(word) >= length else None
        if stem is not None:
            _walk(stem, sentence, begin, index + 1, hits)
    if node.any is not None:
        _walk(node.any, sentence, begin, index + 1, hits)
