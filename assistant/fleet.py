"""One process as a member of a fleet: a sign of life, its share of the watching, its users' files.

    join --> beat (every quarter of a lease) --> ... --> leave

A beat writes a sign of life, counts the live members, shares the watching out anew when they have
changed, and compares this host's user files with those that the fleet works with. Nothing here
decides who may act: leases do that, and a member that is silent loses its leases by time alone.

Nobody else writes a member's row, so one that does not hold the last sign which was given there
shows that the database went back in time under this process, as a copy of its disk does that
nothing else tells from a crash. Then the process ends, and the next start raises the alarm.

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
from assistant.effects.guard import Store
from storage import alive, epochs, workers
from storage.dbtime import database_now_ms
from storage.errors import StorageGoneError
from storage.words import OwnerId, UserName
from storage.workers import File, Worker

log = structlog.get_logger()

BEATS_IN_A_LEASE = 4
SILENCE = 2 / 3
"""A member that was silent for this part of a lease counts as gone when shares are counted."""


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
    """What one beat saw: when it was, the other members that are live, and the files that differ
    from ours; ``forgotten`` when this member's row was gone."""

    at: int
    others: list[Worker]
    differing: Mapping[UserName, File]
    forgotten: bool


@dataclass(slots=True, kw_only=True)
class Fleet:
    """The membership of one process."""

    database: Store
    data_dir: Path
    name: OwnerId
    role: Role
    lease_ttl_s: float
    sharing: Sharing
    host: str = field(default_factory=socket.gethostname)
    draining: bool = False
    _sign: alive.Sign | None = None
    _watchers: frozenset[OwnerId] = frozenset()
    _given: set[int] = field(default_factory=set)
    """The last sign that was stored, and those since of which nobody knows."""

    @property
    def beat_s(self) -> float:
        """How often a sign of life is given."""
        return self.lease_ttl_s / BEATS_IN_A_LEASE

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
                silence_ms=self._silence_ms,
            )

        return await self.database.write(unit)

    async def beat(self, hashes: Mapping[UserName, str], mailboxes: list[UserName]) -> Beat:
        """Give a sign of life and look around.

        *hashes* are of this host's user files; *mailboxes* names the user of each mailbox that is
        served here. Raises StorageError, StorageGoneError where the database went back in time.
        """
        unit = partial(self._beat, hashes=hashes, serves=frozenset(mailboxes))
        try:
            seen = await self.database.write(unit)
        except StorageGoneError:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(epochs.distrust, self.data_dir)
            raise
        self._given = {seen.at}
        if seen.forgotten:
            # By those who tidy up, or restored to before this process came: its epoch tells.
            await epochs.renew(self.database, self.data_dir, at_work=True)
        watching = [one for one in seen.others if one.role != Role.WORK and not one.draining]
        names = frozenset(one.name for one in watching)
        share = fair_share(mailboxes, [one.serves for one in watching])
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

    @property
    def _silence_ms(self) -> int:
        return int(self.lease_ttl_s * SILENCE * 1000)

    def _beat(
        self, conn: Connection, *, hashes: Mapping[UserName, str], serves: frozenset[UserName]
    ) -> Beat:
        now = database_now_ms(conn)
        everyone = workers.everyone(conn)
        own = next((one.seen_at for one in everyone if one.name == self.name), None)
        if self._given and own is not None and own not in self._given:
            raise StorageGoneError(
                "the database is older than what this process last wrote to it (restored from a "
                "backup or a copy of its disk?)",
                remedy="once that has ended, start Fencepost again; each thread is looked up "
                "before anything is drafted",
            )
        forgotten = bool(self._given) and own is None
        self._given.add(now)
        workers.seen(
            conn,
            now,
            name=self.name,
            host=self.host,
            role=str(self.role),
            serves=serves,
            draining=self.draining,
        )
        known = workers.files(conn)
        return Beat(
            at=now,
            forgotten=forgotten,
            others=[
                one
                for one in everyone
                if one.name != self.name and one.is_live(now, self._silence_ms)
            ],
            differing={
                user: known[user]
                for user, one in hashes.items()
                if user in known and known[user].hash != one
            },
        )
