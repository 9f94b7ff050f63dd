"""The Mailbox port over the Gmail API.

A pass asks the history for what changed and reads a thread with news as a whole; the reading that
follows and the snapshot before a draft find it in memory, so that a thread costs 59 units from the
notice of a mail to the draft: history 2, thread 40, drafts 5, history 2, create 10 (as Google
counts since 2026-05). A draft is one ``drafts.create``, a removal one ``messages.trash``.

Two things are pessimistic until ``fencepost check --probe`` has tried them: which marks a draft
keeps, and whether an exact version can be removed. Nothing here proves that a call never happened;
the adapter keeps connections and what it has read, and a new process starts without either and
with the same results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from anyio import CapacityLimiter

from providers.gmail import writing
from providers.gmail.api import Alias, Api, RefusedReadError
from providers.gmail.finding import Finder
from providers.gmail.identity import account_of
from providers.gmail.items import Item
from providers.gmail.looking import Search
from providers.gmail.passing import Pass
from providers.gmail.refs import Stub, draft_of, stub_of
from providers.gmail.shelf import Shelf
from providers.gmail.transport import Transport
from providers.gmail.whereabouts import whereabouts
from providers.gmail.wire import Waits
from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Json,
    Kept,
    Known,
    Look,
    LookRequest,
    MailboxIllError,
    Profile,
    Snapshot,
    Staged,
    ThreadScope,
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
)

if TYPE_CHECKING:
    from datetime import datetime

    from providers.gmail.ports import Limiter, TokenSource

API_ROOT: Final = "https://gmail.googleapis.com"
LAG_S: Final = 600.0
"""How long a listing may miss a draft that was made; nothing is documented."""
FRESH_S: Final = 60.0
"""For so long what was read is taken as it was without asking the history."""
PESSIMISTIC: Final = Kept(marks=frozenset({"header"}), versioned_removal=False)
_HASHING: Final = 2


class GmailMailbox:
    """One Gmail account. *addresses* are the owner's own by the user's file, for ``check``.

    *kept* is what a probe has found; *answer_s* how long Google may take to answer a write.
    """

    def __init__(
        self,
        tokens: TokenSource,
        limiter: Limiter,
        *,
        clock: Clock,
        api_root: str = API_ROOT,
        addresses: Sequence[str] = (),
        kept: Kept | None = None,
        faults: Faults = NO_FAULTS,
        answer_s: float = 15.0,
    ) -> None:
        waits = Waits(connect_s=min(10.0, answer_s), read_s=answer_s, total_s=answer_s)
        reading = Waits(read_s=max(answer_s, 30.0), total_s=120.0)
        self._writes = Transport(api_root, tokens, limiter, clock, waits=waits)
        self._reads = Transport(api_root, tokens, limiter, clock, waits=reading)
        self._api = Api(self._reads)
        self._shelf = Shelf(CapacityLimiter(_HASHING))
        self._finder = Finder(self._api, self._shelf, clock)
        self._clock = clock
        self._addresses = tuple(addresses)
        self._kept = kept or PESSIMISTIC
        self._probed = kept is not None
        self._faults = faults
        self._stumbles: dict[str, int] = {}
        self._notes: tuple[str, ...] = ()
        self._aliases: tuple[str, ...] = ()

    @property
    def profile(self) -> Profile:
        """What is known of the mailbox; the pessimistic answer before a probe."""
        notes = self._notes
        if not self._probed:
            notes = (*notes, "not probed: drafts are never removed; try fencepost check --probe")
        return Profile(
            provider="gmail",
            lag_s=LAG_S,
            marks=self._kept.marks,
            versioned_removal=self._kept.versioned_removal,
            network=True,
            rich=True,
            addresses=self._aliases,
            notes=notes,
        )

    def learn(self, kept: Kept) -> None:
        """Take over what a probe has found, or tries to find."""
        self._kept, self._probed = kept, True

    async def account(self) -> str:
        """A name for the account's address. Raises MailboxIllError or TransientError."""
        notes = []
        profile = await self._api.profile()
        aliases = await self._api.aliases()
        if profile is None:
            notes.append("no getProfile: the place in the history is taken from the newest mail")
        if aliases is None:
            notes.append("no sendAs: nobody can say which addresses this account sends as")
        address = profile[0] if profile is not None else _primary(aliases or [])
        if address is None and self._addresses:
            notes.append("nobody says whose account this is: the first of addresses is taken")
            address = self._addresses[0]
        if address is None:
            raise MailboxIllError(
                "the server does not say whose account this is",
                "check api_root: it has neither getProfile nor a primary sendAs address",
            )
        if aliases is not None:
            notes += _addresses(self._addresses, aliases)
            self._aliases = tuple(one.address for one in aliases if one.usable)
        self._notes = tuple(notes)
        return account_of(address)

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        """Unknown mail and drafts, oldest first, and known ones that are gone.

        Raises TransientError or MailboxIllError.
        """
        under_way = Pass(
            api=self._api,
            shelf=self._shelf,
            known=known,
            now=self._clock.now(),
            stumbles=self._stumbles,
        )
        changes = await under_way.run(cursor, since)
        self._shelf.checked_s = self._clock.boot_s()
        return changes

    async def wait(self, seconds: float) -> None:
        """Wait: Gmail tells nobody of changes without a public address or a second service."""
        await self._clock.sleep(seconds)

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        """The bytes of *refs*, None for what is gone; mail is written anew from its parts.

        Raises TransientError or MailboxIllError.
        """
        wanted: dict[str, dict[str, Stub]] = {}
        for stub in filter(None, map(stub_of, refs)):
            wanted.setdefault(stub.thread, {})[stub.id] = stub
        if wanted and self._clock.boot_s() - self._shelf.checked_s > FRESH_S:
            await self._finder.refresh()
        raws: dict[Ref, bytes] = {}
        for thread, stubs in wanted.items():
            raws |= await self._fetch(thread, stubs)
        for ref in refs:
            draft = draft_of(ref)
            got = await self._api.draft(draft) if draft is not None else None
            if got is not None and got[1].raw is not None and "TRASH" not in got[1].labels:
                raws[ref] = got[1].raw
        return [Fetched(ref=ref, raw=raws.get(ref)) for ref in refs]

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """Unsent drafts and unknown mail of the thread. Raises TransientError, MailboxIllError."""
        return await self._finder.snapshot(scope)

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        """Nothing can be laid aside at Gmail: hand the bytes on."""
        return Staged(content=content, token={"intent": intent, "attempt": attempt})

    async def unstage(self, staged: Staged) -> None:
        """Nothing was laid aside."""

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        """Make the draft: one drafts.create. A cancelled one has dropped its connection."""
        outcome = await writing.create(
            self._writes,
            self._finder,
            staged.content,
            scope,
            keeps_id="message_id" in self._kept.marks,
        )
        if isinstance(outcome, Accepted):
            self._faults.hit(FaultPoint.EFFECT_DONE)
        return outcome

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        """Put exactly the version named into the trash, where a probe has seen that work."""
        if not self._kept.versioned_removal:
            return Rejected(
                reason="whether Gmail removes one exact version of a draft is not known here: "
                "run fencepost check --probe, or delete the draft in Gmail"
            )
        outcome = await writing.remove(self._writes, self._finder, draft)
        if isinstance(outcome, Accepted):
            self._faults.hit(FaultPoint.EFFECT_DONE)
        return outcome

    async def draft(self, draft: DraftRef) -> DraftNow:
        """Where a recorded draft is now. Raises TransientError or MailboxIllError."""
        return await whereabouts(self._finder, draft)

    async def look(self, request: LookRequest) -> Look:
        """Search drafts, thread, history and index. Raises TransientError or MailboxIllError."""
        findings = await Search(self._finder, request).run()
        return Look(
            found=tuple(findings.found),
            candidates=tuple(findings.candidates),
            complete=not findings.unread,
            detail="; ".join(dict.fromkeys([*findings.unread, *findings.notes])),
        )

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        await self._reads.close()
        await self._writes.close()

    async def _fetch(self, thread: str, stubs: dict[str, Stub]) -> dict[Ref, bytes]:
        """The mail of one thread: from memory, or at once, and one by one what that lacks."""
        raws: dict[Ref, bytes] = {}
        held = self._shelf.thread(thread)
        if held is None and len(stubs) > 1:
            held = tuple(await self._finder.members(thread))
        for item in held or ():
            stub = stubs.get(item.stub.id)
            if stub is not None and item.raw is not None and item.is_mail:
                raws[stub.ref] = item.raw
        there = {item.stub.id: item for item in held or ()}
        for name, stub in stubs.items():
            shown = there.get(name)
            if stub.ref in raws or (shown is not None and not shown.is_mail):
                continue
            alone = await self._one(stub)
            if alone is not None and alone.raw is not None and alone.is_mail:
                raws[stub.ref] = alone.raw
        return raws

    async def _one(self, stub: Stub) -> Item | None:
        """A mail as it was sent; one that is too large for an answer, from its parts."""
        try:
            return await self._api.message(stub.id, whole=True)
        except RefusedReadError:
            members = await self._finder.members(stub.thread)
            return next((one for one in members if one.stub == stub), None)


def _primary(aliases: Sequence[Alias]) -> str | None:
    return next((one.address for one in aliases if one.primary), None)


def _addresses(own: Sequence[str], aliases: Sequence[Alias]) -> list[str]:
    """What the user's file and Gmail's own list of addresses have not in common."""
    usable = {one.address.lower() for one in aliases if one.usable}
    named = {address.lower() for address in own}
    strange = sorted(named - usable) if named else []
    missing = sorted(usable - named) if named else []
    notes = []
    if strange:
        notes.append(f"Gmail does not send as {', '.join(strange)}: it would put another From")
    if missing:
        notes.append(f"counted as the owner's too, for Gmail sends as them: {', '.join(missing)}")
    return notes
