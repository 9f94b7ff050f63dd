"""A Maildir with its folders, and an adapter on it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from providers.maildir import MaildirMailbox
from tests.contracts.harness import MaildirHarness


@pytest.fixture
def world(tmp_path: Path) -> Iterator[MaildirHarness]:
    """The Maildir and the programs of its owner."""
    made = MaildirHarness(tmp_path)
    yield made
    made.tear_down()


@pytest.fixture
async def box(world: MaildirHarness) -> AsyncIterator[MaildirMailbox]:
    """The adapter on it."""
    made = MaildirMailbox(world.root, clock=world.clock, network=False)
    yield made
    await made.close()
