"""The Mailbox port over IMAP: one connection that watches and one that works.

Reading marks nothing as read (EXAMINE and PEEK only). A draft is one APPEND and a removal one UID
EXPUNGE of one UID; ``writing`` says what their ends mean and ``never`` when an absence becomes a
proof. A cancelled call drops its connection at once, so that it is over when the caller says so.

The client is our own small one rather than a library in threads: only so is it known whether the
last octets of a draft were handed over, are answers bounded, and cost two hundred idle mailboxes no
thread. The adapter keeps connections and what it has read, and nothing that matters: a new process
starts without a memory and with the same results.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import anyio
from anyio import CapacityLimiter

from providers.imap import writing
from providers.imap.cursor import Mark, cursor_of
from providers.imap.finding import Finder
from providers.imap.folders import INBOX, Roles, roles_of
from providers.imap.link import Gate, Link, Pause
from providers.imap.login import Server
from providers.imap.never import proof
from providers.imap.passing import Pass
from providers.imap.refs import Spot, spot_of
from providers.imap.session import Session
from providers.imap.shelf import Shelf
from providers.imap.wire import Progress, RefusedError, Stage
from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Folder,
    Json,
    Known,
    Look,
    LookRequest,
    MailboxIllError,
    Profile,
    Snapshot,
    Staged,
    ThreadScope,
    TransientError,
)
from storage.words import (
    NO_FAULTS,
    Accepted,
    Clock,
    FaultPoint,
    Faults,
    IntentId,
    Outcome,
    Ref,
    Rejected,
    Unknown,
)

LAG_S: Final = 600.0
"""How long a server that stood still may take to show a draft that it was given."""
BUSY_S: Final = 8.0
"""How long a draft waits for the working connection before it is given back unsent."""
IDLE_S: Final = 25 * 60.0
"""How long one IDLE lasts; servers end longer ones (RFC 2177)."""
SHORT_S: Final = 60.0
"""A watch that breaks sooner than this is taken up again more and more slowly."""
_PROVABLE: Final = frozenset({"dovecot", "cyrus"})
_HASHING: Final = 2
_HINTS: Final = frozenset({b"EXISTS", b"EXPUNGE", b"VANISHED"})


class ImapMailbox:
    """One account at an IMAP *server*.

    *folders* are the owner's names for Sent, Drafts and Trash where the server marks none.
    *answer_s*: how long the server may take to answer when it has the whole of a draft.
    """

    def __init__(
        self,
        server: Server,
        *,
        clock: Clock,
        folders: Mapping[Folder, str] | None = None,
        faults: Faults = NO_FAULTS,
        answer_s: float = 15.0,
    ) -> None:
        self._server = server
        self._clock = clock
        self._configured = dict(folders or {})
        self._faults = faults
        self._answer_s = answer_s
        gate = Gate(server, clock)
        self._watch = Link(gate, writes=False)
        self._work = Link(gate, writes=True)
        self._shelf = Shelf(CapacityLimiter(_HASHING))
        self._breaks = Pause()
        self._closed = False
        self._inbox: Mark | None = None
        self._passed: dict[str, int] = {}
        self._kind = ""
        self._capabilities: frozenset[str] | None = None
        self._notes: tuple[str, ...] = ()

    @property
    def profile(self) -> Profile:
        """What the server can do, as far as it has told; the pessimistic answer before that."""
        known = self._capabilities or frozenset()
        marks = {"header", "message_id"} | ({"content"} if self._kind in _PROVABLE else set())
        return Profile(
            provider="imap",
            lag_s=LAG_S,
            marks=frozenset(marks),
            versioned_removal="UIDPLUS" in known and self._kind != "gmail",
            network=True,
            notes=self._notes,
        )

    async def account(self) -> str:
        """A name for host and user. Logs in. Raises MailboxIllError or TransientError."""
        async with self._working():
            pass
        server = self._server
        name = f"{server.host.lower()}\n{server.username}"
        return f"imap:{hashlib.sha256(name.encode()).hexdigest()[:32]}"

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        """Unknown mail of INBOX, Sent and Drafts, oldest first, and known mail that is gone.

        Raises TransientError or MailboxIllError.
        """
        async with self._watch.session() as session:
            roles = await self._roles(session)
            under_way = Pass(session, roles, known, self._clock.now())
            changes = await under_way.run(cursor, since)
            self._shelf.keep(changes.seen)
            held = cursor_of(changes.cursor)
            marks = held.folders if held is not None else {}
            self._inbox = marks.get(INBOX)
            self._passed = {name: mark.next for name, mark in marks.items()}
            return changes

    async def wait(self, seconds: float) -> None:
        """Return when the inbox may have changed, at the latest after *seconds*.

        A connection that is lost ends the wait too, after a pause that grows when it happens again
        and again.
        """
        idling = _Idling()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._noticed, idling, tasks.cancel_scope)
            await self._clock.sleep(seconds)
            # In order, so that the connection is there for the pass that follows.
            await idling.end()
            tasks.cancel_scope.cancel()

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        """The bytes of *refs* as they are now, None for what is gone.

        Raises TransientError or MailboxIllError.
        """
        spots: dict[str, list[Spot]] = {}
        for spot in filter(None, map(spot_of, refs)):
            spots.setdefault(spot.folder, []).append(spot)
        raws: dict[Ref, bytes] = {}
        if spots:
            async with self._working() as (session, roles):
                for folder, here in spots.items():
                    if roles.role(folder) is not None:
                        raws |= await self._fetch(session, folder, here)
        return [Fetched(ref=ref, raw=raws.get(ref)) for ref in refs]

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """Unsent drafts and unknown mail of the thread. Raises TransientError, MailboxIllError."""
        async with self._working() as (session, roles):
            finder = Finder(session, roles, self._shelf)
            return await finder.snapshot(scope, self._passed, self._clock.now())

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        """Nothing can be laid aside over IMAP: check that there is a place and room, and hand on.

        Raises TransientError or MailboxIllError (no drafts folder, no room).
        """
        async with self._working() as (session, roles):
            room = await session.room(roles.drafts)
        if room is not None and len(writing.wire_lines(content)) > room:
            raise MailboxIllError(
                f"the draft does not fit: {room} octets are left in the mailbox",
                "free some space or raise the quota",
            )
        return Staged(content=content, token={"intent": intent, "attempt": attempt})

    async def unstage(self, staged: Staged) -> None:
        """Nothing was laid aside."""

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        """Make the draft: one APPEND. A cancelled one has dropped its connection."""
        progress = Progress()
        try:
            with anyio.move_on_after(BUSY_S) as waiting:
                async with self._working() as (session, roles):
                    waiting.deadline = float("inf")
                    outcome = await writing.append(
                        session, roles, staged.content, progress, answer_s=self._answer_s
                    )
                    if isinstance(outcome, Accepted):
                        self._faults.hit(FaultPoint.EFFECT_DONE)
                    return outcome
        except (MailboxIllError, TransientError) as error:
            if progress.stage >= Stage.ALL:
                return Unknown(reason=str(error))
            return Rejected(reason=f"never left: {error}", passing=True, illness=True)
        return Rejected(reason="never left: the connection is busy", passing=True, illness=True)

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        """Remove exactly the version named: UID STORE and UID EXPUNGE of one UID."""
        try:
            async with self._working() as (session, roles):
                finder = Finder(session, roles, self._shelf)
                return await writing.remove(session, finder, draft, self._faults)
        except (MailboxIllError, TransientError) as error:
            return Rejected(reason=f"nothing was changed: {error}", passing=True, illness=True)

    async def draft(self, draft: DraftRef) -> DraftNow:
        """Where a recorded draft is now. Raises TransientError or MailboxIllError."""
        async with self._working() as (session, roles):
            return await Finder(session, roles, self._shelf).whereabouts(draft)

    async def look(self, request: LookRequest) -> Look:
        """Search Drafts, Sent and Trash over a connection that was opened after the claim.

        Raises TransientError or MailboxIllError when a place could not be reached.
        """
        fresh = request.claimed_at.timestamp()
        async with self._working(fresh=fresh) as (session, roles):
            findings = await Finder(session, roles, self._shelf).look(request)
            provable = self._server.direct and session.kind in _PROVABLE
        facts = findings.facts
        complete = not findings.unread
        proved = None
        if provable and complete and facts is not None and request.may_withdraw:
            proved = proof(facts, request.earlier, ended_at=request.ended_at, now=self._clock.now())
        return Look(
            found=tuple(findings.found),
            candidates=tuple(findings.candidates),
            complete=complete,
            proof=proved,
            absent=facts.json() if facts is not None and complete else {},
            detail="; ".join([*findings.unread, *findings.notes]),
        )

    async def close(self) -> None:
        """Close both connections; safe to call twice."""
        self._closed = True
        await self._watch.close()
        await self._work.close()

    @asynccontextmanager
    async def _working(self, *, fresh: float | None = None) -> AsyncIterator[tuple[Session, Roles]]:
        async with self._work.session(fresh=fresh) as session:
            yield session, await self._roles(session)

    async def _roles(self, session: Session) -> Roles:
        """The folders by role, asked once for each connection; and what the server lacks."""
        if session.roles is None:
            session.roles = roles_of(await session.folders(), self._configured)
            self._kind, self._capabilities = session.kind, session.capabilities
            self._notes = _notes(session, session.roles)
        return session.roles

    async def _fetch(
        self, session: Session, folder: str, spots: Sequence[Spot]
    ) -> dict[Ref, bytes]:
        box = await session.examine(folder)
        raws: dict[Ref, bytes] = {}
        for spot in spots:
            item = None
            if spot.validity == box.validity:
                try:
                    item = await session.whole(spot.uid)
                except RefusedError:
                    item = None
            if item is not None and item.raw is not None:
                raws[spot.ref] = item.raw
        return raws

    async def _noticed(self, idling: _Idling, waiting: anyio.CancelScope) -> None:
        """End *waiting* when the server says that something is new; without IDLE do nothing."""
        started_s = self._clock.boot_s()
        try:
            told = await self._told(idling)
            idling.ended.set()
            if not told:
                return
            self._breaks.worked()
        except (TransientError, MailboxIllError):
            idling.ended.set()
            if self._closed:
                waiting.cancel()
                return
            now_s = self._clock.boot_s()
            if now_s - started_s > SHORT_S:
                self._breaks.worked()
            await self._clock.sleep(self._breaks.failed(now_s))
        waiting.cancel()

    async def _told(self, idling: _Idling) -> bool:
        """Wait for a hint; False where none came. Raises what reading raises."""
        async with self._watch.session() as session:
            if not session.can("IDLE"):
                return False
            box = await session.examine(INBOX)
            held = self._inbox
            if held is not None and (held.validity, held.next, held.modseq) != (
                box.validity,
                box.next,
                box.modseq,
            ):
                return True
            while not idling.over:
                async with session.wire.idling(writing.BEFORE_S) as news:
                    with anyio.move_on_after(IDLE_S) as idling.scope:
                        idling.check()
                        while (await news()).name not in _HINTS:
                            pass
                        return True
            return False


@dataclass(slots=True)
class _Idling:
    """One wait for notices, and how it is ended in order."""

    over: bool = False
    scope: anyio.CancelScope | None = None
    ended: anyio.Event = field(default_factory=anyio.Event)

    def check(self) -> None:
        """End the present IDLE when the wait is over."""
        if self.over and self.scope is not None:
            self.scope.cancel()

    async def end(self) -> None:
        """End IDLE and wait until the server has said so, for a bounded time."""
        self.over = True
        self.check()
        with anyio.move_on_after(writing.BEFORE_S):
            await self.ended.wait()


def _notes(session: Session, roles: Roles) -> tuple[str, ...]:
    """What the server lacks, and what follows, for ``fencepost check``."""
    lacks = {
        "IDLE": "no IDLE: new mail is noticed at the next poll",
        "UIDPLUS": "no UIDPLUS: drafts are never removed",
        "CONDSTORE": "no CONDSTORE: every pass lists the drafts",
        "QRESYNC": "no QRESYNC: mail that was deleted is not told apart from mail never there",
        "SPECIAL-USE": "no SPECIAL-USE: Sent, Drafts and Trash are known by their names",
    }
    notes = [text for name, text in lacks.items() if not session.can(name)]
    if not (session.can("X-GM-EXT-1") or session.can("OBJECTID")):
        notes.append("no thread ids: conversations are told by References")
    if session.kind == "gmail":
        notes.append("Gmail over IMAP: drafts are never removed")
    notes += [
        f"no folder for {role}: name it in folders"
        for role in (Folder.DRAFTS, Folder.SENT, Folder.TRASH)
        if roles.name(role) is None
    ]
    return tuple(notes)
