"""Where data_dir may be, and how its files are replaced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from storage.errors import NetworkFileSystemError, StorageIllError
from storage.fs import (
    file_system_kind,
    is_network_kind,
    kind_at,
    make_data_dir,
    parse_mount,
    parse_mountinfo,
    refuse_network_fs,
    write_atomically,
)

MOUNTINFO = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /home rw,relatime shared:2 master:1 - nfs4 server:/home rw,vers=4.2
31 30 0:27 / /home/robin/my\040mail rw - fuse.sshfs robin@example.com: rw
32 30 0:28 / /home/robin/local rw - tmpfs tmpfs rw
33 22 0:29 / /auto rw - autofs systemd-1 rw
34 33 0:30 / /auto rw - cifs //server/share rw
a line that means nothing
"""
MOUNT = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)
server:/home on /Volumes/home on nas (nfs, nodev, nosuid)
//robin@server/mail on /Volumes/mail (smbfs, nodev)
"""


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afpfs", "fuse.sshfs", "fuse.s3fs"]
)
def test_network_file_system_is_known(kind: str) -> None:
    assert is_network_kind(kind)


@pytest.mark.parametrize(
    "kind", ["ext4", "xfs", "btrfs", "apfs", "tmpfs", "overlay", "zfs", "fuse.ntfs-3g", "fuse", ""]
)
def test_local_file_system_is_not_refused(kind: str) -> None:
    assert not is_network_kind(kind)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/homework", "ext4"),
        ("/home/robin", "nfs4"),
        ("/home/robin/my mail/x", "fuse.sshfs"),
        ("/home/robin/local", "tmpfs"),
        ("/auto/x", "cifs"),
    ],
)
def test_deepest_and_last_mount_on_linux_decides(path: str, kind: str) -> None:
    assert kind_at(Path(path), list(parse_mountinfo(MOUNTINFO))) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/etc", "apfs"), ("/Volumes/mail/x", "smbfs"), ("/Volumes/home on nas/x", "nfs")],
)
def test_mounts_of_macos_are_read(path: str, kind: str) -> None:
    assert kind_at(Path(path), list(parse_mount(MOUNT))) == kind


def test_this_machine_tells_what_a_folder_is_on(tmp_path: Path) -> None:
    assert file_system_kind(tmp_path) != ""


def test_data_dir_on_a_network_file_system_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(NetworkFileSystemError, match=r"nfs4.*local disk, or use PostgreSQL"):
        refuse_network_fs(tmp_path, kind_of=lambda _: "nfs4")


def test_data_dir_is_made_for_its_owner_only(tmp_path: Path) -> None:
    make_data_dir(tmp_path / "a" / "data")
    assert (tmp_path / "a" / "data").stat().st_mode & 0o777 == 0o700


def test_data_dir_below_a_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageIllError, match="data_dir to another place"):
        make_data_dir(tmp_path / "file" / "data")


def test_file_is_replaced_whole_and_private(tmp_path: Path) -> None:
    target = tmp_path / "witness.json"
    target.write_bytes(b"a much longer old text")
    write_atomically(target, b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_write_that_died_before_its_rename_left_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "witness.json"
    target.write_bytes(b"old")
    (tmp_path / "witness.json.new").write_bytes(b"half")
    assert target.read_bytes() == b"old"
    write_atomically(target, b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["witness.json"]


def test_processes_that_write_one_file_at_once_all_succeed(tmp_path: Path) -> None:
    work = (
        "import sys; from pathlib import Path; from storage.fs import write_atomically\n"
        "for _ in range(100): write_atomically(Path(sys.argv[1]), b'x' * 1000)"
    )
    line = [sys.executable, "-c", work, str(tmp_path / "witness.json")]
    root = Path(__file__).resolve().parents[2]
    writers = [subprocess.Popen(line, cwd=root, stderr=subprocess.PIPE) for _ in range(3)]
    told = [writer.communicate(timeout=60)[1] for writer in writers]
    assert told == [b"", b"", b""]
    assert (tmp_path / "witness.json").read_bytes() == b"x" * 1000
