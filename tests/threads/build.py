"""Mails and header blocks as values, made from the few fields that a test is about."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from providers.mime.message import Address, Heads, Mail
from storage.words import Identity

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
GARDEN_ID = "Garden club <garden.lists.example.org>"
GARDEN_POST = "<mailto:garden@lists.example.org>"
TUESDAY = datetime(2026, 3, 3, 9, tzinfo=UTC)


def identity(text: str) -> Identity:
    return Identity(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def heads(
    message_id: str | None = None,
    *references: str,
    reply: tuple[str, ...] = (),
    index: str | None = None,
    subject: str = "Floor plan",
    tag: str = "",
) -> Heads:
    """A header block; *tag* tells apart the identities of those without a Message-ID."""
    return Heads(
        identity=identity(f"{message_id} {tag}"),
        message_id=message_id,
        references=references,
        in_reply_to=reply,
        thread_index=index,
        subject=subject,
    )


def people(*addresses: str) -> tuple[Address, ...]:
    """``Name <a@x>`` or ``a@x`` each; nothing is checked."""
    made = []
    for text in addresses:
        name, bracket, rest = text.rpartition("<")
        made.append(Address(addr=rest.rstrip(">"), name=name.strip() if bracket else ""))
    return tuple(made)


def mail(
    message_id: str | None = "<m1@example.org>",
    *,
    from_: tuple[str, ...] = ("Mina Okafor <mina@example.org>",),
    to: tuple[str, ...] = ("Robin Vale <robin@example.com>",),
    cc: tuple[str, ...] = (),
    reply_to: tuple[str, ...] = (),
    followup: tuple[str, ...] = (),
    original_from: tuple[str, ...] = (),
    delivered_to: tuple[str, ...] = (),
    list_id: str | None = None,
    list_post: str | None = None,
    references: tuple[str, ...] = (),
    in_reply_to: tuple[str, ...] = (),
    subject: str = "Floor plan",
    text: str = "Could you send me the revised floor plan by Thursday?",
    date: datetime | None = MONDAY,
    tag: str = "",
    garden: bool = False,
) -> Mail:
    """A mail to Robin from Mina; *garden* sends it through the garden list."""
    if garden:
        list_id, list_post = list_id or GARDEN_ID, list_post or GARDEN_POST
    return Mail(
        identity=identity(f"{message_id} {list_id} {tag}"),
        message_id=message_id,
        from_=people(*from_),
        to=people(*to),
        cc=people(*cc),
        reply_to=people(*reply_to),
        mail_followup_to=people(*followup),
        original_from=people(*original_from),
        delivered_to=delivered_to,
        list_id=list_id,
        list_post=list_post,
        references=references,
        in_reply_to=in_reply_to,
        subject=subject,
        text=text,
        new_text=text,
        date=date,
    )
