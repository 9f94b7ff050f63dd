"""``demo`` and ``try``: the whole way on mail that nobody can lose."""

from __future__ import annotations

import json
import mailbox
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.cli.main import cli


def run(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(cli, list(words), obj={})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == status, done.stderr
    return done.stdout or done.stderr


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_the_demo_loses_one_answer_and_finds_it() -> None:
    document = json.loads(run("demo", "--json"))
    (row,) = document["mailboxes"]
    assert row["unknown"] == 1
    config = f"{document['workdir']}/config"
    states = [one["state"] for one in json.loads(run("--config", config, "intents", "--json"))]
    assert set(states) == {"accepted"}
    kinds = {
        fact["kind"]
        for one in json.loads(run("--config", config, "intents", "--json"))
        for fact in one["evidence"]
    }
    assert kinds == {"answer", "sighting"}


def test_the_demo_makes_one_draft_for_each_thread_that_needs_one() -> None:
    document = json.loads(run("demo", "--json"))
    threads = json.loads(run("--config", f"{document['workdir']}/config", "threads", "--json"))
    needing = [one for one in threads if one["category"] == "needs_reply"]
    drafted = [one for one in needing if one["draft"] is not None]
    # One of them holds the owner's own unsent draft.
    assert len(drafted) == len(needing) - 1


def test_the_demo_tells_a_person_what_to_do_next() -> None:
    said = run("demo")
    assert "outcome_unknown" in said
    assert "fencepost init" in said


def mbox(path: Path, number: int) -> Path:
    box = mailbox.mbox(path)
    for at in range(number):
        box.add(
            f"From: Mina <mina{at}@example.org>\nTo: Robin Vale <robin@example.com>\n"
            f"Subject: Plan {at}\nMessage-ID: <p{at}@example.org>\n\n"
            "Could you send me the plan?\n".encode()
        )
    box.add(
        b"From: Robin Vale <robin@example.com>\nTo: mina0@example.org\nSubject: Re: Plan 0\n"
        b"Message-ID: <own@example.com>\nIn-Reply-To: <p0@example.org>\n\nHere it is.\n"
    )
    box.close()
    return path


def test_try_guesses_the_owner_and_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = mbox(tmp_path / "box.mbox", 3)
    before = path.read_bytes()
    document = json.loads(run("try", str(path), "--json"))
    assert document["me"] == "robin@example.com"
    assert path.read_bytes() == before


def test_try_drafts_what_is_owed_and_not_what_was_answered(tmp_path: Path) -> None:
    path = mbox(tmp_path / "box.mbox", 3)
    document = json.loads(run("try", str(path), "--json"))
    (row,) = document["mailboxes"]
    assert (row["messages"], row["threads"], row["drafted"]) == (4, 3, 2)


def test_try_keeps_the_order_of_loose_files(tmp_path: Path) -> None:
    folder = tmp_path / "mails"
    folder.mkdir()
    for number in range(1, 12):
        answers = f"In-Reply-To: <n{number - 1}@example.org>\n" if number > 1 else ""
        (folder / f"{number}.eml").write_text(
            f"From: mina@example.org\nTo: robin@example.com\nSubject: Talk\n"
            f"Message-ID: <n{number}@example.org>\n{answers}\nQuestion {number}?\n"
        )
    document = json.loads(run("try", str(folder), "--me", "robin@example.com", "--json"))
    (thread,) = json.loads(run("--config", f"{document['workdir']}/config", "threads", "--json"))
    assert thread["messages"] == [f"<n{number}@example.org>" for number in range(1, 12)]


def test_try_says_what_to_name_when_there_is_no_mail(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no mail\n")
    assert "name an mbox" in run("try", str(tmp_path / "notes.txt"), status=1)
    assert "fencepost" in run("try", str(tmp_path / "nothing"), status=1)


def test_try_says_of_a_file_with_colons_that_it_is_no_mail(tmp_path: Path) -> None:
    file = tmp_path / "accounts"
    file.write_text("robin:x:1000:1000:Robin Vale:/home/robin:/bin/sh\n" * 3)
    for more in ([], ["--me", "robin@example.com"]):
        done = CliRunner().invoke(cli, ["try", str(file), *more], obj={})
        assert done.exit_code == 1
        assert "is no mail: name an mbox file" in done.stderr


def test_try_refuses_an_owner_that_is_no_address(tmp_path: Path) -> None:
    path = mbox(tmp_path / "box.mbox", 1)
    assert "no address" in run("try", str(path), "--me", "robin", status=2)
