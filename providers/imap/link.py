"""A connection that is there when it is needed: opened late, kept, tried before use, given up.

A mailbox has two links: one that watches and one that works, so that a long watch never holds a
draft up. A link runs one thing at a time. A connection that broke, or that was silent for a while
and does not answer, is replaced before anything is sent over it; a command that was begun is never
begun again.

A server that cannot be reached is asked again after a pause that doubles, with chance in it, so
that many mailboxes do not come back in step; a refused password is not tried again and again, which
locks accounts. A crash loses the connections and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from random import SystemRandom
from typing import Final

import anyio
from anyio import CapacityLimiter, Lock

from providers.imap.login import LoginRefusedError, SecretSource, Server, new_limiter
from providers.imap.session import Session
from providers.imap.wire import LostError
from providers.ports import TransientError
from storage.words import Clock

SILENT_S: Final = 15.0
"""After so long without a word a connection is tried before it is used."""
TRY_S: Final = 5.0
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 300.0
REFUSED_PAUSE_S: Final = 60.0
"""How long a refused secret is not tried again at first."""


@dataclass(slots=True)
class Pause:
    """How long to wait after failures in a row: doubled each time, between half and all of it."""

    first_s: float = FIRST_PAUSE_S
    longest_s: float = LONGEST_PAUSE_S
    failures: int = 0
    until_s: float = 0.0
    _chance: SystemRandom = field(default_factory=SystemRandom)

    def failed(self, now_s: float) -> float:
        """Count a failure; gives how many seconds to wait."""
        whole_s = min(self.longest_s, self.first_s * 2.0 ** min(self.failures, 30))
        wait_s = self._chance.uniform(whole_s / 2, whole_s)
        self.failures += 1
        self.until_s = now_s + wait_s
        return wait_s

    def worked(self) -> None:
        """Forget the failures."""
        self.failures, self.until_s = 0, 0.0

    def left_s(self, now_s: float) -> float:
        """How much of the wait is left."""
        return max(0.0, self.until_s - now_s)


@dataclass(slots=True)
class Gate:
    """What all links of one mailbox share: the server, the pause, the secret that was refused."""

    server: Server
    clock: Clock
    limiter: CapacityLimiter = field(default_factory=new_limiter)
    pause: Pause = field(default_factory=Pause)
    refused: Pause = field(default_factory=lambda: Pause(REFUSED_PAUSE_S, 900.0))
    _refusal: LoginRefusedError | None = None
    _secret: bytes = b""
    _tried: bytes = b""

    async def open(self, *, writes: bool) -> Session:
        """A new session. Raises MailboxIllError or TransientError."""
        now_s = self.clock.boot_s()
        left_s = self.pause.left_s(now_s)
        if left_s > 0:
            raise TransientError(
                f"{self.server.place} was not reachable; it is tried again in {left_s:.0f} s"
            )
        try:
            made = await Session.open(
                self._watched(), self.limiter, self.clock.now(), writes=writes
            )
        except _AgainError:
            raise
        except LoginRefusedError as error:
            self._refusal, self._secret = error, self._tried
            self.refused.failed(self.clock.boot_s())
            raise
        except TransientError:
            self.pause.failed(self.clock.boot_s())
            raise
        self.pause.worked()
        self.refused.worked()
        self._refusal = None
        return made

    def _watched(self) -> Server:
        """The server with secrets that refuse themselves while the same one was just refused."""

        def watch(source: SecretSource | None) -> SecretSource | None:
            if source is None:
                return None

            def fetch() -> str:
                secret = source()
                self._tried = hashlib.sha256(secret.encode("utf-8", "replace")).digest()
                same = self._refusal is not None and self._tried == self._secret
                if same and self.refused.left_s(self.clock.boot_s()) > 0 and self._refusal:
                    raise _AgainError(self._refusal.problem, self._refusal.remedy)
                return secret

            return fetch

        server = self.server
        return replace(server, password=watch(server.password), token=watch(server.token))


class _AgainError(LoginRefusedError):
    """The secret that was refused before, not even sent again."""


class Link:
    """One connection of a mailbox."""

    def __init__(self, gate: Gate, *, writes: bool) -> None:
        self._gate = gate
        self._writes = writes
        self._lock = Lock()
        self._session: Session | None = None
        self._closed = False

    @asynccontextmanager
    async def session(self, *, fresh: float | None = None) -> AsyncIterator[Session]:
        """The connection, alone. *fresh*: it must have been opened after that POSIX time.

        Raises MailboxIllError or TransientError.
        """
        async with self._lock:
            session = await self._usable(fresh)
            try:
                yield session
            finally:
                session.used_s = self._gate.clock.boot_s()

    async def close(self) -> None:
        """Log out and close; whatever waits for the connection fails."""
        self._closed = True
        session, self._session = self._session, None
        if session is None or session.broken:
            return
        with anyio.move_on_after(1, shield=True):
            if not self._lock.locked():
                with suppress(LostError):
                    await session.wire.command(b"LOGOUT", limit_s=1)
        await session.wire.drop()

    async def _usable(self, fresh: float | None) -> Session:
        if self._closed:
            raise TransientError("the mailbox was closed")
        session = self._session
        if session is not None and fresh is not None and session.opened_at.timestamp() <= fresh:
            await session.wire.drop()
        if session is not None and not session.broken:
            await self._try(session)
        if session is None or session.broken:
            session = self._session = await self._gate.open(writes=self._writes)
            session.used_s = self._gate.clock.boot_s()
        return session

    async def _try(self, session: Session) -> None:
        if self._gate.clock.boot_s() - session.used_s < SILENT_S:
            return
        try:
            await session.wire.command(b"NOOP", limit_s=TRY_S)
        except LostError:
            return
