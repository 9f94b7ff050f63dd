"""The daemon beside a PostgreSQL server that is not up yet, or goes down and comes back."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Place, environment
from tests.cli.test_postgres import use
from tests.support.postgres import PASSWORD, Cluster, new_database, second_cluster
from tests.support.waiting import BOUND_S, until


@pytest.fixture
def server() -> Iterator[Cluster]:
    """A server that may be stopped; it runs again afterwards."""
    found = second_cluster()
    yield found
    found.stop()
    found.start()


@pytest.fixture
def shared(server: Cluster, place: Place) -> Iterator[Place]:
    with new_database(server) as database:
        use(place, server.url(database))
        yield place
        server.stop()
        server.start()


@contextmanager
def running(place: Place, **more: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """``fencepost run`` until the block ends, and its log."""
    log = place.root / "run.log"
    env = {**environment(), "FENCEPOST_TEST_PASSWORD": PASSWORD, **more}
    with log.open("wb") as stream:
        daemon = subprocess.Popen(place.command("run"), stderr=stream, env=env)
        try:
            yield daemon, log
        finally:
            if daemon.poll() is None:
                daemon.kill()
            daemon.wait()


def told(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def events(log: Path) -> list[str]:
    return [str(line["event"]) for line in told(log)]


def test_a_server_that_goes_away_and_returns_is_told_once_each(
    shared: Place, server: Cluster
) -> None:
    with running(shared) as (daemon, log):
        until(lambda: "running" in events(log), daemon)
        for number in range(60):
            shared.deliver(number)
        until(lambda: len(shared.drafts()) >= 3, daemon)
        server.stop()
        until(lambda: "the store does not answer" in events(log), daemon)
        server.start()
        until(lambda: "the store answers again" in events(log), daemon)
        until(lambda: len(shared.drafts()) == 60, daemon)
        lines = told(log)
    away = [line for line in lines if line["event"] == "the store does not answer"]
    [back] = [line for line in lines if line["event"] == "the store answers again"]
    assert len(away) == 1
    waited = back["waited"]
    assert isinstance(waited, int)
    assert waited >= 1
    allowed = {"the store does not answer", "calls were left without an outcome"}
    assert {line["event"] for line in lines if line["level"] != "info"} <= allowed


def test_a_server_that_starts_later_is_waited_for(shared: Place, server: Cluster) -> None:
    server.stop()
    with running(shared) as (daemon, log):
        until(lambda: "waiting for PostgreSQL" in events(log), daemon)
        server.start()
        until(lambda: "running" in events(log), daemon)
        assert "PostgreSQL is up" in events(log)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_a_server_is_waited_for_ends_it_in_order(
    shared: Place, server: Cluster, stop: signal.Signals
) -> None:
    server.stop()
    try:
        with running(shared) as (daemon, log):
            until(lambda: "waiting for PostgreSQL" in events(log), daemon)
            daemon.send_signal(stop)
            assert daemon.wait(BOUND_S) == 0
            assert events(log)[-1] == "stopping: PostgreSQL was not up yet"
    finally:
        server.start()


def test_a_wrong_password_ends_it_at_once(shared: Place) -> None:
    with running(shared, FENCEPOST_TEST_PASSWORD="not-this-one") as (daemon, log):
        assert daemon.wait(BOUND_S) == 1
        assert events(log) == []
        assert "[storage] password" in log.read_text()
