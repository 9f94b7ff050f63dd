"""Changes of the configuration, picked up while the daemon runs.

The folder is watched through ``watchfiles``, and read again every ``FLOOR_S`` seconds whatever the
watching says: network folders, container mounts and links that are swapped announce nothing. What
is read is settled by ``config.loaded.merge``: the last good version of each file stays in force.

Must not raise for anything that a file can hold. A crash here loses nothing: the next start reads
everything anew.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Final

import anyio
from watchfiles import Change, awatch

from config.load import DAEMON_FILE, USERS_FOLDER, reload
from config.loaded import Loaded

_LOG: Final = logging.getLogger(__name__)
FLOOR_S: Final = 30.0
"""Seconds between two readings when nothing announces a change."""
_TICK_S: Final = 0.5
"""Seconds that one wait in watchfiles' thread lasts: nothing can cancel it before."""
_DEBOUNCE_MS: Final = 200


async def watch(
    first: Loaded, signals: AsyncGenerator[object, None] | None = None
) -> AsyncGenerator[Loaded, None]:
    """Yield what is in force after each change of the folder that *first* was read from.

    Nothing is yielded where neither what is in force nor a fault has changed. ``signals``: each
    says that the folder should be read again; by default the file system and a clock say so.
    Close the generator when done (``contextlib.aclosing``).
    """
    current = first
    async with aclosing(signals or announced(first.config_dir)) as causes:
        async for _ in causes:
            now = await anyio.to_thread.run_sync(reload, current)
            if now != current:
                current = now
                yield current


def concerns(change: Change, path: str, config_dir: Path) -> bool:
    """Whether a change of *path* may change the configuration: judged by its final name only."""
    file = Path(path)
    if file == config_dir / USERS_FOLDER:
        return True
    if file.name.startswith(".") or file.suffix != ".toml":
        return False
    return file.parent == config_dir / USERS_FOLDER or file == config_dir / DAEMON_FILE


async def announced(config_dir: Path) -> AsyncGenerator[object, None]:
    """Yield soon after each change below *config_dir*, at once, and every ``FLOOR_S`` seconds."""
    folder = await anyio.to_thread.run_sync(config_dir.resolve)
    changes = awatch(
        folder,
        watch_filter=lambda change, path: concerns(change, path, folder),
        debounce=_DEBOUNCE_MS,
        rust_timeout=int(_TICK_S * 1_000),
        yield_on_timeout=True,
    )
    floor = due = round(FLOOR_S / _TICK_S)
    try:
        async with aclosing(changes):
            async for change in changes:
                due += 1
                if change or due >= floor:
                    due = 0
                    yield change
    except (OSError, RuntimeError) as error:
        _LOG.warning("can't watch %s, so it is read every %d s: %s", folder, FLOOR_S, error)
    while True:
        yield None
        await anyio.sleep(FLOOR_S)
