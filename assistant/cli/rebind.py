"""``fencepost rebind``: a mailbox's history under the id that it has now."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from config.loaded import Loaded


@click.command("rebind")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--key", metavar="TEXT", help="Your key: the same key never does anything twice.")
@common.json_option
@common.config_option
def command(config_dir: Path | None, old: str, new: str, key: str | None, as_json: bool) -> None:
    """Give what is known of the mailbox OLD to NEW, as it is called in its user's file now.

    Both are NAME/ID and one account. Stop the daemon first.
    """
    common.set_up_logging(quiet=True)
    loaded = common.load_config(config_dir)
    chosen = key or f"cli-{uuid.uuid4().hex[:12]}"
    answer = common.told(_rebind)(loaded, old, new, chosen)
    common.finish(answer, f"{new} goes on where {old} was", as_json=as_json)


async def _rebind(loaded: Loaded, old: str, new: str, key: str) -> dict[str, object]:
    from assistant.commands.rebind import rebind
    from assistant.commands.review import CommandError
    from assistant.process import writing
    from assistant.timing import SystemClock
    from storage.receipts import ConflictError
    from storage.words import IntegrationId

    async with common.lock_of(loaded) as lock, writing(loaded, lock, SystemClock()) as process:
        try:
            found = await rebind(process.house, IntegrationId(old), IntegrationId(new), key)
        except CommandError as error:
            # A user whose file here is not the fleet's has no mailboxes here.
            strange = [
                f"{one.what}: {one.problem}: {one.remedy}" for one in process.disagreements()
            ]
            return {"error": "refused", "message": "; ".join([str(error), *strange])}
        except ConflictError as error:
            return {"error": "conflict", "message": str(error), "key": error.key}
        return found.as_json()
