"""One installation on SQLite with Gmail mailboxes, and the real commands that work on it.

The provider is a process of its own with its own log; ``fencepost`` is a process for each command.
Nothing reaches into either: what is asserted is what the provider counted and what a command said.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from providers.mime.marks import MARK_HEADER
from tests.support.gmail.process import Process
from tests.support.sink import ROOT
from tests.support.waiting import until

BOUND_S = 90.0
"""How long a real process may take at most; nothing is asserted about how long it takes."""
DAEMON = """\
[storage]
data_dir = "{data}"
[runtime]
lease_ttl = "6s"
call_timeout = "2s"
settle = "0s"
poll = "0.4s"
[reconcile]
looks = {looks}
lag = "2s"
"""
LOOKS = ("0.5s", "2.5s", "14s")
"""The last is too far off for ``once`` to wait for it."""


def address(user: str) -> str:
    """The account of a user."""
    return f"{user}@example.com"


def question(number: int | str, user: str = "robin", subject: str | None = None) -> EmailMessage:
    """A mail that wants an answer; its Message-ID is ``<number@example.org>``."""
    mail = EmailMessage()
    mail["From"] = "Mina Okafor <mina@example.org>"
    mail["To"] = f"{user.title()} Vale <{address(user)}>"
    mail["Subject"] = f"The plan {number}" if subject is None else subject
    mail["Message-ID"] = f"<{number}@example.org>"
    mail["Date"] = datetime.now(UTC)
    mail.set_content(f"{user.title()}, could you send me part {number} of the plan?\n")
    return mail


@dataclass
class Site:
    """Configuration, data folder, and the provider's root; ``token_path`` differs by server."""

    root: Path
    provider: str
    users: tuple[str, ...] = ("robin",)
    token_path: str = "/token"
    looks: tuple[str, ...] = LOOKS
    more: str = ""
    """Lines of a user's file before its mailboxes."""
    also: tuple[str, ...] = ()
    """Further addresses of each user."""
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.root / "daemon.log"

    @property
    def config(self) -> Path:
        """The configuration folder."""
        return self.root / "config"

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.root / "data"

    def write(self, client: object, logins: dict[str, object]) -> None:
        """The files: the daemon's, each user's, the OAuth client, and the logins there are."""
        (self.config / "users").mkdir(parents=True, exist_ok=True)
        (self.config / "client.json").write_text(json.dumps(client))
        (self.config / "client.json").chmod(0o600)
        (self.config / "fencepost.toml").write_text(
            DAEMON.format(data=self.data, looks=json.dumps(self.looks))
        )
        for user in self.users:
            self.write_user(user)
        tokens = self.data / "tokens"
        tokens.mkdir(parents=True, exist_ok=True)
        self.data.chmod(0o700)
        for user, login in logins.items():
            (tokens / f"{user}.json").write_text(json.dumps(login))
            (tokens / f"{user}.json").chmod(0o600)

    def write_user(self, user: str) -> None:
        """One user's file."""
        own = json.dumps([address(user), *self.also])
        (self.config / "users" / f"{user}.toml").write_text(
            f'name = "{user.title()} Vale"\naddresses = {own}\n{self.more}'
            f'[[mailboxes]]\nid = "mail"\nprovider = "gmail"\nclient = {{ file = "client.json" }}\n'
            f'token = {{ file = "tokens/{user}.json" }}\napi_root = "{self.provider}"\n'
            f'auth_url = "{self.provider}/o/oauth2/v2/auth"\n'
            f'token_url = "{self.provider}{self.token_path}"\n'
        )

    # the command line

    def line(self, *words: str) -> list[str]:
        """The command line."""
        return [sys.executable, "-m", "assistant.cli", "--config", str(self.config), *words]

    def run(self, *words: str, status: int = 0) -> str:
        """Run a command to its end; what it said on stdout."""
        done = subprocess.run(
            self.line(*words), env=environment(), capture_output=True, text=True, check=False,
            timeout=BOUND_S, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == status, f"{done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def json(self, *words: str, status: int = 0) -> Any:
        """Run a command to its end; the document that it printed."""
        return json.loads(self.run(*words, "--json", status=status))

    def start(self) -> subprocess.Popen[bytes]:
        """Start the daemon; its log is added to ``log``."""
        with self.log.open("ab") as stream:
            return subprocess.Popen(
                self.line("run"), stderr=stream, stdout=subprocess.DEVNULL, env=environment()
            )

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """The daemon until the block ends; it is killed then if it still runs."""
        before = self.log.stat().st_size if self.log.exists() else 0
        daemon = self.start()
        try:
            self.until(lambda: b'"running"' in self.log.read_bytes()[before:], daemon)
            yield daemon
        finally:
            kill(daemon)

    def until(
        self,
        holds: Callable[[], object],
        daemon: subprocess.Popen[bytes] | None = None,
        bound_s: float = BOUND_S,
    ) -> None:
        """Wait until something holds, bounded."""
        until(holds, daemon, self.log, bound_s=bound_s)

    # what is found

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the database, beside everybody; nothing before it is made."""
        try:
            path = f"file:{self.data}/fencepost.db?mode=ro"
            with closing(sqlite3.connect(path, uri=True, timeout=10)) as conn:
                return list(conn.execute(query))
        except sqlite3.OperationalError:
            return []

    def change(self, statement: str) -> None:
        """Change the database while nobody works on it, as if time had passed."""
        with closing(sqlite3.connect(self.data / "fencepost.db", timeout=10)) as conn, conn:
            conn.execute(statement)

    def states(self) -> Counter[str]:
        """How many creates are in which state."""
        rows = self.sql("SELECT state FROM intents WHERE kind = 'create_draft'")
        return Counter(str(state) for (state,) in rows)

    def items(self, kind: str, state: str = "open") -> list[dict[str, Any]]:
        """The review items of a kind, by the command."""
        return [
            one
            for one in self.json("review", "list", *(["--all"] if state == "closed" else []))
            if one["kind"] == kind and one["state"] == state
        ]

    def noted(self) -> set[str]:
        """The Message-IDs that are noted."""
        return {str(name) for (name,) in self.sql("SELECT message_id FROM messages")}


@dataclass
class Google(Site):
    """A site whose provider is the test server."""

    google: Process = field(kw_only=True)

    @classmethod
    @contextmanager
    def made(
        cls, root: Path, users: tuple[str, ...] = ("robin",), **given: Any
    ) -> Iterator[Google]:
        """The server, and an installation that is logged in there."""
        with Process.started() as google:
            site = cls(root=root, provider=google.root, google=google, users=users, **given)
            site.write(
                google.say("client"),
                {user: google.say("login", address=address(user)) for user in users},
            )
            yield site

    def say(self, word: str, user: str = "robin", **given: Any) -> Any:
        """One of the owner's acts."""
        return self.google.say(word, user=address(user), **given)

    def deliver(self, mail: EmailMessage, user: str = "robin", **given: Any) -> dict[str, Any]:
        """Mail arrives."""
        made: dict[str, Any] = self.say("deliver", user, raw=mail.as_string(), **given)
        return made

    def settings(self, **given: Any) -> None:
        """Change how the server behaves."""
        self.google.say("settings", **given)

    def fault(self, **given: Any) -> None:
        """A fault at the provider."""
        self.google.say("fault", **given)

    def counters(self) -> dict[str, Any]:
        """What the provider counted."""
        found: dict[str, Any] = self.google.say("counters")
        return found

    def units(self, user: str = "robin") -> int:
        """Units that the provider has counted."""
        return int(self.counters()["units"].get(address(user), 0))

    def effects(self) -> dict[str, int]:
        """How often each mark of ours took effect as a draft."""
        found: dict[str, int] = self.google.say(
            "effects", header=MARK_HEADER.lower(), methods=["drafts.create"]
        )
        return found

    def drafts(self, user: str = "robin") -> dict[str, dict[str, Any]]:
        """The unsent drafts that lie in an account, by draft id."""
        state = self.google.say("state")["accounts"][address(user)]
        lying = {one["id"]: one for one in state["messages"] if one.get("gone_s") is None}
        found = {}
        for draft, line in state["drafts"].items():
            name = line[-1][1]
            if name is not None and name in lying and "DRAFT" in lying[name]["labels"][-1][1]:
                found[draft] = lying[name]
        return found


def kill(daemon: subprocess.Popen[bytes]) -> None:
    """SIGKILL, and wait for its end."""
    with suppress(ProcessLookupError):
        daemon.send_signal(signal.SIGCONT)
        daemon.kill()
    daemon.wait()


def environment() -> dict[str, str]:
    """The environment of a command, with this tree on its path."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "NO_COLOR": "1"}
