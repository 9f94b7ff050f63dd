"""The server as another process, and a small client for its control path.

``with Process.started(tmp_path / "gmail.json") as google:`` then ``google.say("deliver", ...)``.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.support.sink import ROOT


class Process:
    """A running child. ``kill`` and ``start`` again keep the port and what the file holds."""

    def __init__(self, state: Path | None = None, clock: str = "real") -> None:
        self._state = state
        self._clock = clock
        self._child: subprocess.Popen[bytes] | None = None
        self.port = 0

    @classmethod
    @contextmanager
    def started(cls, state: Path | None = None, clock: str = "real") -> Iterator[Process]:
        """A server for the length of a block."""
        made = cls(state, clock)
        made.start()
        try:
            yield made
        finally:
            made.kill()

    @property
    def root(self) -> str:
        """The api_root."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run it and learn the port."""
        line = [sys.executable, "-m", "tests.support.gmail", "--port", str(self.port)]
        line += ["--clock", self._clock]
        if self._state is not None:
            line += ["--state", str(self._state)]
        self._child = subprocess.Popen(
            line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._child.stdout is not None
        self.port = int(json.loads(self._child.stdout.readline())["port"])

    def kill(self) -> None:
        """SIGKILL."""
        child, self._child = self._child, None
        if child is None:
            return
        child.send_signal(signal.SIGKILL)
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()

    def say(self, word: str, **given: Any) -> Any:
        """Do a control word; raises AssertionError with what it answered when refused."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            link.request("POST", f"/_control/{word}", json.dumps(given))
            answer = link.getresponse()
            value = json.loads(answer.read())
        finally:
            link.close()
        assert answer.status == 200, value
        return value
