"""Which file systems are remote."""

from pathlib import Path

import pytest

from providers.maildir.fs import is_network_fs, is_network_type, mount_type

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:44 / /home rw,relatime shared:2 master:1 - nfs4 server.example:/home rw
31 30 0:45 / /home/robin/local\\040disk rw - ext4 /dev/vdb rw
32 22 0:46 / /mnt/ssh rw - fuse.sshfs robin@host.example:/ rw
33 22 0:47 / /mnt/over rw - ext4 /dev/vdc rw
34 33 0:48 / /mnt/over rw - cifs //host.example/share rw
broken line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/var/mail", "ext4"),
        ("/home/robin/Mail", "nfs4"),
        ("/homework/Mail", "ext4"),
        ("/home/robin/local disk/Mail", "ext4"),
        ("/mnt/ssh", "fuse.sshfs"),
        ("/mnt/over/Mail", "cifs"),
    ],
)
def test_the_deepest_and_latest_mount_counts(path: str, kind: str) -> None:
    assert mount_type(path, MOUNTS) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "fuse"])
def test_remote_file_systems_are_known(kind: str) -> None:
    assert is_network_type(kind)


@pytest.mark.parametrize(
    "kind", ["ext4", "xfs", "btrfs", "tmpfs", "zfs", "apfs", "overlay", "fuseblk"]
)
def test_local_file_systems_are_known(kind: str) -> None:
    assert not is_network_type(kind)


def test_a_folder_on_this_machine_is_local(tmp_path: Path) -> None:
    assert not is_network_fs(tmp_path)
