"""Wait until something may have changed in a Maildir: inotify or kqueue, with a floor of polling.

A watch is set once and kept, so that what happens between two waits ends the next one at once. A
wait that had to set it, the first one or the one after a folder was made anew, ends at once too:
what happened just before is announced by nobody. Where the system gives no watch (too many of them,
a network file system, no permission) only the floor is left: waiting is a hint and never the reason
why something is missed. The thread that waits ends within a step of a cancellation; no thread
outlives ``close``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from anyio import CancelScope, CapacityLimiter, create_task_group, sleep_forever, to_thread
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from storage.words import Clock

_DEBOUNCE_MS: Final = 200
_STEP_MS: Final = 20
_LONGEST_MS: Final = 3_600_000

Watched = tuple[tuple[str, int, int], ...]
"""Path, device and inode of every folder to watch."""


class Watch:
    """One watch over the folders that *folders* names (called on a worker thread)."""

    def __init__(self, folders: Callable[[], list[Path]], clock: Clock) -> None:
        self._folders = folders
        self._clock = clock
        self._notify: RustNotify | None = None
        self._watched: Watched = ()
        self._stops: set[threading.Event] = set()
        self._limiter = CapacityLimiter(1)
        self._closed = False

    async def wait(self, seconds: float) -> None:
        """Return at a change, at the latest after *seconds*; at once when closed or newly set."""
        if self._closed or await to_thread.run_sync(self._is_set_anew, limiter=self._limiter):
            return
        async with create_task_group() as tasks:
            tasks.start_soon(self._change, tasks.cancel_scope)
            await self._clock.sleep(seconds)
            tasks.cancel_scope.cancel()

    async def close(self) -> None:
        """End every wait and give the watch back; safe to call twice."""
        self._closed = True
        for stop in self._stops:
            stop.set()
        # Behind whatever a thread does with the watch, so that none is set after this.
        await to_thread.run_sync(self._drop, limiter=self._limiter)

    async def _change(self, waiting: CancelScope) -> None:
        """End *waiting* when a folder changes; do nothing where there is no watch."""
        stop = threading.Event()
        self._stops.add(stop)
        try:
            async with create_task_group() as tasks:
                tasks.start_soon(_set_at_cancel, stop)
                changed = await to_thread.run_sync(self._block, stop, limiter=self._limiter)
                tasks.cancel_scope.cancel()
        finally:
            self._stops.discard(stop)
        if changed or self._closed:
            waiting.cancel()

    def _block(self, stop: threading.Event) -> bool:
        notify = self._notify
        if notify is None:
            return False
        try:
            while not stop.is_set():
                seen = notify.watch(_DEBOUNCE_MS, _STEP_MS, _LONGEST_MS, stop)
                if not isinstance(seen, str):
                    return True
        except (OSError, RuntimeError, WatchfilesRustInternalError):
            self._drop()
        return False

    def _is_set_anew(self) -> bool:
        """Watch the folders as they are now; whether that took a new watch, and there is one."""
        try:
            now = _identities(self._folders())
            if now == self._watched and self._notify is not None:
                return False
            self._drop()
            if not now or self._closed:
                return False
            paths = [path for path, _, _ in now]
            self._notify = RustNotify(paths, False, False, 300, False, True)
        except (OSError, RuntimeError, WatchfilesRustInternalError):
            self._drop()
            return False
        self._watched = now
        return True

    def _drop(self) -> None:
        notify, self._notify, self._watched = self._notify, None, ()
        if notify is not None:
            with suppress(RuntimeError):
                notify.close()


def _identities(paths: list[Path]) -> Watched:
    found: list[tuple[str, int, int]] = []
    for path in paths:
        with suppress(OSError):
            at = path.stat()
            found.append((str(path), at.st_dev, at.st_ino))
    return tuple(found)


async def _set_at_cancel(stop: threading.Event) -> None:
    try:
        await sleep_forever()
    finally:
        stop.set()
