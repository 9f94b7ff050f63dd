"""A backlog on a private, durable PostgreSQL, and worker processes at it; for fleet benches."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sqlalchemy import Connection

from storage import mailboxes, messages, threads
from storage.dbtime import database_now_ms
from storage.messages import Message
from storage.postgres import open_postgres
from storage.words import Identity, IntegrationId, Ref, ThreadId, UserName
from tests.bench.fleet_worker import Order
from tests.support.postgres import PASSWORD, Cluster, aside

CHUNK = 250
ROOT = Path(__file__).parents[2]


def names(number: int) -> list[str]:
    """The integrations of *number* mailboxes."""
    return [f"robin/box{at}" for at in range(number)]


def due(integration: str, first: int, number: int) -> Callable[[Connection], None]:
    """A unit that notes *number* threads of one mail each, all due now."""

    def unit(conn: Connection) -> None:
        now = database_now_ms(conn)
        for at in range(first, first + number):
            thread, ref = ThreadId(f"t{at:06d}"), Ref(f"m{at:06d}")
            name = IntegrationId(integration)
            threads.ensure(conn, name, thread, now, provider_thread=None, subject=f"Plan {ref}")
            messages.claim_keys(conn, name, thread, [f"{ref}@example.org"])
            note = Message(
                ref=ref,
                identity=Identity(f"{at:064d}"),
                message_id=f"<{ref}@example.org>",
                thread=thread,
                folder="inbox",
                arrived_at=now,
            )
            messages.put(conn, name, note)
            row = threads.load(conn, name, thread)
            threads.changed(conn, row, now, due_at=now - 1, arrived=[note.identity])

    return unit


def fill(cluster: Cluster, database: str, mailboxes_: Sequence[str], number: int) -> None:
    """Lay *number* due threads into each of the mailboxes."""
    # The server's own clock_timestamp(), not the one that tests can set.
    cluster.sql(f"ALTER DATABASE {database} RESET search_path")

    async def run() -> None:
        store = await open_postgres(cluster.place(database))
        for name in mailboxes_:
            await store.write(
                lambda conn, name=name: mailboxes.ensure(
                    conn, IntegrationId(name), UserName("robin"), "memory"
                )
            )
            for first in range(0, number, CHUNK):
                await store.write(due(name, first, min(CHUNK, number - first)))
        await store.close()

    aside(run)
    cluster.sql("VACUUM ANALYZE", database=database)


@dataclass
class Hand:
    """A worker process; ``events`` are the lines that it has printed."""

    order: Order
    process: subprocess.Popen[str] = field(init=False)
    events: queue.SimpleQueue[dict[str, object]] = field(default_factory=queue.SimpleQueue)
    _reader: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.fleet_worker", json.dumps(asdict(self.order))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.wait_for("ready")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.put(json.loads(line))
        self.events.put({"event": "ended"})

    def wait_for(self, event: str, *, timeout_s: float = 120.0) -> dict[str, object]:
        """The next event of this name; others are dropped. Raises RuntimeError."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            try:
                found = self.events.get(timeout=end - time.monotonic())
            except queue.Empty:
                break
            if found["event"] == event:
                return found
            if found["event"] == "ended":
                break
        raise RuntimeError(f"worker {self.order.name} never said {event}")

    def say(self) -> None:
        """A line on its stdin: begin, or end."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self) -> float:
        """SIGKILL; gives the time."""
        at = time.monotonic()
        self.process.kill()
        self.close()
        return at

    def close(self) -> None:
        """Wait for its end."""
        self.process.wait(60)
        self._reader.join()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()


def hand(cluster: Cluster, database: str, name: str, boxes: Sequence[str], **more: object) -> Hand:
    """Start a worker process and wait until it is ready."""
    order = Order(
        url=cluster.url(database),
        password=PASSWORD,
        name=name,
        mailboxes=list(boxes),
        **more,  # type: ignore[arg-type]
    )
    return Hand(order)


@contextmanager
def cloned(cluster: Cluster, template: str) -> Iterator[str]:
    """A copy of a database that nobody is connected to."""
    name = f"{template}_copy"
    cluster.drop(name)
    cluster.sql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    try:
        yield name
    finally:
        cluster.drop(name)
