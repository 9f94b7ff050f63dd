"""``fencepost login``: the owner's consent for a mailbox whose provider wants one.

What is printed goes to stderr where ``--json`` asks for one document. A login may be made beside a
running daemon, which finds it by itself; it is only told, so that it need not wait for its next
pass. Ctrl-C at any moment leaves the login before as it was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from assistant.login import LoggedIn
    from assistant.shelves import Shelved
    from config.loaded import Loaded
    from config.user import GmailMailbox, UserConfig
    from providers.gmail.credentials import Client
    from storage.mailboxes import MailboxRow
    from storage.words import Clock, IntegrationId


@click.command("login")
@click.argument("mailbox", metavar="MAILBOX")
@click.option(
    "--no-browser",
    is_flag=True,
    help="Open no browser: print the address, and take the address that it leads to back.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    help="Port of this machine that the browser comes back to, for ssh -L; a free one else.",
)
@common.json_option
@common.config_option
def command(
    config_dir: Path | None, mailbox: str, no_browser: bool, port: int | None, as_json: bool
) -> None:
    """Log in to MAILBOX, named as NAME/ID, in your browser."""
    common.set_up_logging(quiet=True)
    loaded = common.load_config(config_dir)
    user, chosen = _find(loaded, mailbox)
    done = common.told(_login)(
        loaded, user, chosen, browser=not no_browser, port=port or 0, to_stderr=as_json
    )
    if as_json:
        ends_at = None if done.login_ends_at is None else done.login_ends_at.isoformat()
        common.print_json({"mailbox": mailbox, "account": done.address, "login_ends_at": ends_at})
        return
    click.echo(f"logged in to {mailbox} as {done.address}")
    click.echo(f"next: {common.program()} check")


def _find(loaded: Loaded, mailbox: str) -> tuple[UserConfig, GmailMailbox]:
    from config.user import GmailMailbox

    wanting = []
    for user in loaded.users.values():
        for one in user.mailboxes:
            name = f"{user.user}/{one.id}"
            if isinstance(one, GmailMailbox):
                if name == mailbox:
                    return user, one
                wanting.append(name)
            elif name == mailbox:
                raise click.UsageError(
                    f"{mailbox} is of the kind {one.provider}: it needs no login"
                )
    broken = "" if not loaded.faults else " (a user's file is wrong: see fencepost check)"
    names = ", ".join(wanting) or "none"
    raise click.UsageError(
        f"there is no mailbox {mailbox}; those that want a login are: {names}{broken}"
    )


async def _login(
    loaded: Loaded,
    user: UserConfig,
    mailbox: GmailMailbox,
    *,
    browser: bool,
    port: int,
    to_stderr: bool,
) -> LoggedIn:
    from anyio import to_thread

    from assistant.login import LoginError, Question, log_in
    from assistant.timing import SystemClock
    from providers.gmail.credentials import CredentialsError
    from providers.gmail.loopback import PortError
    from providers.gmail.oauth import Google, GoogleError
    from providers.gmail.ports import TokenError
    from storage.words import IntegrationId

    integration = IntegrationId(f"{user.user}/{mailbox.id}")
    clock = SystemClock()
    say = partial(click.echo, err=to_stderr)
    try:
        client = await to_thread.run_sync(_client, mailbox)
        rows = await _rows(loaded)
        async with _place(loaded, integration, mailbox, clock) as place:
            question = Question(
                mailbox=integration,
                client_id=client.id,
                auth_url=mailbox.auth_url,
                google=Google(
                    lambda: client, token_url=mailbox.token_url, api_root=mailbox.api_root
                ),
                place=place,
                accept=partial(_accept, integration, rows),
                say=say,
                hint=_hint(integration, rows, user),
                port=port,
                browser=_open if browser else None,
                pasted=None if browser else _pasted,
            )
            done = await log_in(question, clock)
    except CredentialsError as error:
        common.give_up(f"{mailbox.client}: {error}", common.WRONG_USE)
    except (LoginError, GoogleError, PortError, TokenError) as error:
        common.give_up(str(error))
    _warn(user, done, say)
    await _tell(loaded, integration, rows)
    return done


def _client(mailbox: GmailMailbox) -> Client:
    from config.secrets import resolve
    from providers.gmail.credentials import client_of

    return client_of(resolve(mailbox.client).reveal())


@asynccontextmanager
async def _place(
    loaded: Loaded, integration: IntegrationId, mailbox: GmailMailbox, clock: Clock
) -> AsyncIterator[Shelved]:
    """Where the login is kept; whether that can be done is known before anybody consents."""
    from assistant.opening import is_shared
    from assistant.process import writing
    from assistant.shelves import references
    from config.keeping import refuse_unwritable

    if is_shared(loaded):
        async with writing(loaded, None, clock) as process:
            yield process.shelves(integration, mailbox.token)
        return
    refuse_unwritable(mailbox.token)
    yield references(loaded.daemon.storage.data_dir, clock)(integration, mailbox.token)


async def _rows(loaded: Loaded) -> list[MailboxRow]:
    """The mailboxes that the store knows; none before the first start."""
    from storage import mailboxes
    from storage.errors import DatabaseMissingError, SchemaError

    try:
        return await common.read_store(loaded, mailboxes.everything)
    except (DatabaseMissingError, SchemaError):
        return []


async def _accept(integration: IntegrationId, rows: list[MailboxRow], address: str) -> None:
    """Refuse an account that this mailbox may not have. Raises LoginError."""
    from anyio.lowlevel import checkpoint

    from assistant.login import LoginError
    from providers.gmail.identity import account_of, address_of

    await checkpoint()
    account = account_of(address)
    for row in rows:
        if row.integration == integration and row.account not in (None, account):
            bound = address_of(row.account or "") or "another account"
            raise LoginError(
                f"you consented as {address}, and {integration} is bound to {bound}: run it again "
                f"and choose {bound} on Google's page; for {address} add a mailbox with a new id"
            )
        if row.integration != integration and row.account == account:
            raise LoginError(
                f"you consented as {address}, which is the account of {row.integration} already: "
                "run it again and choose another account, or remove one of the two mailboxes"
            )


def _hint(integration: IntegrationId, rows: list[MailboxRow], user: UserConfig) -> str:
    from providers.gmail.identity import address_of

    accounts = [row.account for row in rows if row.integration == integration]
    bound = address_of(accounts[0]) if accounts and accounts[0] else None
    return bound or user.addresses[0]


def _open(url: str) -> bool:
    import webbrowser

    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


async def _pasted() -> AsyncIterator[str]:
    """Lines that a person types, without a thread that would outlast the login."""
    import anyio

    try:
        descriptor = sys.stdin.fileno()
        buffered = b""
        while True:
            await anyio.wait_readable(descriptor)
            part = os.read(descriptor, 65_536)
            if not part:
                break
            *lines, buffered = (buffered + part[: 1 << 16]).split(b"\n")
            for line in lines:
                yield line.decode("utf-8", "replace")
        if buffered:
            yield buffered.decode("utf-8", "replace")
    except (OSError, ValueError):
        # No terminal, or a plain file: the browser's own way is left.
        return


def _warn(user: UserConfig, done: LoggedIn, say: partial[None]) -> None:
    from assistant.wiring import owner_of
    from providers.mime.owners import own_addresses, own_form

    if own_form(done.address, own_addresses(owner_of(user))) is None:
        say(
            f"note: {done.address} is not among addresses in users/{user.user}.toml; add it, or "
            "mail to it counts as somebody else's"
        )
    if done.login_ends_at is not None:
        say(
            f"note: this login ends at {done.login_ends_at:%Y-%m-%d %H:%M} UTC, for the OAuth "
            'client is in "Testing": publish it in Google\'s console (Audience: In production), '
            "then log in once more"
        )
    if done.clock_off_s:
        way = "ahead" if done.clock_off_s > 0 else "behind"
        say(f"note: this machine's clock is {abs(done.clock_off_s):.0f} s {way}: set it right")


async def _tell(loaded: Loaded, integration: IntegrationId, rows: list[MailboxRow]) -> None:
    """Close what asked for this login, where something did."""
    from assistant.process import StartError
    from assistant.socket import SocketError
    from storage.errors import StorageError

    if not any(row.integration == integration for row in rows):
        return
    try:
        await common.ask_or_do(loaded, {"do": "logged_in", "mailbox": integration})
    except (StartError, SocketError, StorageError) as error:
        click.echo(f"the daemon finds the login with its next pass ({error})", err=True)
