"""Several processes of Fencepost on one PostgreSQL database, each with a folder of its own.

A host has its own configuration and data folder and the same installation key as the others.
Mailboxes are Maildirs that every host can reach, or lie below the home folder of some hosts only.
"""

from __future__ import annotations

import json
import mailbox
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import postgres
from tests.support.waiting import BOUND_S, until

RUNTIME = 'lease_ttl = "6s"\ncall_timeout = "2s"\nsettle = "0s"\npoll = "1s"\n'
KEY = "ab" * 32


@dataclass
class Site:
    """One database, some Maildirs, and the hosts that work there."""

    root: Path
    database: str
    boxes: tuple[str, ...] = ("one", "two")
    pooled: bool = False
    at_home: bool = False
    """Whether users' files name the Maildirs below ``~``, so that it depends on the host."""
    hosts: dict[str, Host] = field(default_factory=dict)

    def host(
        self, name: str, *, runtime: str = RUNTIME, more: str = "", has_mail: bool = True
    ) -> Host:
        """A host with its folders; *more* goes into its copy of the user's file.

        *has_mail*: whether its home folder has the Maildirs, where they lie at home.
        """
        root = self.root / name
        host = Host(site=self, name=name, root=root, home=self.root if has_mail else root)
        host.write(runtime, more)
        self.hosts[name] = host
        return host

    def maildir(self, box: str) -> Path:
        return self.root / "mail" / box

    def make_boxes(self) -> None:
        """Make every Maildir."""
        for box in self.boxes:
            self.maildir(box).parent.mkdir(exist_ok=True)
            made = mailbox.Maildir(self.maildir(box))
            for folder in ("Sent", "Drafts"):
                made.add_folder(folder)

    def deliver(self, box: str, number: int) -> None:
        """Put a question into a mailbox."""
        mailbox.Maildir(self.maildir(box), create=False).add(
            f"From: Mina Okafor <mina{number}@example.org>\nTo: Robin Vale <robin@example.com>\n"
            f"Subject: Plan {number}\nMessage-ID: <{box}.{number}@example.org>\n\n"
            "Robin, could you send me the plan?\n".encode()
        )

    def drafts(self, box: str) -> list[str]:
        """What each draft in a mailbox answers."""
        folder = self.maildir(box) / ".Drafts" / "cur"
        raws = [path.read_bytes() for path in folder.iterdir()] if folder.exists() else []
        return sorted(
            line.partition(b":")[2].strip().decode()
            for raw in raws
            for line in raw.splitlines()
            if line.lower().startswith(b"in-reply-to:")
        )

    def sql(self, query: str) -> list[tuple[object, ...]]:
        """Ask the database directly."""
        rows = postgres.cluster().sql(query, database=self.database)
        return [tuple(row) for row in rows]


@dataclass
class Host:
    """One host: its folders, and the processes that run there."""

    site: Site
    name: str
    root: Path
    home: Path

    def write(self, runtime: str = RUNTIME, more: str = "") -> None:
        """Write its configuration."""
        cluster = postgres.cluster()
        port = cluster.bouncer.port if self.site.pooled else cluster.port
        (self.root / "config" / "users").mkdir(parents=True, exist_ok=True)
        (self.root / "config" / "fencepost.toml").write_text(
            f'[storage]\nurl = "{cluster.url(self.site.database, port=port)}"\n'
            f'password = {{ env = "FLEET_PASSWORD" }}\ndata_dir = "{self.root / "data"}"\n'
            f"[runtime]\n{runtime}"
        )
        key = self.root / "config" / "installation.key"
        if not key.exists():
            key.write_text(KEY)
            key.chmod(0o600)
        self.write_user(more)

    def write_user(self, more: str = "") -> None:
        """Write its copy of the user's file."""
        boxes = "".join(
            f'[[mailboxes]]\nid = "{box}"\nprovider = "maildir"\n'
            f'path = "{f"~/mail/{box}" if self.site.at_home else self.site.maildir(box)}"\n'
            for box in self.site.boxes
        )
        (self.root / "config" / "users" / "robin.toml").write_text(
            f'name = "Robin Vale"\naddresses = ["robin@example.com"]\n{more}\n{boxes}'
        )

    def command(self, *words: str) -> list[str]:
        """The command line, on a host of that name where the test may have one."""
        own = [sys.executable, "-m", "assistant.cli", "--config", str(self.root / "config"), *words]
        if not separable():
            return own
        return ["unshare", "--uts", "sh", "-c", f'hostname {self.name} && exec "$@"', "sh", *own]

    def run(self, *words: str, status: int = 0) -> str:
        """Run a command to its end; what it said."""
        done = subprocess.run(
            self.command(*words), env=self.environment(), capture_output=True, text=True,
            check=False, timeout=BOUND_S,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done.stdout or done.stderr

    def environment(self) -> dict[str, str]:
        """The environment of its commands."""
        return environment() | ({"HOME": str(self.home)} if self.site.at_home else {})

    def logged(self, event: str) -> list[dict[str, object]]:
        """What its daemons logged of one kind."""
        lines = [
            line for log in self.root.glob("run-*.log") for line in log.read_text().split("\n")
        ]
        told = [json.loads(line) for line in lines if line.startswith("{")]
        return [one for one in told if one.get("event") == event]

    def json(self, *words: str, status: int = 0) -> object:
        """Run a command to its end; the document that it printed."""
        return json.loads(self.run(*words, "--json", status=status))

    @contextmanager
    def running(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """``fencepost run`` until the block ends; it is killed then if it still runs."""
        log = self.root / f"run-{time.monotonic_ns()}.log"
        with log.open("wb") as stream:
            daemon = subprocess.Popen(
                self.command("run", *words),
                stderr=stream, stdout=subprocess.DEVNULL, env=self.environment(),
            )  # fmt: skip
            try:
                until(lambda: b'"running"' in log.read_bytes(), daemon, log)
                yield daemon
            finally:
                if daemon.poll() is None:
                    daemon.send_signal(signal.SIGCONT)
                    daemon.kill()
                daemon.wait()


def separable() -> bool:
    """Whether a process can be given a host name of its own."""
    return os.geteuid() == 0 and shutil.which("unshare") is not None


def environment() -> dict[str, str]:
    """The environment of a command, with this tree on its path."""
    root = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": root, "FLEET_PASSWORD": postgres.PASSWORD}
