"""A mailbox under a turn of work, which ends the turn when this host turns out to lack it.

A folder may vanish and a secret may go while a thread is read, judged and written. The mailbox is
not ill then: another host may have it. So the turn ends where it meets that, before any call, and
whoever runs it gives the thread back. Only reading and staging meet it so; a call that was claimed
keeps its own outcome, whatever it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeVar

import anyio
from anyio.lowlevel import checkpoint

from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Json,
    Known,
    Look,
    LookRequest,
    Mailbox,
    NotHereError,
    Profile,
    Snapshot,
    Staged,
    ThreadScope,
)
from storage.words import IntentId, Outcome, Ref

T = TypeVar("T")


class Attended:
    """Another mailbox; *gone* is told of a NotHereError, and then *turn* is cancelled."""

    def __init__(
        self, inner: Mailbox, turn: anyio.CancelScope, gone: Callable[[NotHereError], bool]
    ) -> None:
        self._inner = inner
        self._turn = turn
        self._gone = gone

    @property
    def profile(self) -> Profile:
        """What the mailbox can do."""
        return self._inner.profile

    async def account(self) -> str:
        """The account's identity."""
        return await self._read(self._inner.account())

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        """What is new."""
        return await self._read(self._inner.changes(cursor, since=since, known=known))

    async def wait(self, seconds: float) -> None:
        """Wait for a change."""
        await self._inner.wait(seconds)

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        """The raw bytes of messages."""
        return await self._read(self._inner.fetch(refs))

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """The thread's place as it is now."""
        return await self._read(self._inner.snapshot(scope))

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        """Lay bytes where they have no effect."""
        return await self._read(self._inner.stage(content, intent=intent, attempt=attempt))

    async def unstage(self, staged: Staged) -> None:
        """Drop staged bytes."""
        await self._inner.unstage(staged)

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        """Make the draft."""
        return await self._inner.create(staged, scope=scope)

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        """Remove exactly one version."""
        return await self._inner.remove(draft, intent=intent, attempt=attempt)

    async def draft(self, draft: DraftRef) -> DraftNow:
        """Where a recorded draft is now."""
        return await self._read(self._inner.draft(draft))

    async def look(self, request: LookRequest) -> Look:
        """Search every place."""
        return await self._read(self._inner.look(request))

    async def close(self) -> None:
        """Not the turn's to close."""

    async def _read(self, reading: Awaitable[T]) -> T:
        try:
            return await reading
        except NotHereError as error:
            if self._gone(error):
                self._turn.cancel()
                await checkpoint()
            raise
