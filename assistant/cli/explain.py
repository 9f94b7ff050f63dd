"""``fencepost explain``: why there is a draft in a thread, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from sqlalchemy import Connection

SHOWN = 8
"""How many threads are named where a beginning is that of several."""


@click.command("explain")
@click.argument("mailbox", metavar="MAILBOX")
@click.argument("thread", metavar="THREAD")
@common.json_option
@common.config_option
def command(config_dir: Path | None, mailbox: str, thread: str, as_json: bool) -> None:
    """Tell one thread's story: MAILBOX is NAME/ID, THREAD an id (or its beginning)."""
    mailbox, thread = (text.encode("utf-8", "replace").decode() for text in (mailbox, thread))
    loaded = common.load_config(config_dir, served=True)
    try:
        document = common.told(common.read_store)(
            loaded, partial(_explain, mailbox=mailbox, thread=thread)
        )
    except LookupError as error:
        common.give_up(str(error.args[0]))
    if as_json:
        common.print_json(document)
    else:
        _show(document)


def _explain(conn: Connection, mailbox: str, thread: str) -> dict[str, object]:
    from assistant import views
    from assistant.views_health import no_mailbox
    from storage import overview

    if (unknown := no_mailbox(conn, mailbox)) is not None:
        raise LookupError(unknown)
    found = [
        row.thread
        for row in overview.all_threads(conn, mailbox)
        if row.thread == thread or (thread and row.thread.startswith(thread))
    ]
    if len(found) > 1 and thread not in found:
        raise LookupError(
            f"{thread} is the beginning of {len(found)} threads of {mailbox}: "
            f"{', '.join(sorted(found)[:SHOWN])}{', ...' if len(found) > SHOWN else ''}"
        )
    if not found:
        raise LookupError(
            f"there is no thread {thread} in {mailbox}; see: fencepost threads --mailbox {mailbox}"
        )
    return views.explain(conn, mailbox, thread if thread in found else found[0])


def _show(document: Mapping[str, object]) -> None:
    screen = common.console()
    thread = document["thread"]
    if isinstance(thread, dict):
        screen.print(f"[bold]{common.shown(thread['subject'] or '(no subject)')}[/bold]")
        screen.print(_judgement(thread))
        if document["waits"]:
            screen.print(f"waits: {common.shown(document['waits'])}")
        if thread["no_draft_because"]:
            screen.print(f"no draft because: {common.shown(thread['no_draft_because'])}")
        draft = thread["draft"]
        if isinstance(draft, dict):
            screen.print(f"draft: {draft['state']}, {common.shown(draft['subject'])}")
            for note in common.notes_of(draft):
                screen.print(f"  note: {note}")
    for title, name in (("what happened", "events"), ("calls", "intents")):
        rows = document[name]
        if not isinstance(rows, list) or not rows:
            continue
        screen.print(f"\n[bold]{title}[/bold]")
        for row in rows:
            screen.print(common.shown(_event(row) if name == "events" else _intent(row)))


def _judgement(thread: Mapping[str, object]) -> str:
    if not thread["category"]:
        return "not judged yet"
    unsure = " (unsure)" if thread["unsure"] else ""
    engine = f" (by {common.shown(thread['engine'])})" if thread["engine"] else ""
    return f"{thread['category']}: {common.shown(thread['reason'] or '')}{unsure}{engine}"


def _event(row: Mapping[str, object]) -> str:
    detail = row["detail"]
    words = (
        ", ".join(f"{key}={value}" for key, value in detail.items() if value not in (None, ""))
        if isinstance(detail, dict)
        else ""
    )
    return f"{common.local_time(row['at'], seconds=True)}  {row['kind']}  {words}"


def _intent(row: Mapping[str, object]) -> str:
    evidence = row["evidence"]
    facts = ", ".join(str(fact["kind"]) for fact in evidence) if isinstance(evidence, list) else ""
    return (
        f"{common.local_time(row['claimed_at'], seconds=True)}  {common.intent_name(row['id'])}  "
        f"{row['kind']}  {row['state']}  attempt {row['attempt']}  evidence: {facts or 'none'}"
    )
