"""``fencepost init``: a few questions, then configuration that works.

Asks only what can't be guessed; every question has an option, and with ``--yes`` nothing is asked.
It looks at what it was told (is there a Maildir?) and says so, and it ends with the next command.
Nothing that exists is overwritten, and a crash leaves whole files or none.

The configuration package is imported when the command runs, so that ``--help`` stays fast.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from config.initial import Answers, Gmail, Imap, Maildir

PROVIDERS = ("maildir", "imap", "gmail")
_ZONES = "zoneinfo/"


@click.command("init")
@common.config_option
@click.option("--user", metavar="NAME", help="Name of the user's file; guessed from --name.")
@click.option("--name", metavar="TEXT", help="Your name, as it stands in From.")
@click.option(
    "--address",
    "addresses",
    multiple=True,
    metavar="ADDRESS",
    help="Your address, the main one first; may be given more than once.",
)
@click.option("--timezone", metavar="ZONE", help="Your timezone; guessed from this machine.")
@click.option("--signature", metavar="TEXT", help="Text below a draft.")
@click.option("--provider", type=click.Choice(PROVIDERS), help="What the mailbox is.")
@click.option("--maildir", metavar="PATH", help="Path of a Maildir.")
@click.option("--imap-host", metavar="HOST", help="Name of an IMAP server.")
@click.option("--imap-user", metavar="NAME", help="Who logs in there.")
@click.option("--yes", is_flag=True, help="Ask nothing; take a guess where nothing is given.")
def command(
    *,
    config_dir: Path | None,
    user: str | None,
    name: str | None,
    addresses: tuple[str, ...],
    timezone: str | None,
    signature: str | None,
    provider: str | None,
    maildir: str | None,
    imap_host: str | None,
    imap_user: str | None,
    yes: bool,
) -> None:
    """Ask a few questions and write the configuration."""
    from config.initial import Answers, user_name
    from config.load import find_config_dir

    ask = _Asker(silent=yes)
    name = ask("--name", "Your name", name)
    addresses = addresses or _split(ask("--address", "Your addresses, the main one first", None))
    if provider is None and (maildir or imap_host):
        provider = "maildir" if maildir else "imap"
    answers = Answers(
        user=user or user_name(name),
        name=name,
        addresses=addresses,
        timezone=ask("--timezone", "Your timezone", timezone, guess_timezone()),
        signature=ask("--signature", "Signature", signature, name.partition(" ")[0]),
        mailbox=_mailbox(ask, provider, maildir, imap_host, imap_user or addresses[0]),
    )
    folder = find_config_dir(config_dir)
    _write(folder, answers)
    _say_what_to_do(folder, answers)


class _Asker:
    """Questions, unless everything is to be guessed."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent

    def __call__(self, option: str, question: str, given: str | None, guess: str = "") -> str:
        if given is None and not self._silent:
            given = str(click.prompt(question, default=guess or None))
        text = (guess if given is None else given).strip()
        if not text:
            raise click.UsageError(f"{option} is missing: give it, or leave out --yes to be asked")
        return text


def _mailbox(
    ask: _Asker, provider: str | None, maildir: str | None, host: str | None, username: str
) -> Maildir | Imap | Gmail:
    from config.initial import Gmail, Imap, Maildir

    question = f"What the mailbox is ({', '.join(PROVIDERS)})"
    match ask("--provider", question, provider, PROVIDERS[0]):
        case "maildir":
            path = ask("--maildir", "Path of the Maildir", maildir, guess_maildir())
            return Maildir(path=path if path.startswith("~") else os.path.abspath(path))
        case "imap":
            host = ask("--imap-host", "IMAP server", host)
            return Imap(host=host, username=ask("--imap-user", "Login", None, username))
        case "gmail":
            return Gmail()
        case other:
            raise click.UsageError(f"{other!r} is none of {', '.join(PROVIDERS)}")


def guess_timezone() -> str:
    """The timezone of this machine by its name, UTC where it tells none."""
    if (named := os.environ.get("TZ", "").removeprefix(":")) and "/" in named[1:]:
        return named.partition(_ZONES)[2] or named
    try:
        return os.path.realpath("/etc/localtime").partition(_ZONES)[2] or "UTC"
    except OSError:
        return "UTC"


def guess_maildir() -> str:
    """The first folder in a usual place that is a Maildir; empty if there is none."""
    for path in (os.environ.get("MAIL", ""), "~/Mail", "~/Maildir"):
        if path and (Path(path).expanduser() / "cur").is_dir():
            return path
    return ""


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _write(config_dir: Path, answers: Answers) -> None:
    from config.faults import ConfigError
    from config.initial import check, write

    try:
        check(config_dir, answers)
    except ConfigError as error:
        raise click.UsageError(
            "\n".join(f"{fault.key}: {fault.message}; {fault.remedy}" for fault in error.faults)
        ) from error
    try:
        made = write(config_dir, answers)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    for path in made:
        click.echo(f"wrote {path}")


def _say_what_to_do(config_dir: Path, answers: Answers) -> None:
    """What was seen of the mailbox, and the next command."""
    from config.initial import CLIENT_FILE, Gmail, Imap, Maildir, imap_secret, mailbox_id

    mailbox = f"{answers.user}/{mailbox_id(answers)}"
    match answers.mailbox:
        case Maildir(path=path):
            for line in maildir_remarks(path):
                click.echo(line)
        case Imap():
            secret = shlex.quote(str(config_dir / imap_secret(answers)))
            click.echo(f"put the password of {mailbox} there: (umask 077; cat > {secret})")
        case Gmail():
            client = shlex.quote(str(config_dir / CLIENT_FILE))
            click.echo(
                'make an OAuth client of the kind "Desktop app" in Google\'s console, as '
                f"docs/gmail.md tells, and save its JSON there: {client}"
            )
            click.echo(f"then log in: fencepost login {mailbox}")
    click.echo("next: fencepost check")


def maildir_remarks(path: str) -> list[str]:
    """What a person should know of the Maildir that they named, each with what to do."""
    folder = Path(path).expanduser()
    parts = ("cur", "new", "tmp")
    if not folder.is_dir():
        return [f"{folder} does not exist yet: make it, or name another in the user's file"]
    remarks = []
    if missing := [part for part in parts if not (folder / part).is_dir()]:
        remarks.append(f"{folder} is no Maildir yet: it has no {', '.join(missing)}")
    else:
        mails = sum(len(os.listdir(folder / part)) for part in ("cur", "new"))
        remarks.append(f"{folder} is a Maildir with {mails} mails in its inbox")
    if not (folder / ".Drafts" / "cur").is_dir():
        drafts = shlex.quote(str(folder / ".Drafts"))
        remarks.append(f"it has no .Drafts: mkdir -p {' '.join(f'{drafts}/{p}' for p in parts)}")
    return remarks
