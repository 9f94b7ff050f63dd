"""Which message a mail without Message-ID is: its header block and its body tell.

Forms and printers send mails whose header blocks are alike to the byte, and a listing shows no more
than that. So the bodies of such mails, which are rare, are fetched before a pass is noted; two with
the same bytes are one message. That stands a renamed file and a changed UIDVALIDITY.

Mails noted by an older release are on record by their header block alone, the second of two alike
by its reference as well. They keep what they have, because intents name it: a mail that is seen now
takes that identity when its bytes are those of one still there, or when the one on record is gone.
It only reads; what it finds holds as long as the watcher's lease, which noting verifies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from assistant.house import Account, House
from providers.mime.reading import identity_with_body
from providers.ports import Changes, Folder, Sighting, TransientError
from storage import messages
from storage.messages import Message
from storage.words import Identity, Ref

TOGETHER = 8
"""Mails whose bytes are fetched, and held in memory, at one time."""


async def told_apart(house: House, account: Account, changes: Changes) -> list[Sighting]:
    """What a pass saw, each mail without Message-ID by its own identity.

    Raises MailboxIllError; a mail whose body cannot be had just now is known by its reference.
    """
    wanted = [one for one in changes.seen if _is_nameless(one)]
    if not wanted:
        return list(changes.seen)
    noted = await house.store.read(lambda conn: messages.nameless(conn, account.integration))
    bodies = _Bodies(house, account)
    await bodies.fetch([one.ref for one in wanted])
    past = _Past(noted, frozenset(changes.vanished))
    named: dict[Ref, Identity] = {}
    for one in sorted(wanted, key=lambda each: (each.arrived_at, each.order, each.ref)):
        named[one.ref] = await _identity(one, past, bodies)
    return [
        replace(one, heads=replace(one.heads, identity=named[one.ref])) if one.ref in named else one
        for one in changes.seen
    ]


def _is_nameless(one: Sighting) -> bool:
    mail = one.folder in (Folder.INBOX, Folder.SENT)
    return mail and one.heads.message_id is None and one.unreadable is None


def by_reference(heads: Identity, ref: Ref) -> Identity:
    """The identity of a mail that nothing but its reference tells from another."""
    return Identity(hashlib.sha256(f"{heads} {ref}".encode()).hexdigest())


async def _identity(one: Sighting, past: _Past, bodies: _Bodies) -> Identity:
    heads, own = one.heads.identity, bodies.of(one.ref)
    before = past.known_as(one.ref, {heads, by_reference(heads, one.ref), own})
    if before is not None:
        return before
    if own is None:
        return heads if past.take_new(heads) else by_reference(heads, one.ref)
    if own in past.identities:
        return own
    older = past.alike(heads)
    lying = {each.ref: each.identity for each in older if past.lies_there(each)}
    await bodies.fetch(list(lying))
    for ref, identity in lying.items():
        if bodies.of(ref) == own:
            return identity
    # One that is gone cannot be compared: the mail is taken for it, once.
    return past.take_gone(older, bodies.missing) or own


@dataclass(slots=True)
class _Past:
    """The mails without Message-ID on record."""

    noted: Sequence[Message]
    vanished: frozenset[Ref]
    taken: set[Identity] = field(default_factory=set)
    identities: frozenset[Identity] = field(init=False)
    by_ref: dict[Ref, Identity] = field(init=False)

    def __post_init__(self) -> None:
        self.identities = frozenset(each.identity for each in self.noted)
        self.by_ref = {each.ref: each.identity for each in self.noted}

    def known_as(self, ref: Ref, possible: Collection[Identity | None]) -> Identity | None:
        """The identity under which this very reference is on record, if it is one of its own."""
        known = self.by_ref.get(ref)
        return known if known in possible else None

    def alike(self, heads: Identity) -> list[Message]:
        """Mails on record by this header block, and not by their bodies."""
        family = {heads} | {
            each.identity for each in self.noted if each.identity == by_reference(heads, each.ref)
        }
        return [each for each in self.noted if each.identity in family]

    def lies_there(self, message: Message) -> bool:
        """Whether it is still there as far as anybody knows."""
        return message.gone_at is None and message.ref not in self.vanished

    def take_new(self, heads: Identity) -> bool:
        """Whether nothing is known by this header block; the mail that asked has it now."""
        free = heads not in self.identities and heads not in self.taken
        self.taken.add(heads)
        return free

    def take_gone(self, older: Sequence[Message], missing: frozenset[Ref]) -> Identity | None:
        """The identity of a mail that is nowhere any more and was not taken yet."""
        there = {
            each.identity for each in older if self.lies_there(each) and each.ref not in missing
        }
        for each in older:
            if each.identity not in there and each.identity not in self.taken:
                self.taken.add(each.identity)
                return each.identity
        return None


@dataclass(slots=True)
class _Bodies:
    """What the bodies of mails say about which messages they are."""

    house: House
    account: Account
    found: dict[Ref, Identity] = field(default_factory=dict)
    asked: set[Ref] = field(default_factory=set)
    unsaid: set[Ref] = field(default_factory=set)

    @property
    def missing(self) -> frozenset[Ref]:
        """Those that were asked for and are not there."""
        return frozenset(self.asked - self.found.keys() - self.unsaid)

    def of(self, ref: Ref) -> Identity | None:
        """The identity of that mail, None when its body could not be had."""
        return self.found.get(ref)

    async def fetch(self, refs: Sequence[Ref]) -> None:
        """Fetch and remember; raises MailboxIllError."""
        wanted = [ref for ref in refs if ref not in self.asked]
        self.asked.update(wanted)
        for at in range(0, len(wanted), TOGETHER):
            together = wanted[at : at + TOGETHER]
            try:
                await self._fetch(together)
            except TransientError:
                # One that cannot be had must not stop the others.
                for ref in together:
                    await self._fetch_one(ref)

    async def _fetch_one(self, ref: Ref) -> None:
        try:
            await self._fetch([ref])
        except TransientError:
            self.unsaid.add(ref)

    async def _fetch(self, refs: Sequence[Ref]) -> None:
        for one in await self.account.mailbox.fetch(refs):
            if one.raw is not None:
                work = partial(identity_with_body, one.raw)
                self.found[one.ref] = await self.house.aside(work)
