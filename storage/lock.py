"""The file lock that makes one process the writer of a data folder.

``data_dir/lock`` is a file of its own: closing any descriptor of the database itself would drop
SQLite's own locks. The flock decides, never that the file or a socket exists; the pid in it is for
messages only. The file is never removed, since another process may be waiting on it.

The kernel frees the lock with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from anyio import to_thread

from storage.errors import LockedError, StorageIllError
from storage.fs import FileSystemKind, make_data_dir, refuse_network_fs

if TYPE_CHECKING:
    from storage.words import Clock

LOCK_NAME: Final = "lock"
WAIT_S: Final = 5.0
"""How long a starting process waits for the one that is just ending."""
POLL_S: Final = 0.1


class FileLock:
    """A held lock; release it, or leave its ``with`` block, or end the process."""

    def __init__(self, data_dir: Path, descriptor: int) -> None:
        """Made by try_lock."""
        self.data_dir: Final = data_dir
        self._descriptor = descriptor

    def release(self) -> None:
        """Let the next process have it. May be called twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The process that holds a data folder, and since when (epoch milliseconds)."""

    pid: int | None
    since_ms: int


def try_lock(data_dir: Path, *, kind_of: FileSystemKind | None = None) -> FileLock | None:
    """Take the lock of *data_dir* (made 0700 where missing), or None when somebody holds it.

    Raises NetworkFileSystemError and StorageIllError. *kind_of* replaces the kernel's word.
    """
    make_data_dir(data_dir)
    refuse_network_fs(data_dir, kind_of=kind_of)
    try:
        descriptor = os.open(
            data_dir / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
    except OSError as error:
        raise StorageIllError(
            f"the lock {data_dir / LOCK_NAME} cannot be opened ({error.strerror})",
            remedy="give the daemon's user write permission on data_dir and every file in it",
        ) from error
    lock = FileLock(data_dir, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.release()
        return None
    except OSError as error:
        lock.release()
        raise StorageIllError(
            f"{data_dir} cannot be locked ({error.strerror})",
            remedy="put data_dir on a local disk whose file system has flock",
        ) from error
    with suppress(OSError):  # a full disk: the pid is for messages only
        os.ftruncate(descriptor, os.pwrite(descriptor, b"%d\n" % os.getpid(), 0))
    return lock


def holder_pid(data_dir: Path) -> int | None:
    """The pid that the last holder wrote down, or None where it cannot be read."""
    try:
        return int((data_dir / LOCK_NAME).read_text("ascii"))
    except (OSError, ValueError):
        return None


def holder(data_dir: Path) -> Holder | None:
    """Who holds *data_dir* now; None when nobody does. Makes nothing.

    Looks by a shared lock of a moment: a process that starts just then tries again by itself.
    """
    try:
        descriptor = os.open(data_dir / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        since_ms = int(os.fstat(descriptor).st_mtime * 1000)
        return Holder(pid=holder_pid(data_dir), since_ms=since_ms)
    else:
        return None
    finally:
        os.close(descriptor)


async def acquire(
    data_dir: Path,
    *,
    clock: Clock,
    wait_s: float = WAIT_S,
    kind_of: FileSystemKind | None = None,
) -> FileLock:
    """Take the lock, waiting up to *wait_s* for its holder to end.

    Raises LockedError naming the holder, NetworkFileSystemError and StorageIllError.
    """
    until = clock.boot_s() + wait_s
    while True:
        lock = await to_thread.run_sync(lambda: try_lock(data_dir, kind_of=kind_of))
        if lock is not None:
            return lock
        if clock.boot_s() >= until:
            raise LockedError(data_dir, pid=await to_thread.run_sync(holder_pid, data_dir))
        await clock.sleep(POLL_S)
