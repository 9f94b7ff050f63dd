"""An installation with one Gmail mailbox, at a server in a process of its own."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from assistant.cli.main import cli
from tests.support.gmail.process import Process

ROBIN = "robin@example.com"
DAEMON = """\
[storage]
data_dir = "{data}"
[runtime]
lease_ttl = "{lease}"
call_timeout = "{call}"
settle = "0s"
poll = "1s"
[reconcile]
looks = ["0.2s", "1s", "2s", "4s"]
lag = "0.1s"
"""
USER = """\
name = "Robin Vale"
addresses = ["robin@example.com"]
[[mailboxes]]
id = "work"
provider = "gmail"
client = {{ file = "client.json" }}
token = {{ file = "tokens/robin-work.json" }}
api_root = "{root}"
auth_url = "{root}/o/oauth2/v2/auth"
token_url = "{root}/token"
"""


class Installation:
    """Below *root*, logged in at *google* with *scope* or the usual one."""

    def __init__(
        self, root: Path, google: Process, *, call: str = "10s", lease: str = "30s", **login: str
    ) -> None:
        self.google = google
        self.config, self.data, self.log = root / "config", root / "data", root / "log"
        (self.config / "users").mkdir(parents=True)
        (self.data / "tokens").mkdir(parents=True)
        (self.config / "fencepost.toml").write_text(
            DAEMON.format(data=self.data, call=call, lease=lease)
        )
        (self.config / "client.json").write_text(json.dumps(google.say("client")))
        (self.config / "users" / "robin.toml").write_text(USER.format(root=google.root))
        token = self.data / "tokens" / "robin-work.json"
        token.write_text(json.dumps(google.say("login", **login)))
        token.chmod(0o600)
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code and output of a command."""
        done = CliRunner().invoke(cli, ["--config", str(self.config), *words])
        return done.exit_code, done.output

    def check(self, *words: str) -> dict[str, dict[str, Any]]:
        """What ``check`` says, by what was checked."""
        done = CliRunner().invoke(cli, ["--config", str(self.config), "check", "--json", *words])
        return {one["what"]: one for one in json.loads(done.stdout)}

    def json(self, *words: str) -> list[dict[str, Any]]:
        done = CliRunner().invoke(cli, ["--config", str(self.config), *words, "--json"])
        assert done.exit_code == 0, done.output
        return list(json.loads(done.stdout))

    def daemon(self) -> subprocess.Popen[bytes]:
        """Start ``run``."""
        line = [sys.executable, "-m", "assistant.cli", "--config", str(self.config), "run"]
        with self.log.open("ab") as log:
            return subprocess.Popen(line, stdout=log, stderr=log, env=self.environment)

    def deliver(self, raw: bytes) -> dict[str, str]:
        """Mail arrives."""
        return dict(self.google.say("deliver", raw_base64=base64.b64encode(raw).decode()))

    def messages(self, label: str) -> list[tuple[str, bytes]]:
        """Thread and octets of every message with a label that is there now."""
        box = self.google.say("state")["accounts"][ROBIN]
        return [
            (one["thread"], base64.b64decode(one["raw"]))
            for one in box["messages"]
            if one["gone_s"] is None and label in one["labels"][-1][1]
        ]
