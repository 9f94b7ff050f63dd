"""The kinds of world that every row of the failure matrix is tried in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from assistant.settings import Settings
from tests.support.database import InlineDatabase
from tests.support.gmail_hands import GmailHands
from tests.support.shared import PooledDatabase, SharedDatabase
from tests.support.world import SETTINGS, World

MEMORY: Final = "memory"
UNSTAGED: Final = "memory_unstaged"
MAILDIR: Final = "maildir"
GMAIL: Final = "gmail"
POSTGRESQL: Final = "postgresql"
PGBOUNCER: Final = "pgbouncer"
KINDS: Final = (MEMORY, UNSTAGED, MAILDIR, GMAIL, POSTGRESQL)
"""Of mailboxes on SQLite; the last is a mailbox in memory with the record in PostgreSQL."""
STORES: Final = {POSTGRESQL: SharedDatabase, PGBOUNCER: PooledDatabase}


@dataclass(frozen=True, slots=True)
class Make:
    """Makes worlds of one kind; ``made`` is told of each."""

    kind: str
    path: Path
    made: Callable[[World], None] = lambda _: None

    @property
    def stages(self) -> bool:
        """Whether bytes are staged, so that a call can be proved never to have landed."""
        return self.kind not in (UNSTAGED, GMAIL)

    @property
    def is_files(self) -> bool:
        """Whether the mailbox is a Maildir."""
        return self.kind == MAILDIR

    def __call__(self, *, lag_s: float = 0.0, settings: Settings = SETTINGS) -> World:
        world = World(
            self.path / "Mail" if self.is_files else None,
            lag_s=lag_s,
            stages=self.stages,
            settings=settings,
            store=STORES.get(self.kind, InlineDatabase),
            hands=partial(GmailHands, lag_s=lag_s) if self.kind == GMAIL else None,
        )
        self.made(world)
        return world
