"""Invented mails for the contract of a mailbox."""

from __future__ import annotations

from storage.words import IntentId

QUESTION = "<question@example.org>"
"""The Message-ID of the mail that every thread here begins with."""
ANSWER = "<answer@example.com>"
"""The Message-ID of our draft."""
INTENT = IntentId("1f" * 16)
"""The intent behind our draft."""
MARK = f"{INTENT}.{'ab' * 16}"
"""Its mark."""


def mail(
    message_id: str | None,
    *,
    parent: str | None = None,
    mark: str | None = None,
    body: str = "Shall we meet on Tuesday?",
    sender: str = "Mina Okafor <mina@example.org>",
    to: str = "Robin Vale <robin@example.com>",
) -> bytes:
    """The bytes of a small mail; headers that are None are left out."""
    headers = {
        "From": sender,
        "To": to,
        "Subject": "Tuesday",
        "Date": "Mon, 02 Mar 2026 09:00:00 +0000",
        "Message-ID": message_id,
        "In-Reply-To": parent,
        "References": parent,
        "X-Fencepost-Intent": mark,
    }
    head = "".join(f"{name}: {value}\n" for name, value in headers.items() if value is not None)
    return f"{head}\n{body}\n".encode()


def question() -> bytes:
    """The mail that is answered."""
    return mail(QUESTION)


def ours(*, mark: str | None = MARK, message_id: str = ANSWER, body: str = "Gladly.") -> bytes:
    """Our draft."""
    return mail(
        message_id,
        parent=QUESTION,
        mark=mark,
        body=body,
        sender="Robin Vale <robin@example.com>",
        to="Mina Okafor <mina@example.org>",
    )


def owners(*, body: str = "My own words.", message_id: str = "<own@example.com>") -> bytes:
    """A draft that the owner's program saved: no mark."""
    return ours(mark=None, message_id=message_id, body=body)
