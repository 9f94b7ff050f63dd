"""What a test does to an epoch and sees of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from storage import epochs
from storage.database import Database
from storage.epochs import AlarmKind
from storage.errors import CommitUnknownError
from storage.tables import epochs as rows
from storage.witness import Witness

T = TypeVar("T")


class Silent:
    """A store whose COMMIT is durable and says nothing, where ``silent`` is set."""

    def __init__(self, inner: Database) -> None:
        self._inner = inner
        self.silent = False

    async def write(self, unit: Callable[[Connection], T]) -> T:
        result = await self._inner.write(unit)
        if self.silent:
            raise CommitUnknownError("no answer")
        return result


def nothing(_: Connection) -> None:
    """There is nothing else to look at."""


async def moved(store: epochs.Writes, data_dir: Path, own: Witness) -> Witness:
    """*own*, moved on."""
    return await epochs.move_on(store, data_dir, own, also=nothing)


async def alarm_of(store: epochs.Reads, data_dir: Path) -> AlarmKind | None:
    """What a start would be told."""
    found = await epochs.check(store, data_dir)
    return None if found is None else found.kind


async def set_back(store: Database, own: Witness) -> None:
    """Have the row of an epoch tell what it told before *own*."""

    def unit(conn: Connection) -> None:
        conn.execute(sa.update(rows).where(rows.c.id == own.epoch).values(at=own.at - 1))

    await store.write(unit)


async def lose(store: Database, own: Witness) -> None:
    """Have the database lack an epoch."""

    def unit(conn: Connection) -> None:
        conn.execute(sa.delete(rows).where(rows.c.id == own.epoch))

    await store.write(unit)


async def put_ahead(store: Database, own: Witness, at: int) -> None:
    """As if the database's clock had been ahead when it was moved on last."""

    def unit(conn: Connection) -> None:
        conn.execute(sa.update(rows).where(rows.c.id == own.epoch).values(at=at))

    await store.write(unit)
