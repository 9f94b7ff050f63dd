"""A configured installation on a real Maildir, and the command line as a person runs it."""

from __future__ import annotations

import json
import mailbox
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.cli.main import cli


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with configuration, data and one Maildir."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def maildir(self) -> Path:
        return self.root / "mail"

    @property
    def data_dir(self) -> Path:
        return self.root / "data"

    @property
    def user_file(self) -> Path:
        return self.config / "users" / "robin.toml"

    def deliver(
        self, number: int, text: str = "Robin, could you send me the plan?", *, answers: str = ""
    ) -> str:
        box = mailbox.Maildir(self.maildir, create=False)
        message_id = f"<m{number}@example.org>"
        parent = f"In-Reply-To: {answers}\nReferences: {answers}\n" if answers else ""
        box.add(
            f"From: Mina Okafor <mina{number}@example.org>\nTo: Robin Vale <robin@example.com>\n"
            f"Subject: Plan {number}\nMessage-ID: {message_id}\n{parent}\n{text}\n".encode()
        )
        return message_id

    def drafts(self) -> list[bytes]:
        folder = self.maildir / ".Drafts" / "cur"
        return [one.read_bytes() for one in sorted(folder.iterdir())]

    def draft_files(self) -> list[Path]:
        return sorted((self.maildir / ".Drafts" / "cur").iterdir())

    def command(self, *words: str) -> list[str]:
        """The command line of a process of its own."""
        return [sys.executable, "-m", "assistant.cli", "--config", str(self.config), *words]

    def run(self, *words: str, status: int = 0, columns: str = "160") -> str:
        """Run a command in this process; what it said on stdout, or on stderr if it failed."""
        done = CliRunner(env={"COLUMNS": columns}).invoke(
            cli, ["--config", str(self.config), *words], obj={}
        )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == status, done.stderr
        return done.stdout or done.stderr

    def warned(self, *words: str) -> str:
        """What a command that succeeds says on stderr."""
        done = CliRunner(env={"COLUMNS": "160"}).invoke(
            cli, ["--config", str(self.config), *words], obj={}
        )
        assert done.exit_code == 0, done.stderr
        return done.stderr

    def said(self, *words: str, status: int = 0) -> str:
        """What a command says on stderr."""
        done = CliRunner(env={"COLUMNS": "160"}).invoke(
            cli, ["--config", str(self.config), *words], obj={}
        )
        assert done.exit_code == status, done.output
        return done.stderr

    def json(self, *words: str, status: int = 0) -> object:
        return json.loads(self.run(*words, "--json", status=status))


def environment() -> dict[str, str]:
    """The environment of a command, with this tree on its path."""
    root = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": root, "COLUMNS": "120"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path)
    (found.config / "users").mkdir(parents=True)
    (found.config / "fencepost.toml").write_text(
        f'[storage]\ndata_dir = "{found.data_dir}"\n[runtime]\nsettle = "0s"\n'
        'call_timeout = "2s"\nlease_ttl = "6s"\n'
    )
    found.user_file.write_text(
        'name = "Robin Vale"\naddresses = ["robin@example.com"]\nsignature = "Robin"\n'
        f'[[mailboxes]]\nid = "local"\nprovider = "maildir"\npath = "{found.maildir}"\n'
    )
    box = mailbox.Maildir(found.maildir)
    box.add_folder("Drafts")
    box.add_folder("Sent")
    return found


@pytest.fixture
def items() -> Callable[[object], list[dict[str, object]]]:
    """A JSON list of objects, as such."""

    def listed(document: object) -> list[dict[str, object]]:
        assert isinstance(document, list)
        return document

    return listed
