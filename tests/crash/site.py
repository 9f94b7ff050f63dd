"""A real installation in a folder, and the processes that work on it and die."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from providers.ports import Folder
from storage.words import FaultPoint
from tests.support.clock import FakeClock
from tests.support.hands import Lying, MaildirHands

DAEMON = """\
[storage]
data_dir = "{data}"
[runtime]
lease_ttl = "3s"
call_timeout = "1s"
settle = "0s"
poll = "1s"
[reconcile]
looks = ["0.2s", "3s"]
lag = "0.1s"
"""
USER = """\
name = "Robin Vale"
addresses = ["robin@example.com"]
[[mailboxes]]
id = "local"
provider = "maildir"
path = "{mail}"
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended, what it wrote, and the trap that it fell into."""

    status: int
    log: str
    trap: str

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL


class Site:
    """Configuration, data folder and Maildir below *root*; ``module`` is what its processes run."""

    module = "tests.support.runner"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = root / "config"
        self.data = root / "data"
        (self.config / "users").mkdir(parents=True)
        (self.config / "fencepost.toml").write_text(DAEMON.format(data=self.data))
        (self.config / "users" / "robin.toml").write_text(USER.format(mail=root / "Mail"))
        # An hour ago, so that everything has been quiet for long.
        clock = FakeClock(datetime.now(UTC) - timedelta(hours=1))
        self.hands = MaildirHands(clock, root / "Mail")

    def put(self, raw: bytes) -> None:
        """A mail arrives."""
        self.hands.put(raw)

    def start(
        self, doing: str, point: FaultPoint | None = None, act: str = "kill"
    ) -> subprocess.Popen[bytes]:
        """Start a process that does *doing* and falls into a trap at *point*."""
        self.trapped.unlink(missing_ok=True)
        return subprocess.Popen(
            [sys.executable, "-m", self.module, self.config, doing, point or "", act],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONWARNINGS": "default"},
        )

    def run(self, doing: str, point: FaultPoint | None = None) -> Ended:
        """Run a process to its end, whichever that is."""
        with self.start(doing, point) as process:
            log, _ = process.communicate(timeout=120)
            trap = self.trapped.read_text() if self.trapped.exists() else ""
            return Ended(process.returncode, log.decode(), trap)

    @property
    def trapped(self) -> Path:
        """Appears when a process has fallen into its trap."""
        return self.root / "trapped"

    def wait_for(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Wait until the process has written that file."""
        until = time.monotonic() + 30
        while not (self.root / name).exists():
            if time.monotonic() > until or process.poll() is not None:
                raise AssertionError(f"the process never came to {name}")
            time.sleep(0.01)

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        """Ask the database, beside everybody."""
        with closing(sqlite3.connect(f"file:{self.data}/fencepost.db?mode=ro", uri=True)) as conn:
            return list(conn.execute(sql))

    def drafts(self) -> list[Lying]:
        """Our drafts, as they lie there."""
        return [one for one in self.hands.lying(Folder.DRAFTS) if one.mark is not None]
