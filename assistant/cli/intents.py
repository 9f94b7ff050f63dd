"""``fencepost intents``: every side effect, with the evidence of what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from assistant.cli import common

if TYPE_CHECKING:
    from rich.console import Console

WIDE: Final = 130
"""Columns of a terminal from which on an intent stands in one line."""


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
    screen = common.console()
    if screen.width < WIDE:
        for row in found:
            _show_in_two_lines(screen, row)
    else:
        _show(screen, found)
    if any(row["kind"] != "notify" for row in found):
        screen.print("\nfencepost explain MAILBOX THREAD tells the story of a thread")


def _show(screen: Console, found: Sequence[Mapping[str, object]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("intent", "asked", "kind", "mailbox", "thread", "state", "attempt", "evidence"):
        # What a person copies is neither cut nor broken, wherever it can be helped.
        table.add_column(name, overflow="fold", no_wrap=name in ("intent", "asked", "mailbox"))
    for row in found:
        table.add_row(
            common.intent_name(row["id"]),
            common.local_time(row["claimed_at"]),
            str(row["kind"]),
            common.shown(row["mailbox"]),
            common.shown(row["thread"]),
            str(row["state"]),
            str(row["attempt"]),
            _facts(row),
        )
    screen.print(table)


def _show_in_two_lines(screen: Console, row: Mapping[str, object]) -> None:
    screen.print(
        f"{common.intent_name(row['id'])}  [bold]{row['kind']}[/bold]  {row['state']}, attempt "
        f"{row['attempt']}, {common.local_time(row['claimed_at'])}: {_facts(row) or 'no evidence'}"
    )
    screen.print(
        f"          {common.shown(row['mailbox'])} {common.shown(row['thread'])}", soft_wrap=True
    )


def _facts(row: Mapping[str, object]) -> str:
    evidence = row["evidence"]
    return ", ".join(str(fact["kind"]) for fact in evidence) if isinstance(evidence, list) else ""
