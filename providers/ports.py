"""The mailbox port: what Fencepost needs of a mailbox, whoever provides it.

An adapter turns a provider's answers into these values and never retries a write: a lost answer is
``Unknown``, and only the caller may decide what that means. Every adapter passes the suite in
``tests/contracts``. What an adapter must not do: decide policy, touch the database, hold a draft
it cannot name by version, mark mail as read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from providers.mime.message import Heads
from storage.words import Identity, IntentId, Outcome, Ref, Version

Json = Mapping[str, object]
"""A JSON object; cursors, places and staged bytes are kept by the store in this form."""


class Folder(StrEnum):
    """Where a message lies, by its role."""

    INBOX = "inbox"
    SENT = "sent"
    DRAFTS = "drafts"
    TRASH = "trash"


class ProviderError(Exception):
    """Root of what an adapter raises while *reading*; writes return an Outcome instead."""


class TransientError(ProviderError):
    """Reading failed for now (network, lock, lag): the same may work a little later."""


class MailboxIllError(ProviderError):
    """The whole mailbox is unusable until somebody acts; ``remedy`` says what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}: {remedy}")
        self.problem = problem
        self.remedy = remedy


class NotHereError(MailboxIllError):
    """This host lacks what the mailbox needs (its folder, a secret); another host may have it."""


class ReconnectError(MailboxIllError):
    """Only the owner's new login helps; until then nothing is asked of the provider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What this mailbox can and cannot do; the pessimistic answer where nobody has tried.

    ``lag_s``: how long after a write a listing may still miss it. ``marks``: which marks survive
    (``header``, ``message_id``, ``content``). ``versioned_removal``: an exact version can be
    removed. ``network``: the storage is remote, so absence of an error proves less. ``rich``: a
    draft needs an HTML part beside its text to be shown and sent well. ``addresses`` are those that
    the provider itself lets the account send as. ``notes`` say what the server lacks, and what
    follows.
    """

    provider: str
    lag_s: float
    marks: frozenset[str]
    versioned_removal: bool
    network: bool
    rich: bool = False
    addresses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a probe has found of a mailbox: which ``marks`` a draft keeps there, and whether an
    exact version of one can be removed."""

    marks: frozenset[str]
    versioned_removal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A message that a listing showed.

    ``arrived_at`` is the provider's own time of delivery; ``order`` breaks ties between equal
    times. ``thread`` is the provider's own thread id where it has one, else None.
    ``unreadable`` is set when not even the header block could be read.
    """

    ref: Ref
    folder: Folder
    heads: Heads
    arrived_at: datetime
    order: int = 0
    thread: str | None = None
    unreadable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The provider could not say what changed; ``covered_from`` is how far back was rescanned."""

    reason: str
    covered_from: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """New messages and drafts since a cursor, oldest first, and the cursor that follows them.

    ``vanished`` are known refs that the mailbox no longer holds (a hint, never proof); ``edited``
    are drafts whose ref lives through an edit and that are not what they were.
    """

    cursor: Json
    seen: tuple[Sighting, ...] = ()
    vanished: tuple[Ref, ...] = ()
    edited: tuple[Ref, ...] = ()
    gap: Gap | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The raw bytes of one message as it lies there now; None when it is gone."""

    ref: Ref
    raw: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadScope:
    """The part of a mailbox that a snapshot or a look is about.

    ``message_ids`` are all Message-IDs that belong to the thread, ``refs`` the references known to
    the caller, ``thread`` the provider's own thread id or None.
    """

    thread: str | None
    message_ids: frozenset[str]
    refs: frozenset[Ref] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSight:
    """A draft, sent or trashed mail that might be of our making.

    ``content_hash`` is ``providers.mime.compose.content_hash`` of its bytes; ``mark`` the raw value
    of the mark header; ``parents`` the Message-IDs that it answers.
    """

    ref: Ref
    version: Version
    folder: Folder
    content_hash: str
    mark: str | None = None
    message_id: str | None = None
    parents: frozenset[str] = frozenset()
    thread: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The thread's place just before a call.

    ``place`` is what a later look compares with (UIDVALIDITY and UIDNEXT, device and inode,
    historyId); ``drafts`` every unsent draft in the thread; ``news`` messages of the thread in the
    inbox or in Sent whose refs the scope did not name.
    """

    place: Json
    drafts: tuple[DraftSight, ...] = ()
    news: tuple[Sighting, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """Bytes laid where no mail program shows them, or nothing where a provider has no such place.

    ``token`` is committed with the claim so that another process can deliver or withdraw them.
    """

    content: bytes
    token: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRequest:
    """What a look searches for: the leftovers of one intent.

    ``mark`` is the exact value of our mark header, ``content_hash`` that of the bytes asked for,
    ``place`` and ``before`` the snapshot (its drafts' refs), ``token`` the staged bytes,
    ``may_withdraw``: the intent is unknown, so staged bytes may be taken back to prove never.
    ``caller_ended``: the caller recorded the end of its call or is known dead on this host;
    ``ended_at`` when it recorded that. ``earlier`` are the ``absent`` facts of earlier looks at
    this attempt, each with ``at``, its POSIX time in seconds by the store's clock.
    """

    intent: IntentId
    attempt: int
    scope: ThreadScope
    mark: str
    message_id: str | None
    content_hash: str
    place: Json
    before: frozenset[Ref]
    token: Json
    claimed_at: datetime
    may_withdraw: bool
    caller_ended: bool
    ended_at: datetime | None = None
    earlier: Sequence[Json] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one search of every place found.

    ``found`` are distinct effects that carry our mark or equal content, wherever they lie;
    ``candidates`` drafts new since the snapshot that may be ours; ``complete`` says that every
    place was reached; ``proof`` is the text of a proof of never; ``delivered`` that staged bytes
    are known to have been delivered though nothing shows now (or a removal to have happened);
    ``refused`` why the effect provably did not and will not happen for good (a removal whose
    version is no longer there to remove); ``absent`` facts for a proof that
    needs more than one look (IMAP), kept as evidence.
    """

    found: tuple[DraftSight, ...] = ()
    candidates: tuple[DraftSight, ...] = ()
    complete: bool = True
    proof: str | None = None
    delivered: bool = False
    refused: str | None = None
    absent: Json = field(default_factory=dict)
    detail: str = ""


def effects_of(hits: Iterable[DraftSight]) -> list[DraftSight]:
    """Distinct effects among the hits of a look: each unsent one, and one that was sent.

    A trashed copy beside another is an older version of it (programs leave those behind), and so is
    a sent one beside several that lie unsent.
    """
    found = list(hits)
    unsent = [one for one in found if one.folder is Folder.DRAFTS]
    sent = [one for one in found if one.folder is Folder.SENT]
    if len(unsent) > 1:
        return unsent
    return [*sent[:1], *unsent] or [one for one in found if one.folder is Folder.TRASH]


class Whereabouts(StrEnum):
    """Where a draft of ours is, by a direct get."""

    UNTOUCHED = "untouched"
    EDITED = "edited"
    SENT = "sent"
    TRASHED = "trashed"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftNow:
    """A direct get of one recorded draft; ``sight`` is None when it is absent."""

    where: Whereabouts
    sight: DraftSight | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRef:
    """A draft as the store recorded it: enough to get or to remove exactly that version.

    ``others``: further drafts under the same mark, which are never taken for this one.
    """

    ref: Ref
    version: Version
    content_hash: str
    mark: str
    scope: ThreadScope
    others: frozenset[Ref] = frozenset()


Known = Callable[[Sequence[Ref]], Awaitable[frozenset[Ref]]]
"""Asks the store which of these refs it has already noted."""


class Mailbox(Protocol):
    """One mailbox account at one provider."""

    @property
    def profile(self) -> Profile:
        """What this mailbox can do."""

    async def account(self) -> str:
        """A stable identity of the account, to refuse one account under two names.

        Raises MailboxIllError or TransientError.
        """

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        """What is new since *cursor*; the first pass (None) looks back to *since* by arrival.

        A later pass whose *since* lies before all earlier ones looks that far back as well.
        Reports messages of INBOX and SENT and all of DRAFTS. Raises TransientError or
        MailboxIllError; one unreadable message is a Sighting with ``unreadable``, never an error.
        """

    async def wait(self, seconds: float) -> None:
        """Return when something may have changed, at the latest after *seconds*."""

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        """The raw bytes of *refs*, in their order; never changes a flag."""

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """The thread's place, unsent drafts and unknown messages as they are now."""

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        """Lay *content* where it has no effect. Raises TransientError or MailboxIllError."""

    async def unstage(self, staged: Staged) -> None:
        """Drop staged bytes whose claim failed; never raises for bytes that are gone."""

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        """Make the draft: one call, never repeated. Cancellation may leave it unknown."""

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        """Remove exactly the version named; ``rejected`` when it is changed, sent or not ours.

        A version that a direct get shows already removed, with no successor, is ``accepted``.
        """

    async def draft(self, draft: DraftRef) -> DraftNow:
        """Where a recorded draft is now. Raises TransientError or MailboxIllError."""

    async def look(self, request: LookRequest) -> Look:
        """Search every place for what an unknown intent may have left."""

    async def close(self) -> None:
        """Give back connections and watches; safe to call twice."""


@runtime_checkable
class Probed(Protocol):
    """A mailbox that does not know what it can do before a probe has tried it."""

    def learn(self, kept: Kept) -> None:
        """Take over what a probe has found, or is about to try."""


__all__ = [
    "Changes",
    "DraftNow",
    "DraftRef",
    "DraftSight",
    "Fetched",
    "Folder",
    "Gap",
    "Identity",
    "Json",
    "Kept",
    "Known",
    "Look",
    "LookRequest",
    "Mailbox",
    "MailboxIllError",
    "NotHereError",
    "Probed",
    "Profile",
    "ProviderError",
    "ReconnectError",
    "Sighting",
    "Snapshot",
    "Staged",
    "ThreadScope",
    "TransientError",
    "Whereabouts",
    "effects_of",
]
