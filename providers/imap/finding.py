"""What of a thread, or of an intent, lies in the mailbox now: snapshot, look and direct get.

Every question opens each folder afresh, because a server answers a search in a folder that was open
already from an old view and calls a draft missing that was just stored. In Drafts every header
block is compared (from memory where it was read before), in Sent and Trash what the server finds by
our marks and what arrived lately. Searches find more than asked, so that each hit is compared again
here. What is not found is only not found; ``never`` says what more a proof takes.

Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from providers.imap.folders import Roles
from providers.imap.never import Facts
from providers.imap.refs import spot_of
from providers.imap.session import Selected, Session
from providers.imap.shelf import Seen, Shelf
from providers.imap.text import quotable, quoted, search_date
from providers.imap.wire import RefusedError
from providers.mime.marks import MARK_HEADER
from providers.ports import (
    DraftNow,
    DraftRef,
    DraftSight,
    Folder,
    Json,
    LookRequest,
    Sighting,
    Snapshot,
    ThreadScope,
    Whereabouts,
    effects_of,
)

NEWS: Final = timedelta(hours=48)
"""Mail that a pass has listed is still compared with the thread for so long."""
LATELY: Final = timedelta(days=7)
"""How far back Sent and Trash are compared for a draft whose marks are gone."""
_DAY: Final = timedelta(days=1)
_SLACK: Final = timedelta(minutes=1)


@dataclass(slots=True)
class Findings:
    """What a look found: effects, candidates, and facts where nothing of ours was there.

    ``notes`` are for the evidence, ``unread`` places that could not be searched.
    """

    found: list[DraftSight] = field(default_factory=list)
    candidates: list[DraftSight] = field(default_factory=list)
    facts: Facts | None = None
    notes: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Finder:
    """Searches over one session; *shelf* remembers what was read."""

    session: Session
    roles: Roles
    shelf: Shelf

    async def snapshot(
        self, scope: ThreadScope, passed: Mapping[str, int], now: datetime
    ) -> Snapshot:
        """The thread's place, unsent drafts and unknown mail.

        *passed* is the UIDNEXT of each folder at the last pass of this process.
        """
        box = await self.session.examine(self.roles.drafts)
        unsent = [one for one in await self._all(box) if one.role is Folder.DRAFTS]
        sights = [await self.shelf.sight(self.session, one) for one in unsent if one.belongs(scope)]
        news: list[Sighting] = []
        for role, name in self.roles.present(Folder.INBOX, Folder.SENT):
            news += await self._news(role, name, scope, passed.get(name), now)
        return Snapshot(
            place=place_of(box),
            drafts=tuple(one for one in sights if one is not None),
            news=tuple(news),
        )

    async def look(self, request: LookRequest) -> Findings:
        """Search Drafts, Sent and Trash for the leftovers of an intent."""
        findings = Findings()
        hits: list[DraftSight] = []
        await self._look_in_drafts(request, hits, findings)
        for role, name in self.roles.present(Folder.SENT, Folder.TRASH):
            try:
                box = await self.session.examine(name)
                seen = await self._kept(role, box, request.claimed_at - _SLACK, request)
                judged = [await self._hit(one, request) for one in seen]
                hits += [sight for sight in judged if sight is not None]
            except RefusedError as error:
                findings.unread.append(f"{name}: {error}")
        findings.found = effects_of(hits)
        if findings.found or findings.candidates:
            findings.facts = None
        return findings

    async def whereabouts(self, draft: DraftRef) -> DraftNow:
        """Where one recorded draft is now, by a direct get and by what else might be it."""
        box = await self.session.examine(self.roles.drafts)
        there = [one for one in await self._all(box) if one.ref not in draft.others]
        spot = spot_of(draft.ref)
        renumbered = spot is not None and (spot.folder, spot.validity) != (box.name, box.validity)
        for one in there:
            if one.ref == draft.ref:
                return await self._now(_named(one), one)
        marked = [one for one in there if one.heads.mark == draft.mark]
        edit, twin = await self._edit_or_twin(marked, draft)
        if edit is not None:
            return edit
        # One that says the very same is rather a second one: what left is looked for first.
        kept = await self._elsewhere(draft)
        if kept is not None:
            return kept
        if twin is not None:
            where = Whereabouts.UNTOUCHED if renumbered else Whereabouts.EDITED
            return DraftNow(where=where, sight=twin)
        if marked:
            await self.session.examine(box.name)
            return await self._now(Whereabouts.TRASHED, marked[0])
        for one in there:
            if one.role is Folder.DRAFTS and one.heads.mark is None and one.belongs(draft.scope):
                await self.session.examine(box.name)
                return await self._now(Whereabouts.EDITED, one)
        return DraftNow(where=Whereabouts.ABSENT)

    async def _edit_or_twin(
        self, marked: Iterable[Seen], draft: DraftRef
    ) -> tuple[DraftNow | None, DraftSight | None]:
        """What bears the mark in the drafts folder: changed, or saying the very same."""
        twin: DraftSight | None = None
        for one in marked:
            if one.role is Folder.DRAFTS:
                sight = await self.shelf.sight(self.session, one)
                if sight is None or sight.content_hash != draft.content_hash:
                    return DraftNow(where=Whereabouts.EDITED, sight=sight), None
                twin = twin or sight
        return None, twin

    async def _now(self, where: Whereabouts, one: Seen) -> DraftNow:
        return DraftNow(where=where, sight=await self.shelf.sight(self.session, one))

    async def _all(self, box: Selected) -> list[Seen]:
        """Every mail of the drafts folder, which is open."""
        uids = await self.session.search(b"ALL") if box.exists else []
        return await self.shelf.listed(self.session, Folder.DRAFTS, box, uids)

    async def _news(
        self, role: Folder, name: str, scope: ThreadScope, passed: int | None, now: datetime
    ) -> list[Sighting]:
        box = await self.session.examine(name)
        if not box.exists:
            return []
        uids = set(await self.session.search(b"SINCE", search_date((now - NEWS - _DAY).date())))
        if passed is not None and passed < box.next:
            found = await self.session.search(b"UID %d:*" % max(passed, 1))
            uids.update(uid for uid in found if uid >= passed)
        uids.update(await self._of_thread(scope))
        seen = await self.shelf.listed(self.session, role, box, sorted(uids))
        return [one.sighting() for one in seen if one.ref not in scope.refs and one.belongs(scope)]

    async def _of_thread(self, scope: ThreadScope) -> list[int]:
        """Mails that the server itself counts to the thread, however old."""
        thread = scope.thread
        if thread is None or not quotable(thread):
            return []
        if self.session.can("X-GM-EXT-1"):
            return (
                await self.session.search(b"X-GM-THRID %d" % int(thread)) if _digits(thread) else []
            )
        if self.session.can("OBJECTID"):
            try:
                return await self.session.search(b"THREADID", quoted(thread))
            except RefusedError:
                return []
        return []

    async def _look_in_drafts(
        self, request: LookRequest, hits: list[DraftSight], findings: Findings
    ) -> None:
        box = await self.session.examine(self.roles.drafts)
        there = await self._all(box)
        for one in there:
            if (sight := await self._hit(one, request)) is not None:
                hits.append(sight)
                continue
            if one.role is Folder.DRAFTS and _may_be(one, request):
                sight = await self.shelf.sight(self.session, one)
                findings.candidates += [] if sight is None else [sight]
        findings.facts = await self._facts(box, there, request, findings.notes)

    async def _facts(
        self, box: Selected, there: Sequence[Seen], request: LookRequest, notes: list[str]
    ) -> Facts | None:
        """What is needed for a proof, None where the numbers do not speak for it."""
        place = request.place
        validity, start, modseq = (
            place.get("uidvalidity"),
            place.get("uidnext"),
            place.get("modseq"),
        )
        if not (isinstance(validity, int) and isinstance(start, int)):
            return None
        if place.get("folder") != box.name or validity != box.validity:
            notes.append("the drafts folder was numbered anew since the call")
            return None
        missing = set(range(start, min(box.next, start + 1000))) - {one.spot.uid for one in there}
        if missing or box.next - start > 1000:
            gone = ", ".join(map(str, sorted(missing)[:10]))
            notes.append(f"drafts came and went since the call (UID {gone})")
            if self.session.qresync and isinstance(modseq, int) and box.next > start:
                ranges = await self.session.vanished((start, box.next - 1), modseq)
                shown = ", ".join(f"{low}:{high}" for low, high in ranges[:10])
                notes.append(f"the server says that these vanished: {shown or 'none'}")
            return None
        return Facts(
            validity=box.validity, start=start, next=box.next, settled=request.caller_ended
        )

    async def _hit(self, one: Seen, request: LookRequest) -> DraftSight | None:
        """The mail as an effect of the intent, None when it is none."""
        heads = one.heads
        named = request.message_id is not None and heads.message_id == request.message_id
        if heads.mark == request.mark or named:
            return await self.shelf.sight(self.session, one)
        if not _may_be(one, request):
            return None
        sight = await self.shelf.sight(self.session, one)
        same = sight is not None and sight.content_hash == request.content_hash
        return sight if same else None

    async def _kept(
        self, role: Folder, box: Selected, since: datetime, request: LookRequest
    ) -> list[Seen]:
        """Mails of Sent or Trash that carry a mark of ours or came since the claim."""
        found = await self._marked(box, request.mark, request.message_id)
        if box.exists:
            found |= set(await self.session.search(b"SINCE", search_date((since - _DAY).date())))
        return await self.shelf.listed(self.session, role, box, sorted(found))

    async def _marked(self, box: Selected, mark: str, message_id: str | None) -> set[int]:
        found: set[int] = set()
        if not box.exists:
            return found
        if quotable(mark):
            found |= set(await self.session.holding(MARK_HEADER, mark))
        if message_id is not None and quotable(message_id):
            found |= set(await self.session.holding("Message-ID", message_id))
        return found

    async def _elsewhere(self, draft: DraftRef) -> DraftNow | None:
        """The draft in Sent or Trash, by its mark or, without one, by equal content lately."""
        now = self.session.opened_at
        for role, where in ((Folder.SENT, Whereabouts.SENT), (Folder.TRASH, Whereabouts.TRASHED)):
            name = self.roles.name(role)
            if name is None:
                continue
            box = await self.session.examine(name)
            uids = await self._marked(box, draft.mark, None)
            if box.exists:
                lately = search_date((now - LATELY).date())
                uids |= set(await self.session.search(b"SINCE", lately))
            for one in await self.shelf.listed(self.session, role, box, sorted(uids)):
                if one.heads.mark == draft.mark:
                    return await self._now(where, one)
                if one.heads.mark is None and one.belongs(draft.scope):
                    sight = await self.shelf.sight(self.session, one)
                    if sight is not None and sight.content_hash == draft.content_hash:
                        return DraftNow(where=where, sight=sight)
        return None


def place_of(box: Selected) -> Json:
    """The state of the drafts folder that a later look compares with."""
    return {
        "folder": box.name,
        "uidvalidity": box.validity,
        "uidnext": box.next,
        "modseq": box.modseq,
    }


def _named(one: Seen) -> Whereabouts:
    return Whereabouts.TRASHED if one.role is Folder.TRASH else Whereabouts.UNTOUCHED


def _may_be(one: Seen, request: LookRequest) -> bool:
    """An unmarked mail of the thread that was not there when the snapshot was taken."""
    if one.heads.mark is not None or not one.belongs(request.scope):
        return False
    drafts = one.spot.folder == request.place.get("folder") or one.role is Folder.DRAFTS
    if drafts:
        return one.ref not in request.before
    return one.arrived_at >= request.claimed_at - _SLACK


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()
