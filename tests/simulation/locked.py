"""A store in which somebody else's session keeps the row of an intent locked for a while.

Whoever would change that row waits in vain: the store runs the unit again, as every store does, and
then says that it stayed locked. Only the row itself is held: leases, threads and all other intents
can be written, so what shares a transaction with it must not suffer for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection
from typing_extensions import override

from storage.errors import StorageBusyError
from tests.simulation.books import Books
from tests.support.quick import QuickDatabase

T = TypeVar("T")


class LockedRows(QuickDatabase):
    """See the module's text; which rows are locked stands in the books."""

    @override
    def run(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit*, unless it changes a row that somebody else has locked."""
        books = self.watch
        if not isinstance(books, Books) or not books.is_locking:
            return super().run(unit)

        def tried(conn: Connection) -> T:
            books.changed.clear()
            result = unit(conn)
            if any(books.is_locked(intent) for intent in books.changed):
                raise StorageBusyError("a row stayed locked by another session")
            return result

        try:
            return super().run(tried)
        except StorageBusyError:
            return super().run(tried)
