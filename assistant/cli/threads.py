"""``fencepost threads``: every thread with category, reason and draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common
from storage.words import Category

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 120
"""Columns of a terminal from which on a table reads better than two lines a thread."""

WANTED = ("needs_reply", "suspicious")
"""Categories that a person wants to see after a trial."""


@click.command("threads")
@click.option(
    "--category",
    type=click.Choice([str(one) for one in Category]),
    help="Only threads of one category.",
)
@click.option("--mailbox", metavar="NAME/ID", help="Only the threads of one mailbox.")
@common.json_option
@common.config_option
def command(
    config_dir: Path | None, as_json: bool, mailbox: str | None, category: str | None
) -> None:
    """List threads with category, reason and draft."""
    from assistant import views
    from assistant.views_health import no_mailbox

    loaded = common.load_config(config_dir, served=True)
    found = common.told(common.read_store)(loaded, partial(views.thread_list, mailbox=mailbox))
    if mailbox is not None and not found:
        unknown = common.told(common.read_store)(loaded, partial(no_mailbox, mailbox=mailbox))
        if unknown is not None:
            common.give_up(unknown)
    if category is not None:
        found = [row for row in found if row["category"] == category]
    if as_json:
        common.print_json(found)
    else:
        show(found)


def show(found: Sequence[Mapping[str, object]], *, briefly: bool = False) -> None:
    """A table of threads, the newest first; *briefly* only those that want the owner's eye."""
    from collections import Counter

    from rich.table import Table

    screen = common.console()
    shown = found
    if briefly:
        counts = Counter(str(row["category"] or "not judged") for row in found)
        words = ", ".join(f"{number} {name}" for name, number in counts.most_common())
        threads = "1 thread" if len(found) == 1 else f"{len(found)} threads"
        screen.print(f"{threads}: {words or 'none'}\n")
        shown = [row for row in found if row["draft"] or row["category"] in WANTED]
    if screen.width < WIDE:
        for row in shown:
            _show_in_two_lines(screen, row)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("thread", "when", "with", "subject", "category", "draft", "why"):
        table.add_column(name, overflow="fold" if name == "why" else "ellipsis")
    for row in shown:
        table.add_row(
            str(row["thread"])[:8],
            common.local_time(row["last_at"])[5:],
            common.shown(row["with"] or "", at_most=22),
            common.shown(row["subject"] or "(no subject)", at_most=40),
            str(row["category"] or "-"),
            _draft(row) or "-",
            common.shown(_why(row)),
        )
    screen.print(table)


def _show_in_two_lines(screen: Console, row: Mapping[str, object]) -> None:
    from rich.padding import Padding

    draft = f", draft {_draft(row)}" if _draft(row) else ""
    screen.print(
        f"{str(row['thread'])[:8]}  [bold]{common.shown(row['subject'] or '(no subject)')}[/bold]"
        f"  {common.shown(row['with'] or '')}"
    )
    why = f"{row['category'] or 'not judged yet'}{draft}: [dim]{common.shown(_why(row))}[/dim]"
    screen.print(Padding(why, (0, 0, 0, 10)))


def _draft(row: Mapping[str, object]) -> str:
    draft = row["draft"]
    return str(draft["state"]) if isinstance(draft, dict) else ""


def _why(row: Mapping[str, object]) -> str:
    """The reason, without the category that stands beside it already."""
    category, because = str(row["category"]), str(row["no_draft_because"] or row["reason"] or "")
    return because.removeprefix(f"{category}: ")
