"""What every test shares: the backend of anyio, and logs as nobody has set them up."""

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """asyncpg, aiosqlite and aiogoogle run on asyncio only."""
    return "asyncio"


@pytest.fixture(autouse=True)
def logs_of_its_own() -> Iterator[None]:
    """A command that ran in this process leaves neither its level nor its outlet to the next."""
    yield
    structlog.reset_defaults()
