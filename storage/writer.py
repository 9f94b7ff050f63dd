"""The writer thread of an SQLite file: units of work go in, durable results come out.

Why a thread: awaiting each statement costs a switch each. Here a unit makes one hop, and all that
wait together share a commit (storage.group_commit has its rules). The event loop is called once
for each batch. The calling task waits shielded, from anyio's scopes and from a native cancel as
well: it learns its result first and of its cancellation at its next await, so no commit is ever
unknown because somebody was cancelled, and no task is left behind.

It must not know what a unit does. A process that dies leaves whole batches or nothing of them.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from anyio.lowlevel import checkpoint_if_cancelled

from storage.errors import StorageClosedError
from storage.group_commit import GroupCommit, Work
from storage.outlast import outlasting_cancellation

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from storage.database import Hook

T = TypeVar("T")

MAX_BATCH: Final = 64
"""Units that share one commit at most, so that the first of them does not wait for ever."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Job(Work):
    """A unit that a task waits for."""

    done: asyncio.Future[None]


class Writer:
    """Runs units of work on a thread of its own. Made, used and closed on one event loop."""

    def __init__(self, commits: GroupCommit, *, max_batch: int = MAX_BATCH) -> None:
        """Nothing is opened yet; *commits* belongs to the thread from now on."""
        self._commits = commits
        self._max_batch = max_batch
        self._loop = asyncio.get_running_loop()
        self._fresh: list[_Job] = []
        self._inbox: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._closing = False
        # A daemon thread: a process that forgot to close must still be able to end.
        self._thread = threading.Thread(target=self._serve, name="fencepost-writer", daemon=True)

    async def start(self) -> None:
        """Start the thread and open the connection; raises what opening it raised."""
        self._thread.start()
        try:
            await self.write(lambda _: None)
        except BaseException:
            await self.close()
            raise

    async def write(self, unit: Callable[[Connection], T], *, committed: Hook | None = None) -> T:
        """Run *unit*; exactly as storage.database.Database.write says."""
        await checkpoint_if_cancelled()
        if self._closing:
            raise StorageClosedError("the store is closed: nothing was written")
        results: list[T] = []

        def run(conn: Connection) -> None:
            results[:] = [unit(conn)]

        job = _Job(unit=run, committed=committed, done=self._loop.create_future())
        if not self._fresh:
            # After every task that this turn of the loop has woken, so that they share a commit.
            self._loop.call_soon(self._hand_over)
        self._fresh.append(job)
        await outlasting_cancellation(job.done)
        if job.error is not None:
            raise job.error
        return results[0]

    async def close(self) -> None:
        """Finish what was asked for, then end the thread. May be called twice."""
        if not self._closing:
            self._closing = True
            self._hand_over()
            self._inbox.put(None)
        await outlasting_cancellation(self._ended)
        self._thread.join()

    def _hand_over(self) -> None:
        if self._fresh:
            self._inbox.put(self._fresh)
            self._fresh = []

    def _serve(self) -> None:
        waiting: list[_Job] = []
        is_open = True
        while is_open or waiting:
            if not waiting:
                is_open = self._take(waiting)
            while is_open and len(waiting) < self._max_batch and not self._inbox.empty():
                is_open = self._take(waiting)
            batch, waiting = waiting[: self._max_batch], waiting[self._max_batch :]
            if batch:
                self._commits.run(batch)
                self._tell([job.done for job in batch])
        self._commits.close()
        self._tell([self._ended])

    def _take(self, waiting: list[_Job]) -> bool:
        jobs = self._inbox.get()
        if jobs is None:
            return False
        waiting.extend(jobs)
        return True

    def _tell(self, futures: list[asyncio.Future[None]]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(_resolve, futures)


def _resolve(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)
