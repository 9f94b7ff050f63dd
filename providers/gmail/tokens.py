"""Access tokens for one mailbox: kept at rest, refreshed a little before they end, once for all.

    token() --> good in memory? --> in the shelf? --> our turn? --> in the shelf? --> refresh
            --> keep --COMMIT--> use

* One task refreshes, the others wait for it; the shelf's ``turn`` keeps other processes and other
  hosts from doing so at the same moment.
* A new token is kept before it is used: Google may have rotated the refresh token, and then the
  old one is worth nothing. So asking and keeping are shielded from cancellation, both bounded; what
  could not be kept stays in memory and is kept first next time.
* A login that Google has withdrawn is asked for once. From then on the shelf is looked at and
  nothing is sent, until a new login lies there.
* Google that does not answer is left alone for a while, longer each time, and all who wait get the
  same answer.

Nothing here logs, and no error holds a token. After a crash between the answer and the keeping, a
rotated refresh token is lost and the owner logs in again: no order of two systems can avoid that.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

import anyio

from providers.gmail.credentials import Token
from providers.gmail.oauth import GoogleError, Granted
from providers.gmail.ports import TokenError, TokenTrouble
from storage.words import Clock

EARLY_S: Final = 120.0
"""How long before its end a token is given up: more than any one call takes."""
_FIRST_REST_S: Final = 5.0
_LONGEST_REST_S: Final = 300.0
_YOUNG_S: Final = 60.0
_ABOUT: Final = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A token as it lies in the shelf; ``version`` changes whenever somebody keeps another."""

    token: Token
    version: str = field(repr=False)


class Shelf(Protocol):
    """Where one mailbox's token lies between processes. Every method may raise TokenError."""

    async def load(self) -> Kept | None:
        """What lies there now; None before the first login."""

    def turn(self) -> AbstractAsyncContextManager[bool]:
        """The right to refresh, held by nobody else meanwhile; False when it can't be had."""

    async def keep(self, token: Token, *, after: str | None) -> bool:
        """Keep *token*, durably, where *after* is still the version there (None: nothing is).

        False when somebody else has kept another one.
        """


class Refresher(Protocol):
    """Asks Google for a new access token."""

    async def refresh(self, refresh_token: str, now: datetime) -> Granted:
        """A new access token. Raises GoogleError."""


class Tokens:
    """Implements ``providers.gmail.ports.TokenSource``; *login* is the command that logs in."""

    def __init__(self, shelf: Shelf, google: Refresher, clock: Clock, *, login: str) -> None:
        self._shelf = shelf
        self._google = google
        self._clock = clock
        self._login = login
        self._one = anyio.Lock()
        self._current: Token | None = None
        self._good_until_s = 0.0
        self._made_at_s = float("-inf")
        self._refused = ""
        self._withdrawn = ""
        self._unkept: tuple[Token, str] | None = None
        self._rest_until_s = 0.0
        self._rests = 0
        self._trouble: TokenError | None = None

    async def token(self) -> str:
        """An access token that is good for one call at least. Raises TokenError."""
        found = self._good()
        if found is None:
            async with self._one:
                # Whoever held the lock before may have brought one.
                found = self._good()
                if found is None:
                    found = await self._another()
        return found

    async def refused(self, token: str) -> None:
        """The API refused *token*: the next call gets another, by a refresh at most."""
        await anyio.lowlevel.checkpoint()
        if self._current is None or token != self._current.access_token or token == self._refused:
            return
        self._refused = token
        if self._clock.boot_s() - self._made_at_s < _YOUNG_S:
            # Google refuses what it has just made: asking at once again would not help.
            self._rest(TokenError(TokenTrouble.TRANSIENT, "Gmail refuses a new access token"))

    def _good(self) -> str | None:
        token = self._current
        if token is None or token.access_token in ("", self._refused):
            return None
        return token.access_token if self._clock.boot_s() < self._good_until_s else None

    async def _another(self) -> str:
        kept = await self._shelf.load()
        if kept is not None and self._take(kept.token):
            return kept.token.access_token
        self._check(kept)
        async with self._shelf.turn() as ours:
            kept = await self._shelf.load()
            if kept is not None and self._take(kept.token):
                return kept.token.access_token
            kept = self._check(kept)
            if not ours:
                raise TokenError(TokenTrouble.TRANSIENT, "another process refreshes the login")
            found: list[str] = []
            with anyio.CancelScope(shield=True):
                found.append(await self._refreshed(kept))
            return found[0]

    def _take(self, token: Token) -> bool:
        """Use a kept token if it is good; how long it is good, the wall clock says here."""
        left_s = (token.expires_at - self._clock.now()).total_seconds()
        if left_s <= EARLY_S or token.access_token in ("", self._refused):
            return False
        if self._current is not None and token.access_token == self._current.access_token:
            # It has ended here already, whatever the wall clock says by now.
            return False
        self._use(token, left_s)
        return True

    def _use(self, token: Token, lifetime_s: float) -> None:
        # From here on the boot clock counts: somebody may set the wall clock meanwhile.
        self._current = token
        self._good_until_s = self._clock.boot_s() + max(lifetime_s - EARLY_S, lifetime_s / 2)
        self._trouble, self._rests = None, 0

    def _check(self, kept: Kept | None) -> Kept:
        """Raise what is known already, without asking Google again."""
        if kept is None:
            raise self._reconnect("nobody has logged in to this mailbox yet")
        if not kept.token.refresh_token:
            raise self._reconnect("the kept login has no refresh token and has ended")
        if kept.token.refresh_token == self._withdrawn:
            raise self._gone(kept.token)
        if self._trouble is not None and self._clock.boot_s() < self._rest_until_s:
            raise self._trouble
        return kept

    async def _refreshed(self, kept: Kept) -> str:
        """Refresh in our turn, keep, then use."""
        if self._unkept is not None and self._unkept[1] == kept.version:
            found = await self._keep(self._unkept[0], kept)
            if found is not None:
                return found
            # It has ended while it could not be kept; its refresh token is the one to use.
            kept = self._check(await self._shelf.load())
        token = await self._asked(kept)
        self._unkept = (token, kept.version)
        found = await self._keep(token, kept)
        if found is None:
            raise TokenError(TokenTrouble.TRANSIENT, "the login was replaced meanwhile")
        return found

    async def _keep(self, token: Token, kept: Kept) -> str | None:
        """Keep *token* in place of *kept*; the access token to use, None where none is good."""
        done = await self._shelf.keep(token, after=kept.version)
        self._unkept = None
        if done:
            left_s = (token.expires_at - self._clock.now()).total_seconds()
            if left_s <= 0:
                return None
            self._made_at_s = self._clock.boot_s()
            self._use(token, left_s)
            return token.access_token
        # A person has logged in meanwhile, or our turn was over: theirs is the newer one.
        newer = await self._shelf.load()
        taken = newer is not None and self._take(newer.token)
        return newer.token.access_token if newer is not None and taken else None

    async def _asked(self, kept: Kept) -> Token:
        try:
            granted = await self._google.refresh(kept.token.refresh_token, self._clock.now())
        except GoogleError as error:
            if error.lost:
                self._withdrawn = kept.token.refresh_token
                raise self._gone(kept.token) from None
            if error.standing:
                trouble = TokenError(TokenTrouble.RECONNECT, error.problem, error.remedy)
            else:
                trouble = TokenError(TokenTrouble.TRANSIENT, error.problem, error.remedy)
            self._rest(trouble, error.retry_after_s)
            raise trouble from None
        token = granted.token
        ends_at = token.login_ends_at or kept.token.login_ends_at
        return Token(
            access_token=token.access_token,
            refresh_token=token.refresh_token,
            expires_at=token.expires_at,
            login_ends_at=ends_at,
        )

    def _rest(self, trouble: TokenError, asked_s: float | None = None) -> None:
        rest_s = min(_FIRST_REST_S * 2**self._rests, _LONGEST_REST_S)
        self._rests = min(self._rests + 1, 10)
        self._trouble = trouble
        self._rest_until_s = self._clock.boot_s() + max(rest_s, min(asked_s or 0.0, 3_600.0))

    def _reconnect(self, problem: str) -> TokenError:
        return TokenError(TokenTrouble.RECONNECT, problem, f"run: {self._login}")

    def _gone(self, token: Token) -> TokenError:
        """Google has withdrawn the login; says why where that can be told."""
        ends_at = token.login_ends_at
        if ends_at is not None and self._clock.now() >= ends_at - _ABOUT:
            return TokenError(
                TokenTrouble.RECONNECT,
                'the login has ended: the OAuth client is in "Testing", where a login lasts 7 days',
                f"publish the client in Google's console (Audience: In production), then run: "
                f"{self._login}",
            )
        return TokenError(
            TokenTrouble.RECONNECT,
            "Google has withdrawn the login (access was removed, the password changed, it was not "
            'used for 6 months, or the OAuth client is in "Testing", where a login lasts 7 days)',
            f"run: {self._login}",
        )
