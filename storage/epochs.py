"""Epochs: how a database that was restored, lost, set back or exchanged is noticed.

    renew (at start, hourly)       commit a new random epoch, then write it to the witness file
    move_on (each beat, at the     commit a higher number in the row of this process's own epoch,
             end)                  then write that number to the witness file
    check (before that, at start)  is the witness's epoch in the table, and moved on as far?

A database that came back from a backup lacks the newest epochs, though everything in it looks
sound, and it may not know of drafts that lie in the mailbox. A disk that was set back to a copy has
the epoch, and an older number in its row: only the process that made an epoch ever moves it on, so
nothing that others write meanwhile makes up for what was lost. On an alarm every thread reconciles
before anything is created again, and fences go on above the highest ever seen.

A witness tells of commits alone that were acknowledged, so a crash of the process or of the server,
which keeps those, is no alarm. What is lost unnoticed is at most what was committed since the last
beat.

On PostgreSQL the server itself is compared as well: another system identifier means another
cluster, another timeline one that was restored or promoted, which may lack the newest commits
although the epoch is there; so may a database or a table that was made anew from a dump. A role
that may not ask for them knows only the epochs.

The order at a start is: check, act on the alarm in the database, renew, and only then the first
lease. Renewing first would forget an alarm that a crash kept from being acted upon. A crash between
the two writes of renew or move_on leaves an older witness, which the table bears out too.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, assert_never

import sqlalchemy as sa
from anyio import CancelScope, to_thread

from storage.dbtime import database_now_ms
from storage.errors import StorageGoneError
from storage.pg_place import MAY_TELL, WHICH_SERVER
from storage.tables import epochs, leases, meta
from storage.witness import Witness, read_witness, write_witness

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")

RENEW_EVERY_S: Final = 3600.0
FENCE_MARGIN: Final = 1_000_000
"""Added on an alarm: the witness is up to an hour old, and no thread is taken so often in one."""
_IDENTITY: Final = "database_id"


class AlarmKind(StrEnum):
    """Why the database is not believed to be the one that was written last."""

    EPOCH_ABSENT = "epoch_absent"
    WITNESS_MISSING = "witness_missing"
    WITNESS_UNREADABLE = "witness_unreadable"
    DATABASE_EMPTY = "database_empty"
    OTHER_DATABASE = "other_database"
    OTHER_SERVER = "other_server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """Reconcile everything first; every new fence must be above ``fence``."""

    kind: AlarmKind
    fence: int

    @property
    def message(self) -> str:
        """What happened and what follows, for the owner."""
        return f"{_cause(self.kind)}; every thread is looked up before anything is drafted again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What the database shows. ``identity`` is empty before its first epoch, ``server`` unless
    PostgreSQL tells it."""

    is_embedded: bool
    has_leases: bool
    has_epoch: bool
    """Whether the witness's epoch is there, moved on at least as far."""
    identity: str
    fence: int
    server: str = ""


def judge(witness: Witness | None, sight: Sight) -> Alarm | None:
    """Whether the database can be the one that the witness saw; pure.

    A missing witness is an alarm for an SQLite file that was worked with only: on PostgreSQL it is
    a host that joins the fleet.
    """
    kind = _kind(witness, sight)
    if kind is None:
        return None
    seen = 0 if witness is None else witness.fence
    return Alarm(kind=kind, fence=max(seen, sight.fence) + FENCE_MARGIN)


def look(conn: Connection, witness: Witness | None) -> Sight:
    """What the database shows of *witness*; a unit of work that only reads."""
    return Sight(
        is_embedded=conn.dialect.name == "sqlite",
        has_leases=conn.execute(sa.select(leases.c.fence).limit(1)).first() is not None,
        has_epoch=witness is not None and _bears_out(conn, witness),
        identity=_identity(conn) or "",
        fence=_highest_fence(conn),
        server=server_of(conn),
    )


def add_epoch(conn: Connection, *, fence: int = 0) -> Witness:
    """Write a new epoch; a unit of work. The witness to write once it is committed.

    *fence* is the highest that the witness or an alarm knows of; the table may know a higher one.
    """
    identity = _identity(conn)
    if identity is None:
        identity = uuid.uuid4().hex
        conn.execute(sa.insert(meta).values(name=_IDENTITY, value=identity))
    new = Witness(
        epoch=uuid.uuid4().hex,
        fence=max(fence, _highest_fence(conn)),
        database=identity,
        server=server_of(conn),
        at=database_now_ms(conn),
    )
    conn.execute(sa.insert(epochs).values(id=new.epoch, at=new.at, fence=new.fence))
    return new


class Reads(Protocol):
    """The part of a store that looking needs."""

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* on one snapshot; as storage.database.Reader.read says."""


async def check(database: Reads, data_dir: Path) -> Alarm | None:
    """Compare the witness in *data_dir* with the database: at start, and on every reconnect."""
    witness = await to_thread.run_sync(read_witness, data_dir)
    return judge(witness, await database.read(lambda conn: look(conn, witness)))


def server_of(conn: Connection) -> str:
    """Which PostgreSQL server and database it is; empty where that is not told."""
    if conn.dialect.name != "postgresql" or not conn.exec_driver_sql(MAY_TELL).scalar():
        return ""
    return str(conn.exec_driver_sql(WHICH_SERVER).scalar_one())


class Writes(Protocol):
    """The part of a store that renewing needs."""

    async def write(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* in one transaction; as storage.database.Database.write says."""


class _OlderError(StorageGoneError):
    """The database went back in time under this process; ``witness`` tells of what it lost."""

    def __init__(self, witness: Witness) -> None:
        super().__init__(
            _cause(AlarmKind.EPOCH_ABSENT),
            remedy="once that has ended, start Fencepost again; each thread is looked up before "
            "anything is drafted",
        )
        self.witness = witness


async def renew(
    database: Writes, data_dir: Path, *, fence: int = 0, at_work: bool = False
) -> Witness:
    """Commit a new epoch, then write the witness: at start, then every RENEW_EVERY_S.

    *fence* is that of an alarm which has been acted upon. *at_work*: an alarm now means that the
    database was exchanged under this process. Raises what Database.write raises, StorageGoneError
    in that case, and StorageIllError when the witness cannot be written, which may be tried again.
    """
    old = await to_thread.run_sync(read_witness, data_dir)
    floor = fence if old is None else max(fence, old.fence)

    def unit(conn: Connection) -> Witness:
        alarm = judge(old, look(conn, old)) if at_work and old is not None and old.epoch else None
        if alarm is not None:
            raise StorageGoneError(_cause(alarm.kind), remedy="start Fencepost again")
        return add_epoch(conn, fence=floor)

    with CancelScope(shield=True):
        new = await database.write(unit)
        await to_thread.run_sync(write_witness, data_dir, new)
    return new


async def move_on(
    database: Writes, data_dir: Path, own: Witness, *, also: Callable[[Connection], None]
) -> Witness:
    """Move this process's epoch on, then write the witness: at each beat, and at an orderly end.

    *own* is what renew or move_on gave last; the witness file may be another process's by now.
    *also* looks at what else has to be as it was, first and in the same transaction. Raises what it
    and Database.write raise, StorageGoneError when the database went back in time (the next start
    raises the alarm then), and StorageIllError when the witness cannot be written.
    """
    told = await to_thread.run_sync(read_witness, data_dir)
    others = () if told is None or not told.epoch or told.epoch == own.epoch else (told,)

    def unit(conn: Connection) -> Witness:
        also(conn)
        for one in (own, *others):
            if not _bears_out(conn, one):
                raise _OlderError(one)
        # Above what is there, also when the database's clock was set back.
        at = max(database_now_ms(conn), (_moved_to(conn, own.epoch) or 0) + 1)
        conn.execute(sa.update(epochs).where(epochs.c.id == own.epoch).values(at=at))
        return replace(own, at=at)

    with CancelScope(shield=True):
        try:
            new = await database.write(unit)
        except _OlderError as error:
            await to_thread.run_sync(write_witness, data_dir, error.witness)
            raise
        await to_thread.run_sync(write_witness, data_dir, new)
    return new


def _kind(witness: Witness | None, sight: Sight) -> AlarmKind | None:
    if witness is None:
        lost = sight.is_embedded and sight.has_leases
        return AlarmKind.WITNESS_MISSING if lost else None
    if not witness.epoch:
        return AlarmKind.WITNESS_UNREADABLE
    if not sight.identity:
        return AlarmKind.DATABASE_EMPTY
    if sight.identity != witness.database:
        return AlarmKind.OTHER_DATABASE
    if sight.server and witness.server and sight.server != witness.server:
        return AlarmKind.OTHER_SERVER
    return None if sight.has_epoch else AlarmKind.EPOCH_ABSENT


def _cause(kind: AlarmKind) -> str:
    match kind:
        case AlarmKind.EPOCH_ABSENT:
            return (
                "the database is older than what was last written to it (restored from a backup or "
                "a copy of its disk?)"
            )
        case AlarmKind.WITNESS_MISSING:
            return "the database has work in it, but data_dir lacks the witness that belongs to it"
        case AlarmKind.WITNESS_UNREADABLE:
            return "the witness in data_dir cannot be read"
        case AlarmKind.DATABASE_EMPTY:
            return "the database is new and empty, but data_dir belongs to one that was not"
        case AlarmKind.OTHER_DATABASE:
            return "the database is not the one that data_dir belongs to"
        case AlarmKind.OTHER_SERVER:
            return "the PostgreSQL server is another one, or was restored or promoted"
        case _ as never:
            assert_never(never)


def _bears_out(conn: Connection, witness: Witness) -> bool:
    """Whether the epoch of *witness* is in the table, moved on at least as far as it tells."""
    found = _moved_to(conn, witness.epoch)
    return found is not None and found >= witness.at


def _moved_to(conn: Connection, epoch: str) -> int | None:
    return conn.scalar(sa.select(epochs.c.at).where(epochs.c.id == epoch))


def _identity(conn: Connection) -> str | None:
    return conn.execute(sa.select(meta.c.value).where(meta.c.name == _IDENTITY)).scalar()


def _highest_fence(conn: Connection) -> int:
    found = (
        conn.execute(sa.select(sa.func.max(table.c.fence))).scalar() for table in (leases, epochs)
    )
    return max(fence or 0 for fence in found)
