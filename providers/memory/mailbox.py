"""A whole mailbox in memory, for ``fencepost demo`` and for tests: an adapter like any other.

It has folders, unread mail, drafts whose version rotates with every edit, listings that lag behind
what was just written, and a place to stage bytes. Its owner's acts are plain methods. Time comes
from the clock it is given, so that a test moves it. Everything is gone with the process, and
nothing awaits between reading its state and writing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from anyio import Event, create_task_group
from anyio.lowlevel import checkpoint

from providers.memory.journal import Effect, Hook, Journal
from providers.memory.messages import Message, is_hit, is_new_draft
from providers.mime.reading import read_heads
from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Folder,
    Gap,
    Json,
    Known,
    Look,
    LookRequest,
    MailboxIllError,
    Profile,
    Sighting,
    Snapshot,
    Staged,
    ThreadScope,
    Whereabouts,
    effects_of,
)
from storage.words import (
    NO_FAULTS,
    Accepted,
    Clock,
    FaultPoint,
    Faults,
    IntentId,
    Kind,
    Outcome,
    Ref,
    Rejected,
)

_MARKS: Final = frozenset({"header", "message_id", "content"})
_RESCAN: Final = timedelta(days=30)


@dataclass(slots=True)
class _Stage:
    """Bytes that wait for delivery; each name can be delivered or withdrawn, once."""

    waiting: dict[str, bytes] = field(default_factory=dict)
    withdrawn: set[str] = field(default_factory=set)
    delivered: set[str] = field(default_factory=set)


class MemoryMailbox:
    """One account that lives in memory.

    *lag_s*: how long listings miss what was written through the port (a direct get never does).
    *stages*: whether bytes can be staged, and so proved never to have been delivered. *room*: how
    many drafts fit, None without limit. *hook* is called at the moment of each effect.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        faults: Faults = NO_FAULTS,
        lag_s: float = 0.0,
        name: str = "memory",
        stages: bool = True,
        room: int | None = None,
        hook: Hook | None = None,
    ) -> None:
        self.journal = Journal(hook)
        self.room = room
        self._clock = clock
        self._faults = faults
        self._lag_s = lag_s
        self._name = name
        self._stages = stages
        self._stage = _Stage()
        self._seq = 0
        self._epoch = 1
        self._messages: dict[Ref, Message] = {}
        self._gone: list[tuple[int, Ref]] = []
        self._waiting: set[Event] = set()
        self._changed = False

    def deliver(
        self,
        raw: bytes,
        folder: Folder = Folder.INBOX,
        *,
        arrived_at: datetime | None = None,
        unread: bool = True,
    ) -> Ref:
        """A mail arrives, or the owner's program saves one; returns its reference."""
        now = self._clock.now()
        return self._add(raw, folder, arrived_at or now, now, unread).ref

    def owner_edits(self, ref: Ref, raw: bytes) -> None:
        """The owner saves a draft anew: same reference, next version. KeyError when it is gone."""
        held = self._messages[ref]
        self._put(replace(held, raw=raw, version=held.version + 1))

    def owner_sends(self, ref: Ref) -> Ref:
        """The owner sends a draft: it leaves Drafts and shows in Sent under another reference."""
        now = self._clock.now()
        held = self._drop(ref)
        return self._add(held.raw, Folder.SENT, now, now, unread=False).ref

    def owner_deletes(self, ref: Ref, *, trash: bool = False) -> Ref | None:
        """The owner deletes a message, for good or into the trash (its new reference then)."""
        now = self._clock.now()
        held = self._drop(ref)
        return self._add(held.raw, Folder.TRASH, now, now, unread=False).ref if trash else None

    def forget_history(self) -> None:
        """The provider can no longer say what changed since older cursors."""
        self._epoch += 1

    def messages(self, *folders: Folder) -> list[Message]:
        """What lies in *folders* (all without any), oldest first, without lag."""
        held = sorted(self._messages.values(), key=lambda one: one.seq)
        return [one for one in held if not folders or one.folder in folders]

    @property
    def profile(self) -> Profile:
        """Keeps every mark; removes by exact version."""
        return Profile(
            provider="memory",
            lag_s=self._lag_s,
            marks=_MARKS,
            versioned_removal=True,
            network=False,
        )

    async def account(self) -> str:
        """The name that the mailbox was given."""
        await self._called("account")
        return f"memory:{self._name}"

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        """Unknown messages since *cursor*; a cursor from before ``forget_history`` is a gap."""
        await self._called("changes")
        self._changed = False
        now = self._clock.now()
        after, floor, gap = self._start(cursor, since, now)
        reached = None if cursor is None else cursor.get("floor")
        wanted = None if since is None else since.timestamp()
        further = isinstance(reached, float) and wanted is not None and wanted < reached
        hidden = [one.seq for one in self.messages() if one.shown_at > now]
        last = min(hidden, default=self._seq + 1)
        reach = [
            one
            for one in self.messages(Folder.INBOX, Folder.SENT, Folder.DRAFTS)
            if one.shown_at <= now
            and (one.seq > after or (further and since is not None and one.arrived_at >= since))
            and (one.folder is Folder.DRAFTS or floor is None or one.arrived_at >= floor)
        ]
        gone = tuple(ref for seq, ref in self._gone if seq > after)
        noted = await known([one.ref for one in reach])
        seen = [self._shown(one) for one in reach if one.ref not in noted]
        seen.sort(key=lambda one: (one.arrived_at, one.order))
        state: dict[str, object] = {
            "epoch": self._epoch,
            "seq": max(after, last - 1),
            "at": now.timestamp(),
        }
        lowest = [one for one in (wanted, reached) if isinstance(one, float)]
        if lowest:
            state["floor"] = min(lowest)
        return Changes(cursor=state, seen=tuple(seen), vanished=gone, gap=gap)

    async def wait(self, seconds: float) -> None:
        """Return when somebody did something, at the latest after *seconds*."""
        await checkpoint()
        if self._changed:
            return
        event = Event()
        self._waiting.add(event)

        async def until() -> None:
            await event.wait()
            tasks.cancel_scope.cancel()

        try:
            async with create_task_group() as tasks:
                tasks.start_soon(until)
                await self._clock.sleep(seconds)
                tasks.cancel_scope.cancel()
        finally:
            self._waiting.discard(event)

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        """The bytes as they are now; unread stays unread."""
        await self._called("fetch")
        held = self._messages
        return [Fetched(ref=r, raw=held[r].raw if r in held else None) for r in refs]

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """What listings show of the thread."""
        await self._called("snapshot")
        shown = [one for one in self._listed() if one.belongs(scope)]
        return Snapshot(
            place={
                "epoch": self._epoch,
                "seq": max((one.seq for one in self.messages()), default=0),
            },
            drafts=tuple(one.sight for one in shown if one.folder is Folder.DRAFTS),
            news=tuple(
                self._shown(one)
                for one in shown
                if one.folder in (Folder.INBOX, Folder.SENT) and one.ref not in scope.refs
            ),
        )

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        """Keep *content* aside, or only hand it on where this mailbox has no such place."""
        await self._called("stage")
        if self._full():
            raise MailboxIllError("the mailbox is full", "delete some drafts")
        if not self._stages:
            return Staged(content=content, token={"intent": intent, "attempt": attempt})
        name = f"{intent}.{attempt}.{self._next()}"
        self._stage.waiting[name] = content
        return Staged(content=content, token={"name": name, "intent": intent, "attempt": attempt})

    async def unstage(self, staged: Staged) -> None:
        """Drop staged bytes."""
        await self._called("unstage")
        name = str(staged.token.get("name", ""))
        self._stage.waiting.pop(name, None)
        self._stage.withdrawn.discard(name)

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        """Make the draft."""
        await self._called("create")
        if self._full():
            return Rejected(reason="the mailbox is full", passing=True, illness=True)
        name = staged.token.get("name")
        if isinstance(name, str) and name not in self._stage.waiting:
            return Rejected(reason="the staged bytes were withdrawn", passing=True)
        now = self._clock.now()
        effect = Effect(
            kind=Kind.CREATE_DRAFT,
            intent=str(staged.token.get("intent", "")),
            attempt=int(str(staged.token.get("attempt", 0))),
            mark=read_heads(staged.content).mark,
            at=now,
        )
        self.journal.before(effect)
        if isinstance(name, str):
            del self._stage.waiting[name]
            self._stage.delivered.add(name)
        shown_at = now + timedelta(seconds=self._lag_s)
        made = self._add(staged.content, Folder.DRAFTS, now, shown_at, unread=False)
        self.journal.happened(replace(effect, ref=made.ref))
        self._faults.hit(FaultPoint.EFFECT_DONE)
        sight = made.sight
        return Accepted(ref=made.ref, version=sight.version, message_id=sight.message_id)

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        """Remove exactly the version named."""
        await self._called("remove")
        now = self._where(draft)
        if now.where is Whereabouts.ABSENT or now.where is Whereabouts.TRASHED:
            return Accepted(detail="it was gone already")
        if now.where is Whereabouts.SENT:
            return Rejected(reason="the draft was sent")
        if now.where is Whereabouts.EDITED or now.sight is None:
            return Rejected(reason="the draft was changed since")
        effect = Effect(
            kind=Kind.REMOVE_DRAFT,
            intent=intent,
            attempt=attempt,
            mark=now.sight.mark,
            at=self._clock.now(),
            ref=draft.ref,
        )
        self.journal.before(effect)
        self._drop(draft.ref)
        self.journal.happened(effect)
        self._faults.hit(FaultPoint.EFFECT_DONE)
        return Accepted(detail="removed")

    async def draft(self, draft: DraftRef) -> DraftNow:
        """A direct get, which no lag delays."""
        await self._called("draft")
        return self._where(draft)

    async def look(self, request: LookRequest) -> Look:
        """Take staged bytes back where that is allowed, then search what listings show."""
        await self._called("look")
        name = str(request.token.get("name", ""))
        if request.may_withdraw and name in self._stage.waiting:
            del self._stage.waiting[name]
            self._stage.withdrawn.add(name)
        proved = name in self._stage.withdrawn
        hits = [one.sight for one in self._listed() if is_hit(one, request)]
        return Look(
            found=tuple(effects_of(hits)),
            candidates=tuple(
                one.sight
                for one in self._listed()
                if is_new_draft(one, request) and not is_hit(one, request)
            ),
            proof="the staged bytes were taken back" if proved else None,
            delivered=request.may_withdraw and name in self._stage.delivered,
        )

    async def close(self) -> None:
        """Wake whoever waits; safe to call twice."""
        self._wake()

    async def _called(self, name: str) -> None:
        self.journal.call(name)
        await checkpoint()

    def _start(
        self, cursor: Json | None, since: datetime | None, now: datetime
    ) -> tuple[int, datetime | None, Gap | None]:
        if cursor is None:
            return 0, since, None
        if cursor.get("epoch") == self._epoch:
            return int(str(cursor.get("seq", 0))), None, None
        last = datetime.fromtimestamp(float(str(cursor.get("at", 0))), now.tzinfo)
        start = max(last, now - _RESCAN)
        return 0, start, Gap(reason="the history has expired", covered_from=start)

    def _full(self) -> bool:
        return self.room is not None and len(self.messages(Folder.DRAFTS)) >= self.room

    def _listed(self) -> list[Message]:
        now = self._clock.now()
        return [one for one in self.messages() if one.shown_at <= now]

    def _shown(self, one: Message) -> Sighting:
        return Sighting(
            ref=one.ref,
            folder=one.folder,
            heads=one.heads,
            arrived_at=one.arrived_at,
            order=one.seq,
        )

    def _where(self, draft: DraftRef) -> DraftNow:
        held = self._messages.get(draft.ref)
        if held is not None:
            same = held.sight.version == draft.version
            where = Whereabouts.UNTOUCHED if same else Whereabouts.EDITED
            return DraftNow(where=where, sight=held.sight)
        for role, where in (
            (Folder.SENT, Whereabouts.SENT),
            (Folder.TRASH, Whereabouts.TRASHED),
            (Folder.DRAFTS, Whereabouts.EDITED),
        ):
            for one in self.messages(role):
                if one.ref in draft.others:
                    continue
                if one.heads.mark == draft.mark or (
                    role is Folder.DRAFTS and one.heads.mark is None and one.belongs(draft.scope)
                ):
                    return DraftNow(where=where, sight=one.sight)
        return DraftNow(where=Whereabouts.ABSENT)

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def _add(
        self, raw: bytes, folder: Folder, arrived_at: datetime, shown_at: datetime, unread: bool
    ) -> Message:
        seq = self._next()
        one = Message(Ref(f"m{seq}"), seq, folder, raw, arrived_at, shown_at, unread=unread)
        self._put(one)
        return one

    def _put(self, one: Message) -> None:
        self._messages[one.ref] = one
        self._wake()

    def _drop(self, ref: Ref) -> Message:
        held = self._messages.pop(ref)
        self._gone.append((self._next(), ref))
        self._wake()
        return held

    def _wake(self) -> None:
        self._changed = True
        for event in self._waiting:
            event.set()
