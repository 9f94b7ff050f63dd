"""``fencepost once``: one pass over every mailbox, for cron."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from collections.abc import Sequence

    import anyio

    from assistant.once import Progress, Summary
    from config.loaded import Loaded
    from storage.lock import FileLock


@click.command("once")
@click.option("--since", metavar="SPAN", help="How far back to look, like 30d.")
@click.option("--strict", is_flag=True, help="End with 3 when something waits for a person.")
@click.option("-v", "--verbose", is_flag=True, help="Log more.")
@common.json_option
@common.config_option
def command(
    config_dir: Path | None, as_json: bool, verbose: bool, strict: bool, since: str | None
) -> None:
    """Make one pass over every mailbox, then end."""
    common.set_up_logging(verbose=verbose, quiet=not verbose)
    loaded = common.load_config(config_dir)
    raise SystemExit(
        common.told(_once)(loaded, as_json=as_json, strict=strict, since_s=span_s(since))
    )


def span_s(text: str | None) -> float | None:
    """A span like ``30d`` in seconds."""
    from config.durations import parse_duration

    if text is None:
        return None
    try:
        return parse_duration(text).total_seconds()
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--since") from error


async def _once(loaded: Loaded, *, as_json: bool, strict: bool, since_s: float | None) -> int:
    import anyio

    from assistant import socket as command_socket
    from assistant.once import run_once
    from assistant.process import writing
    from assistant.requests import handle
    from assistant.timing import SystemClock
    from storage import reviews

    clock = SystemClock()
    started = time.monotonic()
    stop = anyio.Event()
    summaries: list[Summary] | None = None
    async with (
        common.lock_of(loaded) as lock,
        writing(loaded, lock, clock, since_s=since_s) as process,
    ):
        house = process.house
        async with anyio.create_task_group() as group:
            group.start_soon(_on_signals, stop, group.cancel_scope)

            async def serve(held: FileLock, *, task_status: anyio.abc.TaskStatus[object]) -> None:
                await command_socket.serve(
                    held,
                    lambda request: handle(house, request),
                    clock=clock,
                    task_status=task_status,
                )

            if lock is not None:
                await group.start(serve, lock)
            summaries = await run_once(house, watched(), stop=stop)
            group.cancel_scope.cancel()
        if summaries is None:
            return common.FAILED
        waiting = await house.store.read(reviews.counts)
        strange, wrong = process.disagreements(), process.not_served()
    not_served: dict[str, object] = {
        "not_served": [
            {"user": one.user, "what": one.what, "problem": one.problem, "remedy": one.remedy}
            for one in (*strange, *wrong)
        ]
    }
    show(summaries, time.monotonic() - started, as_json=as_json, more=not_served)
    for one in strange:
        click.echo(f"{one.what}: nothing was done for {one.user}: {one.problem}", err=True)
        click.echo(f"  {one.remedy}", err=True)
    if wrong:
        # The log has said what is wrong, and where.
        return common.WRONG_USE
    if stop.is_set():
        click.echo("fencepost: stopped before the pass was over; the next one goes on", err=True)
        return common.FAILED
    if any(summary.failed for summary in summaries) or (strange and not summaries):
        return common.FAILED
    return common.WAITS if strict and waiting else 0


async def _on_signals(stop: anyio.Event, everything: anyio.CancelScope) -> None:
    """End in order on the first SIGTERM or SIGINT, at once on the second, as the daemon does."""
    import signal

    import anyio

    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
        async for _ in received:
            if stop.is_set():
                click.echo("stopping at once: a call in flight becomes unknown", err=True)
                everything.cancel()
                return
            click.echo("stopping: calls in flight end first; again to stop at once", err=True)
            stop.set()


def watched() -> Progress | None:
    """What tells a person who watches that a pass waits; None where nobody does: it is logged."""
    from assistant.once import Progress

    if not sys.stderr.isatty():
        return None
    from rich.console import Console

    screen = Console(stderr=True, highlight=False)

    def waits(mailbox: str, at_most_s: float) -> None:
        screen.print(
            f"{common.shown(mailbox)}: whoever watched it may have been killed just now; waiting "
            f"for its lease to end, {at_most_s:.0f} s at most [dim](Ctrl-C stops)[/dim]"
        )

    return Progress(waits=waits)


def show(
    summaries: Sequence[Summary],
    seconds: float,
    *,
    as_json: bool,
    more: dict[str, object] | None = None,
) -> None:
    """Print what a pass did."""
    if as_json:
        common.print_json(
            {
                "mailboxes": [summary.as_json() for summary in summaries],
                "seconds": round(seconds, 3),
                **(more or {}),
            }
        )
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = (
        *("mailbox", "messages", "threads", "triaged"),
        *("drafted", "unknown", "quarantined", "failed"),
    )
    for name in columns:
        table.add_column(name, justify="left" if name == "mailbox" else "right")
    for summary in summaries:
        values = summary.as_json()
        table.add_row(*(str(values[name]) for name in columns))
    common.console().print(table)
    for summary in summaries:
        if summary.left_to is not None:
            click.echo(f"{summary.mailbox}: left to {summary.left_to}, which watches it")
    for summary in summaries:
        for problem in summary.all_problems:
            what = "nothing could be done" if summary.failed else "not all could be done"
            click.echo(f"{summary.mailbox}: {what}: {problem}", err=True)
