"""A Google on the test's own clock, a client for it, and a shelf in a file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.shelves import ReferenceShelf
from config.secrets import SecretRef
from providers.gmail.credentials import Client, client_of
from providers.gmail.oauth import Google
from providers.gmail.tokens import Tokens
from tests.support.clock import FakeClock
from tests.support.gmail import GmailServer, running

LOGIN = "fencepost login robin/work"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server(clock: FakeClock) -> AsyncIterator[GmailServer]:
    async with running(clock=clock) as made:
        yield made


@pytest.fixture
def client(server: GmailServer) -> Client:
    return client_of(json.dumps(server.client()))


@pytest.fixture
def google(server: GmailServer, client: Client) -> Google:
    return Google(lambda: client, token_url=server.token_url, api_root=server.root, call_s=2.0)


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tokens" / "robin-work.json"


@pytest.fixture
def shelf(token_file: Path, tmp_path: Path, clock: FakeClock) -> ReferenceShelf:
    ref = SecretRef(file=token_file)
    return ReferenceShelf(ref, tmp_path / "data", clock, login=LOGIN)


@pytest.fixture
def tokens(shelf: ReferenceShelf, google: Google, clock: FakeClock) -> Tokens:
    return Tokens(shelf, google, clock, login=LOGIN)


@pytest.fixture
def logged_in(server: GmailServer, token_file: Path) -> dict[str, object]:
    """A login that lies in the file, good for another hour."""
    made = server.login()
    token_file.parent.mkdir(parents=True)
    token_file.write_text(json.dumps(made))
    token_file.chmod(0o600)
    return made
