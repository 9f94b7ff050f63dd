"""What people say in mail, language by language, as data.

``lexicon()`` is the one tree of all phrases. It is built at first use, because most commands of
the program never judge a mail.
"""

from functools import cache

from assistant.core.phrases import de, en, es, fr, it, nl, pt
from assistant.core.phrases.lexicon import Lexicon

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")


@cache
def lexicon() -> Lexicon:
    """Every phrase of every language that the rules know."""
    return Lexicon(
        {
            "en": en.PACK,
            "de": de.PACK,
            "fr": fr.PACK,
            "es": es.PACK,
            "it": it.PACK,
            "pt": pt.PACK,
            "nl": nl.PACK,
        }
    )
