"""``fencepost try``: the whole way over a copy of somebody's own mail files."""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from assistant.once import Progress, Summary
    from providers.mime.message import Owner

FIRST = 20
"""How many of a file's mails are looked at for a header that mail has."""


@click.command("try")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--me", metavar="ADDRESS", multiple=True, help="Whose mail it is; else guessed.")
@click.option("--strict", is_flag=True, help="End with 3 when something waits for a person.")
@common.json_option
def command(path: Path, me: tuple[str, ...], strict: bool, as_json: bool) -> None:
    """Run the whole way over a copy of PATH: an mbox file, a Maildir or a folder of .eml files.

    Nothing of yours is changed: mail, configuration and drafts go into a new temporary folder.
    """
    from providers.mailfiles import MailFilesError

    common.set_up_logging(quiet=True)
    try:
        status = common.told(_try)(path, me, strict=strict, as_json=as_json)
    except MailFilesError as error:
        common.give_up(str(error))
    raise SystemExit(status)


async def _try(path: Path, me: tuple[str, ...], *, strict: bool, as_json: bool) -> int:
    from anyio import to_thread

    from assistant.cli import once, threads
    from assistant.trial.stage import new_stage

    started = time.monotonic()
    owner = await to_thread.run_sync(_owner, path, me)
    say = click.echo if not as_json else (lambda _text: None)
    say(f"This is taken to be the mail of {owner.name} <{owner.addresses[0]}> (else say --me).")
    workdir = new_stage("try")
    try:
        summaries, found, waiting = await _on_copy(path, owner, workdir)
    except BaseException:
        shutil.rmtree(workdir, ignore_errors=True)
        raise
    if not as_json:
        threads.show(found, briefly=True)
        say("")
    once.show(
        summaries,
        time.monotonic() - started,
        as_json=as_json,
        more={"workdir": str(workdir), "me": owner.addresses[0]},
    )
    say(f"\nDrafts are in {workdir / 'mail' / '.Drafts'}; nothing of yours was changed.")
    say(f"  {common.program()} --config {workdir / 'config'} review")
    say(f"This is a copy of your mail; when you are done: rm -r {workdir}")
    return common.WAITS if strict and waiting else 0


async def _on_copy(
    path: Path, owner: Owner, workdir: Path
) -> tuple[list[Summary], list[dict[str, object]], dict[str, int]]:
    """Copy the mail, make one pass over the copy, and give what came of it."""
    from functools import partial

    from anyio import to_thread

    from assistant import views
    from assistant.once import run_once
    from assistant.trial.copying import copy_mail
    from assistant.trial.stage import on_stage, write_config
    from storage import reviews

    with _bars() as bars:
        copying = bars.add_task("copying", total=None)
        number = await to_thread.run_sync(
            partial(copy_mail, path, workdir / "mail", owner, partial(_advance, bars, copying))
        )
        bars.update(copying, total=number, completed=number)
        config = write_config(workdir, owner, quick=True)
        async with on_stage(config) as process:
            summaries = await run_once(process.house, _progress(bars))
            found = await process.house.store.read(views.thread_list)
            waiting = await process.house.store.read(reviews.counts)
    return summaries, found, waiting


def _owner(path: Path, me: tuple[str, ...]) -> Owner:
    from assistant.trial.copying import guess_owner
    from providers.mailfiles import MailFilesError
    from providers.mime.message import Owner as Person

    _refuse_no_mail(path)
    guess = guess_owner(path)
    if me:
        bad = [address for address in me if re.fullmatch(r"[^\s<>@]+@[^\s<>@]+", address) is None]
        if bad:
            raise click.BadParameter(
                f"{bad[0]!r} is no address; write the bare one: robin@example.com",
                param_hint="--me",
            )
        known = guess is not None and guess.owner.addresses[0] == me[0].lower()
        name = guess.owner.name if guess is not None and known else me[0].partition("@")[0]
        return Person(name=name, addresses=me)
    if guess is None:
        raise MailFilesError(f"nobody can be guessed from {path}: say whose mail it is with --me")
    return guess.owner


def _refuse_no_mail(path: Path) -> None:
    """Raise MailFilesError for a file with lines like headers that is no mail."""
    from itertools import islice

    from providers.mailfiles import MailFilesError, mails_in
    from providers.mime.reading import read_mail

    if not path.is_file():
        return
    mails = [read_mail(file.raw) for file in islice(mails_in(path), FIRST)]
    if not any(one.from_ or one.to or one.date or one.message_id or one.subject for one in mails):
        raise MailFilesError(f"{path} is no mail: name an mbox file, a Maildir or an .eml file")


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    # On stderr, and only for a person: stdout is for the result.
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        disable=not sys.stderr.isatty(),
        transient=True,
    )


def _advance(bars: Bars, task: object, number: int) -> None:
    from rich.progress import TaskID

    bars.update(TaskID(int(str(task))), completed=number)


def _progress(bars: Bars) -> Progress:
    from assistant.once import Progress as Hears

    work = bars.add_task("threads", total=None)

    def noted(_mailbox: str, _messages: int, threads: int) -> None:
        bars.update(work, total=threads)

    def worked(_mailbox: str, _result: str) -> None:
        bars.advance(work)

    return Hears(noted=noted, worked=worked)
