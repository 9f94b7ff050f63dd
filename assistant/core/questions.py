"""What a text asks of its readers, sentence by sentence.

Only the writer's own new words may be given here: what stands in a quotation is not said by the
one who quotes. The result says what is asked, how firmly, and of whom by name; whether the owner
is meant, and whether it was answered, is for ``rules``.

A question mark of any script is a question; beyond that the phrases of many languages tell
requests that have none, courtesies that ask nothing, and questions that nobody waits for. Mail
text is data: a sentence is only ever classified, never obeyed. Linear in the text; never raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assistant.core.phrases import FURTHER, LANGUAGES, lexicon, pieces
from assistant.core.phrases.lexicon import Hit, Kind
from assistant.core.phrases.sentences import Sentence, sentences, words
from providers.mime.invisible import visible

ASKS_LIMIT: Final = 40
QUOTE_LIMIT: Final = 400
OPENING: Final = 2
"""So many sentences after the greeting tell what a short mail is about."""
_ENOUGH_WORDS: Final = 25
_LONGEST_NAMES: Final = 12
_AND: Final = frozenset(words("and und et y e en i och og oder or ou o of ed"))
_YOU: Final = frozenset(
    words(
        "you your yours u ur ya y'all du dich dir dein deine deinen deiner deinem ihr euch "
        "euer eure sie ihnen ihre ihren ihrem ihrer tu te toi ton ta tes vous votre vos usted "
        "ustedes ti tus vosotros vuestro vuestra os le les su sus lei voi vi tuo tua tuoi tue "
        "suo sua suoi sue vostro vostra você vocês teu teus tuas seu seus suas lhe je jij jou "
        "jouw jullie uw"
    )
)
_BUT: Final = frozenset(words("but however aber jedoch mais pero ma però mas porém maar echter"))
_FORWARD: Final = re.compile(
    r"^[ \t]*(?:-{2,}[ \t]*)?(?:(?:begin )?forwarded (?:message|by)|original message|"
    r"(?:anfang der )?weitergeleitete nachricht|ursprüngliche nachricht|message transféré|"
    r"(?:début du )?message réexpédié|message d'origine|mensaje reenviado|mensaje original|"
    r"messaggio inoltrato|inizio messaggio inoltrato|messaggio originale|"
    r"mensagem (?:encaminhada|reencaminhada|original)|doorgestuurd bericht|"
    r"begin doorgestuurd bericht|oorspronkelijk bericht)\b",
    re.IGNORECASE | re.MULTILINE,
)
_REPORTED: Final = re.compile(r"[\"“„«»‘‚].{0,400}[?？][\"”“«»’]+[\s.!,)]*$", re.DOTALL)
_ASKING: Final = frozenset({Kind.REQUEST, Kind.QUESTION})
_SILENT: Final = frozenset({Kind.GREETING})


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked: the sentence, ``firm`` for what wants an answer, and who is named.

    ``names`` are folded words by which people are addressed; empty when nobody is named.
    """

    text: str
    firm: bool
    names: frozenset[str] = frozenset()
    kinds: frozenset[Kind] = frozenset()
    question: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says.

    ``asks`` in order; ``kinds`` of phrases anywhere and in the ``opening``; ``weights`` how many
    different phrases of a kind; who the greeting names; the words of a deadline; the language that
    the phrases are of; how many ``words``; whether one of them means the reader;
    whether a forwarded mail follows.
    """

    asks: tuple[Ask, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    opening: frozenset[Kind] = frozenset()
    weights: dict[Kind, int] = field(default_factory=dict)
    greeted: frozenset[str] = frozenset()
    deadline: str | None = None
    language: str | None = None
    words: int = 0
    to_reader: bool = False
    forwards: bool = False


def said(text: str, language: str | None, names: frozenset[str]) -> Said:
    """What the new text of a mail says; ``names`` are the words by which people are known."""
    mine, forwards = _own_words(visible(text))
    found = sentences(mine)
    total = sum(len(each.words) for each in found)
    spoken = _spoken(language, total)
    reader = _Reader(names)
    known = lexicon()
    for sentence in found:
        if not reader.take(sentence, known.find(sentence.words, sentence.starts, spoken)):
            break
    return reader.said(total, forwards=forwards)


def _own_words(text: str) -> tuple[str, bool]:
    """The text before a forwarded mail in it, and whether there is one."""
    found = _FORWARD.search(text)
    return (text[: found.start()], True) if found else (text, False)


def _spoken(language: str | None, total: int) -> frozenset[str]:
    """The languages whose phrases count: its own and English, of a short text all."""
    if language in LANGUAGES and total >= _ENOUGH_WORDS:
        return frozenset({language, "en"})
    if language in FURTHER:
        return frozenset({language, "en"})
    return frozenset({*LANGUAGES, *FURTHER})


class _Reader:
    """Goes through the sentences of one text and keeps who is being addressed."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._greeted: frozenset[str] = frozenset()
        self._addressed: frozenset[str] = frozenset()
        self._paragraph = -1
        self._asks: list[Ask] = []
        self._kinds: set[Kind] = set()
        self._opening: set[Kind] = set()
        self._opened = 0
        self._weights: dict[Kind, int] = {}
        self._phrases: set[tuple[str, ...]] = set()
        self._languages: dict[str, int] = {}
        self._deadline: str | None = None
        self._to_reader = False

    def said(self, total: int, *, forwards: bool) -> Said:
        """What has been taken in so far."""
        language = max(self._languages, key=lambda key: self._languages[key], default=None)
        return Said(
            asks=tuple(self._asks[:ASKS_LIMIT]),
            kinds=frozenset(self._kinds),
            opening=frozenset(self._opening),
            weights=self._weights,
            greeted=self._greeted,
            deadline=self._deadline,
            language=language,
            words=total,
            to_reader=self._to_reader,
            forwards=forwards,
        )

    def take(self, sentence: Sentence, hits: list[Hit]) -> bool:
        """Take in one sentence; False when a disclaimer begins and the writer's words end."""
        kinds = {hit.kind for hit in hits} | pieces(sentence.text)
        if Kind.LEGAL in kinds:
            return False
        self._count(sentence, hits, kinds)
        self._address(sentence, hits)
        if self._deadline is None:
            self._deadline = _deadline(sentence, hits)
        firm = _asks(sentence, hits, kinds)
        if firm is not None:
            text = sentence.text[:QUOTE_LIMIT]
            asked = frozenset(kinds)
            self._asks.append(Ask(text, firm, self._addressed, asked, sentence.question))
        return True

    def _count(self, sentence: Sentence, hits: list[Hit], kinds: set[Kind]) -> None:
        self._kinds |= kinds
        self._to_reader = self._to_reader or not _YOU.isdisjoint(sentence.words)
        ends: dict[Kind, int] = {}
        for hit in hits:
            self._languages[hit.language] = self._languages.get(hit.language, 0) + 1
            phrase = (hit.kind, *sentence.words[hit.start : hit.end])
            if hit.start >= ends.get(hit.kind, 0) and phrase not in self._phrases:
                self._phrases.add(phrase)
                ends[hit.kind] = hit.end
                self._weights[hit.kind] = self._weights.get(hit.kind, 0) + 1
        if kinds != _SILENT and self._opened < OPENING:
            self._opened += 1
            self._opening |= kinds

    def _address(self, sentence: Sentence, hits: list[Hit]) -> None:
        """Keep who the sentence speaks to: those it names, else those named before it."""
        if sentence.paragraph != self._paragraph:
            self._paragraph = sentence.paragraph
            self._addressed = self._greeted
        named, only = self._called(sentence, hits)
        if named:
            self._addressed = named
            if only or any(hit.kind is Kind.GREETING and hit.start == 0 for hit in hits):
                self._greeted = named

    def _called(self, sentence: Sentence, hits: list[Hit]) -> tuple[frozenset[str], bool]:
        """The names that the sentence addresses, and whether it does nothing else."""
        index = max((h.end for h in hits if h.kind is Kind.GREETING and h.start == 0), default=0)
        greets = index > 0
        found: set[str] = set()
        while index < min(len(sentence.words), _LONGEST_NAMES):
            word = sentence.words[index]
            if word in self._names or (greets and not found and _is_name(sentence, index)):
                found.add(word)
            elif not (found and word in _AND):
                break
            index += 1
        if not found:
            return self._trailing(sentence), False
        at_end = index >= len(sentence.words)
        if at_end or index in sentence.starts or any(_opens(hit, index) for hit in hits):
            return frozenset(found), at_end and not sentence.question
        return (frozenset(found), False) if greets else (frozenset(), False)

    def _trailing(self, sentence: Sentence) -> frozenset[str]:
        last = len(sentence.words) - 1
        if last > 0 and last in sentence.starts and sentence.words[last] in self._names:
            return frozenset({sentence.words[last]})
        return frozenset()


def _opens(hit: Hit, index: int) -> bool:
    return hit.start == index and hit.kind in (Kind.REQUEST, Kind.ACT, Kind.QUESTION)


def _is_name(sentence: Sentence, index: int) -> bool:
    start, end = sentence.spans[index]
    return sentence.text[start:end].istitle() and end - start > 1


def _asks(sentence: Sentence, hits: list[Hit], kinds: set[Kind]) -> bool | None:
    """True for a question or request, False for a thing to be done, None for neither."""
    if Kind.WAIVE in kinds:
        hits = _after_but(sentence, hits)
        if not hits:
            return None
    if sentence.question and _is_idle(sentence, hits):
        return None
    courtesies = [hit for hit in hits if hit.kind is Kind.COURTESY]
    left = {hit.kind for hit in hits if not _covered(hit, courtesies)} | pieces(sentence.text)
    if left & _ASKING or (sentence.question and not courtesies):
        return True
    return False if Kind.ACT in left else None


def _after_but(sentence: Sentence, hits: Sequence[Hit]) -> list[Hit]:
    """The phrases after a "but" that follows a waiver: "no need to call, but could you write?"."""
    waived = max((hit.end for hit in hits if hit.kind is Kind.WAIVE), default=0)
    for index in range(waived, len(sentence.words)):
        if sentence.words[index] in _BUT:
            return [hit for hit in hits if hit.start > index and hit.kind in _ASKING]
    return []


def _is_idle(sentence: Sentence, hits: Sequence[Hit]) -> bool:
    """Whether nobody waits for an answer: rhetoric, small talk that is all, reported speech."""
    for hit in hits:
        if hit.kind is Kind.RHETORIC:
            return True
        if hit.kind is Kind.SMALLTALK and 2 * (hit.end - hit.start) >= len(sentence.words):
            return True
    return _REPORTED.search(sentence.text) is not None


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
