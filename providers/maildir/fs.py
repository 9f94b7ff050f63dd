"""Is a folder on a network file system?

There a repeated request can report "no such file" for a rename that was done the first time, and
the times of files are another machine's. Proofs that rest on them hold on local file systems only;
where nobody can tell, the answer is the careful one: remote.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
import sys
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_NETWORK: Final = frozenset(
    {
        "9p",
        "afs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "gfs2",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "orangefs",
        "smb3",
        "smbfs",
        "virtiofs",
    }
)
_LOCAL_FUSE: Final = frozenset({"fuseblk", "fuse.ntfs", "fuse.exfat", "fuse.bindfs"})
_ESCAPE: Final = re.compile(r"\\([0-7]{3})")
_MNT_LOCAL: Final = 0x1000
_DARWIN_FLAGS_AT: Final = 64  # offset of f_flags in struct statfs with 64-bit inodes


def is_network_type(fstype: str) -> bool:
    """True for the type names of remote file systems; FUSE counts as remote unless known local."""
    kind = fstype.lower()
    return kind in _NETWORK or (kind.startswith("fuse") and kind not in _LOCAL_FUSE)


def mount_type(path: str, mountinfo: str) -> str | None:
    """The file-system type under the absolute *path*, by a text as in /proc/self/mountinfo.

    See proc_pid_mountinfo(5). The longest mount point that holds the path counts, the last of
    equal ones.
    """
    best, found = -1, None
    for line in mountinfo.splitlines():
        before, dash, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = _ESCAPE.sub(lambda m: chr(int(m[1], 8)), fields[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best:
            best, found = len(point), kind[0]
    return found


def is_network_fs(path: Path) -> bool:
    """True when *path* lies on a network file system, or where nobody can tell."""
    real = os.path.realpath(path)
    if sys.platform == "darwin":
        return _darwin(real)
    try:
        kind = mount_type(real, _MOUNTS.read_text("utf-8", "surrogateescape"))
    except OSError:
        return True
    return kind is None or is_network_type(kind)


def _darwin(real: str) -> bool:
    """statfs(2) of macOS: MNT_LOCAL in f_flags."""
    libc = ctypes.CDLL(None, use_errno=True)
    statfs = getattr(libc, "statfs$INODE64", None) or libc.statfs
    answer = ctypes.create_string_buffer(4096)
    if statfs(os.fsencode(real), answer) != 0:
        return True
    (flags,) = struct.unpack_from("=I", answer.raw, _DARWIN_FLAGS_AT)
    return not flags & _MNT_LOCAL
