"""What ``once`` says of users and mailboxes that it can't serve, and of mail that it can't read."""

from __future__ import annotations

import mailbox

import pytest
from structlog.testing import capture_logs

from assistant.loggable import loggable
from assistant.unserved import log_daemon
from config.load import load, reload
from tests.cli.conftest import Place


def wrong(place: Place) -> None:
    """A second user's file, with a fault in its second line that quotes an address."""
    (place.config / "users" / "tove.toml").write_text(
        'name = "Tove"\naddresses = ["tove@@example.com"]\n'
        f'[[mailboxes]]\nid = "local"\nprovider = "maildir"\npath = "{place.root}/tove"\n'
    )


def test_a_users_file_that_is_wrong_is_named_with_line_key_and_remedy(place: Place) -> None:
    wrong(place)
    said = place.said("once", status=2)
    assert "tove.toml:2 addresses" in said
    assert "is no e-mail address" in said
    assert '"remedy": "' in said


def test_a_log_of_a_wrong_users_file_quotes_no_address(place: Place) -> None:
    wrong(place)
    assert "tove@" not in place.said("once", status=2)


def test_a_user_whose_file_is_wrong_is_not_served_and_the_others_are(place: Place) -> None:
    wrong(place)
    place.deliver(1)
    document = place.json("once", status=2)
    assert isinstance(document, dict)
    [user] = document["not_served"]
    assert user["user"] == "tove"
    assert "tove.toml:2" in user["what"]
    assert user["remedy"]
    assert len(place.drafts()) == 1


def test_the_remedy_of_a_paused_mailbox_names_the_mailbox(place: Place) -> None:
    place.deliver(1)
    place.run("once")
    place.run("pause", "robin/local")
    place.deliver(2)
    assert "lift it with: fencepost resume robin/local" in place.said("once")


def test_a_pause_of_all_is_told_though_nothing_is_due(place: Place) -> None:
    place.run("pause")
    assert "every mailbox is paused; lift it with: fencepost resume" in place.said("once")


def test_a_resume_of_all_names_the_mailboxes_that_stay_paused_by_themselves(place: Place) -> None:
    place.run("once")
    place.run("pause", "robin/local")
    assert "lift it with: fencepost resume robin/local" in place.run("resume")
    document = place.json("resume")
    assert isinstance(document, dict)
    assert document["still_paused"] == ["robin/local"]


def unreadable(place: Place, number: int) -> None:
    for one in range(number):
        (place.maildir / "new" / f"{one}.empty").write_bytes(b"\x00\x01" * one)


def test_mails_that_could_not_be_read_are_counted_and_said(place: Place) -> None:
    unreadable(place, 2)
    document = place.json("once")
    assert isinstance(document, dict)
    [row] = document["mailboxes"]
    assert row["quarantined"] == 2
    said = "2 mails could not be read and were set aside; see: fencepost review"
    assert row["problems"] == [said]


def test_who_lets_cron_mail_stderr_reads_of_a_mail_that_was_set_aside_once(place: Place) -> None:
    unreadable(place, 1)
    assert "1 mail could not be read and was set aside" in place.said("once")
    assert place.said("once") == ""


def test_the_log_says_why_a_mailbox_is_ill_and_that_it_is_well_again(place: Place) -> None:
    away = place.root / "away"
    place.maildir.rename(away)
    said = place.said("once", status=1)
    assert '"event": "a mailbox is ill"' in said
    assert f'"problem": "could not read the Maildir in {place.maildir}' in said
    away.rename(place.maildir)
    assert '"event": "a mailbox is well again"' in place.said("once", "-v")
    assert "well again" not in place.said("once", "-v")


def test_an_address_in_a_problem_is_not_logged() -> None:
    said = loggable("the server refused the login of robin@example.com: 'x@y' has no @")
    assert said == "the server refused the login of (an address) (an address) has no @"


def daemon_file(place: Place, old: str, new: str) -> None:
    file = place.config / "fencepost.toml"
    file.write_text(file.read_text().replace(old, new))


def test_an_edit_of_the_daemons_file_is_said_to_take_effect_at_the_next_start(
    place: Place,
) -> None:
    before = load(place.config)
    daemon_file(place, '"0s"', '"1s"')
    with capture_logs() as told:
        log_daemon(before, reload(before))
    assert [one["event"] for one in told] == [
        "fencepost.toml has changed: it takes effect at the next start"
    ]


def test_a_fault_of_the_daemons_file_is_said_once_while_a_process_runs(place: Place) -> None:
    before = load(place.config)
    daemon_file(place, '"0s"', '"soon"')
    broken = reload(before)
    with capture_logs() as told:
        log_daemon(before, broken)
        log_daemon(broken, broken)
    [line] = told
    assert "fencepost.toml is wrong" in line["event"]
    assert "line 4" in line["problem"]


def add_mailbox(place: Place, folder: str) -> None:
    with place.user_file.open("a") as file:
        file.write('[[mailboxes]]\nid = "inner"\nprovider = "maildir"\n')
        file.write(f'path = "{place.maildir}/{folder}"\n')


@pytest.mark.parametrize("folder", [".Sent", ".Drafts", ".Trash"])
def test_a_folder_of_a_served_maildir_is_no_mailbox_of_its_own(place: Place, folder: str) -> None:
    add_mailbox(place, folder)
    place.deliver(1)
    document = place.json("once", status=2)
    assert isinstance(document, dict)
    assert [row["mailbox"] for row in document["mailboxes"]] == ["robin/local"]
    [refused] = document["not_served"]
    assert refused["problem"].endswith(
        f"is the folder {folder} of robin/local, no mailbox of its own"
    )
    assert len(place.drafts()) == 1
    assert refused["problem"] in place.run("check", status=1)


def test_another_folder_of_a_maildir_may_be_a_mailbox(place: Place) -> None:
    mailbox.Maildir(place.maildir).add_folder("Shop")
    add_mailbox(place, ".Shop")
    place.run("once")
