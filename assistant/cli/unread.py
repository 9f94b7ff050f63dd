"""Commands beside a daemon whose ``fencepost.toml`` can't be read any more.

The daemon goes on with what it read before, so what it can answer is answered, with the fault as a
warning. Nothing is written by the command itself: without the file nobody knows where and how.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config.faults import ConfigError
    from config.loaded import Loaded


def served(config_dir: Path, error: ConfigError) -> Loaded | None:
    """What a running daemon of *config_dir* serves, None where there is none. Blocks.

    Its ``daemon_faults`` are those of *error*, and only its data folder is known.
    """
    import anyio

    from config.guess import data_dirs
    from config.load import DAEMON_FILE, defaults
    from config.loaded import Loaded

    folder = config_dir.absolute()
    if any(fault.file not in (None, folder / DAEMON_FILE) for fault in error.faults):
        return None
    for data_dir in data_dirs(folder):
        whose = anyio.run(_whose, data_dir)
        if whose is not None and os.path.realpath(whose) == os.path.realpath(folder):
            daemon = defaults(folder, data_dir)
            return Loaded(config_dir=folder, daemon=daemon, daemon_faults=error.faults)
    return None


async def _whose(data_dir: Path) -> str | None:
    """The folder of configuration of the daemon that answers there, None where none does."""
    from assistant.socket import Limits, SocketError, ask

    limits = Limits(send_s=2.0, answer_s=5.0)
    try:
        answer = await ask(data_dir, {"do": "ping"}, limits=limits)
    except SocketError:
        return None
    found = answer.get("config_dir")
    return found if isinstance(found, str) else None
