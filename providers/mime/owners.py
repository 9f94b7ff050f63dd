"""Which address is usable, which two are one, which are the owner's own, which nobody reads.

Everything that decides who an answer goes to compares addresses, and everything that writes one
into a header relies on it holding nothing that a header would read as something else. Both rules
stand here once. Addresses come from mail, so any text may be given; nothing here raises.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import idna

if TYPE_CHECKING:
    from collections.abc import Mapping

    from providers.mime.message import Owner

MAX_ADDRESS: Final = 320
"""Octets of the longest address that is used: 64 for the local part, 255 for the domain, the @."""

_ATOM: Final = r"""[^\s"(),:;<>@\[\\\].]+"""
_DOTS: Final = r"""[^\s"(),:;<>@\[\\\]]+"""
_QUOTED: Final = r'"(?:[^"\\<>]|\\["\\])+"'
_ADDRESS: Final = re.compile(
    rf"(?:{_DOTS}|{_QUOTED})@(?:{_ATOM}(?:\.{_ATOM})*|\[[0-9A-Za-z.:-]+\])"
)
_PLAIN_QUOTED: Final = re.compile(rf'"({_DOTS})"@')
_NOBODY: Final = re.compile(
    r"(?:^|[-_.+])(?:(?:do)?[-_.]?(?:no|not|dont)[-_.]?repl(?:y|ies)|ne[-_.]?pas[-_.]?repondre"
    r"|nicht[-_.]?antworten|keine[-_.]?antwort|no[-_.]?responder?|na?o[-_.]?responda"
    r"|mailer-daemon)(?:$|[-_.+0-9])"
)
_NOBODY_DOMAIN: Final = re.compile(r"(?:^|\.)(?:no-?reply|do-?not-?reply)\.")


def usable(addr: str) -> bool:
    """Whether *addr* is one bare mailbox that may stand in a header (RFC 5322 3.4.1, RFC 6532).

    White space stands only inside a quoted local part; control and invisible characters, angle
    brackets and a second @ nowhere.
    """
    return (
        addr.isprintable()
        and _ADDRESS.fullmatch(addr) is not None
        and len(addr.encode()) <= MAX_ADDRESS
    )


def ascii_domain(domain: str) -> str:
    """*domain* as DNS asks for it (RFC 5891); unchanged where it has no such form."""
    if domain.isascii():
        return domain
    try:
        return idna.encode(domain, uts46=True).decode("ascii")
    except UnicodeError:
        return domain


def address_key(addr: str) -> str:
    """What is equal for two spellings of one address: letter case, script of the domain, quotes.

    RFC 5321 2.4 lets a host tell local parts apart by case; none that people write to does.
    """
    plain = _PLAIN_QUOTED.sub(r"\1@", addr, count=1) if addr.startswith('"') else addr
    local, _, domain = plain.rpartition("@")
    return f"{local.lower()}@{ascii_domain(domain.lower()).rstrip('.')}"


def own_addresses(owner: Owner) -> Mapping[str, str]:
    """The owner's addresses as configured, by their keys; ask it with ``own_form``."""
    return {address_key(addr): addr for addr in reversed(owner.addresses)}


def own_form(addr: str, own: Mapping[str, str]) -> str | None:
    """*addr* as the owner writes it, when it is theirs; else None.

    A plus-address is theirs too and keeps its tag: whoever was given it knows no other.
    """
    known = own.get(address_key(addr))
    if known is not None:
        return known
    local, at, domain = addr.rpartition("@")
    base, plus, tag = local.partition("+")
    known = own.get(address_key(base + at + domain)) if plus else None
    if known is None:
        return None
    own_local, _, own_domain = known.rpartition("@")
    tagged = f"{own_local}+{tag}@{own_domain}"
    return tagged if usable(tagged) else known


def nobody_reads(addr: str) -> bool:
    """Whether the address itself says that what is sent there is read by nobody."""
    local, _, domain = addr.lower().rpartition("@")
    return _NOBODY.search(local) is not None or _NOBODY_DOMAIN.search(domain + ".") is not None
