"""One pass: what came since the cursor, what went, and where the next pass goes on.

The history says which messages changed; the store is asked which of them it knows; of a thread
with news all mail is read at once, archived mail included, and kept for the reading that follows.
Mail is news when it bears INBOX or SENT, or when it came into a conversation that is known,
whatever label a filter gave it. Spam and trash are nobody's news. A message that is gone by the
time it is read is nothing at all: every save in the web page makes one.

When the history does not reach back, INBOX and SENT are listed over a bounded time and the gap is
told; once, where a server has no history at all, for every pass lists there. A search finds most of
that cheaply and is not trusted with the rest: the labels are listed as well, from the newest on,
until nothing young has come for a while.

A pass that fails anywhere has moved no cursor. A mail that can't be read is told and stops nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from providers.gmail.api import Api, ExpiredError, FailedReadError, History, RefusedReadError
from providers.gmail.cursor import STILL_S, Cursor, cursor_of, kept
from providers.gmail.items import Event, Item, named
from providers.gmail.refs import Entry, Stub, draft_ref
from providers.gmail.shelf import Shelf
from providers.mime.message import Heads
from providers.ports import Changes, Gap, Json, Known, Sighting
from storage.words import Identity, Ref

RESCAN: Final = timedelta(days=30)
"""How far a pass goes back when nobody can say what has changed."""
SLACK: Final = timedelta(minutes=10)
"""How far two clocks may be apart where times are compared."""
OLD_IN_A_ROW: Final = 5
"""After how many mails from before the look-back a listing by label is taken to be through."""
STUMBLES: Final = 3
"""Passes that one mail may fail for a passing reason before it is told as unreadable."""
FORGETS: Final = timedelta(hours=1)
"""Google keeps its history for hours at least: what is gone sooner was never kept."""
_ASKED: Final = 500
_HIDING: Final = frozenset({"TRASH", "SPAM"})
_SHOWING: Final = frozenset({"INBOX", "SENT"})
_DAWN: Final = datetime.fromtimestamp(0, UTC)


@dataclass(slots=True)
class Pass:
    """A pass under way. *stumbles* counts over passes how often a thread could not be read."""

    api: Api
    shelf: Shelf
    known: Known
    now: datetime
    stumbles: dict[str, int]
    seen: list[Sighting] = field(default_factory=list)
    vanished: list[Ref] = field(default_factory=list)
    edited: list[Ref] = field(default_factory=list)
    gap: Gap | None = None
    back_to: datetime | None = None
    """From when on everything is listed, where no history says what has changed."""
    floor: datetime = _DAWN
    point: str = ""
    """Up to where this pass has heeded the history; the shelf's goes on while others read."""
    came: dict[Stub, None] = field(default_factory=dict)
    went: dict[Stub, None] = field(default_factory=dict)
    drafts_moved: bool = True

    async def run(self, cursor: Json | None, since: datetime | None) -> Changes:
        """Read what is new. Raises TransientError or MailboxIllError."""
        held = cursor_of(cursor) if cursor is not None else None
        if held is None and cursor is not None:
            self._lost("the cursor cannot be read", None)
        started = datetime.fromtimestamp(held.floor, UTC) if held is not None else since or _DAWN
        self.floor = started if since is None else min(started, since)
        history = await self._history(held)
        if held is not None and history is not None:
            self._heed(history)
            if self.floor < started:
                await self._list(self.floor)
        else:
            await self._list(self._start)
        await self._read_mail()
        drafts = await self._read_drafts(held)
        await self._departed()
        self.seen.sort(key=lambda one: (one.arrived_at, one.order, one.ref))
        return Changes(
            cursor=self._following(held, history, drafts).json(),
            seen=tuple(self.seen),
            vanished=tuple(dict.fromkeys(self.vanished)),
            edited=tuple(sorted(self.edited)),
            gap=self.gap,
        )

    async def _history(self, held: Cursor | None) -> History | None:
        """The changes since the cursor, None where they can't be told; sets the point."""
        if held is not None:
            try:
                history = await self.api.history(held.history)
            except ExpiredError as error:
                self._lost("Gmail's history does not reach back to the last pass", held, error)
            else:
                self.shelf.heed(history.events)
                self.shelf.point = self.point = history.last
                return history
        self.shelf.clear()
        self.shelf.point = self.point = await self.api.point()
        return None

    def _lost(self, reason: str, held: Cursor | None, error: ExpiredError | None = None) -> None:
        start = self.now - RESCAN
        told = False
        if held is not None:
            last = datetime.fromtimestamp(held.at, UTC)
            missing = error is not None and error.missing
            told = held.blind and self.now - last < (RESCAN if missing else FORGETS)
            start = max(start, last - SLACK)
        self.back_to = start
        if not told:
            self.gap = Gap(reason=reason, covered_from=start)

    def _heed(self, history: History) -> None:
        """What came and what went, in the order of the history."""
        self.drafts_moved = False
        for event in history.events:
            if _is_draft(event):
                self.drafts_moved = True
            if _shows(event):
                self.came[event.stub] = None
                self.went.pop(event.stub, None)
            elif _hides(event):
                self.went[event.stub] = None
                self.came.pop(event.stub, None)

    @property
    def _start(self) -> datetime:
        """From when on mail counts in this pass."""
        return self.floor if self.back_to is None else max(self.floor, self.back_to)

    async def _list(self, start: datetime) -> None:
        """The mail of INBOX and SENT from *start* on; after a gap answers put aside as well."""
        for label in sorted(_SHOWING):
            await self._list_label(label, start)
        if self.back_to is not None:
            async for stub in self._searched(None, start):
                # What began a conversation and bears no such label was put aside by a filter.
                if stub.id != stub.thread:
                    self.came[stub] = None

    async def _searched(self, label: str | None, start: datetime) -> AsyncIterator[Stub]:
        """What the index has from *start* on; it knows seconds, so that no zone matters."""
        try:
            async for stub in self.api.messages(label, q=f"after:{int(start.timestamp())}"):
                yield stub
        except RefusedReadError:
            # A server without search: the listing by label finds what there is.
            return

    async def _list_label(self, label: str, start: datetime) -> None:
        if start <= _DAWN:
            async for stub in self.api.messages(label):
                self.came[stub] = None
            return
        async for stub in self._searched(label, start):
            self.came[stub] = None
        old = 0
        async for stub in self.api.messages(label):
            if stub in self.came:
                continue
            if await self.known([stub.ref]):
                continue
            item = await self.api.message(stub.id, whole=False)
            if item is None:
                continue
            if item.arrived_at >= start:
                old = 0
                self.came[stub] = None
                continue
            old += 1
            if old >= OLD_IN_A_ROW:
                return

    async def _read_mail(self) -> None:
        """Of each thread with unknown messages, all that is not known."""
        unknown = await self._unknown(self.came)
        threads: dict[str, list[Stub]] = {}
        for stub in unknown:
            threads.setdefault(stub.thread, []).append(stub)
        for thread, stubs in threads.items():
            try:
                items, failed = await self._thread(thread, stubs)
            except FailedReadError as error:
                self._stumble(thread, stubs, error)
                continue
            self.stumbles.pop(thread, None)
            await self._report(stubs, items)
            self.seen += failed

    async def _thread(
        self, thread: str, stubs: Sequence[Stub]
    ) -> tuple[list[Item], list[Sighting]]:
        """The mail of a thread, at least *stubs*; and what of it can't be read."""
        begun = self.shelf.begin()
        items: list[Item] = []
        whole = True
        only = stubs[0]
        # A message that bears its thread's id began it; if it didn't, the rest is read later.
        if self.back_to is None and len(stubs) == 1 and only.id == thread:
            item = await self._alone(only)
            items += [item] if item is not None else []
            stubs = ()
        else:
            try:
                items += await self.api.thread(thread) or []
            except RefusedReadError:
                whole = False
                items += await self._heads(thread)
        there = {item.stub.id for item in items}
        failed: list[Sighting] = []
        for stub in stubs:
            if stub.id in there:
                continue
            # A thread may be shown as it was a moment ago.
            try:
                item = await self._alone(stub)
            except RefusedReadError as error:
                failed.append(unreadable(stub, self.now, error))
                continue
            items += [item] if item is not None else []
        if whole and items:
            self.shelf.keep(thread, items, begun)
        return items, failed

    async def _alone(self, stub: Stub) -> Item | None:
        """One message as it was sent; where it is too large for an answer, its heads."""
        try:
            return await self.api.message(stub.id, whole=True)
        except RefusedReadError as error:
            if not error.too_large:
                raise
            return await self.api.message(stub.id, whole=False)

    async def _heads(self, thread: str) -> list[Item]:
        try:
            return await self.api.thread(thread, whole=False) or []
        except RefusedReadError:
            return []

    async def _report(self, stubs: Sequence[Stub], items: Sequence[Item]) -> None:
        """Tell of the unknown mail of a thread, if any of it is news."""
        mail = [item for item in items if item.is_mail]
        fresh = {stub.id for stub in stubs}
        start = self._start
        news = [one for one in mail if one.stub.id in fresh and one.arrived_at >= start]
        if not news:
            return
        unknown = await self._unknown([one.stub for one in mail])
        in_talk = len(unknown) < len(mail) or any(one.watched for one in mail)
        if any(one.watched for one in news) or in_talk:
            self.seen += [one.sighting() for one in mail if one.stub in unknown]

    def _stumble(self, thread: str, stubs: Sequence[Stub], error: FailedReadError) -> None:
        """One thread can't be read: it is told in the end, and until then the pass repeats."""
        failures = self.stumbles.get(thread, 0) + 1
        self.stumbles[thread] = failures
        if not isinstance(error, RefusedReadError) and failures < STUMBLES:
            raise error
        self.seen += [unreadable(stub, self.now, error) for stub in stubs]

    async def _read_drafts(self, held: Cursor | None) -> Mapping[str, str] | None:
        """Tell of unknown drafts, of edited ones and of those that went; gives them all."""
        before = held.drafts if held is not None else None
        if not self.drafts_moved and held is not None:
            return before
        there = {entry.ref: entry for entry in await self.api.drafts()}
        noted = await self._noted(list(there))
        for ref, entry in there.items():
            if ref not in noted:
                await self._draft(entry)
        now = {entry.id: entry.message.id for entry in there.values()}
        if before is not None:
            gone = [draft_ref(draft) for draft in before if draft not in now]
            self.vanished += sorted(await self._noted(gone))
            self.edited += [
                draft_ref(draft) for draft in now if before.get(draft, "") not in ("", now[draft])
            ]
        return kept(now)

    async def _draft(self, entry: Entry) -> None:
        try:
            item = await self.api.message(entry.message.id, whole=True)
        except RefusedReadError:
            item = await self.api.message(entry.message.id, whole=False)
        if item is None or "DRAFT" not in item.labels:
            # Saved anew, sent or thrown away meanwhile: the next pass sees what it is then.
            return
        await self.shelf.learn(item)
        self.seen.append(item.sighting(entry.ref))

    async def _departed(self) -> None:
        """Known mail that was deleted or thrown away."""
        reported = {one.ref for one in self.seen}
        gone = [stub.ref for stub in self.went if stub.ref not in reported]
        self.vanished += sorted(await self._noted(gone))

    async def _unknown(self, stubs: Iterable[Stub]) -> dict[Stub, None]:
        """Those that the store has not noted, in their order."""
        by_ref = {stub.ref: stub for stub in stubs}
        noted = await self._noted(list(by_ref))
        return {stub: None for ref, stub in by_ref.items() if ref not in noted}

    async def _noted(self, refs: Sequence[Ref]) -> set[Ref]:
        found: set[Ref] = set()
        for at in range(0, len(refs), _ASKED):
            found |= await self.known(refs[at : at + _ASKED])
        return found

    def _following(
        self, held: Cursor | None, history: History | None, drafts: Mapping[str, str] | None
    ) -> Cursor:
        at = self.now.timestamp()
        moved = at
        point = self.point
        if held is not None and history is not None and history.last == held.history:
            still = at - held.moved
            if still < STILL_S:
                moved = held.moved
            else:
                point = history.current
        return Cursor(
            history=point,
            moved=moved,
            at=at,
            floor=self.floor.timestamp(),
            drafts=drafts,
            blind=held is not None and history is None,
        )


def unreadable(stub: Stub, now: datetime, error: Exception) -> Sighting:
    """A mail of which nothing but its id is known."""
    heads = named(Heads(identity=Identity("")), stub)
    item = Item(stub=stub, labels=frozenset({"INBOX"}), arrived_at=now, heads=heads)
    return item.sighting(unreadable=str(error))


def _is_draft(event: Event) -> bool:
    """Whether a draft may have come or gone; where the record does not say, it may."""
    if event.kind == "messagesDeleted":
        return event.labels is None or "DRAFT" in event.labels or not event.labels & _SHOWING
    if event.kind == "messagesAdded":
        return event.labels is None or "DRAFT" in event.labels
    return bool(event.changed & (_HIDING | {"DRAFT"}))


def _shows(event: Event) -> bool:
    """Whether a message may be news from now on."""
    if event.labels is not None and (event.labels & _HIDING or "DRAFT" in event.labels):
        return False
    if event.kind == "messagesAdded":
        # An archived mail that begins a conversation is what a filter put aside.
        archived = event.labels is not None and not event.labels & _SHOWING
        return not (archived and event.stub.id == event.stub.thread)
    if event.kind == "labelsAdded":
        return bool(event.changed & _SHOWING)
    return event.kind == "labelsRemoved" and bool(event.changed & _HIDING)


def _hides(event: Event) -> bool:
    if event.kind == "messagesDeleted":
        return True
    return event.kind == "labelsAdded" and bool(event.changed & _HIDING)
