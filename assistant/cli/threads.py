"""``fencepost threads``: every thread with category, reason and draft."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from assistant.cli import common


@click.command("threads")
@click.option("--mailbox", metavar="NAME/ID", help="Only the threads of one mailbox.")
@common.json_option
@common.config_option
def command(config_dir: Path | None, as_json: bool, mailbox: str | None) -> None:
    """List threads with category, reason and draft."""
    from assistant import views

    loaded = common.load_config(config_dir)
    found = common.told(common.read_store)(loaded, partial(views.thread_list, mailbox=mailbox))
    if as_json:
        common.print_json(found)
    else:
        show(found)


def show(found: Sequence[dict[str, object]], *, at_most: int | None = None) -> None:
    """A table of threads, the newest first."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("thread", "subject", "category", "draft", "why"):
        table.add_column(name, overflow="fold" if name == "why" else "ellipsis")
    for row in found[:at_most]:
        draft = row["draft"]
        state = str(draft["state"]) if isinstance(draft, dict) else "-"
        why = row["no_draft_because"] or row["reason"] or ""
        table.add_row(
            str(row["thread"])[:12],
            common.shown(row["subject"] or "(no subject)", at_most=50),
            str(row["category"] or "-"),
            state,
            common.shown(why),
        )
    screen = common.console()
    screen.print(table)
    if at_most is not None and len(found) > at_most:
        screen.print(f"... and {len(found) - at_most} more")
