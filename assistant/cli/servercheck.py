"""What ``fencepost check`` says of a PostgreSQL database and of the key that belongs to it.

Nothing is written or made. What keeps a start from going well is said here first.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from assistant.cli.finding import Finding
from assistant.cli.storecheck import DATABASE, key_findings

if TYPE_CHECKING:
    from config.loaded import Loaded
    from storage.pg_examine import ExaminedServer
    from storage.pg_place import Met

SERVER = "PostgreSQL"


async def server_findings(loaded: Loaded) -> list[Finding]:
    """The findings about server, database and key."""
    from anyio import to_thread

    from assistant.opening import place_of
    from config.secrets import SecretError
    from storage.errors import StorageError, StorageIllError
    from storage.pg_examine import examine_server

    try:
        place = await place_of(loaded)
        found = await examine_server(place, loaded.daemon.storage.data_dir)
    except (SecretError, StorageIllError) as error:
        return [Finding(what=SERVER, works=False, says=error.problem, remedy=error.remedy)]
    except StorageError as error:
        says, _, remedy = str(error).partition(": ")
        return [Finding(what=SERVER, works=False, says=says, remedy=remedy)]
    # A database of an older release knows its key, and is not asked for it before its migration.
    unasked = found.revision is not None and not found.is_current
    return [
        *_server(place.shown, found.met),
        _database(found),
        *await to_thread.run_sync(partial(key_findings, loaded, found.key, unasked=unasked)),
    ]


def _server(place: str, met: Met) -> list[Finding]:
    pooled = ", behind a pooler" if met.pooled else ""
    findings = [Finding(what=SERVER, works=True, says=f"{place}, version {met.version}{pooled}")]
    if not met.flushes:
        says = "fsync is off: a power cut loses what was stored"
        findings.append(Finding(what=SERVER, works=False, says=says, remedy="set fsync = on there"))
    if met.exposed:
        findings.append(
            Finding(
                what=SERVER,
                works=False,
                says="mail crosses the network in clear text on the way there",
                remedy="add ?sslmode=verify-full to [storage] url",
            )
        )
    return findings


def _database(found: ExaminedServer) -> Finding:
    if found.alarm is not None:
        return Finding(
            what=DATABASE,
            works=False,
            says=found.alarm.message,
            remedy="nothing more to do if you restored it; else let [storage] url name the newest "
            "one before you start",
        )
    if found.is_current:
        says = f"schema {found.revision}; the one written last"
    elif found.revision is None:
        says = "empty: the first start, or fencepost migrate, makes the tables"
    else:
        says = (
            f"schema {found.revision}: the next start, or fencepost migrate, brings it up to date"
        )
    return Finding(what=DATABASE, works=True, says=says)
