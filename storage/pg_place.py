"""Where a PostgreSQL store is, and connections to it that are fit to be trusted.

A connection is refused unless its commits are durable and it may write: an old server, a replica,
``synchronous_commit = off`` or an encoding that cannot hold every mail end the start with a message
instead of losing something later. Behind a pooler (PgBouncer in transaction mode) a session is not
ours between two transactions; it is known by the backend's number, which differs from the one told
at the connection's start. Then nothing is prepared by name and nothing is set for a session.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import parse_qs, unquote, urlsplit

from storage.errors import (
    StorageError,
    StorageGoneError,
    StorageIllError,
    StorageSettingsError,
)
from storage.pg_errors import unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from storage.dbtime import VirtualClock

CONNECT_S: Final = 10.0
"""How long a connection may take to be made."""
OLDEST: Final = 140000
"""PostgreSQL 14, as ``server_version_num`` counts; the oldest that the tests were run on."""
SILENCE_S: Final = 30
"""After so long without a sign of life from the server's host a connection counts as lost."""
PLANS: Final = 500
"""Statements that a connection of its own keeps prepared."""

_FACTS: Final = """
SELECT pg_backend_pid() AS pid, current_setting('server_version_num')::int AS version,
  current_setting('server_version') AS called, pg_is_in_recovery() AS recovering,
  current_setting('transaction_read_only') AS read_only,
  current_setting('synchronous_commit') AS durable,
  current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync
"""
MAY_TELL: Final = """
SELECT has_function_privilege('pg_control_system()', 'EXECUTE')
  AND has_function_privilege('pg_current_wal_lsn()', 'EXECUTE')
  AND has_function_privilege('pg_walfile_name(pg_lsn)', 'EXECUTE') AS may
"""
"""Whether this role may ask which server it is; anybody may, unless it was revoked."""
WHICH_SERVER: Final = """
SELECT system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' ||
  coalesce(to_regclass('epochs')::oid::text, '') AS server
FROM pg_control_system()
"""
"""System identifier and timeline (the name of a WAL file begins with the timeline), and the numbers
of the database and of the table of epochs: a dump that is restored makes new ones."""


class Driver(Protocol):
    """What is used of asyncpg's connection."""

    async def execute(self, query: str, *, timeout: float | None = None) -> str:  # noqa: ASYNC109
        """Run statements that give no rows; the tag of the last one."""

    async def fetchrow(self, query: str, *args: object) -> Mapping[str, object]:
        """Run one query that gives one row."""

    def get_server_pid(self) -> int:
        """The backend's number as told at the connection's start."""

    def is_closed(self) -> bool:
        """Whether the connection is known to be gone."""

    def is_in_transaction(self) -> bool:
        """As the server said with its last answer."""

    def add_log_listener(self, callback: Callable[[object, object], None]) -> None:
        """Have notices and warnings of the server told."""

    def remove_log_listener(self, callback: Callable[[object, object], None]) -> None:
        """Have them told no more."""

    def terminate(self) -> None:
        """Let go of the connection at once."""

    async def close(self) -> None:
        """Say good-bye to the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A database of PostgreSQL: a ``postgresql://`` address and who goes there."""

    url: str
    password: str | None = field(default=None, repr=False)
    name: str = "fencepost"
    """What the server's lists of connections show."""
    virtual_clock: VirtualClock | None = None
    """For tests: the clock that ``clock_timestamp()`` of a test database tells."""

    @property
    def is_socket(self) -> bool:
        """Whether it is reached through a socket in a folder of this machine."""
        parts = urlsplit(self.url)
        host = parts.hostname or parse_qs(parts.query).get("host", [""])[0]
        return not host or unquote(host).startswith("/")

    @property
    def shown(self) -> str:
        """Host, port and database, for messages; never a password."""
        parts = urlsplit(self.url)
        asked = parse_qs(parts.query)
        host = parts.hostname or asked.get("host", ["this machine"])[0]
        port = parts.port or asked.get("port", [""])[0]
        return f"{unquote(host)}{f':{port}' if port else ''}{parts.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What a first connection showed."""

    pooled: bool
    version: str
    server: str
    """What WHICH_SERVER tells; empty where the role may not ask."""
    exposed: bool
    """Whether what is said crosses a network in clear text."""
    flushes: bool
    """False where ``fsync`` is off, as only a server for trials may have it."""


async def connect(place: Place, met: Met | None = None) -> Driver:
    """A connection that has passed every check; for a unit of work, or to listen.

    Raises StorageIllError, StorageBusyError, StorageSettingsError, and StorageGoneError where
    another server answers than the one that was *met*.
    """
    driver = await _open(place, plans=0 if met is not None and met.pooled else PLANS)
    found = await _judged(driver, place)
    if met is not None and _is_another(met.server, found.server):
        driver.terminate()
        raise StorageGoneError(
            f"PostgreSQL at {place.shown} is another server now, or was restored or promoted",
            remedy="once that has ended, start Fencepost again; each thread is looked up before "
            "anything is drafted",
        )
    return driver


def _is_another(met: str, found: str) -> bool:
    """Whether two answers to WHICH_SERVER tell of two databases.

    One that was met without tables may have got them since, from a migration.
    """
    if not met or not found:
        return False
    return not found.startswith(met) if met.endswith("/") else met != found


async def meet(place: Place) -> Met:
    """Connect once, check the server and say what it is. Raises as connect does."""
    driver = await _open(place, plans=0)
    met = await _judged(driver, place)
    await driver.close()
    return met


async def _open(place: Place, *, plans: int) -> Driver:
    import asyncpg

    try:
        driver = await asyncpg.connect(
            place.url,
            password=place.password,
            timeout=CONNECT_S,
            statement_cache_size=plans,
            server_settings={"application_name": place.name},
        )
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise unreachable(error, place.shown) from error
    except ValueError as error:
        raise StorageIllError(
            f"[storage] url does not name a PostgreSQL database ({error})",
            remedy='write "postgresql://user@host/database"',
        ) from error
    _notice_silence(driver)
    return cast("Driver", driver)


async def _judged(driver: Driver, place: Place) -> Met:
    """What answers; a connection to what cannot be used is closed."""
    try:
        return await _ask(driver, place)
    except BaseException:
        driver.terminate()
        raise


async def _ask(driver: Driver, place: Place) -> Met:
    import asyncpg

    server = ""
    try:
        # In a transaction, so that a pooler keeps one server for question and answer.
        await driver.execute("BEGIN")
        facts = await driver.fetchrow(_FACTS)
        problem = _unfit(facts, place.shown)
        if problem is None and (await driver.fetchrow(MAY_TELL))["may"]:
            server = str((await driver.fetchrow(WHICH_SERVER))["server"])
        await driver.execute("COMMIT")
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise unreachable(error, place.shown) from error
    if problem is not None:
        raise problem
    return Met(
        pooled=facts["pid"] != driver.get_server_pid(),
        version=str(facts["called"]),
        server=server,
        exposed=_is_exposed(driver),
        flushes=facts["fsync"] == "on",
    )


def _unfit(facts: Mapping[str, object], place: str) -> StorageError | None:
    """Why this server cannot keep the record; None when it can."""
    if int(str(facts["version"])) < OLDEST:
        return StorageSettingsError(
            f"PostgreSQL at {place} is version {facts['called']}: use 14 or newer"
        )
    if facts["recovering"] or facts["read_only"] == "on":
        return StorageIllError(
            f"PostgreSQL at {place} takes no writes: it is a replica, or set read-only",
            remedy="let [storage] url name the primary server, and turn off "
            "default_transaction_read_only for this user and database",
        )
    if facts["durable"] == "off":
        return StorageSettingsError(
            f"PostgreSQL at {place} has synchronous_commit = off, so it says yes to a commit that "
            "a power cut can undo, and the same draft would be made twice: set it to on, for "
            "this user (ALTER ROLE ... SET synchronous_commit = on) or for the whole server"
        )
    if facts["encoding"] != "UTF8":
        return StorageSettingsError(
            f"the database at {place} has the encoding {facts['encoding']}, which cannot hold "
            "every mail: make it with ENCODING 'UTF8' TEMPLATE template0"
        )
    return None


def _is_exposed(driver: object) -> bool:
    peer = _told(driver, "peername")
    if not isinstance(peer, tuple) or _told(driver, "ssl_object") is not None:
        return False
    return not ipaddress.ip_address(str(peer[0]).partition("%")[0]).is_loopback


def _told(driver: object, what: str) -> object:
    """What the driver's transport knows of its connection."""
    transport = getattr(driver, "_transport", None)
    return None if transport is None else transport.get_extra_info(what)


def _notice_silence(driver: object) -> None:
    """Have the kernel give a connection up whose other end is gone without a word.

    Nothing else bounds the wait for a result, which no cancellation may interrupt.
    """
    sock = _told(driver, "socket")
    # asyncio gives a stand-in for the socket, which has the same methods.
    if sock is None or getattr(sock, "family", None) == socket.AF_UNIX:
        return
    options = cast("socket.socket", sock)
    options.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", SILENCE_S // 3),
        ("TCP_KEEPALIVE", SILENCE_S // 3),
        ("TCP_KEEPINTVL", SILENCE_S // 6),
        ("TCP_KEEPCNT", 4),
        ("TCP_USER_TIMEOUT", SILENCE_S * 1000),
    ):
        option = getattr(socket, name, None)
        if option is not None:
            options.setsockopt(socket.IPPROTO_TCP, option, value)
