"""What a text asks of its readers, sentence by sentence.

Only the writer's own new words may be given here: what stands in a quotation is not said by the
one who quotes. The result says what is asked, how firmly, and of whom by name; whether the owner
is meant, and whether it was answered, is for ``rules``.

A question mark of any script is a question; beyond that the phrases of seven languages tell
requests that have none, courtesies that ask nothing, and questions that nobody waits for. Mail
text is data: a sentence is only ever classified, never obeyed. Linear in the text; never raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assistant.core.phrases import LANGUAGES, lexicon
from assistant.core.phrases.lexicon import Hit, Kind
from assistant.core.phrases.sentences import Sentence, plain, sentences, words

ASKS_LIMIT: Final = 40
QUOTE_LIMIT: Final = 300
_ENOUGH_WORDS: Final = 25
_AND: Final = frozenset(words("and und et y e en i och og oder or ou o of"))
_FORWARD: Final = re.compile(
    r"^[ \t]*(?:-{2,}[ \t]*)?(?:(?:begin )?forwarded (?:message|by)|original message|"
    r"(?:anfang der )?weitergeleitete nachricht|ursprüngliche nachricht|message transféré|"
    r"(?:début du )?message réexpédié|message d'origine|mensaje reenviado|mensaje original|"
    r"messaggio inoltrato|inizio messaggio inoltrato|messaggio originale|"
    r"mensagem (?:encaminhada|reencaminhada|original)|doorgestuurd bericht|"
    r"begin doorgestuurd bericht|oorspronkelijk bericht)\b",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked: the sentence, ``firm`` for what wants an answer, and who is named.

    ``names`` are folded words by which people are addressed; empty when nobody is named.
    """

    text: str
    firm: bool
    names: frozenset[str] = frozenset()
    kinds: frozenset[Kind] = frozenset()


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says: asks in order, the kinds of phrase in it, and who the greeting names."""

    asks: tuple[Ask, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    counts: dict[Kind, int] = field(default_factory=dict)
    greeted: frozenset[str] = frozenset()
    deadline: str | None = None
    language: str | None = None
    words: int = 0
    forwards: bool = False


def own_words(text: str) -> tuple[str, bool]:
    """The text before a forwarded mail in it, and whether there is one."""
    found = _FORWARD.search(text)
    return (text[: found.start()], True) if found else (text, False)


def said(text: str, language: str | None, names: frozenset[str]) -> Said:
    """What the new text of a mail says; ``names`` are the words by which people are known."""
    mine, forwards = own_words(plain(text))
    found = sentences(mine)
    hits = [lexicon().find(each.words, each.starts) for each in found]
    total = sum(len(each.words) for each in found)
    spoken = _spoken(language, total)
    hits = [[hit for hit in each if hit.language in spoken] for each in hits]
    return _Reader(names).read(found, hits, total=total, forwards=forwards)


def _spoken(language: str | None, total: int) -> frozenset[str]:
    """The languages whose phrases count: of a short text all, else its own and English."""
    if language in LANGUAGES and total >= _ENOUGH_WORDS:
        return frozenset({language, "en"})
    return frozenset(LANGUAGES)


class _Reader:
    """Goes through the sentences of one text and keeps who is being addressed."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._greeted: frozenset[str] = frozenset()
        self._addressed: frozenset[str] = frozenset()
        self._paragraph = -1
        self._asks: list[Ask] = []
        self._counts: dict[Kind, int] = {}
        self._languages: dict[str, int] = {}
        self._deadline: str | None = None

    def read(
        self, found: Sequence[Sentence], hits: Sequence[list[Hit]], *, total: int, forwards: bool
    ) -> Said:
        for sentence, marks in zip(found, hits, strict=True):
            kinds = {hit.kind for hit in marks}
            if Kind.LEGAL in kinds:
                break
            for hit in marks:
                self._languages[hit.language] = self._languages.get(hit.language, 0) + 1
            for kind in kinds:
                self._counts[kind] = self._counts.get(kind, 0) + 1
            self._take(sentence, marks)
        return Said(
            asks=tuple(self._asks[:ASKS_LIMIT]),
            kinds=frozenset(self._counts),
            counts=self._counts,
            greeted=self._greeted,
            deadline=self._deadline,
            language=max(self._languages, key=lambda key: self._languages[key], default=None),
            words=total,
            forwards=forwards,
        )

    def _take(self, sentence: Sentence, hits: list[Hit]) -> None:
        named, only = self._called(sentence, hits)
        if sentence.paragraph != self._paragraph:
            self._paragraph = sentence.paragraph
            self._addressed = self._greeted
        if named:
            self._addressed = named
            if only or any(hit.kind is Kind.GREETING and hit.start == 0 for hit in hits):
                self._greeted = named
        if self._deadline is None:
            self._deadline = _deadline(sentence, hits)
        firm = _asks(sentence, hits)
        if firm is not None:
            kinds = frozenset(hit.kind for hit in hits)
            text = sentence.text[:QUOTE_LIMIT]
            self._asks.append(Ask(text=text, firm=firm, names=self._addressed, kinds=kinds))

    def _called(self, sentence: Sentence, hits: list[Hit]) -> tuple[frozenset[str], bool]:
        """The names that the sentence addresses, and whether it does nothing else."""
        index = max((h.end for h in hits if h.kind is Kind.GREETING and h.start == 0), default=0)
        greets = index > 0
        found: set[str] = set()
        while index < len(sentence.words):
            word = sentence.words[index]
            if word in self._names or (greets and not found and self._is_name(sentence, index)):
                found.add(word)
            elif not (found and word in _AND):
                break
            index += 1
        if not found:
            return self._trailing(sentence), False
        at_end = index >= len(sentence.words)
        if at_end or index in sentence.starts or any(hit.start == index for hit in hits):
            return frozenset(found), at_end
        return (frozenset(found), False) if greets else (frozenset(), False)

    def _trailing(self, sentence: Sentence) -> frozenset[str]:
        last = len(sentence.words) - 1
        if last > 0 and last in sentence.starts and sentence.words[last] in self._names:
            return frozenset({sentence.words[last]})
        return frozenset()

    def _is_name(self, sentence: Sentence, index: int) -> bool:
        start, end = sentence.spans[index]
        return sentence.text[start:end].istitle() and end - start > 1


def _asks(sentence: Sentence, hits: list[Hit]) -> bool | None:
    """True for a question or request, False for a thing to be done, None for neither."""
    kinds = {hit.kind for hit in hits}
    if Kind.WAIVE in kinds:
        return None
    courtesies = [hit for hit in hits if hit.kind is Kind.COURTESY]
    left = {hit.kind for hit in hits if not _covered(hit, courtesies)}
    if sentence.question and Kind.SMALLTALK not in kinds and not courtesies:
        return True
    if left & {Kind.REQUEST, Kind.QUESTION}:
        return True
    return False if Kind.ACT in left else None


def _covered(hit: Hit, courtesies: Sequence[Hit]) -> bool:
    return any(each.start < hit.end and hit.start < each.end for each in courtesies)


def _deadline(sentence: Sentence, hits: Sequence[Hit]) -> str | None:
    """The words of the sentence that name a time by which something is due."""
    named = [hit for hit in hits if hit.kind is Kind.DEADLINE]
    if not named:
        return None
    first = min(named, key=lambda hit: hit.start)
    last = max(hit.end for hit in named if hit.start == first.start)
    return sentence.text[sentence.spans[first.start][0] : sentence.spans[last - 1][1]]
