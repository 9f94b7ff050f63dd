"""A server in a process of its own that takes what it is sent and behaves as a test asks.

The child opens a port for each behaviour and counts what comes there; test and child talk over
pipes, a JSON object a line. What was counted is asked for, so nothing has to be waited for by time.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20.0
Plan = dict[str, Any]
Listen = Callable[["Counted"], Awaitable[asyncio.Server]]


@dataclass
class Counted:
    """One port: its behaviour, and what came there."""

    plan: Plan
    journal: dict[str, list[Any]] = field(default_factory=dict)
    grown: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def count(self, what: str, entry: object) -> None:
        """Add to the journal."""
        async with self.grown:
            self.journal.setdefault(what, []).append(entry)
            self.grown.notify_all()

    async def until(self, what: str, number: int) -> None:
        """Wait until there are *number* entries."""
        async with self.grown:
            await asyncio.wait_for(
                self.grown.wait_for(lambda: len(self.journal.get(what, [])) >= number), PATIENCE_S
            )


def run_child(listen: Listen) -> None:
    """The child: serve until the pipe closes."""
    asyncio.run(_child(listen))


async def _child(listen: Listen) -> None:
    loop = asyncio.get_running_loop()
    ports: dict[int, Counted] = {}
    servers = []
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        answer: object
        if "open" in asked:
            counted = Counted(asked["open"])
            server = await listen(counted)
            servers.append(server)
            port = server.sockets[0].getsockname()[1]
            ports[port] = counted
            answer = port
        else:
            counted = ports[asked["port"]]
            if "until" in asked:
                await counted.until(asked["until"], asked["number"])
            answer = counted.journal
        print(json.dumps(answer), flush=True)
    os._exit(0)  # some connections hang for ever by design


class Sink:
    """The child as a test sees it."""

    def __init__(self, module: str, *args: str) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", module, *args],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def open(self, **plan: object) -> Port:
        """A port with this behaviour."""
        port = self._ask({"open": plan})
        assert isinstance(port, int)
        return Port(self, port)

    def close(self) -> None:
        """End the child."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        self._child.wait(PATIENCE_S)
        self._child.stdout.close()

    def _ask(self, asked: object) -> object:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(asked) + "\n")
        self._child.stdin.flush()
        return json.loads(self._child.stdout.readline())


@dataclass
class Port:
    """One behaviour of a sink, at its port."""

    sink: Sink
    port: int

    def all(self, what: str, *, at_least: int = 0) -> list[Any]:
        """Everything of one sort that came, once there are *at_least* so many."""
        asked: dict[str, object] = {"port": self.port}
        if at_least:
            asked |= {"until": what, "number": at_least}
        journal = self.sink._ask(asked)
        assert isinstance(journal, dict)
        found = journal.get(what, [])
        assert isinstance(found, list)
        return found
