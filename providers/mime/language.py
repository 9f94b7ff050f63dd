"""Guess the language of a short text, or say that it is not sure.

An answer should be in the language of the mail. Mails are short, so what counts is the script
first, then frequent words, then runs of letters; no corpus and no number library is needed for
that. A wrong guess is worse than none: close calls between neighbours, and texts of names and
numbers, give None. Pure and without state but the tables, built once at first use; linear in a
bounded head of the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from providers.mime.language_letters import CYRILLIC, LETTERS
from providers.mime.language_words import LATIN

_MOST_CHARS: Final = 4000
_MOST_WORDS: Final = 300
_NOISE: Final = re.compile(
    r"https?://\S{1,400}|www\.\S{1,400}|(?<!\S)[^\s@]{1,80}@\S{1,120}|<[^<>]{1,200}>"
)
_NOISY: Final = ("@", "://", "www.", "<")
"""One of these stands in all that is no word of any language."""
_ASCII: Final = re.compile("[\x00-\x7f]+")
_NO_ASCII_LETTERS: Final = bytes(
    byte for byte in range(256) if not chr(byte).isalpha() or byte > 127
)
_TWO_LETTERS: Final = re.compile("[A-Za-z][^A-Za-z]*[A-Za-z]")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_SCRIPTS: Final = (
    ("latin", re.compile("[A-Za-zÀ-ɏḀ-ỿ]")),
    ("cyrillic", re.compile("[Ѐ-ӿ]")),
    ("greek", re.compile("[Ͱ-Ͽἀ-῿]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")),
    ("hangul", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("kana", re.compile("[\u3041-\u30fa\u30fc-\u30ff\uff66-\uff9f]")),
    ("han", re.compile("[\u3400-\u9fff\uf900-\ufaff]")),
)
_WEIGHT: Final = {"hangul": 2.5, "kana": 2.5, "han": 2.5}
"""Letters of other scripts that one character of these is worth."""

_ONE: Final = {"greek": "el", "hebrew": "he", "thai": "th", "hangul": "ko"}
_PERSIAN: Final = re.compile("[پچژگکی]")
_URDU: Final = re.compile("[ٹڈڑںے]")
_NEIGHBOURS: Final = re.compile("[ђјљњћџѓќѕў]")
"""Letters of Serbian, Macedonian and Belarusian, which are not told apart here."""


def language_of(text: str) -> str | None:
    """The language of ``text`` as ISO 639-1 code, or None when it is not sure."""
    head = text[:_MOST_CHARS]
    if any(sign in head for sign in _NOISY):
        head = _NOISE.sub(" ", head)
    if head.isascii():
        return _best(head, "latin") if _TWO_LETTERS.search(head) else None
    beyond = _ASCII.sub("", head)
    counts = {name: len(letters.findall(beyond)) for name, letters in _SCRIPTS}
    counts["latin"] += len(head.encode("ascii", "ignore").translate(None, _NO_ASCII_LETTERS))
    weights = {name: count * _WEIGHT.get(name, 1.0) for name, count in counts.items()}
    total = sum(weights.values())
    if total < 2:
        return None
    east = weights["han"] + weights["kana"]
    leading = max(weights, key=lambda name: weights[name])
    if east > total / 2:
        japanese = counts["kana"] * 12 >= counts["han"] + counts["kana"]
        return "ja" if japanese else "zh"
    if weights[leading] < total * 0.55:
        return None
    if leading in _ONE:
        return _ONE[leading]
    if leading == "arabic":
        return _arabic(head)
    if leading == "cyrillic":
        return None if _NEIGHBOURS.search(head.casefold()) else _best(head, "cyrillic")
    return _best(head, "latin") if leading == "latin" else None


def _arabic(text: str) -> str | None:
    if len(_URDU.findall(text)) >= 2:
        return "ur"
    return "fa" if len(_PERSIAN.findall(text)) >= 2 else "ar"


@dataclass(frozen=True, slots=True)
class _Model:
    """One language: logarithms of how likely words are, and letters after the two before them."""

    words: Mapping[str, float]
    letters: Mapping[str, float]
    pairs: Mapping[str, float]
    triples: Mapping[str, float]
    alphabet: frozenset[str]

    def letter(self, triple: str) -> float:
        """How likely the last letter of ``triple`` is after the two before it."""
        return math.log(
            0.55 * self.triples.get(triple, 0.0)
            + 0.3 * self.pairs.get(triple[1:], 0.0)
            + 0.15 * self.letters.get(triple[2], 0.0)
            + 0.0015
        )


_UNKNOWN: Final = -1.0
"""What a word costs that no table has, before its letters are looked at."""
_FOREIGN: Final = -4.0
"""What each letter of a word costs that the language does not have."""
_MARGIN: Final = 1.6
"""By how much (natural logarithm) the best must lead over the next."""
_NEAR: Final = (frozenset(("da", "nb")), frozenset(("cs", "sk")), frozenset(("es", "ca")))
_NEAR_MARGIN: Final = 2.4
"""The same between languages that share most of their words."""
_CERTAIN: Final = 60.0
"""A lead that the rest of a text does not change; what follows is not looked at."""
_SAMPLE: Final = 60
"""How many words are looked up before any is taken apart."""
_PLAIN_WORDS: Final = 6
"""How many of them a language must know, and a third of all, to be plain."""
_PLAIN_LEAD: Final = 2.5
"""How many times as many as the next; neighbours share more than that allows."""
_AT_ONCE: Final = 30
"""How many words are counted before the lead is looked at."""
_LONGEST: Final = 40
"""How much of a word is looked at; what is longer is no word."""
_WIDE_MARGIN: Final = 4.0
"""The same where fewer than two words, or fewer than one in eight, are in its table."""


def _model(language: str, entry: str) -> _Model:
    ranked = list(dict.fromkeys(entry.split()))
    known = {word: math.log(1.0 / (rank + 12) / 3.0) for rank, word in enumerate(ranked)}
    letters: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    triples: Counter[str] = Counter()
    for word in ranked:
        padded = f"  {word} "
        for at in range(2, len(padded)):
            letters[padded[at]] += 1
            pairs[padded[at - 1 : at + 1]] += 1
            triples[padded[at - 2 : at + 1]] += 1
    starts: Counter[str] = Counter()
    for pair, count in pairs.items():
        starts[pair[0]] += count
    two: Counter[str] = Counter()
    for triple, count in triples.items():
        two[triple[:2]] += count
    total = sum(letters.values())
    return _Model(
        words=known,
        letters={key: count / total for key, count in letters.items()},
        pairs={key: count / starts[key[0]] for key, count in pairs.items()},
        triples={key: count / two[key[:2]] for key, count in triples.items()},
        alphabet=frozenset("abcdefghijklmnopqrstuvwxyz'" + LETTERS[language]),
    )


@lru_cache(maxsize=2)
def _models(script: str) -> Mapping[str, _Model]:
    table = LATIN if script == "latin" else CYRILLIC
    return {language: _model(language, entry) for language, entry in table.items()}


@lru_cache(maxsize=1 << 16)
def _letters(script: str, triple: str) -> tuple[float, ...]:
    """How likely the last letter of ``triple`` is in each language, in the order of the models."""
    return tuple(model.letter(triple) for model in _models(script).values())


@lru_cache(maxsize=1 << 15)
def _word(script: str, word: str) -> tuple[float, ...]:
    """How likely ``word`` is in each language: as a known one, else by its letters."""
    padded = f"  {word} "
    spelled = [_letters(script, padded[at - 2 : at + 1]) for at in range(2, len(padded))]
    used = frozenset(word)
    return tuple(
        known
        if (known := model.words.get(word)) is not None
        else _UNKNOWN + sum(letters) + _FOREIGN * len(used - model.alphabet)
        for model, letters in zip(_models(script).values(), zip(*spelled, strict=True), strict=True)
    )


@lru_cache(maxsize=2)
def _knowing(script: str) -> Mapping[str, tuple[str, ...]]:
    """Which languages know a word."""
    found: dict[str, tuple[str, ...]] = {}
    for name, model in _models(script).items():
        for word in model.words:
            found[word] = (*found.get(word, ()), name)
    return found


def _by_known_words(found: Sequence[str], script: str) -> str | None:
    """The language that knows far more of the words than any other does: most mails have one."""
    knowing = _knowing(script)
    counts = Counter(name for word in found for name in knowing.get(word, ()))
    (first, most), (_, next_most) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    enough = most >= _PLAIN_WORDS and most * 3 >= len(found)
    return first if enough and most >= _PLAIN_LEAD * next_most else None


def _best(text: str, script: str) -> str | None:
    words = _WORD.finditer(text.casefold().replace("’", "'"))
    found = [word[0] for word in islice(words, _SAMPLE)]
    if not found:
        return None
    plain = _by_known_words(found, script)
    if plain is not None:
        return plain
    found += [word[0] for word in islice(words, _MOST_WORDS - _SAMPLE)]
    models = _models(script)
    ranked = [(0.0, name) for name in models]
    scores = [0.0] * len(models)
    for start in range(0, len(found), _AT_ONCE):
        rows = [_word(script, word[:_LONGEST]) for word in found[start : start + _AT_ONCE]]
        scores = [sum(column, score) for score, *column in zip(scores, *rows, strict=True)]
        ranked = sorted(zip(scores, models, strict=True), reverse=True)
        if ranked[0][0] - ranked[1][0] >= _CERTAIN:
            found = found[: start + _AT_ONCE]
            break
    return _decided(ranked[0], ranked[1], found, models)


def _decided(
    first: tuple[float, str],
    second: tuple[float, str],
    found: Sequence[str],
    models: Mapping[str, _Model],
) -> str | None:
    """The better of the two best languages, where its lead is clear enough."""
    lead, best = first[0] - second[0], first[1]
    known = sum(word in models[best].words for word in found)
    sure = known >= 2 and known * 8 >= len(found)
    needed = _NEAR_MARGIN if {best, second[1]} in _NEAR else _MARGIN
    if lead < (needed if sure else _WIDE_MARGIN) or not known:
        return None
    return best
