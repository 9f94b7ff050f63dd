"""``fencepost review``: what waits for a person, and their decisions.

Every decision has a key; without ``--key`` one is made and printed, so that a lost answer can be
asked for again with the same key, which repeats nothing.
"""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from assistant.process import Process
    from config.loaded import Loaded


MAX_ID = 2**63 - 1
"""The highest number that an item can have."""


@click.group("review", invoke_without_command=True)
@common.json_option
@common.config_option
@click.pass_context
def command(context: click.Context, config_dir: Path | None, as_json: bool) -> None:
    """Show and decide what waits for you (without a word: the list)."""
    context.meta["config_dir"] = config_dir
    if context.invoked_subcommand is None:
        context.invoke(list_items, config_dir=config_dir, as_json=as_json)


def _chosen(config_dir: Path | None) -> Path | None:
    """``--config`` from after the word, between the words or before them."""
    found = click.get_current_context().meta.get("config_dir")
    return config_dir or (found if isinstance(found, Path) else None)


@command.command("list")
@click.option("--all", "closed", is_flag=True, help="Also what is closed.")
@click.option("--user", metavar="NAME", help="Only one user's items.")
@common.json_option
@common.config_option
def list_items(
    config_dir: Path | None, as_json: bool, closed: bool = False, user: str | None = None
) -> None:
    """List what waits, oldest first."""
    from assistant import views

    loaded = common.load_config(_chosen(config_dir), served=True)
    unit = partial(views.review_list, lag_ms=common.lag_ms_of(loaded), closed=closed, user=user)
    found = common.told(common.read_store)(loaded, unit)
    if as_json:
        common.print_json(found)
    else:
        show_list(found)


def _number(_context: click.Context, _parameter: click.Parameter, text: str) -> int:
    """The number of an item; any other word is wrong use."""
    if not _is_number(text):
        raise click.BadParameter(f"{text!r} is no item's number; see: fencepost review list")
    return int(text)


def _is_number(text: str) -> bool:
    """Whether an item can have this number; Python converts no text of thousands of digits."""
    short = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_ID))
    return short and int(text) <= MAX_ID


@command.command("show")
@click.argument("item", callback=_number, metavar="ID")
@common.json_option
@common.config_option
def show_item(config_dir: Path | None, item: int, as_json: bool) -> None:
    """Show one item with its draft, its evidence and your actions."""
    loaded = common.load_config(_chosen(config_dir), served=True)
    found = common.told(common.read_store)(loaded, partial(_item, loaded, item))
    if found is None:
        common.give_up(f"there is no review item {item}; see: fencepost review list")
    if as_json:
        common.print_json(found)
    else:
        _show(found)


@command.command("do")
@click.argument("words", nargs=-1, required=True, metavar="ID... ACTION")
@click.option("--key", metavar="TEXT", help="Your key: the same key never does anything twice.")
@click.option("--ref", metavar="REF", help="The draft meant, for adopt, not_ours and it_exists.")
@click.option("--note", metavar="TEXT", help="Why, for the record.")
@common.json_option
@common.config_option
def do(
    config_dir: Path | None,
    words: tuple[str, ...],
    key: str | None,
    ref: str | None,
    note: str | None,
    as_json: bool,
) -> None:
    """Decide: ACTION on one or more items."""
    common.set_up_logging(quiet=True)
    *items, action = words
    numbers = all(_is_number(item) for item in items)
    if not items or not numbers or action.isdecimal():
        raise click.UsageError("write the item's numbers, then the action: 3 5 dismiss")
    loaded = common.load_config(_chosen(config_dir), served=True)
    request = {
        "do": "review",
        "items": [int(item) for item in items],
        "action": action,
        "key": key or f"cli-{uuid.uuid4().hex[:12]}",
        "ref": ref,
        "note": note,
    }
    answer = common.told(common.ask_or_do)(loaded, request, _follow_up)
    if not as_json and "error" not in answer:
        _show_answer(answer)
    common.finish(answer, None, as_json=as_json)
    results = answer.get("result")
    if isinstance(results, dict) and any("refused" in one for one in results.values()):
        raise SystemExit(common.FAILED)


async def _follow_up(process: Process) -> None:
    """Without a daemon: do now what the decision made due (a discarded draft is removed)."""
    import anyio

    from assistant.loops.worker import Worker

    async with anyio.create_task_group() as group:
        group.start_soon(process.house.keeper.run)
        await Worker(house=process.house).until_idle(0)
        group.cancel_scope.cancel()


def _item(loaded: Loaded, number: int, conn: Connection) -> dict[str, object] | None:
    from assistant import views
    from storage import reviews

    item = reviews.one(conn, number)
    return None if item is None else views.review_item(conn, item, common.lag_ms_of(loaded))


def show_list(found: Sequence[Mapping[str, object]]) -> None:
    """The queue as a table."""
    from rich.table import Table

    screen = common.console()
    if not found:
        screen.print("Nothing waits for you.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("id", "since", "what", "mailbox", "subject", "your actions"):
        table.add_column(name, justify="right" if name == "id" else "left")
    for row in found:
        actions = row["actions"]
        table.add_row(
            str(row["id"]),
            common.local_time(row["opened_at"])[5:],
            str(row["kind"]),
            str(row["mailbox"] or row["user"]),
            common.shown(row["subject"] or row["summary"], at_most=60),
            ", ".join(actions) if isinstance(actions, list) else "",
        )
    screen.print(table)
    screen.print("\nfencepost review show ID, then: fencepost review do ID ACTION")


def _show(row: Mapping[str, object]) -> None:
    from rich.panel import Panel

    screen = common.console()
    screen.print(f"[bold]{row['id']}  {row['kind']}[/bold]  {row['state']}")
    screen.print(common.shown(row["summary"]))
    if row["subject"]:
        screen.print(f"subject: {common.shown(row['subject'])}")
    _show_place(row)
    draft = row["draft"]
    if isinstance(draft, dict):
        _remind(draft)
        head = "\n".join(
            f"{name}: {common.shown(_words(draft[name]))}"
            for name in ("from", "to", "cc", "subject")
            if draft.get(name)
        )
        changed = draft["state"] == "edited"
        title = "what we made; your version is in Drafts" if changed else f"draft, {draft['state']}"
        screen.print(Panel(f"{head}\n\n{common.shown(draft['body'] or '')}", title=title))
        for note in common.notes_of(draft):
            screen.print(f"note: {note}")
    _show_evidence(row["evidence"])
    actions = row["actions"]
    if isinstance(actions, list) and actions:
        screen.print(f"\nfencepost review do {row['id']} ACTION, where ACTION is")
        for action in actions:
            screen.print(f"  {action:15} {WHAT.get(action, '')}")


def _show_place(row: Mapping[str, object]) -> None:
    """Mailbox and thread of an item, and the command that tells the thread's story."""
    screen = common.console()
    if row["mailbox"]:
        screen.print(f"mailbox: {common.shown(row['mailbox'])}")
    else:
        screen.print(f"user: {common.shown(row['user'])}")
    if row["mailbox"] and row["thread"]:
        words = shlex.join([str(row["mailbox"]), str(row["thread"])])
        screen.print(f"thread: {common.shown(row['thread'])}")
        screen.print(f"its story: fencepost explain {common.shown(words)}", soft_wrap=True)


def _show_evidence(evidence: object) -> None:
    """What is known of the calls behind an item; what says nothing is left out."""
    screen = common.console()
    if isinstance(evidence, list) and evidence:
        screen.print("[bold]evidence[/bold]")
        for fact in evidence:
            words = ", ".join(
                f"{key}: {_words(value)}" for key, value in fact["detail"].items() if value
            )
            screen.print(
                f"  {common.local_time(fact['at'])}  {fact['kind']} ({fact['of']} "
                f"{common.intent_name(fact['intent'])}, attempt {fact['attempt']})  "
                f"{common.shown(words)}"
            )


WHAT = {
    "keep": "leave the draft in Drafts; it is yours from now on",
    "discard": "delete the draft from Drafts, unless you changed it",
    "it_exists": "you have seen it there: it counts as made, and is yours",
    "adopt": "the draft named by --ref is ours",
    "not_ours": "the draft named by --ref is none of ours",
    "never_happened": "it is not there: one more look, then it may be made anew",
    "retry": "have it tried again",
    "dismiss": "close this; nothing is changed in the mailbox",
}
"""What each action does, in a line."""


def _remind(draft: Mapping[str, object]) -> None:
    """The mail that a draft answers, in a few words."""
    mail = draft.get("answering")
    if isinstance(mail, dict) and mail.get("text"):
        writer = common.shown(mail.get("from") or "somebody")
        when = common.local_time(mail.get("at"))
        common.console().print(f"{writer}, {when}: [dim]{common.shown(mail['text'])}[/dim]")


def _words(value: object) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)


def _show_answer(answer: Mapping[str, object]) -> None:
    result = answer["result"]
    again = " (done before; nothing was repeated)" if answer["replayed"] else ""
    for item, what in (result if isinstance(result, dict) else {}).items():
        words = ", ".join(f"{key}: {value}" for key, value in what.items())
        click.echo(f"{item}: {words}{again}")
    click.echo(f"(safe to repeat with --key {answer['key']})", err=True)
