"""``fencepost migrate``: bring the database to the tables of this release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from config.loaded import Loaded


@click.command("migrate")
@click.option(
    "--sql", "sql", is_flag=True, help="Print the SQL that is missing and change nothing."
)
@click.option(
    "--adopt-users",
    "adopt",
    is_flag=True,
    help="Let every host of a fleet work with the users' files of this one.",
)
@common.config_option
def command(config_dir: Path | None, sql: bool, adopt: bool) -> None:
    """Bring the database to this release's tables (the daemon does it by itself)."""
    loaded = common.load_config(config_dir)
    if adopt:
        _show_adopted(common.told(_adopt)(loaded))
        return
    if sql:
        click.echo(common.told(_sql)(loaded))
        return
    done = common.told(_migrate)(loaded)
    click.echo("the database was migrated" if done else "the database is up to date")


def _show_adopted(users: list[str]) -> None:
    if users:
        click.echo(f"every host now needs this host's copy of: {', '.join(users)}")
    else:
        click.echo("the fleet works with this host's files already")


async def _adopt(loaded: Loaded) -> list[str]:
    import socket

    from assistant.opening import is_shared, open_database
    from assistant.process import hashes_of, rightful_key
    from storage import workers
    from storage.dbtime import database_now_ms

    if not is_shared(loaded):
        common.give_up("--adopt-users is for a fleet on PostgreSQL", common.WRONG_USE)
    database = await open_database(loaded)

    def unit(conn: Connection) -> list[str]:
        workers.lock_files(conn)
        now, host = database_now_ms(conn), socket.gethostname()
        return [str(user) for user in workers.adopt(conn, now, hashes_of(loaded), host)]

    try:
        # Another installation's files are none of this fleet's.
        await rightful_key(loaded, database)
        return await database.write(unit)
    finally:
        await database.close()


async def _sql(loaded: Loaded) -> str:
    """The SQL that the database lacks, with a comment that says what it begins from.

    All of it where the database is new, or cannot be asked: whoever has no way to it gets a script
    to take there. Raises SchemaTooNewError and MigrationError for tables that are not ours.
    """
    from assistant.opening import is_shared, revision_of
    from config.secrets import SecretError
    from storage.errors import SchemaError, StorageError
    from storage.migrate import as_sql
    from storage.revisions import head

    dialect = "postgresql" if is_shared(loaded) else "sqlite"
    try:
        found = await revision_of(loaded)
    except SchemaError:
        raise
    except (StorageError, SecretError) as error:
        why = "the database could not be asked for its revision, so this makes everything, for an"
        said = [f"{why} empty one:", *str(error).splitlines()]
        return _script(said, as_sql(dialect))
    if found is None:
        return _script(["the database is new: this makes everything"], as_sql(dialect))
    if found == head():
        return _script([f"nothing is missing: the database is at revision {found}"], "")
    said = [f"from revision {found}, which the database is at, to {head()}"]
    return _script(said, as_sql(dialect, since=found))


def _script(said: Sequence[str], sql: str) -> str:
    return "\n".join([*(f"-- {line}" for line in said), *([sql] if sql else [])])


async def _migrate(loaded: Loaded) -> bool:
    from assistant.opening import migrate

    async with common.lock_of(loaded):
        return await migrate(loaded)
