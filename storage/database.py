"""The store as the rest of the house sees it, whatever engine is below.

A unit of work is a plain function of a SQLAlchemy Connection. It runs whole in one transaction,
knows no await, must be safe to run again (the engine may roll it back and repeat it), and ends
nothing itself: no commit, no rollback. Its result is handed over only once the commit is durable,
and before a cancellation of the caller is delivered, so nobody is ever told "cancelled" about
something that was stored.

A crash at any moment leaves the whole unit or nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")
Hook = Callable[[], None]
"""Called between COMMIT and the caller's answer; an error it raises replaces that answer."""


class Reader(Protocol):
    """A store that can be read."""

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* on one consistent snapshot; it cannot write.

        Raises StorageBusyError, StorageIllError, StorageClosedError, and whatever *unit* raises.
        """

    async def close(self) -> None:
        """Let what is under way finish, then let go of everything. May be called twice."""


class Database(Reader, Protocol):
    """A store that can be read and written."""

    async def write(self, unit: Callable[[Connection], T], *, committed: Hook | None = None) -> T:
        """Run *unit* in a transaction and return its result once that is durable.

        A caller that is cancelled before the unit was handed over gets the cancellation and
        nothing happens; later the result comes first and the cancellation at the next await.
        An error that *unit* raises rolls back its own work only and is raised here.

        Raises CommitUnknownError (read by key before acting), StorageBusyError, StorageIllError
        and StorageClosedError (nothing happened).
        """
