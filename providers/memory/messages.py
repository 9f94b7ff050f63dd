"""One message of the mailbox in memory, and what makes it the leftover of an intent.

Values only: a change makes a new message.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from providers.mime.compose import content_hash
from providers.mime.message import Heads
from providers.mime.reading import read_heads
from providers.ports import DraftSight, Folder, LookRequest, ThreadScope
from storage.words import Ref, Version


@dataclass(frozen=True)
class Message:
    """One message as it lies now; every change makes a new value."""

    ref: Ref
    seq: int
    folder: Folder
    raw: bytes
    arrived_at: datetime
    shown_at: datetime
    version: int = 1
    unread: bool = True

    @cached_property
    def heads(self) -> Heads:
        """What the header block says."""
        return read_heads(self.raw)

    @cached_property
    def sight(self) -> DraftSight:
        """The message as a thing that might be of our making."""
        return DraftSight(
            ref=self.ref,
            version=Version(f"{self.ref}.{self.version}"),
            folder=self.folder,
            content_hash=content_hash(self.raw),
            mark=self.heads.mark,
            message_id=self.heads.message_id,
            parents=frozenset(self.heads.in_reply_to) | frozenset(self.heads.references),
        )

    def belongs(self, scope: ThreadScope) -> bool:
        """True when it is, or answers, a message of the thread."""
        ids = {self.heads.message_id, *self.heads.in_reply_to, *self.heads.references}
        return self.ref in scope.refs or not scope.message_ids.isdisjoint(ids - {None})


def is_new_draft(one: Message, request: LookRequest) -> bool:
    """An unmarked draft in the thread that the snapshot did not show."""
    return (
        one.folder is Folder.DRAFTS
        and one.ref not in request.before
        and one.heads.mark is None
        and one.belongs(request.scope)
    )


def is_hit(one: Message, request: LookRequest) -> bool:
    """A mark of ours in a place where marks count, or a new draft of equal content."""
    if one.folder is Folder.INBOX:
        return False
    named = request.message_id is not None and one.heads.message_id == request.message_id
    if one.heads.mark == request.mark or named:
        return True
    return is_new_draft(one, request) and one.sight.content_hash == request.content_hash
