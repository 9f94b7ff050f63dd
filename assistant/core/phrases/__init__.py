"""What people say in mail, language by language, as data.

``lexicon()`` holds the phrases of all languages. It is built at first use, because most commands
of the program never judge a mail. ``pieces`` finds what is written without spaces between words.
"""

from functools import cache
from typing import Final

from assistant.core.phrases import de, en, es, fr, it, nl, pt
from assistant.core.phrases.lexicon import Kind, Lexicon
from assistant.core.phrases.others import PACKS, PIECES

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
"""Languages whose phrases are known well; of others only some requests and thanks are."""
FURTHER: Final = tuple(PACKS)


@cache
def lexicon() -> Lexicon:
    """Every phrase of every language that puts spaces between words."""
    known = {"en": en, "de": de, "fr": fr, "es": es, "it": it, "pt": pt, "nl": nl}
    return Lexicon({language: pack.PACK for language, pack in known.items()} | PACKS)


def pieces(text: str) -> frozenset[Kind]:
    """What a sentence tells in scripts that are looked up without words."""
    if text.isascii():
        return frozenset()
    return frozenset(kind for kind, piece in PIECES if piece in text)
