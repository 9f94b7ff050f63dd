"""A conversation and what was judged of it, as values.

The worker reads a whole thread into a Conversation; rules or a model turn it into a Triage; the
plan turns both into actions. Nothing here reads, writes or knows the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from providers.mime.message import Mail, Owner
from storage.words import Category, Ref, Urgency


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One distinct message of a thread.

    ``own`` says that the owner wrote it, which only its lying in Sent (or Drafts) proves; a From
    with the owner's address elsewhere is somebody's claim. ``copies`` are further references to
    the same message (direct and through a list, say).
    """

    mail: Mail
    own: bool
    arrived_at: datetime
    ref: Ref
    copies: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A whole thread in order of arrival, without unsent drafts."""

    owner: Owner
    entries: tuple[Entry, ...]
    subject: str = ""

    @property
    def counterpart(self) -> str:
        """Whom the owner talks with: the writer of the newest message that is not their own."""
        for entry in reversed(self.entries):
            if not entry.own and entry.mail.from_:
                writer = entry.mail.from_[0]
                return writer.name or writer.addr
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """What a thread needs, and why, in words.

    ``asked`` are the open questions and requests, quoted from the mails, oldest first; ``deadline``
    the words of the mail that name one; ``language`` ISO 639-1 of the message to answer;
    ``answer`` the index in ``entries`` of the message to answer, None when there is none;
    ``unsure`` says that the rules would rather ask a model or a person.
    """

    category: Category
    urgency: Urgency
    reason: str
    engine: str
    asked: tuple[str, ...] = ()
    deadline: str | None = None
    language: str | None = None
    answer: int | None = None
    unsure: bool = False
