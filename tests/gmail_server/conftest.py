"""A server on a clock of its own that stands still, and a client."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.gmail_server.caller import Caller
from tests.support.gmail import GmailServer, running
from tests.support.gmail.clock import ServerClock


@pytest.fixture
def clock() -> ServerClock:
    return ServerClock()


@pytest.fixture
async def google(clock: ServerClock) -> AsyncIterator[GmailServer]:
    async with running(clock=clock) as server:
        yield server


@pytest.fixture
async def caller(google: GmailServer) -> AsyncIterator[Caller]:
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(connector=connector) as session:
        yield Caller(google, session)
