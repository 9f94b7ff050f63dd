"""The reconciler: sweeps orphans, and looks for what unknown calls may have left behind.

    calling --lease over--> unknown --looks (5 s, 1 min, 2 min, 10 min, 1 h, 6 h, 24 h)-->
        found once     accepted, with its draft record and review item
        found twice    duplicated, everything listed, nothing deleted
        proof of never rejected, passing: the thread is due and a new plan may call again
        nothing        unknown, with one more absence as evidence; it stays on the owner's list

It only reads mailboxes and never creates, sends or removes anything (staged bytes that no mail
program shows may be taken back, which is what proves never). A look that fails is repeated and does
not count. Looks that were missed while no daemon ran count as one. A crash anywhere repeats a look.
A mailbox for which this host of a fleet lacks something is searched by others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import anyio
import structlog
from sqlalchemy import Connection

from assistant.core.reconciliation import Finding
from assistant.effects import drafting, looks, tracking
from assistant.effects.sweep import sweep
from assistant.house import Account, House
from assistant.loops import reading
from providers.mime.marks import mark_of
from providers.ports import (
    DraftNow,
    DraftSight,
    Folder,
    Json,
    Look,
    LookRequest,
    NotHereError,
    ProviderError,
    Staged,
    Whereabouts,
    effects_of,
)
from storage import drafts, evidence, intents, leases
from storage.dbtime import database_now_ms
from storage.drafts import Draft
from storage.errors import StorageBusyError, StorageError
from storage.evidence import Fact
from storage.intents import Intent
from storage.leases import Held
from storage.words import LOOK_THREAD, FaultPoint, IntegrationId, IntentState, Kind, Ref

log = structlog.get_logger()

ELSEWHERE_S = 1.0
"""How long to wait for looks that are due and that another process is making."""


class Reconciler:
    """Sweeps and looks for one process."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def run(self) -> None:
        """Sweep and look for ever."""
        while True:
            pause_s = self._house.settings.poll_s
            try:
                made = await self.pass_once()
                due_in_s = await self._due_in_s()
                if due_in_s is not None:
                    # Due, and none made: another process of the fleet is looking.
                    rest_s = 0.0 if made else ELSEWHERE_S
                    pause_s = min(pause_s, max(due_in_s, rest_s))
            except StorageError as error:
                log.debug("the store does not answer", error=type(error).__name__)
            await self._house.look_bell.wait(max(pause_s, 0.05))

    async def pass_once(self) -> int:
        """Sweep, then make every look that is due; gives how many were made."""
        house = self._house
        swept = await self._sweep()
        if swept:
            house.faults.hit(FaultPoint.SWEPT)
            log.warning("calls were left without an outcome", number=swept)
        due = await house.store.read(
            lambda conn: intents.with_looks_due(conn, database_now_ms(conn))
        )
        made = 0
        # A look at a call that is under way says nothing: it is made once the call has ended.
        ended = [intent for intent in due if intent.state is not IntentState.CALLING]
        for integration, lost in _by_mailbox(ended).items():
            account = house.served.get(integration)
            if account is not None:
                made += await self._look_at_all(account, lost)
        return made

    async def _sweep(self) -> int:
        """Sweep; a row that somebody keeps locked keeps no other orphan, and no look, waiting."""
        house = self._house
        unit = partial(sweep, timing=house.timing, faults=house.faults)
        try:
            return len(await house.store.write(unit))
        except StorageBusyError as error:
            log.debug("orphans are swept one by one", error=type(error).__name__)
        lost = await house.store.read(lambda conn: intents.orphans(conn, database_now_ms(conn)))
        swept = 0
        for orphan in lost:
            with suppress(StorageBusyError):
                swept += len(await house.store.write(partial(unit, only=orphan.id)))
        return swept

    async def _look_at_all(self, account: Account, lost: Sequence[Intent]) -> int:
        """Look for each; in a fleet one process at a time does so for one mailbox."""
        if self._house.sole:
            for intent in lost:
                await self.look(account, intent)
            return len(lost)
        started_s = self._house.clock.boot_s()
        held = await self._house.store.write(partial(self._take, account=account))
        if held is None:
            return 0
        made = 0
        try:
            with (
                suppress(NotHereError),
                self._house.keeper.holding(held, started_s=started_s),
            ):
                for intent in lost:
                    if await self._still_due(intent):
                        await self.look(account, intent)
                        made += 1
        finally:
            with anyio.CancelScope(shield=True), suppress(StorageError):
                await self._house.store.write(lambda conn: leases.release(conn, held))
        return made

    def _take(self, conn: Connection, *, account: Account) -> Held | None:
        house = self._house
        return leases.acquire(
            conn, account.integration, LOOK_THREAD, house.worker, house.settings.lease_ttl_ms
        )

    async def _still_due(self, intent: Intent) -> bool:
        """Whether nobody looked since the list was read."""
        now = await self._house.store.read(lambda conn: intents.by_id(conn, intent.id))
        return now is not None and now.next_look_at == intent.next_look_at

    async def until_quiet(self, horizon_s: float) -> int:
        """Make looks until none falls due within *horizon_s*; gives how many were made."""
        made = 0
        while True:
            made += await self.pass_once()
            wait_s = await self._due_in_s()
            if wait_s is None or wait_s > horizon_s:
                return made
            await self._house.clock.sleep(max(wait_s, 0.05))

    async def look(self, account: Account, intent: Intent) -> Finding | None:
        """Make and record one look at an intent now, whether or not one is due.

        Raises NotHereError, and records nothing, where another host of the fleet must look.
        """
        house = self._house
        async with house.floor.beside():
            found, since = await self._search(account, intent)
        house.faults.hit(FaultPoint.LOOKED)
        unit = partial(
            looks.record_look,
            intent_id=intent.id,
            attempt=intent.attempt,
            look=found,
            schedule=house.schedule_for(account),
            faults=house.faults,
            since=since,
        )
        finding = await house.store.write(unit)
        house.faults.hit(FaultPoint.LOOK_COMMITTED)
        if finding is Finding.PROVED_NEVER:
            # The proof is committed: the bytes that were taken back have no use any more.
            await account.mailbox.unstage(Staged(content=b"", token=intent.token))
        if finding in (Finding.FOUND, Finding.TWICE, Finding.PROVED_NEVER):
            house.work_bell.ring()
            house.notice_bell.ring()
        log.info("looked", mailbox=account.integration, finding=str(finding))
        return finding

    async def _search(self, account: Account, intent: Intent) -> tuple[Look, looks.Since]:
        def begin(conn: Connection) -> tuple[reading.Record, list[Fact], looks.Since]:
            now = intents.by_id(conn, intent.id) or intent
            since = looks.Since(at=database_now_ms(conn), next_look_at=now.next_look_at)
            record = reading.record(conn, intent.integration, intent.thread)
            return record, evidence.of_intent(conn, intent.id), since

        record, facts, since = await self._house.store.read(begin)
        try:
            if intent.kind is Kind.REMOVE_DRAFT:
                return await self._search_removal(account, intent, record), since
            look = await account.mailbox.look(self._request(intent, record, facts))
            return await self._with_recorded(account, intent, record, look), since
        except ProviderError as error:
            if self._house.leaves_to_others(account.integration, error):
                raise
            failed = f"the mailbox could not be searched: {error}"
            return Look(complete=False, detail=failed), since

    async def _with_recorded(
        self, account: Account, intent: Intent, record: reading.Record, look: Look
    ) -> Look:
        """*look*, with what is on record of this intent and lies there, or was sent.

        Asked directly where what was found is not all on record: it may be a second draft, or the
        recorded one after an edit, and a recorded one without its mark is in no search.
        """
        mine = [draft for draft in record.drafts if draft.intent == intent.id]
        unsent = {sight.ref for sight in look.found if sight.folder is Folder.DRAFTS}
        is_news = bool(unsent - {draft.ref for draft in mine if draft.open})
        if not (is_news or intent.state is IntentState.DUPLICATED):
            return look
        mark = mark_of(self._house.mark_secret, intent.id)
        there: list[DraftSight] = []
        for draft in mine:
            if draft.open and draft.ref not in unsent:
                beside = unsent | drafting.refs_beside(draft, mine)
                ref = drafting.draft_ref(draft, mark, record.scope, beside)
                sight = (await account.mailbox.draft(ref)).sight
                if sight is not None and (
                    sight.folder is Folder.SENT
                    or (sight.folder is Folder.DRAFTS and sight.ref == draft.ref)
                ):
                    there.append(sight)
        return replace(look, found=tuple(effects_of([*look.found, *there])))

    async def _search_removal(
        self, account: Account, intent: Intent, record: reading.Record
    ) -> Look:
        draft = await self._house.store.read(partial(_target, intent=intent))
        if draft is None:
            return Look(complete=False, detail="the draft is not on record")
        mark = mark_of(self._house.mark_secret, draft.intent)
        beside = drafting.refs_beside(draft, record.drafts)
        ref = drafting.draft_ref(draft, mark, record.scope, beside)
        now = await account.mailbox.draft(ref)
        if await self._house.store.read(partial(tracking.is_another, draft=draft, now=now)):
            now = DraftNow(where=Whereabouts.ABSENT)
        return _as_look(now)

    def _request(
        self, intent: Intent, record: reading.Record, facts: Sequence[Fact]
    ) -> LookRequest:
        ended = intent.ended_at
        return LookRequest(
            intent=intent.id,
            attempt=intent.attempt,
            scope=record.scope,
            mark=intent.mark or "",
            message_id=intent.message_id_asked,
            content_hash=intent.content_hash or "",
            place=intent.place,
            before=frozenset(Ref(ref) for ref in intent.before),
            token=intent.token,
            claimed_at=datetime.fromtimestamp(intent.claimed_at / 1000, UTC),
            may_withdraw=intent.state is IntentState.UNKNOWN,
            caller_ended=ended is not None or self._house.is_dead(intent.owner),
            ended_at=None if ended is None else datetime.fromtimestamp(ended / 1000, UTC),
            earlier=_earlier(intent, facts),
        )

    async def _due_in_s(self) -> float | None:
        served = frozenset(self._house.served)
        when, now = await self._house.store.read(
            lambda conn: (intents.next_look_at(conn, served), database_now_ms(conn))
        )
        return None if when is None else max(0.0, (when - now) / 1000)


def _by_mailbox(due: Sequence[Intent]) -> dict[IntegrationId, list[Intent]]:
    found: dict[IntegrationId, list[Intent]] = {}
    for intent in due:
        found.setdefault(intent.integration, []).append(intent)
    return found


def _earlier(intent: Intent, facts: Sequence[Fact]) -> list[Json]:
    """What earlier looks at this attempt saw when nothing was there, each with its time."""
    found: list[Json] = []
    for fact in facts:
        absent = fact.detail.get("absent")
        if fact.attempt == intent.attempt and isinstance(absent, str):
            found.append({**json.loads(absent), "at": fact.at / 1000})
    return found


def _target(conn: Connection, intent: Intent) -> Draft | None:
    draft = intent.plan.get("draft")
    return drafts.one(conn, draft) if isinstance(draft, int) else None


def _as_look(now: DraftNow) -> Look:
    """A direct get of a draft, as a look for what its removal may have done."""
    match now.where:
        case Whereabouts.ABSENT:
            return Look(delivered=True, detail="the version is gone and has no successor")
        case Whereabouts.TRASHED:
            return Look(delivered=True, detail="the version lies in the trash")
        case Whereabouts.EDITED | Whereabouts.SENT:
            return Look(
                refused="the draft was changed or sent; it is the owner's now",
                detail=f"the draft is {now.where}",
            )
        case Whereabouts.UNTOUCHED:
            return Look(detail="the version is still there")
