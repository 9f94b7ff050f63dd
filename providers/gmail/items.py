"""Messages, drafts and pages of listings, from the JSON of the API.

Only fields are used that Google's reference names, and of those no more than needed: a field that
is missing makes the value poorer and never raises.

Source: the resources ``users.messages``, ``users.drafts``, ``users.history`` of the Gmail API.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from providers.gmail.rebuild import head, octets_of, rebuild
from providers.gmail.refs import Entry, Stub, folder_of, is_watched
from providers.mime.marks import MARK_HEADER
from providers.mime.message import Heads
from providers.mime.reading import read_date, read_heads
from providers.ports import Folder, Sighting
from storage.words import Identity, Ref

FIELDS: Final = (
    "From",
    "Subject",
    "Message-ID",
    "In-Reply-To",
    "References",
    "Thread-Index",
    "Date",
    MARK_HEADER,
)
"""The header fields that tell what a message is."""
_DAWN: Final = datetime.fromtimestamp(0, UTC)
_HEX: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One message as an answer showed it; ``raw`` None where the answer does not hold it all.

    ``sent``: ``raw`` is the mail as it was sent, not written anew from its parts.
    """

    stub: Stub
    labels: frozenset[str]
    arrived_at: datetime
    heads: Heads
    raw: bytes | None = None
    sent: bool = False

    @property
    def folder(self) -> Folder | None:
        """Where it lies; None for spam and chats."""
        return folder_of(self.labels)

    @property
    def watched(self) -> bool:
        """Whether it is news by itself."""
        return is_watched(self.labels)

    @property
    def is_mail(self) -> bool:
        """Whether it belongs to the conversation: not a draft, not thrown away, no spam."""
        return self.folder in (Folder.INBOX, Folder.SENT)

    def sighting(self, ref: Ref | None = None, *, unreadable: str | None = None) -> Sighting:
        """The message as a pass reports it; *ref* for a draft, which its draft id names."""
        heads = self.heads
        return Sighting(
            ref=ref or self.stub.ref,
            folder=self.folder or Folder.TRASH,
            heads=heads if ref is None else _of_draft(heads, ref),
            arrived_at=self.arrived_at,
            order=order_of(self.stub.id),
            thread=self.stub.thread,
            unreadable=unreadable,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One change of one message: ``kind`` is one of the typed lists of a history record.

    ``labels`` are those of the message, None where the record does not tell; ``changed`` those put
    on or taken off.
    """

    kind: str
    stub: Stub
    labels: frozenset[str] | None
    changed: frozenset[str] = frozenset()


KINDS: Final = ("messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved")


def item_of(value: object, *, bodies: bool = True) -> Item | None:
    """The message in *value*, None where it has no id; *bodies*: not its heads alone were asked."""
    stub = _stub(value)
    if stub is None or not isinstance(value, dict):
        return None
    raw = octets_of(value.get("raw"))
    payload = value.get("payload")
    sent = raw is not None
    block = raw
    if raw is None and isinstance(payload, dict):
        raw, block = rebuild(payload) if bodies else None, head(payload)
    return Item(
        stub=stub,
        labels=_labels(value) or frozenset(),
        arrived_at=_moment(value.get("internalDate")) or read_date(block or b"") or _DAWN,
        heads=named(read_heads(block or b""), stub),
        raw=raw,
        sent=sent,
    )


def named(heads: Heads, stub: Stub) -> Heads:
    """The same with the identity of the message: Gmail's id, which never changes for mail."""
    return _with(heads, f"gmail message {stub.id}")


def _of_draft(heads: Heads, ref: Ref) -> Heads:
    """The same with the identity of a draft, whose message id changes with every edit."""
    return _with(heads, f"gmail {ref}")


def _with(heads: Heads, name: str) -> Heads:
    return Heads(
        identity=Identity(hashlib.sha256(name.encode()).hexdigest()),
        message_id=heads.message_id,
        in_reply_to=heads.in_reply_to,
        references=heads.references,
        thread_index=heads.thread_index,
        mark=heads.mark,
        subject=heads.subject,
        sender=heads.sender,
    )


def stubs_of(value: object, name: str = "messages") -> list[Stub]:
    """The messages that a page of a listing names."""
    return [stub for one in listed(value, name) if (stub := _stub(one)) is not None]


def entries_of(value: object) -> list[Entry]:
    """The drafts that a page of ``drafts.list`` names."""
    return [entry for one in listed(value, "drafts") if (entry := entry_of(one)) is not None]


def entry_of(value: object) -> Entry | None:
    """The draft in *value*, None where it or its message has no id."""
    if not isinstance(value, dict):
        return None
    stub = _stub(value.get("message"))
    draft = value.get("id")
    if stub is None or not isinstance(draft, str) or not draft:
        return None
    return Entry(id=draft, message=stub)


def events_of(record: Mapping[str, object]) -> Iterator[Event]:
    """The changes in one history record; only the typed lists count."""
    for kind in KINDS:
        for one in listed(record, kind):
            stub = _stub(one.get("message"))
            if stub is None:
                continue
            message = one.get("message")
            yield Event(
                kind=kind,
                stub=stub,
                labels=_labels(message),
                changed=_labels(one) or frozenset(),
            )


def listed(value: object, name: str) -> list[Mapping[str, object]]:
    """The JSON objects of the list *name*."""
    found = value.get(name) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def text(value: object, name: str) -> str | None:
    """The text or number under *name* as text, None where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    if isinstance(found, bool) or not isinstance(found, str | int):
        return None
    return str(found) or None


def order_of(message: str) -> int:
    """A number that rises with ids that are numbers in hex, as Gmail's are; 0 for others."""
    if not message or len(message) > 16 or not _HEX.issuperset(message):
        return 0
    return int(message, 16) & (2**63 - 1)


def _stub(value: object) -> Stub | None:
    name, thread = text(value, "id"), text(value, "threadId")
    return Stub(thread or name, name) if name is not None else None


def _labels(value: object) -> frozenset[str] | None:
    found = value.get("labelIds") if isinstance(value, dict) else None
    if not isinstance(found, list):
        return None
    return frozenset(one for one in found if isinstance(one, str))


def _moment(value: object) -> datetime | None:
    """Milliseconds since 1970, as text or number; None where there are none that make sense."""
    try:
        return datetime.fromtimestamp(int(str(value)) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
