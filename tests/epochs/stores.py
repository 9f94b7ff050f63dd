"""The store of an installation, on either engine, that a test copies, sets back and migrates."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from storage.migrate import upgrade, upgrade_postgres
from tests.cli.conftest import Place, environment
from tests.support.postgres import Cluster, aside
from tests.support.waiting import until


class Kept(Protocol):
    """What a test does to a store beside a daemon."""

    def copy(self) -> None:
        """Copy it at one moment."""

    def put_back(self) -> None:
        """Set it back to the copy; nobody uses it."""

    def migrate(self, versions: Path) -> None:
        """Have a release of these revisions migrate it, beside everybody."""


@dataclass(frozen=True, slots=True)
class File:
    """An SQLite file in its data folder."""

    path: Path

    def copy(self) -> None:
        with closing(sqlite3.connect(self.path)) as now, closing(self._copy()) as then:
            now.backup(then)

    def put_back(self) -> None:
        for companion in ("-wal", "-shm"):
            self.path.with_name(self.path.name + companion).unlink(missing_ok=True)
        self.path.with_name("copy").replace(self.path)

    def migrate(self, versions: Path) -> None:
        # As by hand: the lock of the data folder keeps a release from it.
        upgrade(self.path, versions=versions)

    def _copy(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path.with_name("copy"))


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk of a PostgreSQL server; the server dies for a moment when it is copied."""

    server: Cluster
    database: str

    def copy(self) -> None:
        self.server.stop()
        subprocess.run(["cp", "-a", str(self.server.data), str(self._copy)], check=True)
        self.server.start()

    def put_back(self) -> None:
        self.server.stop()
        shutil.rmtree(self.server.data)
        self._copy.rename(self.server.data)
        self.server.start()

    def migrate(self, versions: Path) -> None:
        place = self.server.place(self.database)
        aside(partial(upgrade_postgres, place, versions=versions))

    @property
    def _copy(self) -> Path:
        return self.server.base / "copy"


@dataclass(slots=True)
class Running:
    """``fencepost run`` as a process of its own."""

    process: subprocess.Popen[bytes]
    log: Path

    def until(self, holds: object) -> None:
        """Wait until something holds while it runs."""
        assert callable(holds)
        until(holds, self.process, self.log)

    def said(self) -> str:
        """Its log."""
        return self.log.read_text()


@contextmanager
def running(place: Place) -> Iterator[Running]:
    """The daemon at work; it is killed at the end if it still runs."""
    log = place.root / f"run-{time.monotonic_ns()}.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            place.command("run"), stderr=stream, stdout=subprocess.DEVNULL, env=environment()
        )
        daemon = Running(process, log)
        try:
            daemon.until(partial(_is_ready, log))
            yield daemon
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def _is_ready(log: Path) -> bool:
    return '"running"' in log.read_text()
