"""The same watched store on PostgreSQL: each unit runs whole, by the world's clock.

A store of the product, on an event loop of its own in a thread; the test's thread stands still
while a unit runs there, so worlds run the same way every time. What really happens at once is
tested with stores of their own.
"""

from __future__ import annotations

import atexit
import itertools
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from sqlalchemy import Connection

from storage.errors import CommitUnknownError, StorageBusyError, StorageIllError
from storage.postgres import PostgresDatabase
from storage.tables import metadata
from tests.support.clock import FakeClock
from tests.support.database import TWO_OPEN, CommitFault, Counted, InlineDatabase, Watch
from tests.support.postgres import cluster, opened

T = TypeVar("T")

_TRIGGERS = """
CREATE TABLE virtual.seen (number bigserial, what text, args json);
CREATE FUNCTION virtual.see_intent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO virtual.seen (what, args) VALUES ('see_intent', json_build_array(
    old.id, old.state, new.state, old.attempt, new.attempt, new.settled_by, new.blocks, new.kind,
    (old.key = new.key AND old.request = new.request)::int)); RETURN NULL; END $$;
CREATE FUNCTION virtual.see_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO virtual.seen (what, args) VALUES ('see_lease', json_build_array(
    new.thread, old.owner, new.owner, old.fence, new.fence)); RETURN NULL; END $$;
CREATE FUNCTION virtual.see_loss() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO virtual.seen (what, args) VALUES ('see_loss', json_build_array(TG_TABLE_NAME));
  RETURN NULL; END $$;
CREATE FUNCTION virtual.changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM set_config('fencepost.changed', 'yes', true); RETURN NULL; END $$;
CREATE TRIGGER see AFTER UPDATE ON intents FOR EACH ROW EXECUTE FUNCTION virtual.see_intent();
CREATE TRIGGER see AFTER UPDATE ON leases FOR EACH ROW EXECUTE FUNCTION virtual.see_lease();
CREATE TRIGGER go AFTER DELETE ON leases FOR EACH ROW EXECUTE FUNCTION virtual.see_loss();
CREATE TRIGGER go AFTER DELETE ON intents FOR EACH ROW EXECUTE FUNCTION virtual.see_loss();
CREATE TRIGGER go AFTER DELETE OR UPDATE ON receipts
  FOR EACH ROW EXECUTE FUNCTION virtual.see_loss();
CREATE TRIGGER go AFTER DELETE OR UPDATE ON evidence
  FOR EACH ROW EXECUTE FUNCTION virtual.see_loss();
"""
_CHANGED = """
CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE ON {0}
  FOR EACH ROW EXECUTE FUNCTION virtual.changed();
"""
_CHANGES = """
SELECT current_setting('fencepost.changed', true) = 'yes', (SELECT count(*) FROM virtual.seen)
"""
_SEEN = "DELETE FROM virtual.seen RETURNING number, what, args"


class _UndoneError(Exception):
    """Rolls a unit back because a test wants its commit to fail."""


class SharedDatabase(InlineDatabase):
    """Implements storage.database.Database; see the module's text."""

    pooled = False

    def __init__(self, clock: FakeClock) -> None:
        """An empty store; only the one made last may be used."""
        self.clock = clock
        self.watch = Watch()
        self.counted = Counted()
        self.faults = []
        self.pending_fault = None
        self.down = False
        _LAST[:] = [self]
        self._portal, self._store, self._name = _served(self.pooled)
        self._inside = False
        self._call(lambda: self._store.write(_emptied))

    @property
    def dialect(self) -> str:
        return "postgresql"

    def read_now(self, unit: Callable[[Connection], T]) -> T:
        return self._call(lambda: self._store.read(unit))

    def run(self, unit: Callable[[Connection], T]) -> T:
        self._refuse_if_down()
        fault = self.faults.pop(0) if self.faults else None
        if fault is CommitFault.BUSY:
            raise StorageBusyError("locked")
        self.counted.writes += 1
        self.pending_fault = None
        try:
            result, changed, seen, open_calls = self._call(
                lambda: self._store.write(lambda conn: self._watched(conn, unit, fault))
            )
        except _UndoneError:
            fault = self.pending_fault or fault
        else:
            fault = self.pending_fault or fault
            self.counted.durable += int(changed)
            for what, args in seen:
                getattr(self.watch, what)(*args)
            for integration, thread in open_calls:
                self.watch.broken.append(f"two open calls in {integration} {thread}")
            if fault is None:
                return result
        if fault is CommitFault.FULL:
            raise StorageIllError("the disk is full", remedy="free some space")
        raise CommitUnknownError("a fault that a test asked for")

    def _watched(
        self, conn: Connection, unit: Callable[[Connection], T], fault: CommitFault | None
    ) -> tuple[T, bool, list[tuple[str, Any]], list[Any]]:
        result = unit(conn)
        if (self.pending_fault or fault) in (CommitFault.FULL, CommitFault.LOST):
            raise _UndoneError
        changed, moves = conn.exec_driver_sql(_CHANGES).one()
        if not moves:
            return result, bool(changed), [], []
        rows = sorted(tuple(row) for row in conn.exec_driver_sql(_SEEN))
        open_calls = conn.exec_driver_sql(TWO_OPEN).all()
        return result, bool(changed), [(what, args) for _, what, args in rows], list(open_calls)

    def ask(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        if self._inside:
            raise AssertionError("a call left the process inside a transaction")
        numbers = itertools.count(1)
        asked = "".join(f"${next(numbers)}" if one == "?" else one for one in sql)
        return self._call(
            lambda: self._store.read(
                lambda conn: [tuple(row) for row in conn.exec_driver_sql(asked, values or None)]
            )
        )

    @property
    def in_transaction(self) -> bool:
        """Whether somebody left a transaction open."""
        (row,) = self.ask(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid != pg_backend_pid() AND state LIKE 'idle in transaction%'"
        )
        return row != (0,)

    def _call(self, work: Callable[[], Awaitable[T]]) -> T:
        async def kept() -> tuple[list[T], BaseException | None]:
            # A kill that a test asked for must not end the loop that all worlds share.
            try:
                return [await work()], None
            except BaseException as error:  # noqa: BLE001
                return [], error

        self._inside = True
        try:
            results, error = self._portal.call(kept)
        finally:
            self._inside = False
        if error is not None:
            raise error
        return results[0]


class PooledDatabase(SharedDatabase):
    """The same through PgBouncer in transaction mode."""

    pooled = True


_LAST: list[SharedDatabase] = []
"""The store that the loop serves now."""


@cache
def _portal() -> BlockingPortal:
    manager = start_blocking_portal()
    portal = manager.__enter__()
    atexit.register(manager.__exit__, None, None, None)
    return portal


@cache
def _served(pooled: bool) -> tuple[BlockingPortal, PostgresDatabase, str]:
    server, portal = cluster(), _portal()
    name = server.new_database()
    changed = [_CHANGED.format(table.name) for table in metadata.sorted_tables]
    server.script("".join([_TRIGGERS, *changed]), database=name)

    async def open_it() -> PostgresDatabase:
        return await opened(
            name, pooled=pooled, clock=lambda: _LAST[0].clock.database_s(), connections=2
        )

    store = portal.call(open_it)
    atexit.register(portal.call, store.close)
    return portal, store, name


def _emptied(conn: Connection) -> None:
    names = ", ".join(f"public.{table.name}" for table in metadata.sorted_tables)
    conn.exec_driver_sql(f"TRUNCATE {names}, virtual.seen RESTART IDENTITY")
