"""``fencepost workflows``: what each kind of side effect promises."""

from __future__ import annotations

import click

from assistant.cli import common


@click.command("workflows")
@common.json_option
def command(as_json: bool) -> None:
    """Show the contract of each kind of side effect."""
    from assistant import views

    found = views.workflows()
    if as_json:
        common.print_json(found)
        return
    screen = common.console()
    for row in found:
        screen.print(f"[bold]{row['kind']}[/bold]")
        for name in ("key", "commit_point", "replay", "uncertainty", "recovery"):
            screen.print(f"  [dim]{name.replace('_', ' ')}:[/dim] {row[name]}")
        blocks = "yes" if row["blocks_thread"] else "no"
        screen.print(f"  [dim]blocks its thread while open:[/dim] {blocks}\n")
