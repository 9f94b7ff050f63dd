"""Greetings: who an answer greets, by which name, in which language.

A display name is written by a stranger: it may be "Okafor, Mina", "Mina Okafor (Ops)", a firm, an
address, or worse. What does not look like the name of a person gives the neutral greeting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from assistant.core.phrases.sentences import fold, words
from providers.mime.invisible import visible_line
from providers.mime.message import Address

_SALUTE: Final = {
    "en": "Hello",
    "de": "Hallo",
    "fr": "Bonjour",
    "es": "Hola",
    "it": "Buongiorno",
    "pt": "Olá",
    "nl": "Hallo",
}
_AND: Final = {"en": "and", "de": "und", "fr": "et", "es": "y", "it": "e", "pt": "e", "nl": "en"}
_TITLES: Final = frozenset(words("mr mrs ms miss dr prof herr frau sir madam ing dott sig mme"))
_NO_PERSON: Final = frozenset(
    words(
        "team support info service office sales desk admin group list news contact form department "
        "gmbh ltd inc llc ag sa bv society company shop store noreply customer"
    )
)
_NAME: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.-](?=[^\W\d_])|\.){0,39}")
_ASIDE: Final = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|\"")
MOST_NAMES: Final = 3


def first_name(display: str) -> str | None:
    """The first name in a display name, None when it does not look like a person's."""
    text = " ".join(_ASIDE.sub(" ", visible_line(display)[:200]).split())
    if not text or "@" in text or "/" in text or ":" in text:
        return None
    family, comma, given = text.partition(",")
    parts = (given if comma and given.strip() else family).split()
    if any(fold(part).strip(".,") in _NO_PERSON for part in text.split()):
        return None
    for part in parts:
        if fold(part).strip(".") in _TITLES:
            continue
        if not _NAME.fullmatch(part) or len(part.strip(".")) < 2:
            return None
        return part
    return None


def greeting(people: Sequence[Address], language: str | None) -> str:
    """One line that greets the people by first name, or neutrally when one is not known."""
    known = language if language in _SALUTE else "en"
    salute = _SALUTE[known]
    names = [first_name(each.name) for each in people]
    found = [name for name in names if name is not None]
    if not found or len(found) < len(names) or len(found) > MOST_NAMES:
        return f"{salute},"
    if len(found) == 1:
        return f"{salute} {found[0]},"
    return f"{salute} {', '.join(found[:-1])} {_AND[known]} {found[-1]},"
