"""What ``fencepost check`` says of a host whose copies of users' files are not the fleet's.

Read only: a check joins no fleet and lets no version count.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from assistant.cli import common
from assistant.cli.finding import Finding

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from config.loaded import Loaded
    from storage.words import UserName
    from storage.workers import File


async def fleet_findings(loaded: Loaded) -> list[Finding]:
    """The users of whom this host would serve nothing, as a start would find it now."""
    from assistant.process import hashes_of
    from assistant.unserved import disagreement
    from config.secrets import SecretError
    from storage import workers
    from storage.dbtime import database_now_ms
    from storage.errors import StorageError

    hashes, here = hashes_of(loaded), socket.gethostname()

    def differing(conn: Connection) -> dict[UserName, File]:
        now = database_now_ms(conn)
        # Where no other host is live, this one's files count from its start on.
        if not any(one.host != here and one.is_live(now) for one in workers.everyone(conn)):
            return {}
        known = workers.files(conn)
        return {
            user: known[user]
            for user, one in hashes.items()
            if user in known and known[user].hash != one
        }

    try:
        found = await common.read_store(loaded, differing)
    except (StorageError, SecretError):
        # What is wrong with the store is said of the store.
        return []
    told = [disagreement(user, file) for user, file in found.items()]
    return [
        Finding(
            what=one.what,
            works=False,
            says=f"this host serves nothing of {one.user}: {one.problem}",
            remedy=one.remedy,
        )
        for one in told
    ]
