"""Many units of work, one commit: the rules of group commit on one SQLite connection.

    BEGIN IMMEDIATE -> [SAVEPOINT, unit, RELEASE]* -> COMMIT -> hooks

* No unit counts as done before COMMIT has returned; an error of a unit rolls back its savepoint.
* After any error ``in_transaction`` decides: false means that SQLite has rolled back everything (a
  full disk does that), so nothing of the batch happened and each unit runs again alone.
* When COMMIT itself failed, every unit that still stood gets CommitUnknownError. First the
  connection is dropped and an empty commit is written over what the failed one may have left at the
  end of the WAL: after an fsync that failed, readers do not see those frames, but recovery after a
  crash would find them whole. Without it "I read it, it is not there" could be wrong an hour later.

It knows no thread, no event loop and not what a unit does. A crash before COMMIT has returned
leaves all of the batch or nothing of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage.errors import CommitUnknownError, StorageError, UnitMisuseError
from storage.sqlite_errors import explained, is_busy

if TYPE_CHECKING:
    from storage.database import Hook

BUSY_TRIES: Final = 5
"""How often BEGIN IMMEDIATE is tried; each try waits for the connection's busy timeout."""


@dataclass(slots=True, kw_only=True, eq=False)
class Work:
    """One unit and, after its batch, how it ended: ``error`` is None only if it is durable."""

    unit: Callable[[sa.Connection], None]
    committed: Hook | None = None
    error: BaseException | None = field(default=None)


class _Session:
    """One open connection and its transaction."""

    def __init__(self, conn: sa.Connection) -> None:
        raw = conn.connection.driver_connection
        if not isinstance(raw, sqlite3.Connection):
            raise TypeError("group commit needs a connection of the sqlite3 module")
        self.raw: Final = raw
        self.conn: Final = conn
        self._transaction: sa.RootTransaction | None = None
        self._in_unit = False
        sa.event.listen(conn, "commit", self._refuse_commit)

    def begin(self, *, tries: int) -> None:
        while True:
            try:
                self._transaction = self.conn.begin()
            except sa.exc.OperationalError as error:
                tries -= 1
                if not is_busy(error) or tries <= 0:
                    raise
            else:
                return

    def run(self, unit: Callable[[sa.Connection], None]) -> None:
        """Run *unit* and make sure that it left the transaction as it found it."""
        self._in_unit = True
        try:
            unit(self.conn)
        finally:
            self._in_unit = False
        if not self.is_whole():
            raise UnitMisuseError("a unit of work ended the transaction or left a savepoint open")

    def undo(self) -> bool:
        """Roll back to the savepoint; False when there is no transaction to go back in."""
        if not self.is_whole():
            return False
        try:
            self.raw.execute("ROLLBACK TO unit")
            self.raw.execute("RELEASE unit")
        except sqlite3.Error:
            return False
        return self.is_whole()

    def commit(self) -> None:
        if self._transaction is not None:
            self._transaction.commit()

    def roll_back(self) -> None:
        self.conn.rollback()
        if self.raw.in_transaction:
            self.raw.rollback()

    def is_whole(self) -> bool:
        """Whether the transaction that was begun is still open and no savepoint is left in it."""
        begun = self._transaction
        return (
            begun is not None
            and begun.is_active
            and self.conn.get_transaction() is begun
            and not self.conn.in_nested_transaction()
            and self.raw.in_transaction
        )

    def close(self) -> None:
        # Statements that are still open would keep a mere close() from ending the transaction.
        with suppress(sqlite3.Error):
            self.raw.rollback()
        with suppress(sa.exc.SQLAlchemyError, sqlite3.Error):
            self.conn.invalidate()
            self.conn.close()
        with suppress(sqlite3.Error):
            self.raw.close()

    def _refuse_commit(self, _: sa.Connection) -> None:
        if self._in_unit:
            raise UnitMisuseError("a unit of work must not commit: the store does that")


class GroupCommit:
    """Runs batches on a connection that it opens, replaces and closes. One thread only."""

    def __init__(
        self,
        connect: Callable[[], sa.Connection],
        *,
        busy_tries: int = BUSY_TRIES,
        check: Callable[[], None] | None = None,
    ) -> None:
        """*connect* gives a new connection whose ``begin`` event is BEGIN IMMEDIATE.

        *check* runs before each transaction; what it raises keeps that from being begun.
        """
        self._connect = connect
        self._check = check
        self._busy_tries = busy_tries
        self._session: _Session | None = None

    def run(self, batch: Sequence[Work]) -> None:
        """Run *batch*; afterwards each unit is durable or has its error. Never raises."""
        try:
            if not self._together(batch):
                for work in batch:
                    self._together([work])
        except BaseException as error:  # noqa: BLE001 - every caller must get an answer
            self._give_up(batch, error)

    def close(self) -> None:
        """Close the connection; the next batch would open another."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _together(self, batch: Sequence[Work]) -> bool:
        """One transaction; False when nothing of it happened and each unit must run alone."""
        for work in batch:
            work.error = None
        try:
            session = self._begin()
        except BaseException as error:  # noqa: BLE001 - nothing was begun, and all are told so
            self.close()
            for work in batch:
                work.error = explained(error)
            return True
        alone = len(batch) == 1
        for work in batch:
            if not _run_one(session, work, alone=alone):
                session.roll_back()
                return alone
        try:
            session.commit()
        except BaseException as error:  # noqa: BLE001 - nobody knows what is stored now
            self._give_up(batch, error)
            return True
        for work in batch:
            _run_hook(work)
        return True

    def _begin(self) -> _Session:
        if self._check is not None:
            self._check()
        if self._session is None:
            self._session = _Session(self._connect())
        self._session.begin(tries=self._busy_tries)
        return self._session

    def _cover(self) -> None:
        """Write over what a failed commit may have left. A disk that refuses leaves it undone;
        then the next commit that succeeds does the same."""
        try:
            session = self._begin()
            (version,) = session.raw.execute("PRAGMA user_version").fetchone()
            session.raw.execute(f"PRAGMA user_version={version}")
            session.commit()
        except (sa.exc.SQLAlchemyError, sqlite3.Error, StorageError):
            self.close()

    def _give_up(self, batch: Sequence[Work], error: BaseException) -> None:
        self.close()
        self._cover()
        reason = explained(error)
        for work in batch:
            if work.error is None:
                work.error = CommitUnknownError(str(reason))
                work.error.__cause__ = reason


def _run_one(session: _Session, work: Work, *, alone: bool) -> bool:
    """Run one unit; False when the whole transaction has to be rolled back."""
    try:
        if not alone:
            session.raw.execute("SAVEPOINT unit")
        session.run(work.unit)
        if not alone:
            session.raw.execute("RELEASE unit")
    except BaseException as error:  # noqa: BLE001 - whatever a unit raises is its caller's
        work.error = explained(error)
        return not alone and session.undo()
    return True


def _run_hook(work: Work) -> None:
    if work.error is None and work.committed is not None:
        try:
            work.committed()
        except BaseException as error:  # noqa: BLE001 - the fault that a test asked for
            work.error = error
