"""Adapters on a fake server, and on real ones directly or through a proxy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from providers.imap import ImapMailbox
from tests.contracts.clock import SkippingClock
from tests.contracts.imap_harness import CyrusHarness, DovecotHarness, ImapHarness
from tests.imap.acts import server_of
from tests.imap.fake import FakeServer
from tests.support.proxy import Proxy


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    """A server that does what a test wants."""
    made = FakeServer()
    yield made
    made.close()


@pytest.fixture
async def box(fake: FakeServer) -> AsyncIterator[ImapMailbox]:
    """The adapter on the fake server."""
    made = ImapMailbox(server_of(fake), clock=SkippingClock())
    yield made
    await made.close()


@pytest.fixture(params=[DovecotHarness, CyrusHarness], ids=["dovecot", "cyrus"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ImapHarness]:
    """An account at each real server in turn."""
    made: ImapHarness = request.param(tmp_path)
    yield made
    made.tear_down()


@pytest.fixture
def dovecot_world(tmp_path: Path) -> Iterator[DovecotHarness]:
    """An account at Dovecot."""
    made = DovecotHarness(tmp_path)
    yield made
    made.tear_down()


@pytest.fixture
def proxy(world: ImapHarness) -> Iterator[Proxy]:
    """A proxy before the real server."""
    made = Proxy(world.port)
    yield made
    made.close()
