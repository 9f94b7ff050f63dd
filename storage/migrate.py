"""Moves a database from one schema revision to another, whole or not at all.

SQLite commits DDL behind one's back unless told otherwise, and with foreign keys on, the rebuilding
of a parent table deletes the rows of its children. So here everything runs in one BEGIN IMMEDIATE
with foreign keys off, and ``PRAGMA foreign_key_check`` has the last word before the commit.

Migrations run on a connection of their own and end before the store opens: on SQLite under the file
lock, on PostgreSQL under a lock of their one transaction, so that hosts that start together wait
for each other. A crash leaves the revision that was there. Alembic is imported only when there is
work for it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import sqlalchemy as sa

from storage.errors import MigrationError
from storage.postgres import open_postgres
from storage.revisions import VERSIONS, head, is_at_head
from storage.sqlite import make_private, sync_engine
from storage.sqlite_errors import explained

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

    from storage.pg_place import Place

T = TypeVar("T")

WAIT_S: Final = 60.0
"""How long one host waits for the migration of another."""
STATEMENT_S: Final = 600.0
"""How long one statement of a migration may take on PostgreSQL."""
_SCRIPTS: Final = Path(__file__).parent / "migrations"
_LOCK: Final = 0x66656E6365  # "fence": the number of the lock of migrations within one database


def upgrade(path: Path, to: str = "head", *, versions: Path = VERSIONS) -> bool:
    """Bring the SQLite file at *path* (made where missing) to *to*; False when it was there.

    Blocks: run it in a thread, under the lock, before the writer opens.
    Raises SchemaTooNewError, MigrationError (nothing was changed), StorageBusyError and
    StorageIllError.
    """
    make_private(path)
    return _on_file(path, lambda conn: _up(conn, to, versions))


def downgrade(path: Path, to: str, *, versions: Path = VERSIONS) -> None:
    """Take the SQLite file at *path* back to *to* (a revision, ``-1`` or ``base``).

    What the newer tables held is lost. Raises as upgrade does.
    """
    _on_file(path, lambda conn: _down(conn, to, versions))


async def upgrade_postgres(place: Place, to: str = "head", *, versions: Path = VERSIONS) -> bool:
    """Bring the database at *place* to *to*; False when it was there.

    Any number of hosts may do this at once. Raises SchemaTooNewError, MigrationError (nothing was
    changed), CommitUnknownError (do it again) and what storage.postgres.open_postgres raises.
    """
    return await _on_server(place, lambda conn: _up(conn, to, versions))


async def downgrade_postgres(place: Place, to: str, *, versions: Path = VERSIONS) -> None:
    """Take the database at *place* back to *to*; what the newer tables held is lost."""
    await _on_server(place, lambda conn: _down(conn, to, versions))


def _up(conn: Connection, to: str, versions: Path) -> bool:
    if is_at_head(conn, versions):
        return False
    upgrade_on(conn, to, versions=versions)
    return True


def _down(conn: Connection, to: str, versions: Path) -> None:
    is_at_head(conn, versions)
    downgrade_on(conn, to, versions=versions)


def upgrade_on(conn: Connection, to: str = "head", *, versions: Path = VERSIONS) -> None:
    """Run the upgrade inside the transaction that the caller has begun, on either engine.

    Raises MigrationError; the caller rolls back.
    """
    from alembic import command

    _run(conn, versions, lambda config: command.upgrade(config, to))


def downgrade_on(conn: Connection, to: str, *, versions: Path = VERSIONS) -> None:
    """Run the downgrade inside the transaction that the caller has begun, on either engine."""
    from alembic import command

    _run(conn, versions, lambda config: command.downgrade(config, to))


def as_sql(
    dialect: str, *, since: str = "base", to: str = "head", versions: Path = VERSIONS
) -> str:
    """The SQL that would upgrade a database of *dialect* from *since* to *to*; runs nothing.

    Raises MigrationError for a revision that is not known.
    """
    from alembic import command
    from alembic.util import CommandError

    buffer = io.StringIO()
    config = _config(versions)
    config.output_buffer = buffer
    config.attributes["dialect"] = dialect
    try:
        command.upgrade(config, f"{since}:{to}", sql=True)
    except CommandError as error:
        raise MigrationError(f"{error}: the newest revision is {head(versions)}") from error
    return buffer.getvalue()


def _on_file(path: Path, move: Callable[[Connection], T]) -> T:
    engine = sync_engine(path, foreign_keys=False)
    try:
        with engine.begin() as conn:
            return move(conn)
    except sa.exc.DBAPIError as error:
        better = explained(error)
        raise (_failed(error) if better is error else better) from error
    finally:
        engine.dispose()


async def _on_server(place: Place, move: Callable[[Connection], T]) -> T:
    def locked(conn: Connection) -> T:
        conn.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        return move(conn)

    database = await open_postgres(
        place,
        connections=1,
        lock_timeout_s=WAIT_S,
        statement_timeout_s=STATEMENT_S,
        versions=None,
    )
    try:
        return await database.write(locked)
    except sa.exc.DBAPIError as error:
        raise _failed(error) from error
    finally:
        await database.close()


def _failed(error: sa.exc.DBAPIError) -> MigrationError:
    return MigrationError(
        f"the migration failed and was undone ({error.orig}): keep the release that made this "
        "database and report the fault"
    )


def _run(conn: Connection, versions: Path, run: Callable[[Config], None]) -> None:
    from alembic.util import CommandError

    if _pragma(conn, "foreign_keys") == [(1,)]:
        raise MigrationError("migrations need a connection with foreign keys off")
    config = _config(versions)
    config.attributes["connection"] = conn
    try:
        run(config)
    except CommandError as error:
        raise MigrationError(f"{error}: the newest revision is {head(versions)}") from error
    broken = _pragma(conn, "foreign_key_check")
    if broken:
        places = ", ".join(f"{table} row {row}" for table, row, *_ in broken[:5])
        raise MigrationError(
            f"the migration would leave {len(broken)} rows without their parent ({places}) and "
            "was undone: keep the release that made this database and report the fault"
        )


def _pragma(conn: Connection, name: str) -> list[tuple[object, ...]]:
    if conn.dialect.name != "sqlite":
        return []
    return [tuple(row) for row in conn.exec_driver_sql(f"PRAGMA {name}")]


def _config(versions: Path) -> Config:
    from alembic.config import Config

    config = Config()
    for name, value in (
        ("script_location", str(_SCRIPTS)),
        ("version_locations", str(versions)),
        ("path_separator", "newline"),
    ):
        config.set_main_option(name, value.replace("%", "%%"))
    return config
