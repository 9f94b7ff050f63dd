"""A store on a disk, under a power cut: only what its connection has had synced is there again.

SQLite says what a commit in WAL mode survives: with ``synchronous=FULL`` the log is synced before
COMMIT returns, with less a cut loses whatever was committed since the last checkpoint. So what is
left after a cut here follows from what the house's own engine has set on its connection, and the
file is really one that the house has opened.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection
from typing_extensions import override

from storage.sqlite import sync_engine
from storage.tables import metadata
from tests.support.clock import FakeClock
from tests.support.database import _TRIGGERS
from tests.support.quick import QuickDatabase

T = TypeVar("T")

FULL: Final = 2


class DiskDatabase(QuickDatabase):
    """See the module's text."""

    def __init__(self, clock: FakeClock) -> None:
        """A file of its own, which goes when the store is closed."""
        super().__init__(clock)
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "fencepost.db"
        self._engine = sync_engine(path, virtual_clock=lambda: clock.database_s())
        self._opened = self._engine.raw_connection()
        raw = self._opened.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        self._raw = raw
        metadata.create_all(self._engine)
        raw.create_function("see_intent", 9, lambda *seen: self.watch.see_intent(*seen))
        raw.create_function("see_lease", 5, lambda *seen: self.watch.see_lease(*seen))
        raw.create_function("see_loss", 1, lambda *seen: self.watch.see_loss(*seen))
        raw.executescript(_TRIGGERS)
        self._synced = sqlite3.connect(":memory:")
        raw.backup(self._synced)

    @override
    def run(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit*; what it committed is on the disk if the connection has it synced."""
        before = self._raw.total_changes
        try:
            return super().run(unit)
        finally:
            (setting,) = self._raw.execute("PRAGMA synchronous").fetchone()
            if setting >= FULL and self._raw.total_changes != before:
                self._raw.backup(self._synced)

    def cut(self) -> None:
        """The power goes and comes back."""
        self._synced.backup(self._raw)

    def end(self) -> None:
        """Close the file and drop it."""
        self._synced.close()
        self._opened.close()
        self._engine.dispose()
        self._folder.cleanup()
