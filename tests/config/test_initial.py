"""The first files are right, and take nobody's place."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.daemon import DaemonConfig
from config.faults import ConfigError
from config.initial import (
    DAEMON_TEXT,
    Answers,
    Gmail,
    Imap,
    Maildir,
    imap_secret,
    render_user,
    user_name,
    write,
)
from config.secrets import SecretRef
from config.user import ImapMailbox
from storage.words import UserName
from tests.config.folder import Folder


def answers(
    user: str = "robin",
    name: str = "Robin Vale",
    addresses: tuple[str, ...] = ("robin@example.com",),
    mailbox: Maildir | Imap | Gmail | None = None,
) -> Answers:
    return Answers(
        user=user,
        name=name,
        addresses=addresses,
        timezone="Europe/Paris",
        signature="Robin",
        mailbox=mailbox or Maildir(path="~/Mail"),
    )


@pytest.mark.parametrize(
    "mailbox",
    [Maildir(path="~/Mail"), Imap(host="imap.example.com", username="robin"), Gmail()],
)
def test_what_is_written_is_in_force_at_once(
    folder: Folder, mailbox: Maildir | Imap | Gmail
) -> None:
    write(folder.path, answers(mailbox=mailbox))

    loaded = folder.load()

    assert loaded.faults == ()
    assert loaded.users[UserName("robin")].name == "Robin Vale"


def test_the_shown_defaults_are_the_defaults(folder: Folder) -> None:
    folder.daemon(re.sub(r"(?m)^# (?=[a-z_]+ = )", "", DAEMON_TEXT))

    daemon = folder.load().daemon

    plain = DaemonConfig()
    assert daemon.runtime == plain.runtime
    assert daemon.reconcile == plain.reconcile
    assert (daemon.storage.url, daemon.web) == (plain.storage.url, plain.web)
    assert tomllib.loads(DAEMON_TEXT).keys() == DaemonConfig.__dataclass_fields__.keys()


def test_every_default_is_shown() -> None:
    shown = set(re.findall(r"(?m)^# ([a-z_]+) = ", DAEMON_TEXT))
    sections = [getattr(DaemonConfig(), name) for name in DaemonConfig.__dataclass_fields__]

    assert shown == {key for each in sections for key in each.__dataclass_fields__} - {"password"}


def test_an_imap_password_is_looked_for_where_the_person_is_told(folder: Folder) -> None:
    mine = answers(mailbox=Imap(host="imap.example.com", username="robin"))
    write(folder.path, mine)

    (mailbox,) = folder.load().users[UserName("robin")].mailboxes

    assert isinstance(mailbox, ImapMailbox)
    assert mailbox.password == SecretRef(file=folder.path / imap_secret(mine))


@given(st.text(), st.text(), st.text())
def test_no_answer_breaks_out_of_its_line(name: str, signature: str, path: str) -> None:
    text = render_user(
        Answers(
            user="robin",
            name=name.encode(errors="replace").decode(),
            addresses=("robin@example.com",),
            timezone="UTC",
            signature=signature,
            mailbox=Maildir(path=path),
        )
    )

    table = tomllib.loads(text)
    assert (table["name"], table["signature"]) == (name, signature)
    assert table["mailboxes"] == [
        {"id": "local", "provider": "maildir", "path": path, "since": "3d"}
    ]


def test_an_existing_user_stays_as_it_is(folder: Folder) -> None:
    path = folder.user("mine")

    with pytest.raises(ConfigError, match=r"is there already; edit it, or .* --user"):
        write(folder.path, answers())

    assert path.read_text() == "mine"
    assert not (folder.path / "fencepost.toml").exists()


def test_an_existing_daemon_file_stays_and_is_no_fault(folder: Folder) -> None:
    path = folder.daemon("[web]\n")

    made = write(folder.path, answers())

    assert made == (folder.path / "users" / "robin.toml",)
    assert path.read_text() == "[web]\n"


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        (answers(addresses=("robin",)), "addresses[1]"),
        (answers(name=" "), "name"),
        (answers(user="../robin"), "user"),
        (answers(user="Robin"), "user"),
        (answers(mailbox=Imap(host="a b", username="x")), "mailboxes[1].host"),
    ],
)
def test_a_wrong_answer_writes_nothing(folder: Folder, wrong: Answers, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        write(folder.path, wrong)

    assert [fault.key for fault in caught.value.faults] == [key]
    assert [path.name for path in folder.path.rglob("*")] == ["users"]


def test_the_files_are_for_their_owner_only(folder: Folder) -> None:
    previous = os.umask(0)
    try:
        made = write(folder.path, answers())
    finally:
        os.umask(previous)

    assert {path.stat().st_mode & 0o777 for path in made} == {0o600}


def test_a_folder_is_made_where_there_is_none(tmp_path: Path) -> None:
    made = write(tmp_path / "a" / "b", answers())

    assert len(made) == 2


def test_a_full_disk_is_told(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(ConfigError, match="No space left"):
        write(folder.path, answers())

    assert [path.name for path in folder.path.rglob("*")] == ["users"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Robin Vale", "robin"), ("Zoë", "zoe"), ("  Dr. No", "dr"), ("山田", "owner"), ("", "owner")],
)
def test_a_user_is_named_after_the_person(name: str, expected: str) -> None:
    assert user_name(name) == expected
