"""Who is at work in a fleet, and which version of each user's file it works with.

A worker's row is a sign of life for people and for sharing the watching out; it never decides who
may act, for only leases do that. Rows of workers that are long gone are removed. Of a user's file
the fleet works with one version: a host whose copy differs leaves that user alone until somebody
says which copy is right, so that two hosts never judge by two rules. Each worker says itself which
mailboxes its host lacks what they need for, and how long its leases are, by which its silence is
measured: members may have different settings.

A crash leaves a worker's row behind, which is soon seen to be silent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage.tables import user_files, workers
from storage.words import IntegrationId, OwnerId, UserName

if TYPE_CHECKING:
    from sqlalchemy import Connection

FORGET_MS: Final = 86_400_000
"""A worker that was silent for a day is removed from the list."""


SOON: Final = 2 / 3
"""The part of a lease after whose silence a worker's share of the watching goes to others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """Why one host cannot serve a mailbox that another may serve, and what to do about it."""

    problem: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One process of the fleet; times are epoch milliseconds by the database's clock.

    ``serves`` are users, ``lacks`` those of their mailboxes that its host cannot serve;
    ``lease_ms`` is the length of its leases, within which it gives several signs of life.
    """

    name: OwnerId
    host: str
    role: str
    serves: frozenset[UserName]
    started_at: int
    seen_at: int
    ended_at: int | None = None
    draining: bool = False
    lacks: Mapping[IntegrationId, Lack] = field(default_factory=dict)
    lease_ms: int

    def is_live(self, now_ms: int, *, within: float = 1.0) -> bool:
        """Whether it did not say good-bye and gave a sign of life *within* that part of a lease."""
        return self.ended_at is None and self.was_seen(now_ms, within=within)

    def was_seen(self, now_ms: int, *, within: float = 1.0) -> bool:
        """The same of one that may have said good-bye since."""
        return self.seen_at + int(self.lease_ms * within) > now_ms

    def can_serve(self, integration: IntegrationId, user: UserName) -> bool:
        """Whether it has the user's file and whatever the mailbox needs of its host."""
        return user in self.serves and integration not in self.lacks


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """The version of one user's file that the fleet works with, and the host it came from."""

    hash: str
    host: str


def seen(
    conn: Connection,
    now_ms: int,
    *,
    name: OwnerId,
    host: str,
    role: str,
    serves: Collection[UserName],
    lease_ms: int,
    lacks: Mapping[IntegrationId, Lack] | None = None,
    draining: bool = False,
) -> None:
    """Give a sign of life; the first one makes the row."""
    values = {
        "host": host,
        "role": role,
        "serves": sorted(serves),
        "seen_at": now_ms,
        "ended_at": None,
        "draining": int(draining),
        "lacks": {name: asdict(lack) for name, lack in sorted((lacks or {}).items())},
        "lease_ms": lease_ms,
    }
    done = conn.execute(sa.update(workers).where(workers.c.name == name).values(values))
    if not done.rowcount:
        conn.execute(sa.insert(workers).values(name=name, started_at=now_ms, **values))


def gone(conn: Connection, now_ms: int, name: OwnerId) -> None:
    """Say good-bye, and forget those who have been silent for long."""
    conn.execute(sa.update(workers).where(workers.c.name == name).values(ended_at=now_ms))
    conn.execute(sa.delete(workers).where(workers.c.seen_at < now_ms - FORGET_MS))


def everyone(conn: Connection) -> list[Worker]:
    """All workers on the list, live or not, the oldest first."""
    rows = conn.execute(sa.select(workers).order_by(workers.c.started_at, workers.c.name))
    return [
        Worker(
            name=OwnerId(row.name),
            host=row.host,
            role=row.role,
            serves=frozenset(UserName(user) for user in row.serves),
            started_at=row.started_at,
            seen_at=row.seen_at,
            ended_at=row.ended_at,
            draining=bool(row.draining),
            lacks={IntegrationId(name): Lack(**lack) for name, lack in row.lacks.items()},
            lease_ms=row.lease_ms,
        )
        for row in rows
    ]


def files(conn: Connection) -> dict[UserName, File]:
    """The version of each user's file that the fleet works with."""
    rows = conn.execute(sa.select(user_files))
    return {UserName(row.user): File(hash=row.hash, host=row.host) for row in rows}


def adopt(
    conn: Connection, now_ms: int, hashes: Mapping[UserName, str], host: str
) -> list[UserName]:
    """Make these versions the fleet's; gives the users whose version changed."""
    known = files(conn)
    changed = [user for user, one in hashes.items() if user not in known or known[user].hash != one]
    for user in changed:
        values = {"hash": hashes[user], "host": host, "adopted_at": now_ms}
        if user in known:
            conn.execute(sa.update(user_files).where(user_files.c.user == user).values(values))
        else:
            conn.execute(sa.insert(user_files).values(user=user, **values))
    return changed


def agree(
    conn: Connection,
    now_ms: int,
    hashes: Mapping[UserName, str],
    *,
    name: OwnerId,
    host: str,
) -> dict[UserName, File]:
    """Compare this host's files with the fleet's; gives those of the fleet that differ.

    A file that the fleet does not know is taken in. Where no other host is live, this host's
    versions replace the fleet's: an edit on the only machine needs nobody's word.
    """
    lock_files(conn)
    others = [
        one
        for one in everyone(conn)
        if one.name != name and one.host != host and one.is_live(now_ms)
    ]
    known = files(conn)
    mine = {user: one for user, one in hashes.items() if user not in known or not others}
    adopt(conn, now_ms, mine, host)
    return {
        user: known[user]
        for user, one in hashes.items()
        if user not in mine and known[user].hash != one
    }


def lock_files(conn: Connection) -> None:
    """Let one process at a time decide about files; a unit of work holds it until its end."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql("LOCK TABLE user_files IN SHARE ROW EXCLUSIVE MODE")
