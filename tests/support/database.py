"""A store that runs each unit at once, on this thread, by the world's clock.

No thread and no file between a caller and its result, so whole workers run the same way every time.
While it works it watches the promises that hold at every commit: triggers inside the database see
each move of an intent and each change of a lease, and every commit is searched for two open calls
in one thread.
"""

from __future__ import annotations

import atexit
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TypeVar

import sqlalchemy as sa
from anyio.lowlevel import cancel_shielded_checkpoint, checkpoint_if_cancelled
from sqlalchemy import Connection, Engine

from storage.database import Hook
from storage.errors import CommitUnknownError, StorageBusyError, StorageIllError
from storage.sqlite import sync_engine
from storage.tables import metadata
from storage.words import MAILBOX_CHANGING, TRANSITIONS, By, IntentState
from tests.support.clock import FakeClock

T = TypeVar("T")

_TRIGGERS = """
CREATE TEMP TRIGGER see_intent AFTER UPDATE ON main.intents BEGIN
  SELECT see_intent(old.id, old.state, new.state, old.attempt, new.attempt, new.settled_by,
                    new.blocks, new.kind, old.key = new.key AND old.request = new.request); END;
CREATE TEMP TRIGGER see_lease AFTER UPDATE ON main.leases BEGIN
  SELECT see_lease(new.thread, old.owner, new.owner, old.fence, new.fence); END;
CREATE TEMP TRIGGER no_lease_goes AFTER DELETE ON main.leases BEGIN
  SELECT see_loss('leases'); END;
CREATE TEMP TRIGGER no_intent_goes AFTER DELETE ON main.intents BEGIN
  SELECT see_loss('intents'); END;
CREATE TEMP TRIGGER no_receipt_goes AFTER DELETE ON main.receipts BEGIN
  SELECT see_loss('receipts'); END;
CREATE TEMP TRIGGER no_receipt_changes AFTER UPDATE ON main.receipts BEGIN
  SELECT see_loss('receipts'); END;
CREATE TEMP TRIGGER no_evidence_goes AFTER DELETE ON main.evidence BEGIN
  SELECT see_loss('evidence'); END;
CREATE TEMP TRIGGER no_evidence_changes AFTER UPDATE ON main.evidence BEGIN
  SELECT see_loss('evidence'); END;
"""
TWO_OPEN = """
SELECT integration, thread FROM intents
WHERE blocks = 1 AND state IN ('calling', 'unknown') AND kind IN ({})
GROUP BY integration, thread HAVING count(*) > 1
""".format(", ".join(f"'{kind}'" for kind in sorted(MAILBOX_CHANGING)))


class CommitFault(StrEnum):
    """What happens to one transaction."""

    BUSY = "busy"  # never began: the file was locked
    FULL = "full"  # rolled back: the disk is full
    LOST = "lost"  # an error from COMMIT, and nothing is stored
    LANDED = "landed"  # an error from COMMIT, and all of it is stored


_DROPPED = (CommitFault.FULL, CommitFault.LOST)


@dataclass(slots=True)
class Watch:
    """What the triggers report to; ``broken`` are promises that did not hold."""

    broken: list[str] = field(default_factory=list)
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)
    on: bool = True

    def see_intent(
        self,
        intent: str,
        old: str,
        new: str,
        attempt: int,
        next_attempt: int,
        by: str | None,
        blocks: int,
        kind: str,
        same: int,
    ) -> int:
        if not self.on:
            return 0
        if not same:
            self.broken.append(f"key or bytes of intent {intent[:6]} changed")
        if new == IntentState.CALLING and kind in MAILBOX_CHANGING and not blocks:
            self.broken.append(f"intent {intent[:6]} is being called and does not block")
        again = old != new and new == IntentState.CALLING
        if next_attempt != attempt + (1 if again else 0):
            self.broken.append(f"attempt {attempt} became {next_attempt} while {old} -> {new}")
        if old != new:
            self._moved(intent, IntentState(old), IntentState(new), by)
        return 0

    def _moved(self, intent: str, old: IntentState, new: IntentState, by: str | None) -> None:
        self.moves[old, new] += 1
        causes = TRANSITIONS.get((old, new))
        if causes is None:
            self.broken.append(f"intent {intent[:6]} went from {old} to {new}")
        settled = new not in (IntentState.CALLING, IntentState.UNKNOWN)
        if causes and settled and (by is None or By(by) not in causes):
            self.broken.append(f"intent {intent[:6]} went from {old} to {new} by {by}")

    def see_lease(
        self, thread: str, old: str | None, new: str | None, fence: int, next_fence: int
    ) -> int:
        if not self.on:
            return 0
        if next_fence < fence:
            self.broken.append(f"the fence of {thread!r} fell from {fence} to {next_fence}")
        if new is not None and new != old and next_fence <= fence:
            self.broken.append(f"{thread!r} has a new holder under the old fence {fence}")
        return 0

    def see_loss(self, table: str) -> int:
        if self.on:
            self.broken.append(f"a row of {table} was removed or changed")
        return 0

    def committed(self, raw: sqlite3.Connection) -> None:
        """Something was changed and committed; a watch that keeps books reads it here."""


@dataclass(slots=True)
class Counted:
    """Commits that changed something, and all the transactions there were."""

    durable: int = 0
    writes: int = 0
    reads: int = 0


class InlineDatabase:
    """Implements storage.database.Database; see the module's text."""

    def __init__(self, clock: FakeClock) -> None:
        """An empty store; only the one made last may be used."""
        self.clock = clock
        self.watch = Watch()
        self.counted = Counted()
        self.faults: list[CommitFault] = []
        self.pending_fault: CommitFault | None = None
        self.writer = ""
        self.down = False
        _LAST[:] = [self]
        self._engine = _shared_engine()
        self._raw = _raw(self._engine)
        self.watch.on = False
        _empty(self._raw)
        self.watch.on = True

    @property
    def dialect(self) -> str:
        return "sqlite"

    async def write(self, unit: Callable[[Connection], T], *, committed: Hook | None = None) -> T:
        await checkpoint_if_cancelled()
        await cancel_shielded_checkpoint()
        result = self.run(unit)
        if committed is not None:
            committed()
        await cancel_shielded_checkpoint()
        return result

    async def read(self, unit: Callable[[Connection], T]) -> T:
        await checkpoint_if_cancelled()
        await cancel_shielded_checkpoint()
        self._refuse_if_down()
        self.counted.reads += 1
        return self.read_now(unit)

    async def close(self) -> None:
        """Nothing to end."""

    def read_now(self, unit: Callable[[Connection], T]) -> T:
        """Run a reading *unit* now."""
        before = self._raw.total_changes
        result = self._in_transaction(unit)
        if self._raw.total_changes != before:
            self.watch.broken.append("a reading unit wrote")
        return result

    def run(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* in a transaction now, under the faults that were asked for."""
        self._refuse_if_down()
        fault = self.faults.pop(0) if self.faults else None
        if fault is CommitFault.BUSY:
            raise StorageBusyError("locked")
        self.counted.writes += 1
        self.pending_fault = None
        before = self._raw.total_changes
        result = self._in_transaction(unit, lambda: self._fault_of(fault))
        fault = self._fault_of(fault)
        if fault not in _DROPPED:
            self.counted.durable += int(self._raw.total_changes != before)
        if self._raw.total_changes != before:
            self._look()
        if fault is CommitFault.FULL:
            raise StorageIllError("the disk is full", remedy="free some space")
        if fault is not None:
            raise CommitUnknownError("a fault that a test asked for")
        return result

    def ask(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        """Query what is committed, beside any unit, as a provider might."""
        if self._raw.in_transaction:
            raise AssertionError("a call left the process inside a transaction")
        return list(self._raw.execute(sql, values))

    @property
    def written(self) -> int:
        """A number that rises with every row that is written."""
        return self._raw.total_changes

    @property
    def in_transaction(self) -> bool:
        """Whether somebody left a transaction open."""
        return self._raw.in_transaction

    def _fault_of(self, asked: CommitFault | None) -> CommitFault | None:
        """What a unit asked for while it ran comes first."""
        return self.pending_fault or asked

    def _connect(self) -> Connection:
        return self._engine.connect()

    def _in_transaction(
        self,
        unit: Callable[[Connection], T],
        fault: Callable[[], CommitFault | None] = lambda: None,
    ) -> T:
        conn = self._connect()
        try:
            transaction = conn.begin()
            try:
                result = unit(conn)
            except BaseException:
                transaction.rollback()
                raise
            if fault() in _DROPPED:
                transaction.rollback()
            else:
                transaction.commit()
        finally:
            conn.close()
        return result

    def _refuse_if_down(self) -> None:
        if self.down:
            raise StorageIllError("the store is down", remedy="wait")

    def _look(self) -> None:
        for integration, thread in self._raw.execute(TWO_OPEN):
            self.watch.broken.append(f"two open calls in {integration} {thread}")
        self.watch.committed(self._raw)


_LAST: list[InlineDatabase] = []
"""The store that the one engine serves now; kept, because an engine keeps its compiled SQL."""


@cache
def _shared_engine() -> Engine:
    engine = sync_engine(None, virtual_clock=lambda: _LAST[0].clock.database_s())

    @sa.event.listens_for(engine, "do_connect")
    def keep_statements(
        _dialect: object, _record: object, _args: object, options: dict[str, object]
    ) -> None:
        # A world has more of them than the sqlite3 module keeps, and preparing one is dear.
        options["cached_statements"] = 1024

    metadata.create_all(engine)
    raw = _raw(engine)
    raw.create_function("see_intent", 9, lambda *seen: _LAST[0].watch.see_intent(*seen))
    raw.create_function("see_lease", 5, lambda *seen: _LAST[0].watch.see_lease(*seen))
    raw.create_function("see_loss", 1, lambda *seen: _LAST[0].watch.see_loss(*seen))
    raw.executescript(_TRIGGERS)
    atexit.register(engine.dispose)
    return engine


def _raw(engine: Engine) -> sqlite3.Connection:
    with engine.connect() as conn:
        raw = conn.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


def _empty(raw: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        raw.rollback()
    for table in metadata.sorted_tables:
        raw.execute(f"DELETE FROM main.{table.name}")  # noqa: S608
