"""``fencepost resume``: lift a pause."""

from __future__ import annotations

from pathlib import Path

import click

from assistant.cli import common


@click.command("resume")
@click.argument("mailbox", required=False)
@common.json_option
@common.config_option
def command(config_dir: Path | None, mailbox: str | None, as_json: bool) -> None:
    """Lift the pause of MAILBOX (NAME/ID), or the one for all."""
    common.set_up_logging(quiet=True)
    loaded = common.load_config(config_dir, served=True)
    answer = common.told(common.ask_or_do)(loaded, {"do": "resume", "mailbox": mailbox})
    was = "" if answer.get("was_paused") else " (it was not paused)"
    still = answer.get("still_paused")
    lines = [f"resumed {mailbox or 'every mailbox'}{was}"]
    lines += [
        f"{name} has a pause of its own; lift it with: fencepost resume {name}"
        for name in (still if isinstance(still, list) else [])
    ]
    common.finish(answer, "\n".join(lines), as_json=as_json)
