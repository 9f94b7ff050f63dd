"""``run`` waits for a PostgreSQL server that starts, and for nothing else."""

from __future__ import annotations

import socket

import anyio
import asyncpg
import pytest
from structlog.testing import capture_logs
from typing_extensions import override

from assistant.arrival import WITHIN_S, is_coming, wait_until_up
from config.load import load
from config.loaded import Loaded
from storage.errors import StorageError
from storage.pg_errors import unreachable
from storage.pg_place import Place
from tests.cli.conftest import Place as Folder
from tests.cli.test_postgres import use
from tests.support.clock import FakeClock
from tests.support.dovecot import free_port
from tests.support.postgres import PASSWORD, cluster, new_database


class Skipping(FakeClock):
    """A clock on which sleeping takes no time."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    @override
    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.skip(seconds)
        await anyio.lowlevel.checkpoint()


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENCEPOST_TEST_PASSWORD", PASSWORD)


def configured(place: Folder, url: str) -> Loaded:
    use(place, url)
    return load(place.config)


def nobody() -> str:
    """The address of a port at which nobody listens."""
    return f"postgresql://fencepost@127.0.0.1:{free_port()}/nothing"


async def test_a_server_that_is_not_up_is_waited_for_for_a_while(place: Folder) -> None:
    clock = Skipping()
    loaded = configured(place, nobody())
    with capture_logs() as told, pytest.raises(StorageError, match="cannot be reached"):
        await wait_until_up(loaded, clock)
    assert sum(clock.slept) == WITHIN_S
    assert clock.slept[:4] == [1.0, 2.0, 4.0, 8.0]
    [line] = told
    assert (line["event"], line["at_most_s"]) == ("waiting for PostgreSQL", WITHIN_S)
    assert "start it, or check host and port" in line["problem"]


async def test_a_server_that_answers_is_not_waited_for(place: Folder) -> None:
    clock = Skipping()
    with new_database() as database, capture_logs() as told:
        await wait_until_up(configured(place, cluster().url(database)), clock)
    assert clock.slept == []
    assert told == []


async def test_a_file_is_not_waited_for(place: Folder) -> None:
    await wait_until_up(load(place.config), Skipping())


@pytest.mark.parametrize("wrong", ["password", "database", "name"])
async def test_what_no_start_of_the_server_mends_fails_at_once(
    place: Folder, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Skipping()
    url = cluster().url("nothing" if wrong == "database" else "postgres")
    if wrong == "password":
        monkeypatch.setenv("FENCEPOST_TEST_PASSWORD", "not-this-one")
    if wrong == "name":
        url = url.replace("127.0.0.1", "no-such-host.invalid")
    loaded = configured(place, url)
    with pytest.raises(StorageError):
        await wait_until_up(loaded, clock)
    assert clock.slept == []


HOST = Place(url="postgresql://fencepost@db.example.com/x?sslcert=/etc/own.crt")
SOCKET = Place(url="postgresql:///x?host=/var/run/postgresql")


def problem(error: BaseException) -> StorageError:
    found = unreachable(error, "db.example.com/x")
    assert isinstance(found, StorageError)
    return found


def test_a_name_whose_addresses_all_refuse_is_waited_for() -> None:
    # As asyncio words it for a name with two addresses.
    several = "Multiple exceptions: [Errno 111] Connect call failed ('::1', 5432, 0, 0), ..."
    assert is_coming(problem(OSError(several)), HOST)


def test_a_server_that_says_that_it_is_starting_up_is_waited_for() -> None:
    assert is_coming(problem(asyncpg.CannotConnectNowError("starting up")), HOST)


@pytest.mark.parametrize(
    "error", [TimeoutError(), socket.gaierror(-2, "unknown"), ConnectionResetError(104, "reset")]
)
def test_other_troubles_of_the_network_are_not_waited_for(error: OSError) -> None:
    assert not is_coming(problem(error), HOST)


@pytest.mark.parametrize("place", [SOCKET, Place(url="postgresql:///x")])
def test_a_socket_that_is_not_there_yet_is_waited_for(place: Place) -> None:
    assert is_coming(problem(FileNotFoundError(2, "no such file")), place)


def test_a_certificate_that_is_missing_is_not_waited_for() -> None:
    assert not is_coming(problem(FileNotFoundError(2, "no such file")), HOST)
