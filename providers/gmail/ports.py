"""What the Gmail mailbox needs from its neighbours: an access token and leave to spend quota.

The mailbox never sees a refresh token and never counts units; the login never sees mail. A request
asks for its token and for its quota *before* it is counted as begun, so that both failures are
refusals of a call that never left.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import Protocol


class TokenTrouble(StrEnum):
    """Why there is no access token."""

    RECONNECT = "reconnect"  # only the owner's new login helps: revoked, expired, never made
    TRANSIENT = "transient"  # the token server can't be reached or failed: the same may work later


class TokenError(Exception):
    """No access token; ``remedy`` says what to do, and ``str()`` both. Neither holds a secret.

    RECONNECT is a ``providers.ports.ReconnectError`` of a read and a passing ``Rejected`` with
    ``illness`` and ``reconnect`` of a write.
    """

    def __init__(self, kind: TokenTrouble, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem}: {remedy}" if remedy else problem)
        self.kind = kind
        self.problem = problem
        self.remedy = remedy


class TokenSource(Protocol):
    """Access tokens for one account."""

    async def token(self) -> str:
        """An access token that is good for at least one call. Raises TokenError.

        Safe to await from many tasks at once: one refresh runs, the others wait for it.
        """

    async def refused(self, token: str) -> None:
        """Told that the API refused *token* with 401: the next ``token()`` returns another.

        A token that is not the current one changes nothing.
        """


class QuotaError(Exception):
    """There is no leave to call within the time that a caller can wait; nothing was sent.

    ``retry_after_s``: when it may be tried again. ``day``: the day's units are gone, so the whole
    mailbox rests; ``str()`` says so.
    """

    def __init__(self, text: str, *, retry_after_s: float, day: bool = False) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s
        self.day = day


class Limiter(Protocol):
    """The account's quota, shared by everything that calls the API for it."""

    def spend(self, method: str) -> AbstractAsyncContextManager[None]:
        """Wait until the units of *method* may be spent; *method* is as ``gmail.drafts.create``.

        Wraps exactly one request. Raises QuotaError on entry, before anything is sent, where the
        wait would be too long for the call: at once for a write, which is timed by its intent.
        """

    def slow_down(self, retry_after_s: float | None, *, day: bool = False) -> None:
        """Told that the API refused a call for its rate; seconds it asked for, where it did.

        *day*: for the day's units (``dailyLimitExceeded``).
        """


__all__ = ["Limiter", "QuotaError", "TokenError", "TokenSource", "TokenTrouble"]
