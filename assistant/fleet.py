"""One process as a member of a fleet: a sign of life, its share of the watching, its users' files.

    join --> beat (every quarter of a lease) --> ... --> leave

A beat writes a sign of life and what this host lacks, counts the live members, shares the watching
out anew when they have changed, and compares this host's user files with those that the fleet works
with. Nothing here decides who may act: leases do that, and a member that is silent loses its leases
by time alone.

With SQLite there is one process and no fleet. A crash leaves a row that is soon silent and a file
that is no longer locked, which proves the death to whoever shares the data folder.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import NamedTuple

import anyio
import structlog
from anyio import to_thread
from sqlalchemy import Connection

from assistant.core.sharing import Sharing, fair_share
from assistant.serving import Serving
from storage import alive, workers
from storage.dbtime import database_now_ms
from storage.together import Store
from storage.words import IntegrationId, OwnerId, UserName
from storage.workers import SOON, File, Worker

log = structlog.get_logger()


class Role(StrEnum):
    """What a process of a fleet does."""

    WATCH = "watch"
    WORK = "work"
    ALL = "all"

    @property
    def watches(self) -> bool:
        """Whether it notes what changes in mailboxes."""
        return self is not Role.WORK

    @property
    def works(self) -> bool:
        """Whether it works on threads, looks for lost answers and tells users."""
        return self is not Role.WATCH


class Beat(NamedTuple):
    """What one beat saw: the other members that are live, and the files that differ from ours."""

    others: list[Worker]
    differing: Mapping[UserName, File]


@dataclass(slots=True, kw_only=True)
class Fleet:
    """The membership of one process."""

    database: Store
    data_dir: Path
    name: OwnerId
    role: Role
    lease_ttl_s: float
    sharing: Sharing
    serving: Serving = field(default_factory=Serving)
    host: str = field(default_factory=socket.gethostname)
    draining: bool = False
    _sign: alive.Sign | None = None
    _watchers: frozenset[OwnerId] = frozenset()

    async def join(self) -> None:
        """Show that this process lives, before its first lease. Raises StorageError."""
        await to_thread.run_sync(alive.remove_old, self.data_dir)
        self._sign = await to_thread.run_sync(alive.show, self.data_dir, self.name)

    async def agree(self, hashes: Mapping[UserName, str]) -> Mapping[UserName, File]:
        """The users whose file here is not the one that the fleet works with."""

        def unit(conn: Connection) -> Mapping[UserName, File]:
            return workers.agree(
                conn,
                database_now_ms(conn),
                hashes,
                name=self.name,
                host=self.host,
            )

        return await self.database.write(unit)

    async def beat(
        self, hashes: Mapping[UserName, str], mailboxes: Mapping[IntegrationId, UserName]
    ) -> Beat:
        """Give a sign of life and look around.

        *hashes* are of this host's user files; *mailboxes* names each mailbox of theirs with its
        user, also where this host lacks what it needs. Raises StorageError.
        """
        unit = partial(self._beat, hashes=hashes, serves=frozenset(mailboxes.values()))
        seen = await self.database.write(unit)
        watching = [one for one in seen.others if one.role != Role.WORK and not one.draining]
        names = frozenset(one.name for one in watching)
        mine = [name for name in mailboxes if self.serving.has(name)]
        share = fair_share(
            mine,
            [[name for name in mine if one.can_serve(name, mailboxes[name])] for one in watching],
        )
        if names != self._watchers or share != self.sharing.share:
            log.info("the fleet has changed", members=len(seen.others) + 1, share=share)
            self._watchers = names
            self.sharing.regroup(share)
        return seen

    async def leave(self) -> None:
        """Say good-bye; to be done when every call has ended and is recorded."""
        with anyio.CancelScope(shield=True):
            await self.database.write(
                lambda conn: workers.gone(conn, database_now_ms(conn), self.name)
            )
            self.close()

    def close(self) -> None:
        """Take the sign of life down."""
        if self._sign is not None:
            self._sign.take_down()
            self._sign = None

    def is_dead(self, other: OwnerId) -> bool:
        """Whether another process that used this data folder is proved to be dead."""
        return other != self.name and alive.is_dead(self.data_dir, other)

    def _beat(
        self, conn: Connection, *, hashes: Mapping[UserName, str], serves: frozenset[UserName]
    ) -> Beat:
        now = database_now_ms(conn)
        everyone = workers.everyone(conn)
        workers.seen(
            conn,
            now,
            name=self.name,
            host=self.host,
            role=str(self.role),
            serves=serves,
            lease_ms=int(self.lease_ttl_s * 1000),
            lacks=self.serving.lacks,
            draining=self.draining,
        )
        known = workers.files(conn)
        return Beat(
            others=[
                one for one in everyone if one.name != self.name and one.is_live(now, within=SOON)
            ],
            differing={
                user: known[user]
                for user, one in hashes.items()
                if user in known and known[user].hash != one
            },
        )
