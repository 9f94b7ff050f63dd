"""Greetings: who an answer greets, by which name, in which language.

A display name is written by a stranger: it may be "Okafor, Mina", "Mina Okafor (Ops)", a firm, an
address, or worse. What does not look like the name of a person gives the neutral greeting; a title
means that first names are not used. Pure and total: letters, hyphens and apostrophes are all that
gets out of a display name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assistant.core.phrases.sentences import fold, words
from providers.mime.invisible import visible_line
from providers.mime.message import Address

MOST_NAMES: Final = 3
"""More people than this are greeted together."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How a language greets: before names, between the last two, everybody, nobody known."""

    named: str
    last: str
    everybody: str
    nobody: str


_FORMS: Final = {
    "en": _Form("Hello {},", "and", "Hello all,", "Hello,"),
    "de": _Form("Hallo {},", "und", "Hallo zusammen,", "Guten Tag,"),
    "fr": _Form("Bonjour {},", "et", "Bonjour à tous,", "Bonjour,"),
    "es": _Form("Hola, {}:", "y", "Hola a todos:", "Hola:"),
    "it": _Form("Buongiorno {},", "e", "Buongiorno a tutti,", "Buongiorno,"),
    "pt": _Form("Olá, {},", "e", "Olá a todos,", "Olá,"),
    "nl": _Form("Hallo {},", "en", "Hallo allemaal,", "Hallo,"),
}
_DEGREES: Final = frozenset(words("dr prof phd md mba jr sr ing dott dottssa dra msc bsc"))
_FORMAL: Final = frozenset(
    words(
        "mr mrs ms miss mx sir madam lord lady herr frau monsieur madame mademoiselle m mme mlle "
        "señor señora sr sra don doña signor signora sig sigra senhor senhora meneer mevrouw "
        "dhr mevr"
    )
)
_NO_PERSON: Final = frozenset(
    words(
        "team support info service services office sales desk admin group list lists news "
        "contact form department gmbh ltd llc inc corp ag sa sarl spa srl bv nv kg plc society "
        "company shop store noreply customer care help billing accounts newsletter club verein "
        "association the university school bank hotel restaurant clinic museum church council "
        "committee foundation mailer daemon postmaster system robot bot notifications alerts "
        "kundenservice kontakt buchhaltung sekretariat secretariat secretaria studio ufficio "
        "servicio atención atendimento"
    )
)
_VIA: Final = re.compile(
    r"\s(?:via|through|über|par|por|tramite|from|at|@|\||-|–|—|/)\s.*", re.DOTALL
)
_ASIDE: Final = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|[\"“”„]")
_NAME: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_])){1,29}")
_INITIAL: Final = re.compile(r"[^\W\d_]\.?")
_LATIN: Final = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ'’-]+")


def first_name(display: str) -> str | None:
    """The first name in a display name, None when it does not look like a person's."""
    text = " ".join(_ASIDE.sub(" ", visible_line(display)[:200]).split()).strip("' ")
    text = _VIA.sub("", text)
    if not text or any(mark in text for mark in "@/:;<>"):
        return None
    folded = words(text)
    if _NO_PERSON.intersection(folded) or _FORMAL.intersection(folded):
        return None
    parts = text.split(",")
    given = parts[1] if len(parts) > 1 and not _DEGREES.intersection(words(parts[1])) else parts[0]
    return _first(given.split(), alone=len(parts) == 1)


def _first(parts: Sequence[str], *, alone: bool) -> str | None:
    names = [part for part in parts if fold(part).strip(".") not in _DEGREES]
    if not names or any(_NAME.fullmatch(part) is None for part in names if not _is_initial(part)):
        return None
    shouted = [part for part in names if part.isupper() and len(part) > 2]
    spoken = [part for part in names if not part.isupper() and not _is_initial(part)]
    if alone and shouted and spoken:
        return _written(spoken[0])
    return None if _is_initial(names[0]) else _written(names[0])


def _is_initial(part: str) -> bool:
    return _INITIAL.fullmatch(part) is not None


def _written(name: str) -> str | None:
    """The name in usual capitals; None in a script whose names have no usual order here."""
    if _LATIN.fullmatch(name) is None:
        return None
    if name.islower() or name.isupper():
        return "-".join(part.capitalize() for part in name.split("-"))
    return name


def greeting(people: Sequence[Address], language: str | None) -> str:
    """One line that greets the people by first name, or neutrally when one is not known."""
    form = _FORMS.get(language or "en", _FORMS["en"])
    names = [first_name(each.name) for each in people]
    found = [name for name in names if name is not None]
    if len(names) > MOST_NAMES or (len(names) > 1 and len(found) < len(names)):
        return form.everybody
    if not found:
        return form.nobody
    if len(found) == 1:
        return form.named.format(found[0])
    return form.named.format(f"{', '.join(found[:-1])} {form.last} {found[-1]}")
