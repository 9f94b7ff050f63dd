"""``fencepost status``: mailboxes, open calls and what waits for a person."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from config.loaded import Loaded

PAST = ("silent", "ended")
"""The states of members that are at work no more: dead or cut off, and ended in order."""


@click.command("status")
@click.option("--all", "everyone", is_flag=True, help="Also processes not heard for an hour.")
@common.json_option
@common.config_option
def command(config_dir: Path | None, as_json: bool, everyone: bool) -> None:
    """Show mailboxes, open calls and the review queue."""
    from assistant import views
    from assistant.opening import is_shared

    loaded = common.load_config(config_dir, served=True)
    document = common.told(common.read_store)(loaded, partial(views.status, everyone=everyone))
    if not is_shared(loaded):
        document["process"] = _process(loaded)
        if document["process"] is None:
            _nobody_works(document)
    if as_json:
        common.print_json(document)
    else:
        _show(document, everyone=everyone)


def _process(loaded: Loaded) -> dict[str, object] | None:
    """The process that works on the data folder of this machine now."""
    from assistant.views_health import at
    from storage.lock import holder

    found = holder(loaded.daemon.storage.data_dir)
    return None if found is None else {"pid": found.pid, "since": at(found.since_ms)}


def _nobody_works(document: dict[str, object]) -> None:
    """Leases without a process are those of one that died: nobody watches, nobody is at work."""
    mailboxes, workers = document["mailboxes"], document["workers"]
    for row in mailboxes if isinstance(mailboxes, list) else []:
        row["state"] = "idle" if row["state"] == "watching" else row["state"]
    for row in workers if isinstance(workers, list) else []:
        row["state"] = "silent"


def _show(document: Mapping[str, object], *, everyone: bool) -> None:
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
    for line in (*_rests(mailboxes), *_hosts(mailboxes)):
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
    for line in _members(document["workers"], everyone=everyone):
        screen.print(line)


def _members(members: object, *, everyone: bool) -> list[str]:
    """Who is at work, then a line for each who is gone; with *everyone* also who ended in order."""
    rows = members if isinstance(members, list) else []
    present = [_member(row) for row in rows if row.get("state") not in PAST]
    past = PAST if everyone else PAST[:1]
    gone = [f"gone: {_member(row)}" for row in rows if row.get("state") in past]
    return [f"at work: {', '.join(present) or 'nobody'}", *gone]


def _rests(mailboxes: object) -> list[str]:
    """A line for each mailbox into which no call is made for a while: how long, and why."""
    rows = mailboxes if isinstance(mailboxes, list) else []
    return [f"{row['mailbox']}: {_rest(row['rests'])}" for row in rows if row["rests"]]


def _rest(rest: Mapping[str, object]) -> str:
    ends = []
    if rest["until"]:
        ends.append(f"until {common.local_time(rest['until'], seconds=True)}")
    if rest["look_needed"]:
        ends.append("until a look into it has succeeded")
    return common.shown(f"rests {' and '.join(ends)}: {rest['why']}")


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
    facts = [str(row["role"]), _how(row)] if "role" in row else []
    leases = row["leases"]
    facts.append("1 lease" if leases == 1 else f"{leases} leases")
    return f"{row['worker']} ({', '.join(facts)})"


def _how(row: Mapping[str, object]) -> str:
    """The state of a member; of one that says nothing any more also when it was last heard."""
    heard = f", last heard {common.local_time(row['seen_at'], seconds=True)}"
    return f"{row['state']}{heard if row['state'] in PAST else ''}"
