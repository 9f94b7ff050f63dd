"""``fencepost migrate``: bring the database to the tables of this release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from config.loaded import Loaded


@click.command("migrate")
@click.option("--sql", "sql", is_flag=True, help="Print the SQL and change nothing.")
@common.config_option
def command(config_dir: Path | None, sql: bool) -> None:
    """Bring the database to this release's tables (the daemon does it by itself)."""
    loaded = common.load_config(config_dir)
    if sql:
        from assistant.opening import is_shared
        from storage.migrate import as_sql

        click.echo(as_sql("postgresql" if is_shared(loaded) else "sqlite"))
        return
    done = common.told(_migrate)(loaded)
    click.echo("the database was migrated" if done else "the database is up to date")


async def _migrate(loaded: Loaded) -> bool:
    from assistant.opening import migrate

    async with common.lock_of(loaded):
        return await migrate(loaded)
