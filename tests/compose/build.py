"""Envelopes and drafts as the tests of composing need them."""

from __future__ import annotations

from datetime import UTC, datetime

from providers.mime.compose import compose
from providers.mime.marks import mark_of, message_id_of
from providers.mime.message import Address, Envelope
from storage.words import IntentId

SECRET = b"a secret of thirty-two octets..."
INTENT = IntentId("0123456789abcdef" * 2)
MARK = mark_of(SECRET, INTENT)
MESSAGE_ID = message_id_of(SECRET, INTENT, "example.com")
MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
MINA = Address(addr="mina@example.org", name="Mina Okafor")
ROBIN = Address(addr="robin@example.com", name="Robin Vale")


def envelope(
    *,
    to: tuple[Address, ...] = (MINA,),
    cc: tuple[Address, ...] = (),
    from_: Address = ROBIN,
    subject: str = "Re: Floor plan",
    in_reply_to: str | None = "<m1@example.org>",
    references: tuple[str, ...] = ("<m1@example.org>",),
) -> Envelope:
    return Envelope(
        to=to, cc=cc, from_=from_, subject=subject, in_reply_to=in_reply_to, references=references
    )


def draft(made: Envelope | None = None, body: str = "Here it is.\n\nRobin\n") -> bytes:
    return compose(made or envelope(), body, message_id=MESSAGE_ID, mark=MARK, date=MONDAY)
