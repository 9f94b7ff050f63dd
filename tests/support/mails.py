"""Invented mails: questions to Robin, and what Robin writes."""

from __future__ import annotations

from email.utils import format_datetime
from zlib import crc32

from tests.support.clock import START

ROBIN = "Robin Vale <robin@example.com>"
MINA = "Mina Okafor <mina@example.org>"
CANARY = "The Heron Files"
"""Words of a mail's body, which no log, receipt or review item may repeat."""


def mail(
    message_id: str,
    body: str,
    *,
    parent: str | None = None,
    sender: str = MINA,
    to: str = ROBIN,
    subject: str = "Figures",
    mark: str | None = None,
) -> bytes:
    """The bytes of a mail; *message_id* and *parent* without brackets."""
    headers = {
        "From": sender,
        "To": to,
        "Subject": subject if parent is None else f"Re: {subject}",
        "Date": format_datetime(START),
        "Message-ID": f"<{message_id}>",
        "In-Reply-To": None if parent is None else f"<{parent}>",
        "References": None if parent is None else f"<{parent}>",
        "X-Fencepost-Intent": mark,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
    }
    head = "".join(f"{name}: {value}\n" for name, value in headers.items() if value is not None)
    return f"{head}\n{body}\n".encode()


def question(number: int = 1, *, parent: str | None = None) -> bytes:
    """A mail that Robin owes an answer."""
    body = f"Dear Robin,\n\ncould you send me {CANARY} number {number}?\n\nMina"
    return mail(f"q{number}@example.org", body, parent=parent, subject=f"Figures {number}")


def follow_up(number: int, again: int = 1) -> bytes:
    """A later mail in the thread of that question."""
    body = f"Dear Robin,\n\nwhen will you send {CANARY}? This is reminder {again}.\n\nMina"
    return mail(
        f"q{number}.{again}@example.org",
        body,
        parent=f"q{number}@example.org",
        subject=f"Figures {number}",
    )


def own_reply(number: int, words: str = "Here they are.") -> bytes:
    """What Robin writes in the thread of that question, sent or still a draft."""
    return mail(
        f"own{number}.{crc32(words.encode()) % 1000}@example.com",
        f"Dear Mina,\n\n{words}\n\nRobin",
        parent=f"q{number}@example.org",
        sender=ROBIN,
        to=MINA,
        subject=f"Figures {number}",
    )


def edited(raw: bytes, words: str = "Gladly, tomorrow.", *, keeps_mark: bool = True) -> bytes:
    """A draft as its owner saved it anew."""
    head, _, _ = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    lines = [
        line
        for line in head.split(b"\n")
        if keeps_mark or not line.lower().startswith(b"x-fencepost")
    ]
    return b"\n".join(lines) + b"\n\n" + words.encode() + b"\n"
