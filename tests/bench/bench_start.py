"""How long the command line takes to start, and the daemon to draft again after kill -9.

    python -m tests.bench.bench_start [runs]

``fencepost --help`` is measured beside ``python -c "import typing, json, argparse"``; the restart
from the start of the new process to the first draft that it makes, beside the same on a fresh data
folder that nobody was killed in.
"""

from __future__ import annotations

import mailbox
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

BASE = [sys.executable, "-c", "import typing, json, argparse"]
HELP = [sys.executable, "-m", "assistant.cli", "--help"]


def seconds_of(command: list[str], runs: int) -> float:
    """The median of *runs* runs."""
    found = []
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found.append(time.perf_counter() - started)
    return statistics.median(found)


def make_place(root: Path) -> Path:
    """A configuration over a new Maildir; gives the folder of drafts."""
    (root / "config" / "users").mkdir(parents=True)
    (root / "config" / "fencepost.toml").write_text(
        f'[storage]\ndata_dir = "{root / "data"}"\n[runtime]\nsettle = "0s"\n'
    )
    (root / "config" / "users" / "robin.toml").write_text(
        'name = "Robin Vale"\naddresses = ["robin@example.com"]\n'
        f'[[mailboxes]]\nid = "local"\nprovider = "maildir"\npath = "{root / "mail"}"\n'
    )
    box = mailbox.Maildir(root / "mail")
    box.add_folder("Drafts")
    box.add_folder("Sent")
    return root / "mail" / ".Drafts" / "cur"


def deliver(root: Path, number: int) -> None:
    box = mailbox.Maildir(root / "mail", create=False)
    box.add(
        f"From: Mina <mina@example.org>\nTo: robin@example.com\nSubject: Plan {number}\n"
        f"Message-ID: <b{number}@example.org>\n\nCould you send me the plan?\n".encode()
    )


def start(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "assistant.cli", "--config", str(root / "config"), "run"],
        stderr=subprocess.DEVNULL,
        env=os.environ,
    )


def until_more(folder: Path, number: int) -> None:
    """Wait until there are more than *number* drafts."""
    end = time.monotonic() + 120
    while len(list(folder.iterdir())) <= number:
        if time.monotonic() > end:
            raise TimeoutError("no draft within two minutes")
        time.sleep(0.005)


def until_recorded(root: Path) -> None:
    """Wait until no call is without an outcome.

    A kill between a draft and its record leaves an unknown; three in a row rest the mailbox, which
    is not what is measured here.
    """
    with closing(sqlite3.connect(f"file:{root / 'data' / 'fencepost.db'}?mode=ro", uri=True)) as db:
        while db.execute("SELECT 1 FROM intents WHERE state IN ('calling', 'unknown')").fetchone():
            time.sleep(0.02)


def restarts(runs: int) -> list[float]:
    """Seconds to the first draft after each kill -9."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        drafts = make_place(root)
        deliver(root, 0)
        daemon = start(root)
        until_more(drafts, 0)
        for run in range(1, runs + 1):
            deliver(root, run)
            daemon.kill()
            daemon.wait()
            before = len(list(drafts.iterdir()))
            deliver(root, 1_000 + run)
            started = time.perf_counter()
            daemon = start(root)
            until_more(drafts, before)
            found.append(time.perf_counter() - started)
            until_recorded(root)
        daemon.kill()
        daemon.wait()
    return found


def first_starts(runs: int) -> list[float]:
    """Seconds to the first draft of a fresh installation."""
    found = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            drafts = make_place(root)
            deliver(root, 0)
            started = time.perf_counter()
            daemon = start(root)
            until_more(drafts, 0)
            found.append(time.perf_counter() - started)
            daemon.kill()
            daemon.wait()
    return found


def main(runs: int) -> None:
    base, shown = seconds_of(BASE, 10), seconds_of(HELP, 10)
    print(f"--help {shown * 1000:.0f} ms, {shown / base:.1f} x a bare interpreter's imports")
    again, fresh = restarts(runs), first_starts(max(3, runs // 10))
    print(
        f"first draft after kill -9, {runs} runs: median {statistics.median(again):.2f} s, "
        f"worst {max(again):.2f} s, {statistics.median(again) / statistics.median(fresh):.2f} x "
        "the first draft of a fresh installation"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
