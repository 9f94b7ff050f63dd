"""The server inside a test's own event loop.

``async with running(clock=clock) as google:`` serves on ``google.root``; the test changes
``google.settings``, sets ``google.fault(...)``, acts by ``google.owner(address)`` and compares
``google.journal`` with its database.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.gmail.asking import Asked
from tests.support.gmail.clock import ServerClock, Timed
from tests.support.gmail.control import Control
from tests.support.gmail.door import Door
from tests.support.gmail.faults import Fault
from tests.support.gmail.journal import Journal
from tests.support.gmail.mailbox import Mailbox
from tests.support.gmail.oauth import MODIFY
from tests.support.gmail.owner import Owner
from tests.support.gmail.settings import Settings
from tests.support.gmail.signing import AUTH_PATH
from tests.support.gmail.state import Keeper
from tests.support.gmail.wire import Opening, Reply, Wire
from tests.support.gmail.world import World

ROBIN = "robin@example.com"
"""The account that every server has."""


class GmailServer:
    """A running server, and everything that a test may do to it."""

    def __init__(self, world: World, port: int = 0) -> None:
        self.world = world
        self.door = Door(world)
        self._control = Control(self)
        self.wire = Wire(begin=self._begin, serve=self._serve, port=port)
        self.door.waiting = self.wire.waiting

    def _begin(self, asked: Asked, connection: int) -> Opening:
        if asked.path.startswith("/_control/"):
            return Opening()
        return self.door.begin(asked, connection)

    async def _serve(self, asked: Asked, connection: int) -> Reply:
        if asked.path.startswith("/_control/"):
            return await self._control.serve(asked)
        return await self.door.serve(asked, connection)

    @property
    def root(self) -> str:
        """Where everything is served: the ``api_root``, without a slash at its end."""
        return f"http://127.0.0.1:{self.wire.port}"

    @property
    def token_url(self) -> str:
        """The token endpoint."""
        return self.root + "/token"

    @property
    def auth_url(self) -> str:
        """The consent page."""
        return self.root + AUTH_PATH

    @property
    def settings(self) -> Settings:
        """How it behaves; change the fields."""
        return self.world.settings

    @property
    def journal(self) -> Journal:
        """Every request so far."""
        return self.world.journal

    def box(self, address: str = ROBIN) -> Mailbox:
        """The mailbox, made where there is none."""
        return self.world.account(address)

    def owner(self, address: str = ROBIN) -> Owner:
        """The hands of its owner."""
        return Owner(self.world.account(address))

    def login(self, address: str = ROBIN, scope: str = MODIFY) -> dict[str, Any]:
        """Tokens: access_token, refresh_token, expires_at (epoch seconds)."""
        self.world.account(address)
        return self.world.oauth.grant(address.lower(), scope)

    def client(self) -> dict[str, Any]:
        """The client file as Google's console gives it, pointing here."""
        return {
            "installed": {
                "client_id": self.settings.client_id,
                "client_secret": self.settings.client_secret,
                "auth_uri": self.auth_url,
                "token_uri": self.token_url,
                "redirect_uris": ["http://localhost"],
            }
        }

    def fault(self, method: str = "*", **fields: Any) -> Fault:
        """Set a fault, see Fault; ``answer`` may be a name of ``faults.NAMED``."""
        made = Fault.of({"method": method, **fields})
        self.world.faults.append(made)
        return made

    def heal(self) -> None:
        """No faults any more."""
        self.world.faults.clear()

    def open(self, gate: str) -> None:
        """Let the answers that wait at *gate* go."""
        self.door.open(gate)

    async def refuse(self) -> None:
        """Connections are refused until ``accept``; those that stand go on."""
        await self.wire.refuse()

    async def accept(self) -> None:
        """Listen again, on the same port."""
        await self.wire.listen()

    def mute(self, quiet: bool = True) -> None:
        """Accept connections, read, and never answer; or answer what waits."""
        if quiet:
            self.wire.mute = True
        else:
            self.wire.unmute()


@asynccontextmanager
async def running(
    *,
    clock: Timed | None = None,
    settings: Settings | None = None,
    port: int = 0,
    state: Path | None = None,
) -> AsyncIterator[GmailServer]:
    """Serve until the block ends; *state* is read where it exists and written at each effect."""
    made = World(
        settings=Settings() if settings is None else settings,
        clock=ServerClock() if clock is None else clock,
    )
    if state is not None:
        keeper = Keeper(made, state)
        keeper.load()
        made.saved = keeper.save
    made.account(ROBIN)
    server = GmailServer(made, port)
    await server.wire.listen()
    try:
        yield server
    finally:
        await server.wire.close()
    if server.wire.bugs:
        raise server.wire.bugs[0]
