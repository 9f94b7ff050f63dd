"""Who a mail speaks to: the owner alone, among few, in Cc, by name, or somebody else.

Names of people are only known from headers, so a name in the text counts as an address to a
person when it stands where people are addressed ("Hi Robin,", "Tom: can you", "…, Kai?").
Nothing here decides what a thread needs; it must not raise on any header that a mail can carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from assistant.core.phrases.sentences import unlinked, words
from providers.mime.invisible import visible_line
from providers.mime.message import Address, Mail, Owner
from providers.mime.owners import address_key, own_addresses, own_form

FEW: Final = 10
"""Up to so many people in To, a question to all of them is a question to each."""
NAME_LIMIT: Final = 60
_MOST_PEOPLE: Final = 200

_ROLES: Final = frozenset(
    words(
        "info office sales team support contact admin hello mail post desk service billing "
        "accounts accounting hr jobs press news no noreply reply the and von van der de la le di "
        "da del dos das du mr mrs ms dr prof herr frau via on behalf of for to all staff group "
        "can could will may please user me you list lists members"
    )
)


class Place(Enum):
    """Where the owner stands among the recipients."""

    SOLE = "the only one addressed"
    FEW = "one of a few addressed"
    MANY = "one of many addressed"
    COPY = "only in copy"
    HIDDEN = "not named among the recipients"
    LISTED = "a reader of the list"


@dataclass(frozen=True, slots=True)
class Me:
    """The owner as mails know them: own addresses by key, and the words they are called by."""

    addresses: Mapping[str, str]
    names: frozenset[str]
    domains: frozenset[str]

    @classmethod
    def of(cls, owner: Owner) -> Me:
        """What is known of an owner."""
        people = [Address(addr=addr, name=owner.name) for addr in owner.addresses]
        local_parts = [Address(addr=addr) for addr in owner.addresses]
        return cls(
            addresses=own_addresses(owner),
            names=_names_of(people) | _names_of(local_parts),
            domains=frozenset(domain(addr) for addr in owner.addresses),
        )

    def owns(self, addr: str) -> bool:
        """Whether an address is the owner's, plus-addresses included."""
        return own_form(addr, self.addresses) is not None


@dataclass(frozen=True, slots=True)
class Audience:
    """The owner's place, how many people are addressed, and the names of the others."""

    place: Place
    addressed: int
    others: frozenset[str]


def domain(addr: str) -> str:
    """The domain of an address in lower case, "" when it has none."""
    return addr.rpartition("@")[2].strip().lower() if "@" in addr else ""


def writer(mail: Mail) -> str:
    """The writer's name for a sentence: display name, else address, made safe and short."""
    for each in (*mail.original_from, *mail.from_):
        name = visible_line(each.name).strip("\"'<> ")
        if name and unlinked(name) == name:
            return name[:NAME_LIMIT]
    for each in mail.from_:
        addr = visible_line(each.addr)
        if addr:
            return addr[:NAME_LIMIT]
    return "somebody unknown"


def writers(mail: Mail) -> frozenset[str]:
    """The keys of the addresses that wrote a mail."""
    return frozenset(address_key(each.addr) for each in mail.from_ if each.addr)


def poses_as_owner(mail: Mail, me: Me) -> bool:
    """Whether a mail from outside Sent says that the owner wrote it to others.

    That is somebody's claim, or a copy of a mail whose original was not kept: either way nobody
    whom it names is answered. A note of the owner to themself speaks to nobody, and a form on
    their site, which writes to them in their name for whoever is in Reply-To, is that one's mail.
    """
    if not mail.from_ or not all(me.owns(each.addr) for each in mail.from_):
        return False
    named = [me.owns(each.addr) for each in (*mail.to, *mail.cc)]
    if any(not me.owns(each.addr) for each in mail.reply_to):
        return not any(named)
    return not all(named)


def audience(mail: Mail, me: Me) -> Audience:
    """Where the owner stands in the headers of a mail.

    A writer in To is nobody addressed; where To is empty, those in Cc are.
    """
    to = _people(mail.to)
    copy = _people(mail.cc)
    for key in writers(mail):
        to.pop(key, None)
    if not to:
        to, copy = copy, {}
    others = [each for each in (to | copy).values() if not me.owns(each.addr)]
    direct = sum(not me.owns(each.addr) for each in to.values())
    return Audience(
        place=_place(mail, to, copy, me),
        addressed=direct + 1,
        others=_names_of(others) - me.names,
    )


def _people(addresses: Iterable[Address]) -> dict[str, Address]:
    return {address_key(each.addr): each for each in addresses if each.addr}


def _place(mail: Mail, to: Mapping[str, Address], copy: Mapping[str, Address], me: Me) -> Place:
    direct = [me.owns(each.addr) for each in to.values()]
    if any(direct):
        others = direct.count(False)
        return Place.SOLE if not others else Place.FEW if others < FEW else Place.MANY
    if any(me.owns(each.addr) for each in copy.values()):
        return Place.COPY
    if mail.list_id or mail.list_post:
        return Place.LISTED
    return Place.HIDDEN if to or copy else Place.SOLE


def _names_of(people: Iterable[Address]) -> frozenset[str]:
    """The folded words by which people may be called in a text."""
    found: set[str] = set()
    for _, each in zip(range(_MOST_PEOPLE), people, strict=False):
        parts = words(each.name[:200]) if "@" not in each.name else ()
        if not parts:
            parts = words(each.addr.partition("@")[0][:64])
        found.update(part for part in parts if len(part) > 1 and not part.isdigit())
    return frozenset(found - _ROLES)
