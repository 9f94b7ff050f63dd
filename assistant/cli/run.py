"""``fencepost run``: the daemon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from config.loaded import Loaded


@click.command("run")
@click.option("-v", "--verbose", is_flag=True, help="Log more.")
@common.config_option
def command(config_dir: Path | None, verbose: bool) -> None:
    """Run the daemon until SIGTERM or Ctrl-C."""
    common.set_up_logging(verbose=verbose)
    loaded = common.load_config(config_dir)
    common.told(_run)(loaded)


async def _run(loaded: Loaded) -> None:
    from assistant.daemon import Daemon
    from assistant.process import writing
    from assistant.timing import SystemClock

    async with common.lock_of(loaded) as lock, writing(loaded, lock, SystemClock()) as process:
        await Daemon(process=process, lock=lock).run()
