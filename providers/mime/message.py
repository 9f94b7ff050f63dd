"""What one mail says, as values.

``providers.mime.reading`` makes these from bytes; everyone else only reads them. They hold no
bytes of attachments and nothing that still needs decoding, so they are safe to keep and to show.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.words import Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One mailbox of an address header: display ``name`` ("" if none) and bare ``addr``."""

    addr: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """An attached part by name, media type and decoded size in bytes; its content is not kept."""

    name: str
    type: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One message as a person would read it.

    ``text`` is the whole decoded body text, ``new_text`` the writer's own words without quotations
    and signature. ``message_id``, ``in_reply_to`` and ``references`` keep their angle brackets and
    are otherwise byte for byte those of the mail (surrounding white space removed).
    ``automated`` is None for a person's mail, else the reason in words. ``unreadable`` says why
    nothing could be read at all; ``body_unreadable`` why only the body could not.
    ``original_from`` is what X-Original-From keeps where a list wrote itself into From (DMARC).
    ``mark`` is the raw value of our own mark header, not yet verified.
    """

    identity: Identity
    message_id: str | None = None
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    thread_index: str | None = None
    from_: tuple[Address, ...] = ()
    original_from: tuple[Address, ...] = ()
    sender: Address | None = None
    reply_to: tuple[Address, ...] = ()
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    mail_followup_to: tuple[Address, ...] = ()
    delivered_to: tuple[str, ...] = ()
    list_id: str | None = None
    list_post: str | None = None
    date: datetime | None = None
    subject: str = ""
    text: str = ""
    new_text: str = ""
    language: str | None = None
    automated: str | None = None
    attachments: tuple[Attachment, ...] = ()
    body_unreadable: str | None = None
    unreadable: str | None = None
    mark: str | None = None
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """What threading needs to know of one message, read from its header block alone."""

    identity: Identity
    message_id: str | None = None
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    thread_index: str | None = None
    mark: str | None = None
    subject: str = ""
    sender: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The headers of an answer to all: who it goes to, from whom, and how it is threaded.

    ``notes`` say in words what of the mail answered could not be taken over.
    """

    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    from_: Address
    subject: str
    in_reply_to: str | None
    references: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The person whose mailbox it is: display ``name`` and own ``addresses`` (first is the main).

    An address with a plus-tag (``robin+x@example.com``) counts as the owner's too.
    """

    name: str
    addresses: tuple[str, ...]
