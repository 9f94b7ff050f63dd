"""``fencepost run``: the daemon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from config.loaded import Loaded


@click.command("run")
@click.option(
    "--role",
    type=click.Choice(["all", "watch", "work"]),
    default="all",
    help="What this process does; all but `all` need PostgreSQL.",
)
@click.option("-v", "--verbose", is_flag=True, help="Log more.")
@common.config_option
def command(config_dir: Path | None, verbose: bool, role: str) -> None:
    """Run the daemon until SIGTERM or Ctrl-C."""
    common.set_up_logging(verbose=verbose)
    loaded = common.load_config(config_dir)
    common.told(_run)(loaded, role)


async def _run(loaded: Loaded, name: str) -> None:
    from assistant.arrival import is_up
    from assistant.daemon import Daemon
    from assistant.fleet import Role
    from assistant.opening import is_shared
    from assistant.process import writing
    from assistant.timing import SystemClock

    role = Role(name)
    if role is not Role.ALL and not is_shared(loaded):
        common.give_up(
            "one process does everything with SQLite: leave --role out, or let [storage] url name "
            "a PostgreSQL database",
            common.WRONG_USE,
        )
    clock = SystemClock()
    if not await is_up(loaded, clock):
        return
    async with (
        common.lock_of(loaded) as lock,
        writing(loaded, lock, clock, role=role) as process,
    ):
        await Daemon(process=process, lock=lock, role=role).run()
