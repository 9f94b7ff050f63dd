"""``fencepost migrate``: bring the database to the tables of this release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from config.loaded import Loaded


@click.command("migrate")
@click.option("--sql", "sql", is_flag=True, help="Print the SQL and change nothing.")
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
        from assistant.opening import is_shared
        from storage.migrate import as_sql

        click.echo(as_sql("postgresql" if is_shared(loaded) else "sqlite"))
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


async def _migrate(loaded: Loaded) -> bool:
    from assistant.opening import migrate

    async with common.lock_of(loaded):
        return await migrate(loaded)
