"""Hears what other processes of a fleet signal, on a connection of its own.

LISTEN belongs to a session, so the connection is none of the pool's. A connection that breaks is
made again after a pause; what was signalled meanwhile is lost, which costs a wait and nothing else,
and the first thing after each connection is one ring of every bell. Behind a pooler in transaction
mode nobody can listen: then polling alone remains, and it is said once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

import anyio
import structlog

from storage.errors import StorageError
from storage.pg_errors import unreachable
from storage.pg_place import Place, connect
from storage.signals import CHANNEL, Signal

if TYPE_CHECKING:
    from typing import Protocol

    from storage.words import Clock

    class Ear(Protocol):
        """What is used of asyncpg's connection to listen."""

        async def add_listener(self, channel: str, callback: Callable[..., None]) -> None:
            """Call *callback* for each notification."""

        def add_termination_listener(self, callback: Callable[..., None]) -> None:
            """Call *callback* when the connection ends."""

        def terminate(self) -> None:
            """Let go of it at once."""


log = structlog.get_logger()

AGAIN_S: Final = 5.0
"""The pause before a broken connection is made again."""


async def listen(place: Place, clock: Clock, ring: Callable[[Signal], None]) -> None:
    """Listen for ever; *ring* is called for each signal."""
    while True:
        try:
            driver = await connect(place)
        except StorageError as error:
            log.debug("signals cannot be heard for now", error=type(error).__name__)
            await clock.sleep(AGAIN_S)
            continue
        ear = cast("Ear", driver)
        ended = anyio.Event()
        try:
            ear.add_termination_listener(lambda *_, ended=ended: ended.set())
            await ear.add_listener(CHANNEL, lambda *told: _heard(ring, str(told[-1])))
            for signal in Signal:
                ring(signal)
            await ended.wait()
        except Exception as error:
            # The server may go at any word; what is no trouble of the server's is its caller's.
            if not isinstance(unreachable(error, place.shown), StorageError):
                raise
            log.debug("signals are not heard any more", error=type(error).__name__)
        finally:
            ear.terminate()
        await clock.sleep(AGAIN_S)


def _heard(ring: Callable[[Signal], None], told: str) -> None:
    if told in frozenset(Signal):
        ring(Signal(told))
