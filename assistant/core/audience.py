"""Who a mail speaks to: the owner alone, among few, in Cc, by name, or somebody else.

Names of people are only known from headers, so a name in the text counts as an address to a
person when it stands where people are addressed ("Hi Robin,", "Tom: can you", "…, Kai?").
Nothing here decides what a thread needs; it must not raise on any header that a mail can carry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from assistant.core.phrases.sentences import plain, unlinked, words
from providers.mime.message import Address, Mail, Owner

FEW: Final = 10
"""Up to so many people in To, a question to all of them is a question to each."""

_NOBODY: Final = re.compile(
    r"^(?:no|do[-_.]?not|donot|dont|ne[-_.]?pas|nicht|nao|non?|niet|geen)[-_.]?"
    r"(?:reply|respond|answer|antwort\w*|repondre|responder|responda|rispondere|reply\w*|"
    r"beantwoorden|antwoord\w*)\b|^noreply|^mailer-daemon|^postmaster|^bounces?[-+@]",
    re.IGNORECASE,
)
_ROLES: Final = frozenset(
    words(
        "info office sales team support contact admin hello mail post desk service billing "
        "accounts accounting hr jobs press news no noreply reply the and von van der de la le di "
        "da del dos das du mr mrs ms dr prof herr frau via on behalf of for to all staff group"
    )
)
NAME_LIMIT: Final = 60


class Place(Enum):
    """Where the owner stands among the recipients."""

    SOLE = "the only one it is addressed to"
    FEW = "one of a few it is addressed to"
    MANY = "one of many it is addressed to"
    COPY = "only in copy"
    HIDDEN = "not named among its recipients"
    LISTED = "a reader of a list"


@dataclass(frozen=True, slots=True)
class Audience:
    """The owner's place, the number of people addressed, and the names of the others."""

    place: Place
    addressed: int
    owner_names: frozenset[str]
    other_names: frozenset[str]


def bare(addr: str) -> str:
    """An address as it is compared: lower case, without a plus-tag."""
    local, at, domain = addr.strip().lower().rpartition("@")
    return f"{local.split('+', 1)[0]}{at}{domain}" if at else domain


def is_owner(addr: str, owner: Owner) -> bool:
    """Whether an address is one of the owner's, plus-addresses included."""
    return bare(addr) in {bare(own) for own in owner.addresses}


def answers_to(mail: Mail, owner: Owner) -> tuple[Address, ...]:
    """Who would read an answer: Reply-To else From, without the owner and robots."""
    asked = mail.reply_to or mail.from_
    return tuple(
        each
        for each in asked
        if "@" in each.addr and not is_owner(each.addr, owner) and not is_robot(each.addr)
    )


def is_robot(addr: str) -> bool:
    """Whether the address itself says that nobody reads it."""
    return _NOBODY.match(addr.strip()) is not None


def writer(mail: Mail) -> str:
    """The writer's name for a sentence: display name, else address, made safe and short."""
    for each in mail.from_:
        name = " ".join(unlinked(plain(each.name)).split()).strip("\"' ")
        if name and "[address]" not in name and "[link]" not in name:
            return name[:NAME_LIMIT]
    for each in mail.from_:
        addr = " ".join(plain(each.addr).split())
        if addr:
            return addr[:NAME_LIMIT]
    return "somebody unknown"


def audience(mail: Mail, owner: Owner) -> Audience:
    """Where the owner stands in the headers of a mail."""
    to = {bare(each.addr): each for each in mail.to if each.addr}
    copy = {bare(each.addr): each for each in mail.cc if each.addr}
    mine = {bare(own) for own in owner.addresses}
    own_names = _names_of([Address(addr=own, name=owner.name) for own in owner.addresses])
    others = [each for addr, each in (to | copy).items() if addr not in mine]
    return Audience(
        place=_place(mail, to.keys(), copy.keys(), mine),
        addressed=len(to.keys() - mine) + 1,
        owner_names=own_names,
        other_names=_names_of(others) - own_names,
    )


def _place(mail: Mail, to: Iterable[str], copy: Iterable[str], mine: set[str]) -> Place:
    direct, copied = set(to), set(copy)
    if direct & mine:
        others = len(direct - mine)
        if not others:
            return Place.SOLE
        return Place.FEW if others < FEW else Place.MANY
    if copied & mine:
        return Place.COPY
    if mail.list_id or mail.list_post:
        return Place.LISTED
    return Place.HIDDEN if direct or copied else Place.SOLE


def _names_of(people: Iterable[Address]) -> frozenset[str]:
    """The folded words by which people may be called in a text."""
    found: set[str] = set()
    for each in people:
        parts = words(plain(each.name)[:200]) if "@" not in each.name else ()
        if not parts:
            parts = words(each.addr.partition("@")[0][:64])
        found.update(part for part in parts if len(part) > 1 and not part.isdigit())
    return frozenset(found - _ROLES)
