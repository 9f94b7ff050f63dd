"""Wait until something may have changed in a Maildir: inotify or kqueue, with a floor of polling.

A watch is set once and kept, so that what happens between two waits ends the next one at once.
Where the system gives no watch (too many of them, a network file system, no permission) only the
floor is left: waiting is a hint and never the reason why something is missed. The thread that waits
ends within a step of a cancellation; no thread outlives ``close``.
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
        """Return at a change, at the latest after *seconds*; at once when closed."""
        if self._closed:
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
        notify, self._notify = self._notify, None
        if notify is not None:
            await to_thread.run_sync(notify.close)

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
        try:
            notify = self._current()
            if notify is None:
                return False
            while not stop.is_set():
                seen = notify.watch(_DEBOUNCE_MS, _STEP_MS, _LONGEST_MS, stop)
                if not isinstance(seen, str):
                    return True
        except (OSError, RuntimeError, WatchfilesRustInternalError):
            self._drop()
        return False

    def _current(self) -> RustNotify | None:
        """The watch over the folders as they are now. Raises OSError or the library's errors."""
        now = _identities(self._folders())
        if now != self._watched:
            self._drop()
        if self._notify is None and now:
            paths = [path for path, _, _ in now]
            self._notify = RustNotify(paths, False, False, 300, False, True)
            self._watched = now
        return self._notify

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
