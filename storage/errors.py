"""What can go wrong with the store, sorted by what happens next.

Callers of a unit of work branch on these; errors of SQL that a unit itself provokes (a unique key
taken, say) reach its caller as SQLAlchemy raised them. Every message says what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class StorageError(Exception):
    """Root of every error of the store."""


class CommitUnknownError(StorageError):
    """COMMIT itself failed: the unit may have happened. Read by key before doing anything else."""

    def __init__(self, detail: str) -> None:
        super().__init__(
            f"error from COMMIT ({detail}): this may or may not be stored; read it again first"
        )


class StorageBusyError(StorageError):
    """The database stayed locked for all tries; nothing happened, the unit may be run again."""


class StorageIllError(StorageError):
    """The disk or the file is ill (full, I/O error, corrupt, read-only); nothing happened."""

    def __init__(self, problem: str, *, remedy: str) -> None:
        super().__init__(f"{problem}: {remedy}")
        self.problem = problem
        self.remedy = remedy


class StorageGoneError(StorageIllError):
    """The database that this process opened is no longer there; only a restart can mend that."""


class StorageSettingsError(StorageError):
    """A connection does not keep what was asked of it, so that a commit would not be durable."""


class StorageClosedError(StorageError):
    """The store has been closed; nothing happened."""


class UnitMisuseError(StorageError):
    """A unit of work ended the transaction or left a savepoint open: a fault in our own code."""


class DatabaseMissingError(StorageError):
    """There is no database at this place yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"there is no database at {path} yet: start the daemon (fencepost run) or make one "
            "pass (fencepost once), or set [storage] data_dir to the folder that has it"
        )
        self.path = path


class SchemaError(StorageError):
    """The database's schema is not the one that this release works on."""


class SchemaTooNewError(SchemaError):
    """A newer release has migrated this database; this one must not touch it."""

    def __init__(self, *, found: str, known: str) -> None:
        super().__init__(
            f"the database is at schema revision {found}, which this release does not know "
            f"(it knows up to {known}): install the newer release again, or restore "
            "a backup of the database from before"
        )
        self.found = found
        self.known = known


class SchemaTooOldError(SchemaError):
    """The database waits for a migration, which only a writing process runs."""

    def __init__(self, *, found: str, known: str) -> None:
        super().__init__(
            f"the database is at schema revision {found}, this release needs {known}: run "
            "`fencepost migrate`, or start the daemon, which does it"
        )
        self.found = found
        self.known = known


class MigrationError(SchemaError):
    """A migration would have left broken rows; it was rolled back whole."""


class LockedError(StorageError):
    """Another process holds the data folder; ``pid`` is the holder's, if it could be read."""

    def __init__(self, data_dir: Path, *, pid: int | None) -> None:
        holder = "another process" if pid is None else f"process {pid}"
        super().__init__(
            f"{holder} holds {data_dir}: let it finish or stop it, or use another data_dir; "
            "one SQLite database serves one process"
        )
        self.data_dir = data_dir
        self.pid = pid


class NetworkFileSystemError(StorageError):
    """SQLite's locks and its shared memory cannot be trusted on a network file system."""

    def __init__(self, path: Path, *, kind: str) -> None:
        super().__init__(
            f"{path} is on a network file system ({kind}), where SQLite can lose data: set "
            "[storage] data_dir to a local disk, or use PostgreSQL"
        )
        self.path = path
        self.kind = kind
