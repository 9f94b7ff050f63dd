"""What an error of PostgreSQL means: busy, ill, or none of our business.

Sorted by SQLSTATE (PostgreSQL manual, appendix A), never by message text. No message of ours holds
a password: addresses are shown through ``storage.pg_place``, which never knew one.
"""

from __future__ import annotations

import os
import ssl
from types import MappingProxyType
from typing import Final

from storage.errors import StorageBusyError, StorageError, StorageIllError

RETRYABLE: Final = frozenset({"40001", "40P01", "55P03", "23505"})
"""Serialization failure, deadlock, lock timeout, and a row that another made first (which the next
run finds): the whole unit may be run again before COMMIT."""
_KEY_TAKEN: Final = "23505"
_STALE_PLAN: Final = "InvalidCachedStatementError"

_BUSY: Final = MappingProxyType(
    {
        "40001": "another transaction changed the same rows",
        "40P01": "two transactions waited for each other",
        "55P03": "another transaction kept a row locked",
        "57014": "a statement took longer than statement_timeout allows",
        "25P03": "a transaction was left waiting for longer than its time",
        "53300": "PostgreSQL has no connection left (raise max_connections, run fewer processes, "
        "or put PgBouncer before it)",
        "53400": "PostgreSQL has reached a limit of its configuration",
        "57P01": "PostgreSQL is being shut down or restarted",
        "57P02": "PostgreSQL has crashed and starts again",
        "57P03": "PostgreSQL is starting up or shutting down",
        "57P05": "PostgreSQL closed a connection that was idle",
    }
)
_ILL: Final = MappingProxyType(
    {
        "53100": (
            "the disk of PostgreSQL is full",
            "free some space there; nothing is lost and work goes on by itself",
        ),
        "53200": ("PostgreSQL is out of memory", "give the server more memory"),
        "58030": (
            "the disk of PostgreSQL gave an input/output error",
            "look at the server's log and its disk",
        ),
        "XX001": ("PostgreSQL found damaged data", "restore the database from a backup"),
        "XX002": ("PostgreSQL found a damaged index", "run REINDEX on the database"),
        "28P01": (
            "PostgreSQL refused the password",
            "check the user in [storage] url and what [storage] password refers to",
        ),
        "28000": (
            "PostgreSQL does not let this user in from here",
            "check the user in [storage] url, and the server's pg_hba.conf",
        ),
        "3D000": (
            "PostgreSQL has no database of this name",
            "make it with `createdb`, or correct the name in [storage] url",
        ),
        "25006": (
            "PostgreSQL takes no writes here, as a read-only replica does",
            "let [storage] url name the primary server",
        ),
        "42501": (
            "the PostgreSQL user may not do this",
            "make it the owner of the database, or grant it the rights on its tables",
        ),
    }
)


def explained(error: BaseException) -> BaseException:
    """*error* as an error of the store where it is one (its cause kept), else *error* itself."""
    cause = _cause(error)
    state = sqlstate(cause)
    better: StorageError | None = None
    if state is None:
        if _is_of_driver(cause):
            better = _lost(cause)
    elif state in _BUSY:
        better = StorageBusyError(f"{_BUSY[state]}: nothing happened and it may be tried again")
    elif state in _ILL:
        problem, remedy = _ILL[state]
        better = StorageIllError(problem, remedy=remedy)
    elif state == "08P01":
        # PgBouncer says with this code why it has no server for us.
        better = StorageIllError(
            f"the connection was refused ({cause})",
            remedy="check [storage] url and [storage] password, and PgBouncer's log",
        )
    elif state.startswith("08"):
        better = _lost(cause)
    if better is None:
        return error
    better.__cause__ = error
    return better


def unreachable(error: BaseException, place: str) -> BaseException:
    """What kept a connection to *place* from being made, as an error of the store."""
    cause = _cause(error)
    if sqlstate(cause) is not None:
        return explained(error)
    if isinstance(cause, ssl.SSLError):
        problem = f"PostgreSQL at {place} cannot be reached by TLS ({cause.reason or 'refused'})"
        remedy = "check sslmode and sslrootcert in [storage] url"
    elif isinstance(cause, TimeoutError):
        problem = f"PostgreSQL at {place} does not answer"
        remedy = "check host and port in [storage] url, and the network between"
    elif isinstance(cause, OSError):
        # asyncio writes the address into its own; for those that are known the system has words.
        number = cause.errno if isinstance(cause, ConnectionError) else None
        why = os.strerror(number) if number else cause.strerror or cause
        problem = f"PostgreSQL at {place} cannot be reached ({why})"
        remedy = "start it, or check host and port in [storage] url"
    else:
        return explained(error)
    better = StorageIllError(problem, remedy=remedy)
    better.__cause__ = error
    return better


def may_run_again(error: BaseException, *, tried: int) -> bool:
    """Whether a unit that ran *tried* times may be run again at once; only before COMMIT was sent.

    A key that is taken may have been taken by another process after the unit looked for it. Then
    a second run finds it there; one that fails in the same way is the caller's.
    """
    cause = _cause(error)
    if sqlstate(cause) == _KEY_TAKEN:
        return tried == 1
    # After a migration by another process the first use of each old plan fails.
    return sqlstate(cause) in RETRYABLE or type(cause).__name__ == _STALE_PLAN


def sqlstate(error: BaseException) -> str | None:
    """The SQLSTATE below *error*, or None where there is none."""
    state = getattr(_cause(error), "sqlstate", None)
    return state if isinstance(state, str) else None


def _cause(error: BaseException) -> BaseException:
    """The driver's own error below SQLAlchemy's wrappers."""
    while True:
        inner = getattr(error, "orig", None) or (
            error.__cause__ if type(error).__module__.startswith("sqlalchemy.") else None
        )
        if not isinstance(inner, BaseException):
            return error
        error = inner


def _is_of_driver(cause: BaseException) -> bool:
    """Whether the driver says that the connection is gone, which carries no code."""
    return type(cause).__module__.startswith("asyncpg") and type(cause).__name__ in (
        "InterfaceError",
        "InternalClientError",
        "ConnectionDoesNotExistError",
    )


def _lost(cause: BaseException) -> StorageIllError:
    return StorageIllError(
        f"the connection to PostgreSQL was lost ({type(cause).__name__})",
        remedy="nothing happened; check that the server runs, work goes on when it is back",
    )
