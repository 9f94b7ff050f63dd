"""Who an answer goes to, from whom, under which subject and ids: decided by code alone.

The model writes text and nothing else, so everything that routes an answer is derived here from
the mail answered. A wrong recipient cannot be called back: the owner never answers themselves,
a list is written to only where the mail asks for it, an address that nobody reads gets nothing,
and no value that could add a header or a recipient of its own gets through.

Pure and total: a mail that cannot be answered has no envelope. Nothing here reads or writes, so a
crash loses nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from providers.mime.message import Address, Envelope
from providers.mime.owners import address_key, nobody_reads, own_addresses, own_form, usable
from providers.mime.subjects import reply_subject
from providers.mime.threads import message_ids, same_message, wire_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from providers.mime.message import Mail, Owner

MAX_REFERENCES: Final = 100
"""How many ids an answer's References holds at most; the first is always kept."""
MAX_REFERENCES_OCTETS: Final = 8_000
"""Octets of all ids together; servers cut or refuse longer headers."""
MAX_NAME: Final = 200
"""Characters of the longest display name that is taken over."""

_MAILTO: Final = re.compile(r"<\s*mailto:([^<>?\s]+)[^<>]*>", re.IGNORECASE)
_LIST_ID: Final = re.compile(r"<\s*([^<>\s]+)\s*>\s*$")


def reply_envelope(mail: Mail, owner: Owner, *, thread: Sequence[Mail] = ()) -> Envelope | None:
    """The headers of an answer to all that *mail* asks to be answered; None: nobody is to answer.

    *thread* are the messages of the conversation, in order of arrival: a copy of *mail* that came
    directly tells more than one that a list has changed. When the owner wrote *mail* the answer
    follows it up, to the same audience.
    """
    own = own_addresses(owner)
    copies = [mail, *(each for each in thread if each is not mail and same_message(each, mail))]
    plain = next((each for each in copies if not _through_list(each)), mail)
    audience = _Audience(own=own)
    if _by_owner(plain, own):
        audience.add(audience.to, plain.to)
        audience.add(audience.cc if audience.to else audience.to, plain.cc)
    else:
        _answer(audience, plain, _Lists.of(copies))
    if not audience.to:
        return None
    references, lost = _references(mail)
    named = wire_ids(mail.message_id or "")[:1]
    return Envelope(
        to=tuple(audience.to),
        cc=tuple(audience.cc),
        from_=Address(addr=_written_to(plain, owner, own, thread), name=_name(owner.name)),
        subject=reply_subject(mail.subject),
        in_reply_to=named[0] if named else None,
        references=references,
        notes=(*audience.notes, *lost),
    )


@dataclass(slots=True, kw_only=True)
class _Audience:
    """Who has been chosen so far; nobody twice, the owner never."""

    own: Mapping[str, str]
    to: list[Address] = field(default_factory=list)
    cc: list[Address] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def add(self, place: list[Address], addresses: Iterable[Address]) -> None:
        """Choose those of *addresses* that an answer can and may go to."""
        for address in addresses:
            if not usable(address.addr):
                self.notes.append(f"left out {address.addr[:80]!r}: no usable address")
                continue
            key = address_key(address.addr)
            if key in self._seen or own_form(address.addr, self.own) is not None:
                continue
            self._seen.add(key)
            if not nobody_reads(address.addr):
                place.append(Address(addr=address.addr, name=_name(address.name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lists:
    """The mailing lists that a message came through, by their posting addresses and ids."""

    posts: frozenset[str]
    ids: frozenset[str]

    @classmethod
    def of(cls, copies: Iterable[Mail]) -> _Lists:
        posts, ids = set(), set()
        for mail in copies:
            found = _MAILTO.findall(mail.list_post or "")
            posts |= {address_key(unquote(each)) for each in found}
            ids |= {each.lower() for each in _LIST_ID.findall(mail.list_id or "")}
        return cls(posts=frozenset(posts), ids=frozenset(ids))

    def hold(self, address: Address) -> bool:
        """Whether *address* is one of the lists; a List-Id often is the address with a dot."""
        key = address_key(address.addr)
        return key in self.posts or key.replace("@", ".") in self.ids


def _through_list(mail: Mail) -> bool:
    return mail.list_id is not None or mail.list_post is not None


def _by_owner(mail: Mail, own: Mapping[str, str]) -> bool:
    """Whether the owner wrote *mail*, as far as its headers tell.

    A form on the owner's site writes to the owner in the owner's name, with the asker in Reply-To:
    that is the asker's mail.
    """
    if not mail.from_ or any(own_form(each.addr, own) is None for each in mail.from_):
        return False
    asked = any(own_form(each.addr, own) is None for each in mail.reply_to)
    to_self = any(own_form(each.addr, own) is not None for each in (*mail.to, *mail.cc))
    return not (asked and to_self)


def _answer(audience: _Audience, mail: Mail, lists: _Lists) -> None:
    """Choose the audience that *mail* asks for.

    Mail-Followup-To names it whole. Else Reply-To goes before the authors (RFC 5322 3.6.2), and
    the other recipients get copies, except a list: what was asked in front of many may be meant
    for one, and a post to a list cannot be taken back. Sender is nobody to answer.
    """
    audience.add(audience.to, mail.mail_followup_to)
    if audience.to:
        return
    audience.add(audience.to, mail.reply_to)
    if not any(usable(a.addr) and own_form(a.addr, audience.own) is None for a in mail.reply_to):
        moved = mail.original_from if any(lists.hold(each) for each in mail.from_) else ()
        audience.add(audience.to, moved)
        if not audience.to:
            audience.add(audience.to, mail.from_)
    if audience.to:
        rest = (each for each in (*mail.to, *mail.cc) if not lists.hold(each))
        audience.add(audience.cc, rest)


def _written_to(mail: Mail, owner: Owner, own: Mapping[str, str], thread: Sequence[Mail]) -> str:
    """The owner's address to answer from.

    The one that *mail* was written by or to; for a hidden copy the one that the server noted; else
    the one that the owner last used in the thread; else the main one.
    """
    author = mail.from_ if _by_owner(mail, own) else ()
    named = [each.addr for each in (*author, *mail.to, *mail.cc)]
    noted = [each.strip("<> ") for each in mail.delivered_to]
    used = [each.addr for other in reversed(thread) for each in other.from_]
    main = owner.addresses[0]
    for addresses, besides in ((named, None), (noted, main), (used, None)):
        forms = (own_form(addr, own) for addr in addresses)
        chosen = next((form for form in forms if form not in (None, besides)), None)
        if chosen is not None:
            return chosen
    return main


def _name(text: str) -> str:
    """A display name on one line; "" for one that poses as an address."""
    words = " ".join(text.split())
    return "" if "@" in words else words[:MAX_NAME]


def _references(mail: Mail) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The References of an answer (RFC 5322 3.6.4), and what was lost of them in words.

    The parent's chain, or the one id of its In-Reply-To, then its own id last; none twice.
    """
    asked = mail.references or (mail.in_reply_to if len(mail.in_reply_to) == 1 else ())
    last = wire_ids(mail.message_id or "")[:1]
    found = [each for value in asked for each in wire_ids(value)]
    notes = []
    if mail.message_id is not None and not last:
        notes.append("the Message-ID of the mail answered cannot be named")
    if len(found) < sum(bool(message_ids(value)) for value in asked):
        notes.append("References left out ids that no header line can hold")
    chain = [each for each in dict.fromkeys(found) if each not in last] + last
    return tuple(_bounded(chain)), tuple(notes)


def _bounded(chain: list[str]) -> list[str]:
    """*chain* within the limits: its first id and as many of the last as fit."""
    sizes = [len(each.encode()) + 1 for each in chain]
    if len(chain) <= MAX_REFERENCES and sum(sizes) <= MAX_REFERENCES_OCTETS:
        return chain
    room, start = MAX_REFERENCES_OCTETS - sizes[0], len(chain)
    while start > 1 and len(chain) - start < MAX_REFERENCES - 1 and sizes[start - 1] <= room:
        start -= 1
        room -= sizes[start]
    return chain[:1] + chain[start:]
