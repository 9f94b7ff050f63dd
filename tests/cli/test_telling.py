"""What a person is told of the state of things: what runs, what waits and for what, what failed."""

from __future__ import annotations

import itertools
import os
import shutil
import time

import pytest

from storage.lock import try_lock
from tests.cli.conftest import Place


@pytest.fixture
def thread(place: Place) -> str:
    """A thread that was noted while everything was paused."""
    place.deliver(1)
    place.run("pause")
    place.run("once")
    threads = place.json("threads")
    assert isinstance(threads, list)
    return str(threads[0]["thread"])


def explained(place: Place, thread: str) -> str:
    return place.run("explain", "robin/local", thread)


def test_explain_says_that_everything_is_paused(place: Place, thread: str) -> None:
    said = explained(place, thread)
    assert "not judged yet\nwaits: every mailbox is paused; lift it with: fencepost resume" in said


def test_explain_says_that_its_mailbox_is_paused(place: Place, thread: str) -> None:
    place.run("pause", "robin/local")
    place.run("resume")
    assert "waits: robin/local is paused" in explained(place, thread)


def test_explain_says_that_a_thread_is_due(place: Place, thread: str) -> None:
    place.run("resume")
    assert "waits: it is due" in explained(place, thread)


def test_explain_says_that_a_mailbox_is_ill(place: Place, thread: str) -> None:
    place.run("resume")
    place.maildir.rename(place.root / "aside")
    place.run("once", status=1)
    assert "waits: the mailbox is ill" in explained(place, thread)


def test_a_judged_thread_waits_for_nothing(place: Place, thread: str) -> None:
    place.run("resume")
    place.run("once")
    said = explained(place, thread)
    assert "needs_reply: " in said
    assert "waits" not in said


def test_once_fails_for_one_mailbox_that_cannot_be_read_beside_a_good_one(place: Place) -> None:
    place.user_file.write_text(
        place.user_file.read_text()
        + f'[[mailboxes]]\nid = "two"\nprovider = "maildir"\npath = "{place.root / "none"}"\n'
    )
    place.deliver(1)
    document = place.json("once", status=1)
    assert isinstance(document, dict)
    rows = {row["mailbox"]: row for row in document["mailboxes"]}
    assert (rows["robin/local"]["drafted"], rows["robin/local"]["problems"]) == (1, [])
    assert "none" in rows["robin/two"]["problems"][0]


def test_since_looks_further_back_after_the_first_pass_too(place: Place) -> None:
    place.deliver(1)
    (file,) = (place.maildir / "new").iterdir()
    weeks_ago = time.time() - 14 * 86_400
    os.utime(file, (weeks_ago, weeks_ago))
    shutil.move(file, file.with_name(f"{int(weeks_ago)}.M1P1.host"))
    place.run("once")
    assert place.drafts() == []
    place.run("once", "--since", "30d")
    assert len(place.drafts()) == 1


def test_status_says_that_nothing_runs(place: Place) -> None:
    place.run("once")
    assert "runs: nothing; start the daemon with: fencepost run" in place.run("status")
    status = place.json("status")
    assert isinstance(status, dict)
    assert status["process"] is None


def test_status_names_the_process_that_runs_and_since_when(place: Place) -> None:
    place.run("once")
    before_ms = int(time.time() * 1000)
    lock = try_lock(place.data_dir)
    assert lock is not None
    with lock:
        assert f"runs: process {os.getpid()}, since " in place.run("status")
        status = place.json("status")
    assert isinstance(status, dict)
    assert status["process"]["pid"] == os.getpid()
    assert status["process"]["since"][:4] == time.strftime("%Y", time.gmtime(before_ms / 1000))


def only_intent(place: Place) -> dict[str, object]:
    found = place.json("intents")
    assert isinstance(found, list)
    [row] = found
    assert isinstance(row, dict)
    return row


def test_intents_show_the_thread_to_explain(place: Place) -> None:
    place.deliver(1)
    place.run("once")
    row = only_intent(place)
    for columns in ("80", "160"):
        said = place.run("intents", columns=columns)
        assert str(row["id"])[:8] in said
        assert f"robin/local {row['thread']}" in " ".join(said.split())
    place.run("explain", "robin/local", str(row["thread"]))


def test_a_review_item_names_its_mailbox_its_thread_and_its_calls(place: Place) -> None:
    place.deliver(1)
    place.run("once")
    row = only_intent(place)
    said = place.run("review", "show", "1")
    assert f"mailbox: robin/local\nthread: {row['thread']}\n" in said
    assert f"fencepost explain robin/local {row['thread']}\n" in said
    assert f"answer (create_draft {str(row['id'])[:8]}, attempt 1)" in said


@pytest.mark.parametrize("words", [["explain", "robin/loca", "x"], ["pause", "robin/loca"]])
def test_a_mistyped_mailbox_is_told_with_those_that_exist(place: Place, words: list[str]) -> None:
    place.run("once")
    said = place.run(*words, status=1)
    assert "there is no mailbox robin/loca; there are: robin/local" in said


def test_a_mistyped_thread_of_a_mailbox_is_told_as_such(place: Place) -> None:
    place.run("once")
    assert "there is no thread x in robin/local" in place.run(
        "explain", "robin/local", "x", status=1
    )


def test_a_beginning_of_several_threads_names_them(place: Place) -> None:
    for number in range(17):
        place.deliver(number)
    place.run("once")
    threads = place.json("threads")
    assert isinstance(threads, list)
    ids = sorted(str(one["thread"]) for one in threads)
    first = next(one for one, two in itertools.pairwise(ids) if one[0] == two[0])
    said = place.run("explain", "robin/local", first[0], status=1)
    assert "is the beginning of" in said
    assert first in said
