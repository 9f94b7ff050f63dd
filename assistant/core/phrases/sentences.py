"""Mail text as sentences and words that phrases can be looked up in.

Rules look at what a sentence asks, so the text is first made plain: characters that no reader
sees are removed, addresses of pages and people are replaced by a visible word, lines that a mail
program wrapped are joined again. Words are folded (case, accents, apostrophes), so that
"Könnten", "konnten" and "KÖNNTEN" are one word; phrases are folded by the same function.

Everything here is linear in the text and bounded: of a very long text only the head and the tail
are looked at (LIMIT characters). It must never raise on any text, and it never decides anything.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from providers.mime.invisible import visible

LIMIT: Final = 24_000
SENTENCE_LIMIT: Final = 1_200
LINK: Final = "[link]"
ADDRESS: Final = "[address]"
IMAGE: Final = "[image]"

_IMAGE: Final = re.compile(r"!\[[^\]\n]{0,200}\](?:\([^)\n]{0,500}\)|\[[^\]\n]{0,100}\])?")
_LINK: Final = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\b(?:mailto|tel|sms|data|javascript):(?=\S))"
    r"[^\s<>\"”»]+",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"[^\s<>()\[\],;:\"“”]{1,64}@[^\s<>()\[\],;:\"“”@]{1,255}")
_TOP: Final = (
    "com|org|net|info|biz|edu|gov|mil|int|eu|io|co|ai|app|dev|xyz|top|site|online|shop|club|link|"
    "click|zip|mov|icu|vip|work|live|pro|tech|store|space|website|cloud|page|web|mobi|name|asia|"
    "media|news|blog|email|agency|digital|solutions|support|help|center|group|company|finance|bank|"
    "loan|win|bid|men|date|stream|download|example|test|invalid|local|onion|"
    "de|fr|es|it|pt|nl|uk|us|ru|cn|at|ch|be|pl|cz|sk|se|no|dk|fi|gr|hu|ro|bg|tr|jp|kr|tw|hk|sg|br|"
    "mx|ar|cl|ca|au|nz|za|ie|lu|li|me|tv|cc|ly|gg|to|sh|st|fm|in|is|im|la|ws|pw|ga|ml|cf|gq|tk|su|"
    "xn--[a-z0-9-]{1,59}"
)
_HOST: Final = re.compile(
    rf"\b(?:[^\W_](?:[\w-]{{0,61}}[^\W_])?\.){{1,8}}(?:{_TOP})\b(?:[/?#:][^\s<>\"”»]*)?",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+")
_MARKS: Final = re.compile("[\u0300-\u036f]")
_QUOTED: Final = re.compile(r"\s{0,8}(?:\w{1,12}>|[>|]\s?[^|\s])")
_BULLET: Final = re.compile(r"\s*(?:[-*•·–—>»]|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)])\s+")
_ENDS: Final = ".!?…‼⁇⁈⁉\u037e؟۔"
_END: Final = re.compile(
    rf"(?<![{_ENDS}])[{_ENDS}]+[\"'”’»)\]]*(?=\s)|(?<![。！？｡])[。！？｡]+[」』）”]*"
)
_SHORT_WORDS: Final = (
    "mr mrs ms dr st prof e.g i.e z.b d.h u.a bzw ca nr no vs p.ex sr sra dott sig ing art tel "
    "bijv dhr mevr mw av approx inc ltd co jr n.b evtl ggf usw inkl"
)
_SHORT: Final = frozenset(_SHORT_WORDS.split())
_QUESTION: Final = "?？؟⁇⁈⁉՞፧\u037e"
_FINAL: Final = " \t\n\"'”’»)]」』）.!*_"
_CLAUSE: Final = frozenset(",;:(–—-!.¿¡/…")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: ``text`` as written, its folded ``words``, and where clauses start.

    ``paragraph`` counts the paragraphs of the text; ``question`` says that it ends in a question
    mark of any script.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    starts: frozenset[int]
    paragraph: int
    question: bool


def unlinked(text: str) -> str:
    """The text with links, images and addresses replaced by a visible word."""
    text = _IMAGE.sub(IMAGE, text)
    text = _LINK.sub(LINK, text)
    text = _ADDRESS.sub(ADDRESS, text)
    return _HOST.sub(LINK, text)


def fold(text: str) -> str:
    """Lower case without accents, the form in which words and phrases are compared."""
    if text.isascii():
        return text.lower()
    return _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def words(text: str) -> tuple[str, ...]:
    """The folded words of a text; apostrophes and hyphens separate words."""
    return tuple(fold(word) for word in _WORD.findall(text))


def bounded(text: str) -> str:
    """At most LIMIT characters: the head and the tail of a longer text."""
    if len(text) <= LIMIT:
        return text
    half = LIMIT // 2
    return text[:half] + "\n\n" + text[-half:]


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order; empty ones are left out."""
    found: list[Sentence] = []
    for number, paragraph in enumerate(_paragraphs(unlinked(visible(bounded(text))))):
        for piece in _split(paragraph):
            sentence = _sentence(piece[:SENTENCE_LIMIT], number)
            if sentence.words or sentence.question:
                found.append(sentence)
    return found


def _paragraphs(text: str) -> list[str]:
    """Lines joined where a mail program wrapped them, split where the writer did."""
    joined: list[str] = []
    previous = ""
    for line in text.split("\n"):
        bare = line.strip() if _QUOTED.match(line) is None else ""
        wrapped = len(previous) >= 45 and not previous.endswith((":", ".", "?", "!", ","))
        continues = wrapped or (len(previous) >= 45 and previous.endswith(",") and bool(bare))
        if joined and bare and continues and not _BULLET.match(line):
            joined[-1] += " " + bare
        elif bare:
            joined.append(bare)
        previous = bare
    return joined


def _split(paragraph: str) -> list[str]:
    pieces: list[str] = []
    begin = 0
    for end in _END.finditer(paragraph):
        if _is_end(paragraph, begin, end):
            pieces.append(paragraph[begin : end.end()].strip())
            begin = end.end()
    pieces.append(paragraph[begin:].strip())
    return [piece for piece in pieces if piece]


def _is_end(paragraph: str, begin: int, end: re.Match[str]) -> bool:
    if not end.group().startswith("."):
        return True
    following = paragraph[end.end() : end.end() + 2].strip()
    if end.group() == "." and following[:1].islower():
        return False
    before = paragraph[max(begin, end.start() - 12) : end.start()].rsplit(None, 1)
    last = before[-1].lower().lstrip("(\"'“«") if before else ""
    if last in _SHORT or (len(last) == 1 and last.isalpha()):
        return False
    return not (last.isdigit() and len(last) <= 2)


def _sentence(text: str, paragraph: int) -> Sentence:
    spans = tuple(match.span() for match in _WORD.finditer(text))
    starts = {0}
    for index in range(1, len(spans)):
        if not _CLAUSE.isdisjoint(text[spans[index - 1][1] : spans[index][0]]):
            starts.add(index)
    last = text.rstrip(_FINAL)[-1:]
    return Sentence(
        text=text,
        words=tuple(fold(text[start:end]) for start, end in spans),
        spans=spans,
        starts=frozenset(starts),
        paragraph=paragraph,
        question=(bool(last) and last in _QUESTION) or "¿" in text,
    )
