"""One harness a test, for every adapter in turn."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from providers.ports import Mailbox
from tests.contracts.gmail_harness import GMAIL_HARNESSES
from tests.contracts.harness import HARNESSES, Harness
from tests.contracts.imap_harness import IMAP_HARNESSES


@pytest.fixture(params=[*HARNESSES, *IMAP_HARNESSES, *GMAIL_HARNESSES], ids=lambda kind: kind.name)
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Harness]:
    """A fresh account of each adapter."""
    made: Harness = request.param(tmp_path)
    yield made
    made.tear_down()


@pytest.fixture
async def box(harness: Harness) -> AsyncIterator[Mailbox]:
    """The adapter on that account."""
    await harness.begin()
    made = harness.make()
    yield made
    await made.close()
    await harness.end()
