"""``fencepost init``: few questions, working files, the next command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assistant.cli.init import command, guess_timezone, maildir_remarks
from assistant.cli.main import cli
from config.command import output_of
from storage.words import UserName
from tests.config.folder import Folder


def run(folder: Folder, *options: str, typed: str = "") -> Result:
    return CliRunner().invoke(command, ["--config", str(folder.path), *options], input=typed)


def given(folder: Folder, *options: str) -> Result:
    return run(folder, "--yes", "--name", "Robin Vale", "--address", "robin@example.com", *options)


def make_maildir(path: Path) -> Path:
    for part in ("cur", "new", "tmp"):
        (path / part).mkdir(parents=True)
    return path


def test_with_all_options_nothing_is_asked(folder: Folder, tmp_path: Path) -> None:
    maildir = make_maildir(tmp_path / "Mail")
    (maildir / "new" / "1").touch()

    result = given(folder, "--maildir", str(maildir), "--timezone", "Europe/Paris")

    assert result.exit_code == 0
    assert "is a Maildir with 1 mails in its inbox" in result.output
    assert result.output.splitlines()[-1] == "next: fencepost check"
    user = folder.load().users[UserName("robin")]
    assert user.mailboxes[0].account == f"maildir {maildir}"
    assert str(user.timezone) == "Europe/Paris"


def test_the_folder_may_be_named_before_the_command(folder: Folder) -> None:
    options = ["--yes", "--name", "Robin", "--address", "robin@example.com", "--maildir", "x"]

    result = CliRunner().invoke(cli, ["--config", str(folder.path), "init", *options])

    assert result.exit_code == 0, result.output
    assert set(folder.load().users) == {"robin"}


def test_answers_are_typed_and_guesses_taken(folder: Folder, tmp_path: Path) -> None:
    make_maildir(tmp_path / "home" / "Mail")

    result = run(folder, typed="Robin Vale\nrobin@example.com, r@example.org\n\n\n\n\n")

    assert result.exit_code == 0, result.output
    user = folder.load().users[UserName("robin")]
    assert user.addresses == ("robin@example.com", "r@example.org")
    assert user.signature == "Robin"
    assert user.mailboxes[0].account == f"maildir {tmp_path / 'home' / 'Mail'}"


def test_a_relative_maildir_is_the_one_from_here(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert given(folder, "--maildir", "here").exit_code == 0

    (mailbox,) = folder.load().users[UserName("robin")].mailboxes
    assert mailbox.account == f"maildir {tmp_path / 'here'}"


def test_an_imap_account_is_told_where_its_password_goes(folder: Folder) -> None:
    result = given(folder, "--imap-host", "imap.example.com", "--imap-user", "robin")

    assert result.exit_code == 0
    assert f"cat > {folder.path / 'robin-home.secret'}" in result.output


def test_a_gmail_account_is_told_where_its_client_goes_and_to_log_in(folder: Folder) -> None:
    result = given(folder, "--provider", "gmail")

    assert result.exit_code == 0
    assert str(folder.path / "client.json") in result.output
    assert "fencepost login robin/gmail" in result.output
    (mailbox,) = folder.load().users[UserName("robin")].mailboxes
    assert mailbox.provider == "gmail"


def test_only_what_this_release_serves_is_offered(folder: Folder) -> None:
    result = given(folder, "--provider", "jmap")
    assert result.exit_code == 2
    assert "'maildir', 'imap', 'gmail'" in result.output


def test_what_is_missing_is_named_and_wrong_use(folder: Folder) -> None:
    result = run(folder, "--yes", "--name", "Robin")

    assert result.exit_code == 2
    assert "--address is missing" in result.output


def test_without_any_maildir_none_is_guessed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAIL", raising=False)

    result = given(folder)

    assert result.exit_code == 2
    assert "--maildir is missing" in result.output


def test_a_wrong_answer_is_wrong_use_and_writes_nothing(folder: Folder) -> None:
    result = given(folder, "--maildir", "x", "--timezone", "Europe/Pari")

    assert result.exit_code == 2
    assert "did you mean 'Europe/Paris'?" in result.output
    assert list((folder.path / "users").iterdir()) == []


def test_an_existing_user_is_refused(folder: Folder) -> None:
    folder.user("mine")

    result = given(folder, "--maildir", "x")

    assert result.exit_code == 1
    assert "is there already" in result.output


def test_a_maildir_without_drafts_is_told_how_to_get_them(tmp_path: Path) -> None:
    remark = maildir_remarks(str(make_maildir(tmp_path / "My Mail")))[-1]

    output_of(["sh", "-c", remark.partition(": ")[2]], 30.0)
    assert maildir_remarks(str(tmp_path / "My Mail")) == [
        f"{tmp_path / 'My Mail'} is a Maildir with 0 mails in its inbox"
    ]


def test_a_folder_that_is_no_maildir_is_told(tmp_path: Path) -> None:
    (tmp_path / "cur").mkdir()

    assert maildir_remarks(str(tmp_path))[0].endswith("is no Maildir yet: it has no new, tmp")
    assert "does not exist yet" in maildir_remarks(str(tmp_path / "x"))[0]


@pytest.mark.parametrize(
    ("value", "zone"),
    [("Europe/Rome", "Europe/Rome"), (":/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo")],
)
def test_the_timezone_of_the_environment_is_taken(
    monkeypatch: pytest.MonkeyPatch, value: str, zone: str
) -> None:
    monkeypatch.setenv("TZ", value)

    assert guess_timezone() == zone


def test_a_timezone_is_always_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(os.path, "realpath", lambda _: "/etc/localtime")

    assert guess_timezone() == "UTC"


def test_a_wrong_answer_is_asked_for_again_and_the_others_stay(folder: Folder) -> None:
    typed = (
        "Robin Vale",
        "robin",
        "robin@example.com",
        "Europe/Pari",
        "Europe/Paris",
        "",
        "floppy",
        "imap",
        "imap example com",
        "imap.example.com",
        "",
    )

    result = run(folder, typed="\n".join(typed) + "\n")

    assert result.exit_code == 0, result.output
    assert "'robin' is no e-mail address" in result.output
    assert "did you mean 'Europe/Paris'?" in result.output
    assert "'floppy' is not one of" in result.output
    user = folder.load().users[UserName("robin")]
    assert (user.name, user.addresses) == ("Robin Vale", ("robin@example.com",))
    assert str(user.timezone) == "Europe/Paris"
    assert user.mailboxes[0].account == "imap robin@example.com@imap.example.com"


def test_a_name_that_is_taken_is_asked_for_before_anything_else(folder: Folder) -> None:
    folder.good_user("robin")

    result = run(folder, "--maildir", "x", typed="Robin\nrobin\nOh no\nrobin2\nr@example.org\n\n\n")

    assert result.exit_code == 0, result.output
    assert "users/robin.toml is there already, too" in result.output
    assert set(folder.load().users) >= {"robin"}
    assert (folder.path / "users" / "robin2.toml").exists()


@pytest.mark.parametrize("typed", ["", "Robin Vale\n", "Robin Vale\nrobin@example.com\nUTC\n"])
def test_whoever_leaves_half_way_leaves_nothing_behind(folder: Folder, typed: str) -> None:
    result = run(folder, typed=typed)

    assert result.exit_code == 1
    assert list(folder.path.iterdir()) == [folder.path / "users"]
    assert list((folder.path / "users").iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        ("--timezone", "Europe/Pari"),
        ("--address", "robin"),
        ("--imap-host", "imap example com"),
        ("--user", "Robin Vale"),
    ],
)
def test_a_wrong_option_is_refused_before_the_first_question(
    folder: Folder, options: tuple[str, str]
) -> None:
    result = run(folder, *options, typed="Robin Vale\n")

    assert result.exit_code == 2
    assert "Your name" not in result.output
