"""Waits for a PostgreSQL server that is not up yet, as after a boot or beside it in a container.

Only for ``run``, which somebody may have started before the server. Waited for is what a start of
the server ends by itself: nobody listens at the address, or the server says that it is starting up.
Everything else (a wrong password, name or database, a server that cannot be used) fails at once,
and so does the wait when its time is over, because a wrong port looks just the same. A signal ends
the wait in order. Nothing is held or written meanwhile; a crash leaves nothing.
"""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import structlog

from assistant.opening import is_shared, place_of
from assistant.timing import TimedOut, run_until
from storage.errors import StorageError
from storage.pg_errors import sqlstate

if TYPE_CHECKING:
    from config.loaded import Loaded
    from storage.pg_place import Place
    from storage.words import Clock

log = structlog.get_logger()

WITHIN_S: Final = 120.0
"""How long a server is waited for."""
FIRST_S: Final = 1.0
LONGEST_S: Final = 10.0
"""Between two tries: at first, and at most after doubling."""
_STARTING: Final = "57P03"
"""cannot_connect_now (PostgreSQL manual, appendix A)."""


async def is_up(loaded: Loaded, clock: Clock) -> bool:
    """Wait as ``wait_until_up`` does; False when SIGTERM or Ctrl-C came first."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
        found = await run_until(lambda: anext(received), partial(wait_until_up, loaded, clock))
    if isinstance(found, TimedOut):
        log.info("stopping: PostgreSQL was not up yet")
        return False
    return True


async def wait_until_up(loaded: Loaded, clock: Clock) -> None:
    """Return once the server of *loaded* answers; at once for a store that is a file.

    Raises ``config.secrets.SecretError`` and ``storage.errors.StorageError``.
    """
    if not is_shared(loaded):
        return
    from storage.pg_place import meet

    place = await place_of(loaded)
    began_s, pause_s, told = clock.boot_s(), FIRST_S, ""
    while True:
        try:
            await meet(place)
        except StorageError as error:
            left_s = began_s + WITHIN_S - clock.boot_s()
            if left_s <= 0 or not is_coming(error, place):
                raise
            if str(error) != told:
                told = str(error)
                log.warning("waiting for PostgreSQL", problem=told, at_most_s=round(left_s))
            await clock.sleep(min(pause_s, left_s))
            pause_s = min(2 * pause_s, LONGEST_S)
        else:
            break
    if told:
        log.info("PostgreSQL is up", waited_s=round(clock.boot_s() - began_s, 1))


def is_coming(error: StorageError, place: Place) -> bool:
    """Whether a server of *place* that starts would end this trouble by itself."""
    cause = error.__cause__
    if cause is None:
        return False
    # A name with several addresses that all refuse gives an error without a number.
    nobody = isinstance(cause, ConnectionRefusedError) or (
        type(cause) is OSError and cause.errno is None
    )
    if isinstance(cause, FileNotFoundError):
        # Elsewhere it is a certificate that is missing.
        nobody = place.is_socket
    return nobody or sqlstate(cause) == _STARTING
