"""A look: every place in which the leftovers of an intent may lie, and what is there.

No place is believed to be complete. The list of drafts, the thread as it is now, the history since
the snapshot and, only as one more chance to find something, the search by Message-ID: what is in
none of them is not found, and that is never a proof here. Where two places contradict each other
the look counts as not complete and is made again.

Gmail replaces Message-IDs, and an edit in the web page drops our header field: so a draft is known
by any mark that is left, by what it says, or, as a candidate, by being new in the thread.

Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from providers.gmail.api import ExpiredError, RefusedReadError
from providers.gmail.finding import Finder, Listing, threads_of
from providers.gmail.items import Event, Item
from providers.gmail.refs import Entry, Stub
from providers.gmail.shelf import belongs
from providers.mime.message import Heads
from providers.ports import DraftSight, Folder, LookRequest, effects_of
from storage.words import Ref

SLACK: Final = timedelta(minutes=10)
"""How far Google's clock and ours may be apart."""
STRAYS: Final = 10
"""How many sent or deleted mails outside the thread a look reads."""


@dataclass(slots=True)
class Findings:
    """What a look found; ``unread`` are places that could not be searched."""

    hits: list[DraftSight] = field(default_factory=list)
    candidates: list[DraftSight] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    judged: set[str] = field(default_factory=set)
    """Message ids that have been compared."""

    @property
    def found(self) -> list[DraftSight]:
        """Distinct effects."""
        return effects_of(self.hits)


@dataclass(slots=True)
class Search:
    """One look under way."""

    finder: Finder
    request: LookRequest
    findings: Findings = field(default_factory=Findings)
    threads: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        self.threads = threads_of(self.request.scope)

    async def run(self) -> Findings:
        """Search every place. Raises TransientError or MailboxIllError."""
        listing = await self.finder.all_drafts(self.request)
        for entry in listing.entries:
            if self._worth(entry):
                await self._judge_draft(entry, listing.folder(entry))
        for thread in self.threads:
            await self._look_in_thread(thread, listing)
        await self._look_in_history()
        if not self.threads:
            await self._look_lately()
        if not self.findings.hits:
            await self._search(listing)
        return self.findings

    def _worth(self, entry: Entry) -> bool:
        """Whether a draft could be the effect: in the thread, new since the snapshot, or known."""
        if entry.message.thread in self.threads or not self.threads:
            return True
        words = self.finder.shelf.words(entry.message.id)
        if words is not None:
            return is_named(words.heads, self.request)
        before = self.request.place.get("drafts")
        return isinstance(before, list) and entry.id not in before

    async def _judge_draft(self, entry: Entry, folder: Folder) -> None:
        words = self.finder.shelf.words(entry.message.id)
        stub = entry.message
        if words is None:
            got = await self.finder.api.draft(entry.id)
            learned = await self.finder.shelf.learn(got[1]) if got is not None else None
            if got is None or learned is None:
                self.findings.unread.append(f"a draft changed while it was read ({entry.id})")
                return
            words, stub = learned, got[0].message
        self.findings.judged |= {entry.message.id, stub.id}
        sight = words.sight(entry.ref, stub, folder)
        if is_named(words.heads, self.request):
            self.findings.hits.append(sight)
        elif may_be(words.heads, stub, entry.ref, self.request):
            if words.content_hash == self.request.content_hash:
                self.findings.hits.append(sight)
            elif folder is Folder.DRAFTS:
                self.findings.candidates.append(sight)

    async def _look_in_thread(self, thread: str, listing: Listing) -> None:
        """The thread itself, freshly read: drafts that the list lacks, sent and deleted mail."""
        try:
            items = await self.finder.api.thread(thread, whole=False) or []
        except RefusedReadError as error:
            self.findings.unread.append(f"the thread: {error}")
            return
        listed = {entry.message.id for entry in listing.entries}
        for item in items:
            if item.folder is Folder.DRAFTS and item.stub.id not in listed:
                self.findings.unread.append("the list of drafts and the thread do not agree yet")
            await self._judge_mail(item)

    async def _judge_mail(self, item: Item) -> None:
        """A sent or deleted mail as an effect of the intent."""
        if item.stub.id in self.findings.judged or item.folder not in (Folder.SENT, Folder.TRASH):
            return
        self.findings.judged.add(item.stub.id)
        late = item.arrived_at >= self.request.claimed_at - SLACK
        named = is_named(item.heads, self.request)
        if not named and not (late and may_be(item.heads, item.stub, item.stub.ref, self.request)):
            return
        words = await self.finder.words(item.stub)
        if words is None or not (named or words.content_hash == self.request.content_hash):
            if item.folder is Folder.SENT:
                self.findings.notes.append("its owner sent another mail in the thread")
            return
        self.findings.hits.append(words.sight(item.stub.ref, item.stub, item.folder))

    async def _look_in_history(self) -> None:
        """What came and went since the snapshot, in the thread and outside."""
        start = self.request.place.get("history")
        if not isinstance(start, str):
            return
        try:
            events = (await self.finder.api.history(start)).events
        except ExpiredError:
            self.findings.notes.append("the history does not reach back to the call any more")
            return
        self.findings.notes += _told(events, self.threads)
        strays = {
            event.stub: None
            for event in events
            if event.kind == "messagesAdded"
            and event.stub.thread not in self.threads
            and (event.labels is None or "SENT" in event.labels)
        }
        for stub in list(strays)[-STRAYS:]:
            if stub.id not in self.findings.judged:
                item = await self.finder.api.message(stub.id, whole=False)
                if item is not None:
                    await self._judge_mail(item)

    async def _look_lately(self) -> None:
        """What was sent or deleted since the call, where no thread is known."""
        for label in ("SENT", "TRASH"):
            number = 0
            async for stub in self.finder.api.messages(label):
                item = await self.finder.api.message(stub.id, whole=False)
                number += 1
                if item is not None:
                    await self._judge_mail(item)
                if number >= STRAYS or (
                    item is not None and item.arrived_at < self.request.claimed_at - SLACK
                ):
                    break

    async def _search(self, listing: Listing) -> None:
        """One more chance: the index by Message-ID. What it does not have means nothing."""
        if self.request.message_id is None:
            return
        query = f"rfc822msgid:{self.request.message_id.strip('<>')}"
        entries = {entry.message.id: entry for entry in listing.entries}
        try:
            async for stub in self.finder.api.messages(q=query, thrown_away=True):
                if stub.id in self.findings.judged:
                    continue
                if stub.id in entries:
                    entry = entries[stub.id]
                    await self._judge_draft(entry, listing.folder(entry))
                    continue
                item = await self.finder.api.message(stub.id, whole=False)
                if item is not None:
                    await self._judge_mail(item)
        except RefusedReadError:
            self.findings.notes.append("this server has no search by Message-ID")


def is_named(heads: Heads, request: LookRequest) -> bool:
    """Whether a mail bears a mark of the intent."""
    if heads.mark is not None and heads.mark == request.mark:
        return True
    return request.message_id is not None and heads.message_id == request.message_id


def may_be(heads: Heads, stub: Stub, ref: Ref, request: LookRequest) -> bool:
    """Whether a mail is of the thread, bears no mark, and was not there at the snapshot."""
    if heads.mark is not None or ref in request.before:
        return False
    inside = stub.thread in threads_of(request.scope)
    return inside or belongs(heads, stub.thread, request.scope)


def _told(events: Iterable[Event], threads: Sequence[str]) -> list[str]:
    """Drafts that came into the thread and went since: no proof, and worth telling."""
    added = set()
    for event in events:
        if event.stub.thread in threads and event.labels is not None and "DRAFT" in event.labels:
            if event.kind == "messagesAdded":
                added.add(event.stub.id)
            elif event.kind == "messagesDeleted" and event.stub.id in added:
                return ["a draft came into the thread and went again since the call"]
    return []
