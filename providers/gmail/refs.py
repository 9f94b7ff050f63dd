"""The references of mails and drafts, and the roles of labels.

A mail's id never changes, and with its thread's id beside it a whole thread can be read at once. A
draft is named by its draft id, which lives through edits; the id of the message behind it changes
with each and is its version.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from urllib.parse import quote, unquote

from providers.ports import Folder
from storage.words import Ref


@dataclass(frozen=True, slots=True, order=True)
class Stub:
    """A message as listings name it."""

    thread: str
    id: str

    @property
    def ref(self) -> Ref:
        """How others name it."""
        return Ref(f"mail/{quote(self.thread, safe='')}/{quote(self.id, safe='')}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A draft as listings name it: its id, and the message that it is now."""

    id: str
    message: Stub

    @property
    def ref(self) -> Ref:
        """How others name it."""
        return draft_ref(self.id)


def draft_ref(draft: str) -> Ref:
    """The reference of the draft with the id *draft*."""
    return Ref(f"draft/{quote(draft, safe='')}")


def stub_of(ref: Ref) -> Stub | None:
    """The mail that *ref* names, None for anything else."""
    kind, _, names = ref.partition("/")
    thread, _, message = names.partition("/")
    if kind != "mail" or not thread or not message:
        return None
    return Stub(unquote(thread), unquote(message))


def draft_of(ref: Ref) -> str | None:
    """The draft id that *ref* names, None for anything else."""
    kind, _, name = ref.partition("/")
    return unquote(name) if kind == "draft" and name else None


def folder_of(labels: AbstractSet[str]) -> Folder | None:
    """Where a message with these labels lies; None where nobody looks (spam, chats).

    Mail without INBOX is archived and counts as the inbox. A mail to oneself bears SENT and INBOX
    and is what the owner wrote.
    """
    if labels & {"SPAM", "CHAT"}:
        return None
    if "TRASH" in labels:
        return Folder.TRASH
    if "DRAFT" in labels:
        return Folder.DRAFTS
    return Folder.SENT if "SENT" in labels else Folder.INBOX


def is_watched(labels: AbstractSet[str]) -> bool:
    """Whether a message is news by itself; archived mail is read when its thread has news."""
    return folder_of(labels) in (Folder.INBOX, Folder.SENT) and bool(labels & {"INBOX", "SENT"})
