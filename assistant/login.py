"""One login, from the question to the kept token: consent, code, tokens, whose they are, the shelf.

    listen --> say where to consent --> wait --> redeem once --> scope? --> whose? --> keep --> page
                  |                       |          |              |         |
                  '-- browser, or a       '-- time   '-- Google's   '-- too little, too much, or
                      person who pastes       is up      no             another account: not kept

Nothing is kept before everything is known to be right, so a login that fails leaves the one before
it as it was. What is refused is not revoked either: revoking one token at Google ends every login
of that account with this client.

Nothing here logs, and what is said to a person holds neither code nor token. A crash before the end
leaves the old login; Google then keeps one refresh token that nobody has, which is harmless.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

import anyio
from anyio import to_thread

from providers.gmail.consent import Answer, Asked, Code, Denied, Foreign, address, ask
from providers.gmail.credentials import Token
from providers.gmail.loopback import Loopback, listening
from providers.gmail.oauth import Google, GoogleError, Granted, missing_scopes, wider_scopes
from storage.words import Clock

WAIT_S: Final = 600.0
"""How long a person may take to consent."""


class LoginError(Exception):
    """The login did not come about; the message says what to do."""


class Place(Protocol):
    """Where the login is kept. Both may raise ``providers.gmail.ports.TokenError``."""

    def turn(self) -> AbstractAsyncContextManager[bool]:
        """The right to replace it, held by nobody else meanwhile; False when it can't be had."""

    async def put(self, token: Token) -> None:
        """Put *token* in the place of whatever lies there, readable or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a login needs to know.

    ``client_id`` and ``google`` are of the installation's client; ``hint`` the address that Google
    should offer; ``browser`` opens an address and says whether it could, None to leave that to the
    person; ``pasted`` gives what a person types, line by line; ``say`` tells them something;
    ``accept`` raises LoginError for an account that this mailbox may not have.
    """

    mailbox: str
    client_id: str
    auth_url: str
    google: Google
    place: Place
    accept: Callable[[str], Awaitable[None]]
    say: Callable[[str], None]
    hint: str | None = None
    port: int = 0
    browser: Callable[[str], bool] | None = None
    pasted: Callable[[], AsyncIterator[str]] | None = None
    wait_s: float = WAIT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedIn:
    """A login that is kept. ``clock_off_s``: how far this machine's clock is ahead of Google's."""

    address: str
    login_ends_at: datetime | None
    clock_off_s: float


async def log_in(question: Question, clock: Clock) -> LoggedIn:
    """Ask the owner, and keep what Google gives.

    Raises LoginError, GoogleError, ``providers.gmail.loopback.PortError`` and
    ``providers.gmail.ports.TokenError``.
    """
    async with listening(question.port) as loopback:
        asked = ask(loopback.redirect)
        answer = await _answer(question, loopback, asked)
        try:
            done = await _finished(question, clock, asked, answer)
        except (LoginError, GoogleError) as error:
            loopback.tell("The login did not work", f"{error}. You can close this page.")
            raise
        loopback.tell(
            "You are logged in",
            f"Fencepost may now read {done.address} and put drafts there, as {question.mailbox}. "
            "You can close this page.",
        )
        return done


async def _answer(question: Question, loopback: Loopback, asked: Asked) -> Code | Denied:
    """What the browser or the person brings, whichever comes first."""
    url = address(question.auth_url, question.client_id, asked, hint=question.hint)
    found: list[Code | Denied] = []
    with anyio.move_on_after(question.wait_s):
        async with anyio.create_task_group() as group:
            if question.pasted is not None:
                group.start_soon(_read_pasted, question.pasted, loopback, question.say)
            group.start_soon(_invite, question, url)
            found.append(await loopback.answer(asked))
            group.cancel_scope.cancel()
    if not found:
        raise LoginError(
            f"nobody consented within {question.wait_s / 60:.0f} minutes: run it again, and mind "
            "that the browser must be on this machine, unless you paste the address back"
        )
    return found[0]


async def _invite(question: Question, url: str) -> None:
    if question.browser is None:
        question.say(f"Open this address in a browser and consent there:\n\n{url}\n")
        question.say(
            f"On another machine the browser ends at a page that it can't show ({_HOST}): copy the "
            "whole address of that page and paste it here."
        )
        return
    question.say(f"Your browser opens. If it does not, open this address:\n\n{url}\n")
    # A browser in the terminal blocks until it is closed.
    opened = await to_thread.run_sync(question.browser, url, abandon_on_cancel=True)
    if not opened:
        question.say("No browser could be opened here: open the address yourself.")


_HOST: Final = "http://127.0.0.1..."


async def _read_pasted(
    pasted: Callable[[], AsyncIterator[str]], loopback: Loopback, say: Callable[[str], None]
) -> None:
    async for line in pasted():
        if not line.strip():
            continue
        answer: Answer = loopback.bring(line)
        if not isinstance(answer, Foreign):
            return
        say(f"That is not the answer to this login: {answer.why}. Paste the whole address again.")


async def _finished(
    question: Question, clock: Clock, asked: Asked, answer: Code | Denied
) -> LoggedIn:
    if isinstance(answer, Denied):
        raise LoginError(_denied(answer.error, question.mailbox))
    granted = await question.google.redeem(answer.code, asked, clock.now())
    _check_scope(granted)
    token = granted.token
    if not token.refresh_token:
        raise LoginError(
            "Google gave no refresh token, so the login would end within an hour: remove "
            "Fencepost's access under myaccount.google.com/connections and log in again"
        )
    who = await question.google.address(token.access_token)
    await question.accept(who)
    await _keep(question.place, token)
    return LoggedIn(address=who, login_ends_at=token.login_ends_at, clock_off_s=granted.clock_off_s)


def _denied(error: str, mailbox: str) -> str:
    if error == "access_denied":
        return (
            "access was denied on Google's page: run it again and allow it; where Google itself "
            "blocks it, add the account to the test users of the OAuth client (Audience), or ask "
            "the administrator of the account"
        )
    if error in {"admin_policy_enforced", "org_internal"}:
        return (
            f"the administrator of the account does not allow this OAuth client ({error}): ask "
            f"them to, or log in to {mailbox} with another account"
        )
    return f"Google ended the login ({error}): run it again"


def _check_scope(granted: Granted) -> None:
    if missing_scopes(granted):
        raise LoginError(
            "the box for Gmail was not ticked on Google's page, so no mail could be read: run it "
            "again and tick it"
        )
    if wider := wider_scopes(granted):
        names = ", ".join(sorted(wider))[:200]
        raise LoginError(
            f"Google gave more than Fencepost asks for ({names}): remove Fencepost's access under "
            "myaccount.google.com/connections and log in again"
        )


async def _keep(place: Place, token: Token) -> None:
    """Replace the login; whoever refreshes the old one at this moment ends first."""
    async with place.turn() as ours:
        if not ours:
            raise LoginError("the old login is being refreshed at this moment: run it again")
        with anyio.CancelScope(shield=True):
            await place.put(token)
