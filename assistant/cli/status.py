"""``fencepost status``: mailboxes, open calls and what waits for a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from config.loaded import Loaded


@click.command("status")
@common.json_option
@common.config_option
def command(config_dir: Path | None, as_json: bool) -> None:
    """Show mailboxes, open calls and the review queue."""
    from assistant import views
    from assistant.opening import is_shared

    loaded = common.load_config(config_dir, served=True)
    document = common.told(common.read_store)(loaded, views.status)
    if not is_shared(loaded):
        document["process"] = _process(loaded)
    if as_json:
        common.print_json(document)
    else:
        _show(document)


def _process(loaded: Loaded) -> dict[str, object] | None:
    """The process that works on the data folder of this machine now."""
    from assistant import views
    from storage.lock import holder

    found = holder(loaded.daemon.storage.data_dir)
    return None if found is None else {"pid": found.pid, "since": views.at(found.since_ms)}


def _show(document: Mapping[str, object]) -> None:
    from rich.table import Table

    screen = common.console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("mailbox", "provider", "state", "last pass", "due", "problem"):
        table.add_column(name, justify="right" if name == "due" else "left")
    mailboxes = document["mailboxes"]
    for row in mailboxes if isinstance(mailboxes, list) else []:
        table.add_row(
            row["mailbox"],
            row["provider"],
            row["state"],
            common.local_time(row["last_pass_at"]),
            str(row["due"]),
            row["problem"] or "",
        )
    screen.print(table)
    for line in _hosts(mailboxes):
        screen.print(line)
    if "process" in document:
        screen.print(f"runs: {_running(document['process'])}")
    for title, name in (("calls", "intents"), ("waits for you", "review")):
        counts = document[name]
        if isinstance(counts, dict):
            words = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
            screen.print(f"{title}: {words or 'nothing'}")
    counted = [row for row in mailboxes if row["quota"]] if isinstance(mailboxes, list) else []
    if counted:
        screen.print(f"units: {', '.join(_units(row) for row in counted)}")
    spent = document["spend"]
    if isinstance(spent, list) and spent:
        words = ", ".join(f"{row['tokens']} by {row['user']} on {row['day']}" for row in spent)
        screen.print(f"tokens: {words}")
    members = document["workers"]
    if isinstance(members, list):
        words = ", ".join(_member(row) for row in members if row.get("state") != "ended")
        screen.print(f"at work: {words or 'nobody'}")


def _hosts(mailboxes: object) -> list[str]:
    """A line for each mailbox for which a live host of a fleet lacks something."""
    rows = mailboxes if isinstance(mailboxes, list) else []
    return [_served(row) for row in rows if any(not host["serves"] for host in row["hosts"])]


def _served(row: Mapping[str, Sequence[Mapping[str, object]]]) -> str:
    """Which live hosts serve a mailbox and which lack something, with the reason and the remedy."""
    able = sorted({str(host["host"]) for host in row["hosts"] if host["serves"]})
    lacking = {
        str(host["host"]): f"{host['problem']}: {host['remedy']}"
        for host in row["hosts"]
        if not host["serves"]
    }
    words = "".join(f"; not by {host}, {why}" for host, why in sorted(lacking.items()))
    return f"{row['mailbox']}: served by {', '.join(able) or 'nobody'}{words}"


def _running(process: object) -> str:
    if isinstance(process, dict):
        return f"process {process['pid']}, since {common.local_time(process['since'])}"
    return "nothing; start the daemon with: fencepost run"


def _units(row: Mapping[str, Mapping[str, object]]) -> str:
    quota = row["quota"]
    return (
        f"{quota['units']} by {row['mailbox']} on {quota['day']} "
        f"({quota['last_minute']} in a minute, {common.local_time(quota['told_at'])})"
    )


def _member(row: Mapping[str, object]) -> str:
    facts = [str(row[name]) for name in ("role", "state") if name in row]
    facts.append(f"{row['leases']} leases")
    return f"{row['worker']} ({', '.join(facts)})"
