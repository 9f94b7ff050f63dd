"""What an error of SQLite means: busy, ill, or none of our business.

Sorted by SQLite's own primary result codes (sqlite.org/rescode.html), never by message text.
"""

from __future__ import annotations

import sqlite3
from types import MappingProxyType
from typing import Final

import sqlalchemy as sa

from storage.errors import StorageBusyError, StorageIllError

_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_ILL: Final = MappingProxyType(
    {
        sqlite3.SQLITE_FULL: (
            "the disk is full",
            "free some space on the disk of data_dir; nothing is lost and work goes on by itself",
        ),
        sqlite3.SQLITE_IOERR: (
            "the disk gave an input/output error",
            "look at the system's log for the disk of data_dir, then start again",
        ),
        sqlite3.SQLITE_CORRUPT: (
            "the database file is damaged",
            "stop the daemon and restore data_dir from a backup; keep the damaged file",
        ),
        sqlite3.SQLITE_NOTADB: (
            "the database file is not an SQLite database",
            "point [storage] data_dir at the right folder, or move that file away",
        ),
        sqlite3.SQLITE_READONLY: (
            "the database file may not be written",
            "give the daemon's user write permission on data_dir and every file in it",
        ),
        sqlite3.SQLITE_PERM: (
            "access to the database file was refused",
            "give the daemon's user read and write permission on data_dir",
        ),
        sqlite3.SQLITE_CANTOPEN: (
            "the database file cannot be opened",
            "check that data_dir exists and that the daemon's user may read and write in it",
        ),
        sqlite3.SQLITE_NOMEM: ("SQLite is out of memory", "give the process more memory"),
    }
)


def primary_code(error: BaseException) -> int | None:
    """SQLite's primary result code below *error*, or None where there is none."""
    cause: object = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def is_busy(error: BaseException) -> bool:
    """Whether somebody else holds the database's lock."""
    return primary_code(error) in _BUSY


def explained(error: BaseException) -> BaseException:
    """*error* as an error of the store where it is one (its cause kept), else *error* itself."""
    code = primary_code(error)
    if code is None:
        return error
    if code in _BUSY:
        better: Exception = StorageBusyError(
            "the database is locked by another process: stop whatever else has it open, "
            "nothing happened and it may be tried again"
        )
    elif code in _ILL:
        problem, remedy = _ILL[code]
        better = StorageIllError(problem, remedy=remedy)
    else:
        return error
    better.__cause__ = error
    return better
