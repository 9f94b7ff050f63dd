"""The daemon as a process of its own, over a real Maildir."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.cli.conftest import Place, environment
from tests.support import waiting

BOUND_S = 40.0
"""How long a real process may take at most; nothing is asserted about how long it takes."""
until = partial(waiting.until, bound_s=BOUND_S)


@contextmanager
def running(place: Place) -> Iterator[subprocess.Popen[bytes]]:
    """``fencepost run`` until the block ends; it is killed then if it still runs."""
    log = place.root / f"run-{time.monotonic_ns()}.log"
    with log.open("wb") as stream:
        daemon = subprocess.Popen(
            place.command("run"), stderr=stream, stdout=subprocess.DEVNULL, env=environment()
        )
        try:
            until(lambda: b'"running"' in log.read_bytes(), daemon, log)
            yield daemon
        finally:
            if daemon.poll() is None:
                daemon.kill()
            daemon.wait()


def drafted(place: Place, number: int) -> bool:
    folder = place.maildir / ".Drafts" / "cur"
    return folder.exists() and len(list(folder.iterdir())) == number


def test_mail_that_arrives_while_it_runs_is_drafted(place: Place) -> None:
    with running(place) as daemon:
        place.deliver(1)
        until(lambda: drafted(place, 1), daemon)


def test_sigterm_ends_it_in_order(place: Place) -> None:
    with running(place) as daemon:
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(timeout=BOUND_S) == 0
    status = place.json("status")
    assert isinstance(status, dict)
    assert status["workers"] == []


def test_a_second_process_on_the_same_data_is_refused_by_pid(place: Place) -> None:
    with running(place) as daemon:
        assert str(daemon.pid) in place.run("once", status=1)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_daemon_whose_database_is_gone_says_so_once_and_ends(place: Place, what: str) -> None:
    with running(place) as daemon:
        if what == "file":
            (place.data_dir / "fencepost.db").unlink()
        else:
            shutil.rmtree(place.data_dir)
        place.deliver(1)
        assert daemon.wait(timeout=BOUND_S) == 1
    assert place.drafts() == []
    (log,) = place.root.glob("run-*.log")
    told = [line for line in log.read_text().splitlines() if "removed or replaced" in line]
    assert len(told) == 2
    assert "the store is gone" in told[0]
    assert told[1].startswith("fencepost: the database")


def test_a_daemon_that_lost_its_folder_leaves_its_successors_socket(place: Place) -> None:
    with running(place) as first:
        place.data_dir.rename(place.root / "aside")
        place.data_dir.mkdir(mode=0o700)
        with running(place) as second:
            first.send_signal(signal.SIGTERM)
            first.wait(timeout=BOUND_S)
            place.run("pause")
            assert second.poll() is None


def test_commands_are_served_by_the_running_daemon(place: Place) -> None:
    with running(place) as daemon:
        place.deliver(1)
        until(lambda: drafted(place, 1), daemon)

        def waits() -> bool:
            items = place.json("review", "list")
            return isinstance(items, list) and len(items) == 1

        until(waits, daemon)
        answer = place.json("review", "do", "1", "discard", "--key", "k")
        assert isinstance(answer, dict)
        assert answer["replayed"] is False
        until(lambda: drafted(place, 0), daemon)


def test_a_killed_daemon_leaves_nothing_twice_and_goes_on(place: Place) -> None:
    # Two calls at once: three orphans of one kill would make the mailbox rest, as they should.
    with (place.config / "fencepost.toml").open("a") as file:
        file.write("concurrency = 2\n")
    for number in range(12):
        place.deliver(number)
    for after in (1, 5):
        with running(place) as daemon:
            until(partial(at_least, place, after), daemon)
            daemon.kill()
    with running(place) as daemon:
        settled(place, daemon)
    threads = place.json("threads")
    assert isinstance(threads, list)
    assert len(threads) == 12
    parents = [line for raw in place.drafts() for line in raw.splitlines() if b"In-Reply" in line]
    assert len(parents) == len(set(parents))


def at_least(place: Place, number: int) -> bool:
    return len(place.drafts()) >= number


def settled(place: Place, daemon: subprocess.Popen[bytes]) -> None:
    """Wait until nothing is due and every call has an outcome or is shown as unknown."""

    def holds() -> bool:
        status = place.json("status")
        assert isinstance(status, dict)
        rows = status["mailboxes"]
        return bool(rows) and rows[0]["due"] == 0 and "calling" not in status["intents"]

    until(holds, daemon)


def test_a_changed_users_file_is_taken_in_while_it_runs(place: Place, tmp_path: Path) -> None:
    second = tmp_path / "second"
    for sub in ("cur", "new", "tmp"):
        (second / sub).mkdir(parents=True)
    with running(place) as daemon:
        text = place.user_file.read_text()
        aside = place.user_file.with_suffix(".new")
        aside.write_text(
            f'{text}\n[[mailboxes]]\nid = "two"\nprovider = "maildir"\npath = "{second}"\n'
        )
        os.replace(aside, place.user_file)

        def served() -> bool:
            status = place.json("status")
            assert isinstance(status, dict)
            rows = {row["mailbox"]: row["state"] for row in status["mailboxes"]}
            return rows.get("robin/two") == "watching"

        until(served, daemon)


def test_a_broken_users_file_keeps_the_last_good_one(place: Place) -> None:
    with running(place) as daemon:
        good = place.user_file.read_text()
        place.user_file.write_text("name = ")

        def told() -> bool:
            items = place.json("review", "list")
            return isinstance(items, list) and [i["kind"] for i in items] == ["config_fault"]

        until(told, daemon)
        place.deliver(1)
        until(lambda: drafted(place, 1), daemon)
        place.user_file.write_text(good)

        def mended() -> bool:
            items = place.json("review", "list")
            return isinstance(items, list) and [i["kind"] for i in items] == ["draft_ready"]

        until(mended, daemon)


@pytest.mark.parametrize("broken", ["[storage\n", "[runtime]\npoll = 3\n"])
def test_a_broken_fencepost_toml_leaves_a_running_daemon_in_reach(
    place: Place, broken: str
) -> None:
    with running(place) as daemon:
        place.deliver(1)
        until(lambda: drafted(place, 1), daemon)
        until(lambda: len(json.loads(place.run("review", "list", "--json"))) == 1, daemon)
        file = place.config / "fencepost.toml"
        good = file.read_text()
        file.write_text(f'{broken}\ndata_dir = "{place.data_dir}"\n')
        link = place.root / "link"
        link.symlink_to(place.config)
        place.run("--config", str(link), "status")
        for words in (("status",), ("threads",), ("review",), ("intents",), ("pause",)):
            place.run(*words)
        assert "fencepost.toml" in place.warned("status")
        place.run("resume")
        answer = place.json("review", "do", "1", "discard", "--key", "k")
        assert isinstance(answer, dict)
        until(lambda: drafted(place, 0), daemon)
        place.run("once", status=2)
        place.run("check", status=2)
    assert "fencepost.toml" in place.run("status", status=2)
    file.write_text(good)


def test_a_broken_fencepost_toml_asks_no_daemon_of_another_configuration(
    place: Place, tmp_path: Path
) -> None:
    with running(place):
        other = tmp_path / "other"
        other.mkdir()
        (other / "fencepost.toml").write_text(f'[storage\ndata_dir = "{place.data_dir}"\n')
        place.run("--config", str(other), "status", status=2)


def test_logs_hold_no_subject_and_no_address(place: Place) -> None:
    with running(place) as daemon:
        place.deliver(1)
        until(lambda: drafted(place, 1), daemon)
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(timeout=BOUND_S)
    (log,) = place.root.glob("run-*.log")
    said = log.read_text()
    assert "example.org" not in said
    assert "Plan 1" not in said
    assert all(json.loads(line)["level"] for line in said.splitlines())
