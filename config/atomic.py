"""A file, whole or not at all: a new one never over another, or one in another's place.

A crash at any moment leaves either nothing under the name or all of it, on the disk; at worst a
file ``.NAME.RANDOM.new`` stays behind, which nothing reads.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_new(path: Path, content: bytes, *, mode: int) -> None:
    """Make *path* with *content*, durably, with exactly the permissions *mode*. Blocks.

    Missing folders are made, open to their owner only. Raises FileExistsError if anything is there
    already, and OSError.
    """
    with _aside(path, content, mode) as aside:
        os.link(aside, path)


def replace(path: Path, content: bytes, *, mode: int) -> None:
    """Put *content* in the place of *path*, or make it; durable, with exactly *mode*. Blocks.

    Missing folders are made, open to their owner only. Raises OSError; the old file is then still
    there, or the new one.
    """
    with _aside(path, content, mode) as aside:
        aside.replace(path)


@contextmanager
def _aside(path: Path, content: bytes, mode: int) -> Iterator[Path]:
    """*content* beside *path*, on the disk; what the block makes of it is made durable."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        yield aside
    finally:
        aside.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
