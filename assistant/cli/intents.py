"""``fencepost intents``: every side effect, with the evidence of what became of it."""

from __future__ import annotations

from pathlib import Path

import click

from assistant.cli import common


@click.command("intents")
@common.json_option
@common.config_option
def command(config_dir: Path | None, as_json: bool) -> None:
    """List every side effect with its state and evidence."""
    from assistant import views

    loaded = common.load_config(config_dir, served=True)
    found = common.told(common.read_store)(loaded, views.intent_list)
    if as_json:
        common.print_json(found)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("asked", "kind", "mailbox", "state", "attempt", "evidence"):
        table.add_column(name)
    for row in found:
        evidence = row["evidence"]
        facts = [str(fact["kind"]) for fact in evidence] if isinstance(evidence, list) else []
        table.add_row(
            common.local_time(row["claimed_at"]),
            str(row["kind"]),
            str(row["mailbox"]),
            str(row["state"]),
            str(row["attempt"]),
            ", ".join(facts),
        )
    common.console().print(table)
