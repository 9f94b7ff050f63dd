"""Signs of life of the processes that use one data folder: a locked file for each.

    data_dir/workers/NAME    locked by the process of that name from its start until its end

The kernel lets go of the lock when the process is gone, however it ended, so a free lock proves
its death: a proof of never needs that (the caller can send nothing any more). A name without a
file here was never on this disk, or ended in order: nothing is known of it.

PostgreSQL lets several processes share a data folder; with SQLite the one lock of the folder says
the same of everybody else. A file is removed by its own process at an orderly end, or by a later
one long after its death.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from storage.errors import StorageIllError
from storage.fs import make_data_dir, refuse_network_fs
from storage.words import OwnerId

FOLDER: Final = "workers"
KEEP_S: Final = 36 * 3600.0
"""How long the file of a dead process stays: as long as anybody may ask for it."""


class Sign:
    """This process's own sign of life, shown until it is taken down."""

    def __init__(self, path: Path, descriptor: int) -> None:
        """Made by show."""
        self._path = path
        self._descriptor = descriptor

    def take_down(self) -> None:
        """End it in order: every call of this process has ended and is recorded."""
        if self._descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


def show(data_dir: Path, name: OwnerId) -> Sign:
    """Show that *name* lives; to be done before its first lease. Raises StorageIllError."""
    make_data_dir(data_dir)
    refuse_network_fs(data_dir)
    path = data_dir / FOLDER / name
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise StorageIllError(
            f"{path.parent} cannot hold this process's lock ({error.strerror})",
            remedy="put data_dir on a local disk where the daemon's user may write",
        ) from error
    return Sign(path, descriptor)


def is_dead(data_dir: Path, name: OwnerId) -> bool:
    """Whether *name* is proved to have died on this disk; False when nothing is known."""
    if not _is_plain(name):
        return False
    try:
        descriptor = os.open(data_dir / FOLDER / name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def remove_old(data_dir: Path, *, now_s: float | None = None) -> int:
    """Remove the files of processes that died long ago; gives how many."""
    now = time.time() if now_s is None else now_s
    removed = 0
    for path in sorted((data_dir / FOLDER).glob("*")):
        with suppress(OSError):
            old = path.stat().st_mtime + KEEP_S < now
            if old and is_dead(data_dir, OwnerId(path.name)):
                path.unlink()
                removed += 1
    return removed


def _is_plain(name: str) -> bool:
    return bool(name) and "/" not in name and "\0" not in name and name not in (".", "..")
