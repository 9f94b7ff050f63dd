"""What one process of a fleet signals is heard by the others, over real connections."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import asyncpg
import pytest

from storage import listening, signals
from storage.listening import AGAIN_S, listen
from storage.pg_place import Place
from storage.signals import Signal
from tests.support import postgres
from tests.support.clock import FakeClock


@pytest.fixture
def database() -> Iterator[str]:
    with postgres.new_database() as name:
        yield name


class Bells:
    """What was rung, and a wait for it."""

    def __init__(self) -> None:
        self._rung: list[Signal] = []
        self._event = anyio.Event()

    def ring(self, signal: Signal) -> None:
        self._rung.append(signal)
        self._event.set()
        self._event = anyio.Event()

    async def take(self, number: int) -> list[Signal]:
        with anyio.fail_after(30):
            while len(self._rung) < number:
                await self._event.wait()
        taken, self._rung = self._rung[:number], self._rung[number:]
        return taken


async def test_a_committed_signal_is_heard(database: str) -> None:
    bells = Bells()
    store = await postgres.opened(database)
    async with anyio.create_task_group() as group:
        group.start_soon(listen, store.place, FakeClock(), bells.ring)
        assert await bells.take(3) == list(Signal)
        await store.write(lambda conn: signals.send(conn, Signal.WORK, Signal.NOTICE))
        assert await bells.take(2) == [Signal.WORK, Signal.NOTICE]
        group.cancel_scope.cancel()
    await store.close()


async def test_a_signal_of_a_unit_that_failed_is_never_heard(database: str) -> None:
    bells = Bells()
    store = await postgres.opened(database)

    def fails(conn: object) -> None:
        signals.send(conn, Signal.WORK)  # type: ignore[arg-type]
        raise ValueError("after all not")

    async with anyio.create_task_group() as group:
        group.start_soon(listen, store.place, FakeClock(), bells.ring)
        await bells.take(3)
        with pytest.raises(ValueError, match="after all"):
            await store.write(fails)
        await store.write(lambda conn: signals.send(conn, Signal.LOOK))
        assert await bells.take(1) == [Signal.LOOK]
        group.cancel_scope.cancel()
    await store.close()


async def test_a_broken_connection_is_made_again_and_rings_everything(database: str) -> None:
    bells, clock = Bells(), FakeClock()
    store = await postgres.opened(database)
    async with anyio.create_task_group() as group:
        group.start_soon(listen, store.place, clock, bells.ring)
        await bells.take(3)
        end = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        )
        await store.read(lambda conn: conn.exec_driver_sql(end).all())
        await clock.somebody_sleeps()
        await clock.advance(AGAIN_S)
        assert await bells.take(3) == list(Signal)
        group.cancel_scope.cancel()
    await store.close()


class Deaf:
    """A connection that the server ends while it is asked to listen."""

    def add_termination_listener(self, callback: object) -> None:
        """Never called."""

    async def add_listener(self, channel: str, callback: object) -> None:
        raise asyncpg.ConnectionDoesNotExistError("connection was closed")

    def terminate(self) -> None:
        """Nothing to let go of."""


async def test_a_server_that_ends_at_the_word_listen_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []

    async def connect(place: object) -> Deaf:
        asked.append(place)
        return Deaf()

    monkeypatch.setattr(listening, "connect", connect)
    clock, bells = FakeClock(), Bells()
    place = Place(url="postgresql://fencepost@db.example/fencepost")
    async with anyio.create_task_group() as group:
        group.start_soon(listen, place, clock, bells.ring)
        await clock.somebody_sleeps()
        await clock.advance(AGAIN_S)
        await clock.somebody_sleeps()
        group.cancel_scope.cancel()
    assert asked == [place, place]
