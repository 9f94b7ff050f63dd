"""The mailbox of a schedule: the one in memory, which remembers what it has shown to whom."""

from __future__ import annotations

from dataclasses import dataclass, fields
from email import message_from_bytes

from typing_extensions import override

from providers.memory import MemoryMailbox
from providers.mime.marks import intent_of
from providers.ports import Folder, Look, LookRequest, Snapshot, ThreadScope
from storage.words import Ref
from tests.support.clock import FakeClock
from tests.support.gate import FaultsHere
from tests.support.hands import MemoryHands
from tests.support.world import SECRET


@dataclass(frozen=True, slots=True)
class Shown:
    """A draft that listings have shown for a while."""

    mark: str

    def mark_of(self, intent: str) -> bool:
        """Whether it carries the mark of this intent."""
        return intent_of(SECRET, self.mark) == intent


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated(Look):
    """A look that says when it saw what it says, by the database's clock: it may arrive late."""

    at_ms: int


class Watched(MemoryMailbox):
    """A mailbox in memory whose snapshots are remembered."""

    def __init__(self, clock: FakeClock, *, lag_s: float, stages: bool) -> None:
        super().__init__(clock, faults=FaultsHere(), lag_s=lag_s, stages=stages)
        self._snapshots: dict[int, float] = {}
        self._at = clock

    @override
    async def look(self, request: LookRequest) -> Look:
        """As a Maildir says it: staged bytes that are gone, and were not taken back, are there."""
        at_ms = round(self._at.database_s() * 1000)
        look = await super().look(request)
        name = str(request.token.get("name", ""))
        missing = name and name not in self._stage.waiting and name not in self._stage.withdrawn
        seen = {one.name: getattr(look, one.name) for one in fields(look)}
        seen["delivered"] = bool(request.may_withdraw and missing)
        return Dated(**seen, at_ms=at_ms)

    @override
    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        found = await super().snapshot(scope)
        self._snapshots.setdefault(int(str(found.place["seq"])), self._at.now().timestamp())
        return found

    def shown(self, seq: int) -> list[Ref]:
        """Unsent drafts that the earliest snapshot of this number had to show and that still lie.

        A draft that went between the snapshot and now is nobody's loss.
        """
        at = self._snapshots.get(seq)
        return [
            one.ref
            for one in self.messages(Folder.DRAFTS)
            if at is not None and one.seq <= seq and one.shown_at.timestamp() <= at
        ]

    def home(self, ref: Ref) -> str:
        """The Message-ID that a lying draft answers, without brackets."""
        raw = next(one.raw for one in self.messages() if one.ref == ref)
        return str(message_from_bytes(raw).get("In-Reply-To") or "").strip().strip("<>")

    def long_shown(self) -> list[Shown]:
        """Unsent drafts with a mark that every listing of the last half minute has shown."""
        now = self._at.now().timestamp()
        return [
            Shown(one.heads.mark)
            for one in self.messages(Folder.DRAFTS)
            if one.heads.mark is not None and one.shown_at.timestamp() + 30 < now
        ]


class WatchedHands(MemoryHands):
    """Hands around such a mailbox."""

    def __init__(self, clock: FakeClock, *, lag_s: float, stages: bool) -> None:
        self.inner = self.watched = Watched(clock, lag_s=lag_s, stages=stages)
        self.mailbox = self.inner
