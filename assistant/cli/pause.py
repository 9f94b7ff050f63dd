"""``fencepost pause``: the kill switch, for one mailbox or for all."""

from __future__ import annotations

from pathlib import Path

import click

from assistant.cli import common


@click.command("pause")
@click.argument("mailbox", required=False)
@common.json_option
@common.config_option
def command(config_dir: Path | None, mailbox: str | None, as_json: bool) -> None:
    """Stop every call into MAILBOX (NAME/ID), or into all; what is in flight ends first."""
    common.set_up_logging(quiet=True)
    loaded = common.load_config(config_dir, served=True)
    answer = common.told(common.ask_or_do)(loaded, {"do": "pause", "mailbox": mailbox})
    common.finish(answer, f"paused {mailbox or 'every mailbox'}", as_json=as_json)
