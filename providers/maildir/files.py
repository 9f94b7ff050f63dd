"""The files of a Maildir: list, read, write, sync. Blocking; every caller runs on a worker thread.

Folders are opened once and names used relative to them, so that a folder which is renamed or
replaced in the middle of an operation cannot lead it somewhere else. Files are opened without
following links and without waiting (a stranger may leave a link or a pipe under a mail's name).
Nothing here changes a flag, and nothing here decides what an error means for an intent.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from providers.maildir.names import Entry, aside_of, entry
from providers.ports import MailboxIllError, ProviderError, TransientError

HEAD_OCTETS: Final = 1 << 20
"""At most so much of a file is read as its header block."""
SUBS: Final = ("new", "cur")
"""Where the mails of a folder lie, in the order in which they wander."""
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What a full disk or a used-up quota is called."""
FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What missing permission is called."""
MISSING: Final = frozenset({errno.ENOENT, errno.ENOTDIR})
"""What a path that is not there is called."""
NOT_HERE: Final = MISSING | {errno.EACCES, errno.EPERM, errno.ELOOP}
"""What keeps one host from reading a Maildir that another host may have."""

_NOT_REGULAR: Final = frozenset({errno.ELOOP, errno.EMLINK, errno.ENXIO})
"""What opening a link (EMLINK on some systems) or a socket is called."""
_READINGS: Final = 12
_CHUNK: Final = 1 << 14
_DIR: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotRegularError(OSError):
    """Under a mail's name lies a link, a pipe or a folder; it is never followed nor waited for."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another without reading it."""

    ino: int
    mtime_ns: int
    size: int


@contextmanager
def folder(path: Path | str, *, within: int | None = None) -> Iterator[int]:
    """An open descriptor of a folder, given back at the end. Raises OSError."""
    fd = os.open(path, _DIR, dir_fd=within)
    try:
        yield fd
    finally:
        os.close(fd)


def place(fd: int) -> tuple[int, int]:
    """Device and inode of an open folder."""
    found = os.fstat(fd)
    return found.st_dev, found.st_ino


def identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of a folder (one behind a link counts), None where there is none.

    Raises OSError where that cannot be seen.
    """
    try:
        found = path.stat()
    except OSError as error:
        if error.errno in MISSING:
            return None
        raise
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def exists(path: Path) -> bool:
    """True when *path* is a folder. Raises OSError where that cannot be seen."""
    return identity(path) is not None


def entries(root: int, sub: str) -> list[Entry]:
    """Every mail named in *sub* of the open folder *root*, and drafts of ours that lie aside.

    Other names that begin with a dot are no mail. A missing *sub* is empty. Raises OSError.
    """
    found: list[Entry] = []
    try:
        with folder(sub, within=root) as fd, os.scandir(fd) as listing:
            for item in listing:
                if not item.name.startswith("."):
                    found.append(entry(sub, item.name))
                elif (aside := aside_of(item.name)) is not None:
                    plain = entry(sub, aside.file)
                    found.append(Entry(sub, plain.file, plain.uniq, plain.flags, item.name))
    except FileNotFoundError:
        return []
    return found


def listing(path: Path) -> list[Entry]:
    """Every mail of the folder *path*, once by its base name. Raises OSError.

    ``new`` is listed before ``cur``, for mails wander that way: one that wanders meanwhile is seen.
    A draft that is found under its own name no longer counts as lying aside.
    """
    best: dict[str, Entry] = {}
    try:
        with folder(path) as root:
            for sub in SUBS:
                for item in entries(root, sub):
                    held = best.get(item.uniq)
                    if held is None or held.aside is not None or item.aside is None:
                        best[item.uniq] = item
    except OSError as error:
        if error.filename in SUBS:
            error.filename = f"{path}/{error.filename}"
        raise
    return list(best.values())


def settled_listing(path: Path) -> list[Entry]:
    """A listing from which absence may be read. Raises OSError, EAGAIN when the folder won't rest.

    A file that is renamed while a folder is read may be passed over, so two readings in a row must
    show the same mails and nothing may have changed between them.
    """
    before: tuple[object, set[str]] | None = None
    for _ in range(_READINGS):
        found = listing(path)
        state = (changed_ns(path), {item.uniq for item in found})
        if state == before:
            return found
        before = state
    raise OSError(errno.EAGAIN, "the folder changes all the time", str(path))


def changed_ns(path: Path) -> tuple[tuple[int, int], ...]:
    """Inode and time of change, in nanoseconds, of ``new`` and ``cur``; (0, 0) where missing."""
    found: list[tuple[int, int]] = []
    for sub in SUBS:
        try:
            at = (path / sub).stat()
        except FileNotFoundError:
            found.append((0, 0))
        else:
            found.append((at.st_ino, at.st_mtime_ns))
    return tuple(found)


def stamp(path: Path, item: Entry) -> Stamp:
    """The stamp of one listed file. Raises OSError."""
    found = os.stat(f"{path}/{item.sub}/{item.on_disk}", follow_symlinks=False)
    return _stamp(found)


def open_mail(path: Path | str, *, within: int | None = None) -> int:
    """Open one mail for reading. Raises OSError; NotRegularError for a link, a pipe, a folder."""
    try:
        fd = os.open(path, _FILE, dir_fd=within)
    except OSError as error:
        if error.errno in _NOT_REGULAR:
            raise NotRegularError(errno.EINVAL, "not a regular file", str(path)) from error
        raise
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise NotRegularError(errno.EINVAL, "not a regular file", str(path))


def read_head(path: Path | str) -> tuple[bytes, Stamp]:
    """The header block of a mail with the blank line after it, and its stamp. Raises OSError."""
    fd = open_mail(path)
    try:
        head = bytearray()
        while len(head) < HEAD_OCTETS:
            start = max(len(head) - 3, 0)
            piece = os.read(fd, _CHUNK)
            if not piece:
                break
            head += piece
            ends = [
                at + len(gap) for gap in (b"\n\n", b"\n\r\n") if (at := head.find(gap, start)) >= 0
            ]
            if ends:
                del head[min(ends) :]
                break
        return bytes(head), _stamp(os.fstat(fd))
    finally:
        os.close(fd)


def read_mail(path: Path | str, *, within: int | None = None) -> bytes:
    """All bytes of one mail. Raises OSError."""
    fd = open_mail(path, within=within)
    with os.fdopen(fd, "rb") as file:
        return file.read()


def write_new(root: int, name: str, content: bytes) -> None:
    """Write *content* to the new file *name* of the open folder and sync the file.

    The file is readable by whom the folder is; as root it belongs to the folder's owner, so that
    the owner's programs can read what a system service wrote. A failed write leaves nothing.
    Raises OSError.
    """
    above = os.fstat(root)
    fd = os.open(name, _NEW, _file_mode(above.st_mode), dir_fd=root)
    try:
        _give(fd, above)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(fd, rest) :]
        os.fsync(fd)
    except OSError:
        with suppress(OSError):
            os.unlink(name, dir_fd=root)
        raise
    finally:
        os.close(fd)


def sync_folder(fd: int) -> None:
    """Make the names in an open folder durable; file systems that cannot are not asked twice.

    Raises OSError.
    """
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def make_folder(path: Path) -> None:
    """Make a Maildir++ sub-folder with ``cur``, ``new``, ``tmp`` and its marker; what exists stays.

    Raises OSError.
    """
    above = path.parent.stat()
    for part in (path, path / "cur", path / "new", path / "tmp"):
        with suppress(FileExistsError):
            part.mkdir(mode=stat.S_IMODE(above.st_mode))
            with folder(part) as fd:
                _give(fd, above)
    with folder(path) as fd, suppress(FileExistsError):
        write_new(fd, "maildirfolder", b"")
    with folder(path) as inner, folder(path.parent) as outer:
        sync_folder(inner)
        sync_folder(outer)


def explain(error: OSError, path: Path, doing: str) -> ProviderError:
    """What an error of the file system means for the mailbox, with what to do about it.

    *doing* completes "could not ...". Errors that may pass by themselves are Transient.
    """
    name = error.filename
    where = name if isinstance(name, str) and name.startswith("/") else path
    problem = f"could not {doing} in {where} ({error.strerror or error})"
    code = error.errno
    if code in FULL:
        return MailboxIllError(problem, "free some space (or raise the quota); nothing was lost")
    if code == errno.EROFS:
        return MailboxIllError(problem, "mount the file system for writing")
    if code in FORBIDDEN:
        return MailboxIllError(
            problem, "give the user that runs Fencepost read and write permission there"
        )
    if code in MISSING:
        return MailboxIllError(
            problem, "correct the path of this mailbox, or mount or make the Maildir there"
        )
    if code == errno.ELOOP:
        return MailboxIllError(problem, "a link there points to itself: repair or remove it")
    return TransientError(f"{problem}; it is tried again")


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_ino, found.st_mtime_ns, found.st_size)


def _file_mode(above: int) -> int:
    return 0o600 | (0o060 if above & 0o070 == 0o070 else 0)


def _give(fd: int, above: os.stat_result) -> None:
    """As root: hand what was just made to the owner of the folder that it is in."""
    if os.geteuid() == 0 and (above.st_uid, above.st_gid) != (0, 0):
        with suppress(OSError):
            os.fchown(fd, above.st_uid, above.st_gid)
