"""``fencepost init``: a few questions, then configuration that works.

Asks only what can't be guessed; every question has an option, and with ``--yes`` nothing is asked.
An answer that can't be used is asked for once more, with the reason; the others stay.
It looks at what it was told (is there a Maildir?) and says so, and it ends with the next command.
Nothing that exists is overwritten, and a crash leaves whole files or none.

The configuration package is imported when the command runs, so that ``--help`` stays fast.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    from config.load import find_config_dir

    folder = find_config_dir(config_dir)
    given = _Given(
        user=user,
        name=name,
        addresses=addresses,
        timezone=timezone,
        signature=signature,
        provider=provider or _provider_of(maildir, imap_host),
        maildir=maildir,
        imap_host=imap_host,
        imap_user=imap_user,
    )
    ask = _Asker(folder, silent=yes)
    ask.refuse_wrong(given)
    answers = _answers(ask, given)
    _write(folder, answers)
    _say_what_to_do(folder, answers)


def _answers(ask: _Asker, given: _Given) -> Answers:
    """What was given, and the answers to what was not."""
    from config.initial import Answers

    name = ask("--name", "Your name", given.name, as_part=lambda text: {"name": text})
    user = ask.user(given.user, name)
    addresses = given.addresses or _split(
        ask(
            "--address",
            "Your addresses, the main one first",
            None,
            as_part=lambda text: {"addresses": _split(text)},
        )
    )
    zone = ask(
        "--timezone",
        "Your timezone",
        given.timezone,
        guess_timezone(),
        as_part=lambda text: {"timezone": text},
    )
    signed = ask(
        "--signature",
        "Signature",
        given.signature,
        name.partition(" ")[0],
        as_part=lambda text: {"signature": text},
    )
    return Answers(
        user=user,
        name=name,
        addresses=addresses,
        timezone=zone,
        signature=signed,
        mailbox=_mailbox(ask, given, given.imap_user or addresses[0]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What the command was called with."""

    user: str | None
    name: str | None
    addresses: tuple[str, ...]
    timezone: str | None
    signature: str | None
    provider: str | None
    maildir: str | None
    imap_host: str | None
    imap_user: str | None

    def parts(self) -> dict[str, object]:
        """The parts of the answers that need no question."""
        from config.initial import Imap, Maildir

        parts: dict[str, object] = {
            "user": self.user,
            "name": self.name,
            "addresses": self.addresses,
            "timezone": self.timezone,
            "signature": self.signature,
        }
        if self.maildir:
            parts["mailbox"] = Maildir(path=_here(self.maildir))
        elif self.imap_host:
            parts["mailbox"] = Imap(host=self.imap_host, username=self.imap_user or "robin")
        return {name: value for name, value in parts.items() if value}


def _provider_of(maildir: str | None, imap_host: str | None) -> str | None:
    return "maildir" if maildir else "imap" if imap_host else None


class _Asker:
    """Questions, unless everything is to be guessed; a wrong answer is asked for once more."""

    def __init__(self, folder: Path, *, silent: bool) -> None:
        self._folder = folder
        self.silent = silent

    def __call__(
        self,
        option: str,
        question: str,
        given: str | None,
        guess: str = "",
        *,
        as_part: Callable[[str], Mapping[str, object]],
    ) -> str:
        """The answer; *as_part* says what it is among the answers, so that it can be checked."""

        def usable(text: str) -> str:
            self._refuse(as_part(text.strip()))
            return text.strip()

        if given is None and not self.silent:
            return str(click.prompt(question, default=guess or None, value_proc=usable))
        text = (guess if given is None else given).strip()
        if not text:
            raise click.UsageError(f"{option} is missing: give it, or leave out --yes to be asked")
        return text

    def user(self, given: str | None, name: str) -> str:
        """A name for the user's file that is not taken."""
        from config.initial import user_name

        chosen = given or user_name(name)
        if given is None and not self.silent and self._is_taken(chosen):

            def usable(text: str) -> str:
                self._refuse({"user": text.strip()})
                if self._is_taken(text.strip()):
                    raise click.UsageError(f"users/{text.strip()}.toml is there already, too")
                return text.strip()

            question = f"Name of your file (users/{chosen}.toml is there already)"
            chosen = str(click.prompt(question, value_proc=usable))
        return chosen

    def refuse_wrong(self, given: _Given) -> None:
        """End before the first question where an option can't be used."""
        self._refuse(given.parts())
        if given.user is not None and self._is_taken(given.user):
            raise click.ClickException(
                f"users/{given.user}.toml is there already: edit it, or choose another --user"
            )

    def _is_taken(self, user: str) -> bool:
        from config.initial import user_file

        return user_file(self._folder, user).exists()

    def _refuse(self, parts: Mapping[str, object]) -> None:
        from config.initial import problem_with

        if problem := problem_with(self._folder, parts):
            raise click.UsageError(problem)


def _mailbox(ask: _Asker, given: _Given, username: str) -> Maildir | Imap | Gmail:
    from config.initial import Gmail, Imap, Maildir

    provider = given.provider
    if provider is None and not ask.silent:
        choice = click.Choice(PROVIDERS)
        provider = click.prompt("What the mailbox is", default=PROVIDERS[0], type=choice)
    match provider or PROVIDERS[0]:
        case "imap":
            host = ask(
                "--imap-host",
                "IMAP server",
                given.imap_host,
                as_part=lambda text: {"mailbox": Imap(host=text, username="robin")},
            )
            named = ask(
                "--imap-user",
                "Login",
                None,
                username,
                as_part=lambda text: {"mailbox": Imap(host=host, username=text)},
            )
            return Imap(host=host, username=named)
        case "gmail":
            return Gmail()
        case _:
            path = ask(
                "--maildir",
                "Path of the Maildir",
                given.maildir,
                guess_maildir(),
                as_part=lambda text: {"mailbox": Maildir(path=_here(text))},
            )
            return Maildir(path=_here(path))


def _here(path: str) -> str:
    """A path as it goes into the file: from here, unless it starts at home."""
    return path if path.startswith("~") else os.path.abspath(path)


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
