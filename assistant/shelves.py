"""Where logins lie between processes: a file or the keyring for one machine, rows for a fleet.

Implements ``providers.gmail.tokens.Shelf``. Whoever refreshes or replaces a login first takes its
*turn*: a file lock beside the token on one machine (the daemon, ``check`` and ``login`` may meet
there), a lease of the mailbox's pseudo-thread in a shared database. And what is kept replaces only
the version that it was made from. Both together: one refresh at a time, and no newer login lost.

Every error becomes a TokenError that says what to do, without a secret. A crash frees a file lock
at once; a lease ends by itself.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import sqlalchemy as sa
from anyio import to_thread
from sqlalchemy import Connection

from config import keeping
from config.secrets import Secret, SecretError, SecretRef, resolve
from providers.gmail.credentials import CredentialsError, Token, decode, encode
from providers.gmail.ports import TokenError, TokenTrouble
from providers.gmail.tokens import Kept
from storage import leases, tokens
from storage.errors import CommitUnknownError, StorageError
from storage.leases import Held
from storage.sealing import Sealer, SealError
from storage.together import Store
from storage.words import Clock, IntegrationId, OwnerId

TURN_WAIT_S: Final = 4.0
"""How long to wait for another's refresh: a call waits for the token that it needs."""
TURN_S: Final = 30.0
"""How long a refresh in a fleet may take before another host may try."""
_POLL_S: Final = 0.2


class ReferenceShelf:
    """A login in a file or in the keyring."""

    def __init__(self, ref: SecretRef, data_dir: Path, clock: Clock, *, login: str) -> None:
        self._ref = ref
        self._clock = clock
        self._login = login
        self._lock = _lock_path(ref, data_dir)

    async def load(self) -> Kept | None:
        """What lies there; None where there is no such file or entry. Raises TokenError."""
        try:
            text = await to_thread.run_sync(self._read)
            return None if text is None else Kept(token=decode(text), version=_digest(text))
        except SecretError as error:
            raise TokenError(TokenTrouble.RECONNECT, error.problem, error.remedy) from None
        except CredentialsError as error:
            remedy = f"run: {self._login}"
            raise TokenError(TokenTrouble.RECONNECT, error.problem, remedy) from None

    def _read(self) -> str | None:
        if self._ref.file is not None and not os.path.lexists(self._ref.file):
            return None
        try:
            return resolve(self._ref).reveal()
        except SecretError:
            if self._ref.keyring is not None and _is_absent(self._ref.keyring):
                return None
            raise

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        """The file lock beside the token."""
        descriptor = await self._take()
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                os.close(descriptor)

    async def _take(self) -> int | None:
        until_s = self._clock.boot_s() + TURN_WAIT_S
        while True:
            try:
                descriptor = await to_thread.run_sync(_try_lock, self._lock)
            except OSError as error:
                raise TokenError(
                    TokenTrouble.TRANSIENT,
                    f"{self._lock} can't be locked ({error.strerror})",
                    "let the user that runs Fencepost own that folder",
                ) from error
            if descriptor is not None or self._clock.boot_s() >= until_s:
                return descriptor
            await self._clock.sleep(_POLL_S)

    async def keep(self, token: Token, *, after: str | None) -> bool:
        """Replace what lies there, under the lock that the caller holds."""
        try:
            return await to_thread.run_sync(partial(self._keep, encode(token), after))
        except SecretError as error:
            raise TokenError(TokenTrouble.TRANSIENT, error.problem, error.remedy) from None

    async def put(self, token: Token) -> None:
        """Replace whatever lies there by a new login, under the lock that the caller holds."""
        try:
            await to_thread.run_sync(keeping.keep, self._ref, Secret(encode(token)))
        except SecretError as error:
            raise TokenError(TokenTrouble.TRANSIENT, error.problem, error.remedy) from None

    def _keep(self, text: str, after: str | None) -> bool:
        there = self._read()
        if (None if there is None else _digest(there)) != after:
            return False
        keeping.keep(self._ref, Secret(text))
        return True


class SharedShelf:
    """A login in a database that a fleet shares, sealed."""

    def __init__(
        self,
        store: Store,
        sealer: Sealer,
        integration: IntegrationId,
        worker: OwnerId,
        clock: Clock,
    ) -> None:
        self._store = store
        self._sealer = sealer
        self._integration = integration
        self._worker = worker
        self._clock = clock

    async def load(self) -> Kept | None:
        """The row, opened; None before the first login. Raises TokenError."""
        try:
            row = await self._store.read(lambda conn: tokens.load(conn, self._integration))
            if row is None:
                return None
            return Kept(token=decode(row.opened(self._sealer)), version=str(row.version))
        except (SealError, CredentialsError) as error:
            raise TokenError(TokenTrouble.RECONNECT, str(error)) from None
        except StorageError as error:
            raise _store_is_ill(error) from error

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        """The lease of the mailbox's login."""
        held = await self._take()
        try:
            yield held is not None
        finally:
            if held is not None:
                with anyio.CancelScope(shield=True), suppress(StorageError):
                    await self._store.write(partial(_release, held=held))

    async def _take(self) -> Held | None:
        until_s = self._clock.boot_s() + TURN_WAIT_S
        while True:
            try:
                held = await self._store.write(self._acquire)
            except StorageError as error:
                raise _store_is_ill(error) from error
            if held is not None or self._clock.boot_s() >= until_s:
                return held
            await self._clock.sleep(_POLL_S)

    def _acquire(self, conn: Connection) -> Held | None:
        ttl_ms = int(TURN_S * 1000)
        thread = tokens.TOKEN_THREAD
        # The savepoint keeps the transaction alive where another host makes the row meanwhile.
        with suppress(sa.exc.IntegrityError), conn.begin_nested():
            leases.ensure(conn, self._integration, thread)
        return leases.acquire(conn, self._integration, thread, self._worker, ttl_ms)

    async def keep(self, token: Token, *, after: str | None) -> bool:
        """Replace the version that was seen, whoever holds the lease by now."""
        text = encode(token)
        before = None if after is None else int(after)

        def unit(conn: Connection) -> bool:
            return tokens.keep(conn, self._integration, text, self._sealer, after=before)

        try:
            return await self._store.write(unit)
        except CommitUnknownError:
            # Kept or not: the row says which, and who reads it next gets the newer one.
            found = await self.load()
            return found is not None and found.token == decode(text)
        except StorageError as error:
            raise _store_is_ill(error) from error

    async def put(self, token: Token) -> None:
        """Replace whatever lies there by a new login, also what can't be opened here."""

        def unit(conn: Connection) -> bool:
            row = tokens.load(conn, self._integration)
            after = None if row is None else row.version
            return tokens.keep(conn, self._integration, encode(token), self._sealer, after=after)

        try:
            done = await self._store.write(unit)
        except CommitUnknownError:
            found = await self.load()
            done = found is not None and found.token == decode(encode(token))
        except StorageError as error:
            raise _store_is_ill(error) from error
        if not done:
            raise TokenError(
                TokenTrouble.TRANSIENT, "somebody else logged in at the same moment", "run it again"
            )


Shelved = ReferenceShelf | SharedShelf
Shelves = Callable[[IntegrationId, SecretRef], Shelved]
"""Gives the shelf of a mailbox; the reference is the one in the user's file."""


def references(data_dir: Path, clock: Clock) -> Shelves:
    """Logins where the users' files say."""

    def shelf(integration: IntegrationId, ref: SecretRef) -> ReferenceShelf:
        return ReferenceShelf(ref, data_dir, clock, login=login_command(integration))

    return shelf


def shared(store: Store, sealer: Sealer, worker: OwnerId, clock: Clock) -> Shelves:
    """Logins in the database, whatever the users' files say."""

    def shelf(integration: IntegrationId, _: SecretRef) -> SharedShelf:
        return SharedShelf(store, sealer, integration, worker, clock)

    return shelf


def login_command(integration: IntegrationId) -> str:
    """The command by which a person logs in."""
    return f"fencepost login {integration}"


def _release(conn: Connection, *, held: Held) -> None:
    leases.release(conn, held)


def _store_is_ill(error: StorageError) -> TokenError:
    return TokenError(TokenTrouble.TRANSIENT, f"the login can't be had: {error}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _lock_path(ref: SecretRef, data_dir: Path) -> Path:
    if ref.file is not None:
        return ref.file.with_name(f".{ref.file.name}.lock")
    digest = hashlib.sha256(str(ref).encode()).hexdigest()[:16]
    return data_dir / "tokens" / f".{digest}.lock"


def _try_lock(path: Path) -> int | None:
    """An open descriptor that holds the lock; None while another process has it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _is_absent(entry: str) -> bool:
    """Whether the keyring works and has no such entry."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return False
    service, _, user = entry.rpartition("/")
    try:
        return keyring.get_password(service, user) is None
    except KeyringError:
        return False
