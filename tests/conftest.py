"""What every test shares: the backend of anyio."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """asyncpg, aiosqlite and aiogoogle run on asyncio only."""
    return "asyncio"
