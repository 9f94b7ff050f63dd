"""What ``load`` makes of a folder, whatever lies in it."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from config.daemon import DaemonConfig
from config.faults import ConfigError, Fault
from config.load import find_config_dir, load
from config.secrets import SecretRef
from storage.words import UserName
from tests.config.folder import ROBIN, Folder


def daemon_fault(folder: Folder, text: str | bytes) -> Fault:
    folder.daemon(text)
    with pytest.raises(ConfigError) as caught:
        folder.load()
    (fault,) = caught.value.faults
    return fault


def test_without_a_daemon_file_everything_is_at_its_default(folder: Folder) -> None:
    loaded = folder.load()

    assert loaded.daemon.runtime == DaemonConfig().runtime
    assert loaded.daemon.storage.url == "sqlite"
    assert (loaded.users, loaded.faults) == ({}, ())


def test_a_user_carries_their_name_and_the_hash_of_their_file(folder: Folder) -> None:
    path = folder.good_user()

    user = folder.load().users[UserName("robin")]

    assert user.user == "robin"
    assert user.hash == sha256(path.read_bytes()).hexdigest()


def test_a_broken_user_never_stops_the_others(folder: Folder) -> None:
    folder.good_user("anna", "A")
    folder.user("name = ", "mina")
    folder.good_user("zoe", "Z")

    loaded = folder.load()

    assert list(loaded.users) == ["anna", "zoe"]
    assert [fault.user for fault in loaded.faults] == ["mina"]


def test_a_broken_daemon_file_stops_everything(folder: Folder) -> None:
    folder.good_user()

    fault = daemon_fault(folder, '[web]\nhost = "127.0.0.1"\nprt = 1\n')

    assert fault.file == folder.path / "fencepost.toml"
    assert (fault.line, fault.key) == (3, "web.prt")
    assert fault.remedy == "did you mean 'port'?"


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (b"", "is empty", None),
        (b" \n\n", "is empty", None),
        (b'\xef\xbb\xbfname = "x"', "starts with a byte order mark", 1),
        ('name = "x"'.encode("utf-16"), "starts with a byte order mark", 1),
        (b'name = "a"\nsignature = "gr\xfc\xdfe"\n', "is not UTF-8 text", 2),
        (b'name = "Robin Vale"\naddresses = ["robin@exa', "is no TOML: ", 2),
        (b'name = "x"\nname = "y"\n', "is no TOML: ", 2),
        (b"x = " + b"[" * 5_000, "is no TOML that can be read", None),
        (b"x = " + b"1" * 5_000, "is no TOML that can be read", None),
        (b"\n" + b"a." * 50_000 + b"b = 1", "holds a key of more than 32 parts", 2),
        (b"#" * (1 << 18) + b"\n", "is larger than 256 KiB", None),
        (b'\0name = "x"', "is no TOML: ", 1),
    ],
)
def test_a_file_that_can_not_be_read_says_why(
    folder: Folder, content: bytes, message: str, line: int | None
) -> None:
    fault = folder.fault(content)

    assert fault.message.startswith(message)
    assert fault.line == line
    assert fault.file == folder.path / "users" / "robin.toml"
    assert fault.remedy


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[web", b"x = " + b"[" * 5_000])
def test_a_daemon_file_that_can_not_be_read_says_why(folder: Folder, content: bytes) -> None:
    assert daemon_fault(folder, content).remedy


def test_a_folder_in_place_of_a_file_is_told(folder: Folder) -> None:
    (folder.path / "users" / "robin.toml").mkdir()

    (fault,) = folder.load().faults

    assert fault.faults[0].message == "is no regular file"


def test_a_pipe_in_place_of_a_file_does_not_block(folder: Folder) -> None:
    os.mkfifo(folder.path / "users" / "robin.toml")

    (fault,) = folder.load().faults

    assert fault.faults[0].message == "is no regular file"


def test_a_link_to_nothing_is_told(folder: Folder) -> None:
    (folder.path / "users" / "robin.toml").symlink_to("gone.toml")

    (fault,) = folder.load().faults

    assert fault.faults[0].message == "is a link to nothing"


def test_a_link_to_itself_is_told(folder: Folder) -> None:
    (folder.path / "users" / "robin.toml").symlink_to("robin.toml")

    (fault,) = folder.load().faults

    assert fault.faults[0].message.startswith("can't be read")


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable to root")
def test_a_file_without_permission_is_told(folder: Folder) -> None:
    folder.good_user().chmod(0)

    (fault,) = folder.load().faults

    assert fault.faults[0].message.startswith("can't be read")


@pytest.mark.parametrize("name", ["Robin", "robin vale", "röbin", "a" * 65, "robin.old"])
def test_a_user_needs_a_plain_name(folder: Folder, name: str) -> None:
    folder.good_user(name)

    loaded = folder.load()

    assert loaded.users == {}
    assert loaded.faults[0].faults[0].remedy.startswith("rename the file")


@pytest.mark.parametrize("name", [".robin", "#robin"])
def test_what_editors_leave_behind_stops_nobody(folder: Folder, name: str) -> None:
    folder.good_user("anna")
    (folder.path / "users" / f"{name}.toml.swp").write_bytes(b"\0")
    (folder.path / "users" / ".robin.toml").write_bytes(b"\0")
    (folder.path / "users" / "robin.toml~").write_bytes(b"\0")

    assert folder.load().faults == ()


def test_a_file_can_not_name_its_own_hash(folder: Folder) -> None:
    fault = folder.fault('hash = "0"\n' + ROBIN.format(path="Mail"))

    assert (fault.key, fault.line, fault.message) == ("hash", 1, "is unknown here")


def test_a_missing_folder_names_the_way_on(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="fencepost init"):
        load(tmp_path / "nothing")


def test_a_file_in_place_of_the_users_folder_is_told(folder: Folder) -> None:
    (folder.path / "users").rmdir()
    (folder.path / "users").write_text("")

    with pytest.raises(ConfigError, match="can't be listed"):
        folder.load()


def test_a_relative_path_starts_at_the_configuration(folder: Folder) -> None:
    folder.daemon('[storage]\ndata_dir = "data"\n')
    folder.good_user(path="Mail")

    loaded = folder.load()

    (mailbox,) = loaded.users[UserName("robin")].mailboxes
    assert loaded.daemon.storage.data_dir == folder.path / "data"
    assert mailbox.account == f"maildir {folder.path / 'Mail'}"
    assert loaded.daemon.secrets.installation == SecretRef(file=folder.path / "installation.key")


@pytest.mark.parametrize(
    ("data", "mail", "message"),
    [
        ("m", "m", "is data_dir itself"),
        ("m/data", "m", "has data_dir inside"),
        ("d", "d/mail", "lies in data_dir"),
        ("link/data", "m", "has data_dir inside"),
        ("d/../m", "link", "is data_dir itself"),
    ],
)
def test_data_and_a_maildir_inside_each_other_are_refused(
    folder: Folder, data: str, mail: str, message: str
) -> None:
    (folder.path / "m").mkdir()
    (folder.path / "link").symlink_to("m")
    folder.daemon(f'[storage]\ndata_dir = "{data}"\n')
    fault = folder.fault(ROBIN.format(path=mail))
    assert (fault.key, fault.message) == ("mailboxes[1].path", message)
    assert "to a folder of its own" in fault.remedy


def test_data_beside_a_maildir_of_a_like_name_is_fine(folder: Folder) -> None:
    folder.daemon('[storage]\ndata_dir = "mail-data"\n')
    folder.good_user(path="mail")
    assert set(folder.load().users) == {"robin"}


def test_a_tilde_is_the_home_of_whoever_runs_this(folder: Folder, tmp_path: Path) -> None:
    folder.good_user(path="~/Mail")

    (mailbox,) = folder.load().users[UserName("robin")].mailboxes

    assert mailbox.account == f"maildir {tmp_path / 'home' / 'Mail'}"


def test_a_token_starts_at_the_data_and_a_client_at_the_configuration(folder: Folder) -> None:
    folder.daemon('[storage]\ndata_dir = "data"\n')
    folder.user(
        ROBIN.format(path="Mail")
        + '[[mailboxes]]\nid = "work"\nprovider = "gmail"\n'
        + 'client = { file = "client.json" }\ntoken = { file = "tokens/t.json" }\n'
    )

    gmail = folder.load().users[UserName("robin")].mailboxes[1]

    assert gmail.provider == "gmail"
    assert gmail.client == SecretRef(file=folder.path / "client.json")
    assert gmail.token == SecretRef(file=folder.path / "data" / "tokens" / "t.json")


def test_the_folder_named_comes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_CONFIG", str(tmp_path / "b"))

    assert find_config_dir(tmp_path / "a") == tmp_path / "a"
    assert find_config_dir(None) == tmp_path / "b"


def test_without_a_name_the_folder_is_the_platforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FENCEPOST_CONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    assert find_config_dir(None).name == "fencepost"
    assert find_config_dir(None).is_relative_to(tmp_path)


def test_loading_changes_nothing(folder: Folder) -> None:
    folder.good_user()
    before = sorted(folder.path.rglob("*"))

    folder.load()

    assert sorted(folder.path.rglob("*")) == before
