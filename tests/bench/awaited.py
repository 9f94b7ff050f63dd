"""The naive peer of a guarded action: three transactions, awaited statement by statement.

It does the same work and keeps the same records as the house, written as one would write it first:
each fact is read by a statement of its own when it is needed, each record is written by one, and
every statement is awaited through SQLAlchemy's async engine. It is not made slow on purpose: the
statements are plain text, which SQLAlchemy passes on as it is, nothing is read twice in one
transaction, and nothing is left out or done that the protocol does not ask for.

    take    due mailbox, due thread and its lease, take it, mailbox served            5 statements
    read    the thread                                                                 1
    claim   lock, time, pause, mailbox, thread, blocked?, draft?, key?, insert, renew, event    11
    settle  lock, time, thread, intent, move, evidence, mailbox, items to close, draft, item?, item,
            notice?, notice, other drafts, due, events, finish, release                         21
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import anyio
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from tests.bench.guarded_action import REQUEST, TTL_MS

NOW = "SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"


class Awaited:
    """Guarded actions of one mailbox, over one writing connection that all workers share."""

    def __init__(self, engine: AsyncEngine, mailbox: str) -> None:
        self._engine = engine
        self._mailbox = mailbox
        self._lock = anyio.Lock()
        self.statements = 0

    async def drive(self, number: int, workers: int) -> float:
        """Work through *number* due threads; gives the seconds it took."""
        slots = anyio.Semaphore(workers)

        async def one(thread: str, fence: int) -> None:
            try:
                intent = f"{thread:>032}"
                await self._read(thread)
                await self._claim(thread, fence, intent)
                await self._settle(thread, fence, intent, ref=f"Drafts/{thread}")
            finally:
                slots.release()

        started = time.perf_counter()
        async with anyio.create_task_group() as group:
            for _ in range(number):
                await slots.acquire()
                thread, fence = await self._take()
                group.start_soon(one, thread, fence)
        return time.perf_counter() - started

    async def _do(self, conn: AsyncConnection, sql: str, **values: object) -> list[Any]:
        self.statements += 1
        done = await conn.execute(sa.text(sql), {"i": self._mailbox, **values})
        return list(done) if done.returns_rows else []

    async def _now(self, conn: AsyncConnection) -> int:
        return int((await self._do(conn, NOW))[0][0])

    async def _take(self) -> tuple[str, int]:
        async with self._lock, self._engine.begin() as conn:
            now = await self._now(conn)
            await self._do(
                conn,
                "SELECT integration FROM mailboxes m WHERE problem IS NULL AND EXISTS"
                " (SELECT 1 FROM threads t WHERE t.integration = m.integration AND due_at <= :n"
                " AND quarantined_at IS NULL) AND NOT EXISTS (SELECT 1 FROM pauses p"
                " WHERE p.integration IN ('*', m.integration)) ORDER BY last_served_at LIMIT 1",
                n=now,
            )
            ((thread, fence),) = await self._do(
                conn,
                "SELECT l.thread, l.fence FROM leases l JOIN threads t USING (integration, thread)"
                " WHERE t.integration = :i AND t.due_at <= :n AND t.quarantined_at IS NULL"
                " AND (l.owner IS NULL OR l.expires_at <= :n) ORDER BY t.due_at LIMIT 1",
                n=now,
            )
            await self._do(
                conn,
                "UPDATE leases SET owner = 'bench:1', fence = :f, expires_at = :e, orphaned = 0,"
                " alone = 0 WHERE integration = :i AND thread = :t",
                t=thread,
                f=fence + 1,
                e=now + TTL_MS,
            )
            await self._do(
                conn, "UPDATE mailboxes SET last_served_at = :n WHERE integration = :i", n=now
            )
            return thread, fence + 1

    async def _read(self, thread: str) -> None:
        async with self._lock, self._engine.begin() as conn:
            await self._do(
                conn, "SELECT * FROM threads WHERE integration = :i AND thread = :t", t=thread
            )

    async def _claim(self, thread: str, fence: int, intent: str) -> None:
        async with self._lock, self._engine.begin() as conn:
            await self._locked(conn, thread, fence)
            now = await self._now(conn)
            await self._nothing(
                conn, "SELECT 1 FROM pauses WHERE integration IN ('*', :i) LIMIT 1", t=thread
            )
            await self._do(conn, "SELECT * FROM mailboxes WHERE integration = :i")
            await self._do(
                conn, "SELECT * FROM threads WHERE integration = :i AND thread = :t", t=thread
            )
            await self._nothing(
                conn,
                "SELECT id FROM intents WHERE integration = :i AND thread = :t AND blocks = 1"
                " AND kind IN ('create_draft', 'remove_draft') LIMIT 1",
                t=thread,
            )
            await self._nothing(
                conn,
                "SELECT 1 FROM drafts WHERE integration = :i AND thread = :t"
                " AND state IN ('held', 'edited') LIMIT 1",
                t=thread,
            )
            key = f"create_draft-{thread}"
            await self._nothing(conn, "SELECT * FROM intents WHERE key = :k", k=key)
            values = _intent(intent, key, self._mailbox, thread, fence, now)
            names = ", ".join(f'"{name}"' for name in values)
            marks = ", ".join(f":{name}" for name in values)
            await self._do(conn, f"INSERT INTO intents ({names}) VALUES ({marks})", **values)  # noqa: S608
            await self._do(
                conn,
                "UPDATE leases SET expires_at = :e WHERE integration = :i AND thread = :t",
                t=thread,
                e=now + TTL_MS,
            )
            await self._event(conn, thread, now, "claimed", intent=intent, fence=fence)

    async def _settle(self, thread: str, fence: int, intent: str, ref: str) -> None:
        async with self._lock, self._engine.begin() as conn:
            await self._locked(conn, thread, fence)
            now = await self._now(conn)
            await self._do(
                conn, "SELECT dues FROM threads WHERE integration = :i AND thread = :t", t=thread
            )
            await self._do(conn, "SELECT * FROM intents WHERE id = :k", k=intent)
            await self._do(
                conn,
                "UPDATE intents SET state = 'accepted', provider_ref = :r, version = '1',"
                " passing = 0, blocks = 0, ended_at = :n, settled_at = :n, settled_by = 'call'"
                " WHERE id = :k AND attempt = 1 AND state = 'calling'",
                k=intent,
                r=ref,
                n=now,
            )
            await self._do(
                conn,
                "INSERT INTO evidence (intent, attempt, at, kind, detail)"
                " VALUES (:k, 1, :n, 'answer', :d)",
                k=intent,
                n=now,
                d=json.dumps({"outcome": "accepted", "ref": ref, "message_id": None}),
            )
            await self._event(conn, thread, now, "answered", intent=intent, ref=ref)
            await self._do(
                conn,
                "UPDATE mailboxes SET unknowns_in_a_row = 0, pauses = 0, look_needed = 0,"
                " calls_paused_until = NULL WHERE integration = :i",
            )
            for kind, about in (
                ("outcome_unknown", intent),
                ("rejected", intent),
                ("mailbox_ill", "write"),
            ):
                await self._do(
                    conn,
                    "UPDATE review_items SET state = 'closed', closed_at = :n, closed_by = 'facts'"
                    " WHERE state = 'open' AND kind = :kind AND about = :about",
                    kind=kind,
                    about=about,
                    n=now,
                )
            await self._made(conn, thread, now, intent, ref)
            await self._do(
                conn,
                "UPDATE threads SET due_at = :n, dues = dues + 1"
                " WHERE integration = :i AND thread = :t",
                t=thread,
                n=now,
            )
            await self._event(conn, thread, now, "accepted", intent=intent, by="call")
            await self._do(
                conn,
                "UPDATE leases SET owner = NULL, expires_at = :n, orphaned = 0, takes = 0,"
                " alone = 0 WHERE integration = :i AND thread = :t AND owner = 'bench:1'"
                " AND fence = :f",
                t=thread,
                f=fence,
                n=now,
            )
            await self._do(
                conn,
                "UPDATE threads SET failures = 0, due_at = NULL, triage = :d, triaged_revision = 1,"
                " no_draft_because = NULL WHERE integration = :i AND thread = :t",
                t=thread,
                d=json.dumps({"category": "needs_reply"}),
            )
            await self._event(conn, thread, now, "triaged", category="needs_reply")

    async def _made(
        self, conn: AsyncConnection, thread: str, now: int, intent: str, ref: str
    ) -> None:
        ((draft,),) = await self._do(
            conn,
            "INSERT INTO drafts (integration, thread, intent, ref, version, content_hash, state,"
            " answers, shown, made_at) VALUES (:i, :t, :k, :r, '1', 'hash', 'held', :t, :d, :n)"
            " RETURNING id",
            t=thread,
            k=intent,
            r=ref,
            n=now,
            d=json.dumps({"subject": "s", "message_id": None}),
        )
        await self._nothing(
            conn,
            "SELECT id FROM review_items WHERE kind = 'draft_ready' AND user = 'bench'"
            " AND integration = :i AND thread = :t AND about = :about AND state = 'open'",
            t=thread,
            about=str(draft),
        )
        ((item,),) = await self._do(
            conn,
            "INSERT INTO review_items (kind, user, integration, thread, about, subject, summary,"
            " state, opened_at, hidden, detail) VALUES ('draft_ready', 'bench', :i, :t, :about,"
            " 's', 'a draft reply waits for your review', 'open', :n, 0, '{}') RETURNING id",
            t=thread,
            about=str(draft),
            n=now,
        )
        await self._nothing(conn, "SELECT id FROM notices WHERE item = :item", item=item)
        await self._do(
            conn,
            "INSERT INTO notices (user, item, kind, due_at, state)"
            " VALUES ('bench', :item, 'draft_ready', :n, 'waiting')",
            item=item,
            n=now,
        )
        await self._do(
            conn,
            "SELECT * FROM drafts WHERE integration = :i AND thread = :t",
            t=thread,
        )

    async def _locked(self, conn: AsyncConnection, thread: str, fence: int) -> None:
        ((owner, found),) = await self._do(
            conn, "SELECT owner, fence FROM leases WHERE integration = :i AND thread = :t", t=thread
        )
        if (owner, found) != ("bench:1", fence):
            raise RuntimeError("the lease was lost")

    async def _nothing(self, conn: AsyncConnection, sql: str, **values: object) -> None:
        if await self._do(conn, sql, **values):
            raise RuntimeError("the claim was refused")

    async def _event(
        self, conn: AsyncConnection, thread: str, now: int, kind: str, **detail: object
    ) -> None:
        await self._do(
            conn,
            "INSERT INTO events (at, integration, thread, kind, detail)"
            " VALUES (:n, :i, :t, :kind, :d)",
            t=thread,
            n=now,
            kind=kind,
            d=json.dumps(detail),
        )


def _intent(
    intent: str, key: str, mailbox: str, thread: str, fence: int, now: int
) -> Mapping[str, object]:
    return {
        "id": intent,
        "key": key,
        "kind": "create_draft",
        "user": "bench",
        "integration": mailbox,
        "thread": thread,
        "generation": 0,
        "attempt": 1,
        "tries_left": 5,
        "state": "calling",
        "blocks": 1,
        "owner": "bench:1",
        "fence": fence,
        "request": REQUEST,
        "fingerprint": "f",
        "mark": "mark",
        "plan": json.dumps({"answers": thread, "shown": {"subject": "s"}}),
        "token": "{}",
        "place": "{}",
        "before": "[]",
        "content_hash": "hash",
        "call_timeout_ms": 20_000,
        "claimed_at": now,
        "passing": 0,
        "looks": 0,
    }
