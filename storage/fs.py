"""Files of data_dir: written whole or not at all, private, and on a local disk.

SQLite's locks and shared memory cannot be trusted on a network file system, so the kind of file
system is asked of the kernel's table of mounts. Only the parsing has rules, and it is pure, because
no test machine has every kind.

A crash in write_atomically leaves the old file or the new one, and perhaps a file ending in
``.new``, which the next write replaces.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from storage.errors import NetworkFileSystemError, StorageIllError

FileSystemKind = Callable[[Path], str]
"""Gives the kind of file system that a path is on, e.g. ``ext4`` or ``nfs4``."""

_NETWORK: Final = re.compile(
    "9p|acfs|afpfs|afs|beegfs|ceph|cephfs|cifs|coda|davfs|gfs2?|glusterfs|gpfs|lustre|ncpfs|"
    "nfs[34]?|ocfs2|orangefs|panfs|pvfs2|smb2|smb3|smbfs|vboxsf|webdav"
)
_NETWORK_FUSE: Final = re.compile(
    "ceph|davfs2?|gcsfuse|glusterfs|goofys|hadoop|juicefs|mfs|moosefs|nfs|rclone|s3fs|s3ql|"
    "seaweedfs|smbnetfs|sshfs|vmhgfs-fuse|webdavfs"
)


def is_network_kind(kind: str) -> bool:
    """Whether *kind*, as the kernel names it, means that the files are on another machine."""
    family, _, driver = kind.lower().partition(".")
    if family == "fuse":
        return _NETWORK_FUSE.fullmatch(driver) is not None
    return _NETWORK.fullmatch(family) is not None


def refuse_network_fs(path: Path, *, kind_of: FileSystemKind | None = None) -> None:
    """Raise NetworkFileSystemError when *path* is on a network file system."""
    kind = (kind_of or file_system_kind)(path)
    if is_network_kind(kind):
        raise NetworkFileSystemError(path, kind=kind)


def file_system_kind(path: Path) -> str:
    """The kind of file system that *path* is on; empty where the system does not tell."""
    try:
        if sys.platform == "darwin":
            listed = subprocess.run(
                ["/sbin/mount"], capture_output=True, text=True, timeout=10, check=True
            )
            mounts = list(parse_mount(listed.stdout))
        else:
            text = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
            mounts = list(parse_mountinfo(text))
    except (OSError, subprocess.SubprocessError):
        return ""
    return kind_at(path.resolve(), mounts)


def kind_at(path: Path, mounts: list[tuple[Path, str]]) -> str:
    """The kind of the mount that holds the absolute *path*: the deepest, of equals the last."""
    best, kind = -1, ""
    for point, its_kind in mounts:
        depth = len(point.parts)
        if depth >= best and path.is_relative_to(point):
            best, kind = depth, its_kind
    return kind


def parse_mountinfo(text: str) -> Iterator[tuple[Path, str]]:
    """(mount point, kind) of each line of Linux's mountinfo; proc_pid_mountinfo(5)."""
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if dash and len(fields) > 4 and kind:
            # Spaces, tabs, line ends and backslashes stand as octal escapes.
            point = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[4])
            yield Path(point), kind[0]


def parse_mount(text: str) -> Iterator[tuple[Path, str]]:
    """(mount point, kind) of each line that macOS's mount(8) prints."""
    for line in text.splitlines():
        found = re.fullmatch(r".+? on (/.*) \(([^,()]+)[^()]*\)", line)
        if found is not None:
            yield Path(found[1]), found[2].strip()


def make_data_dir(data_dir: Path) -> None:
    """Make *data_dir* (0700) where there is none.

    Raises StorageIllError when that cannot be done.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageIllError(
            f"the data folder {data_dir} cannot be made ({error.strerror})",
            remedy="make it yourself and own it, or set [storage] data_dir to another place",
        ) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Replace *path* by a file (0600) of *data*: aside, fsync, rename, fsync of the folder.

    Processes that write one path at once do it one after the other.
    """
    aside = path.with_name(path.name + ".new")
    with _alone(aside) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        aside.replace(path)
    sync_folder(path.parent)


def _alone(aside: Path) -> BinaryIO:
    """An empty file at *aside*, locked until it is closed."""
    while True:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        file = os.fdopen(descriptor, "wb")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Whoever held it before may have renamed it meanwhile.
            if os.path.samestat(os.fstat(descriptor), aside.stat()):
                os.ftruncate(descriptor, 0)
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            file.close()
            raise
        file.close()


def sync_folder(folder: Path) -> None:
    """Make renames in *folder* durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
