"""A database that goes back in time under a process which nothing else tells from a crash."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from assistant.core.sharing import Sharing
from assistant.fleet import Fleet, Role
from storage import epochs
from storage.epochs import AlarmKind
from storage.errors import CommitUnknownError, StorageGoneError
from storage.postgres import PostgresDatabase
from storage.tables import epochs as epoch_table
from storage.tables import workers
from storage.words import OwnerId
from tests.support import postgres

T = TypeVar("T")
NAME = OwnerId("a:1:x")


class Silent:
    """A store whose COMMIT is durable and says nothing, where ``silent`` is set."""

    def __init__(self, inner: PostgresDatabase) -> None:
        self._inner = inner
        self.silent = False

    async def read(self, unit: Callable[[Connection], T]) -> T:
        return await self._inner.read(unit)

    async def write(self, unit: Callable[[Connection], T]) -> T:
        result = await self._inner.write(unit)
        if self.silent:
            raise CommitUnknownError("no answer")
        return result


@pytest.fixture
async def store() -> AsyncIterator[PostgresDatabase]:
    with postgres.new_database() as name:
        made = await postgres.opened(name)
        yield made
        await made.close()


def member(store: PostgresDatabase | Silent, data_dir: Path) -> Fleet:
    return Fleet(
        database=store,
        data_dir=data_dir,
        name=NAME,
        role=Role.ALL,
        lease_ttl_s=60.0,
        sharing=Sharing(),
    )


async def test_a_member_whose_row_went_back_in_time_ends(
    store: PostgresDatabase, tmp_path: Path
) -> None:
    await epochs.renew(store, tmp_path)
    fleet = member(store, tmp_path)
    await fleet.beat({}, [])
    await fleet.beat({}, [])
    await do(store, sa.update(workers).values(seen_at=1))
    with pytest.raises(StorageGoneError, match="start Fencepost again"):
        await fleet.beat({}, [])
    alarm = await epochs.check(store, tmp_path)
    assert alarm is not None
    assert alarm.kind is AlarmKind.EPOCH_ABSENT


async def test_a_sign_of_life_whose_commit_said_nothing_is_no_alarm(
    store: PostgresDatabase, tmp_path: Path
) -> None:
    silent = Silent(store)
    fleet = member(silent, tmp_path)
    await fleet.beat({}, [])
    silent.silent = True
    with pytest.raises(CommitUnknownError):
        await fleet.beat({}, [])
    silent.silent = False
    await fleet.beat({}, [])
    await fleet.beat({}, [])


async def test_a_member_that_was_tidied_away_gives_signs_again(
    store: PostgresDatabase, tmp_path: Path
) -> None:
    await epochs.renew(store, tmp_path)
    fleet = member(store, tmp_path)
    await fleet.beat({}, [])
    await do(store, sa.delete(workers))
    await fleet.beat({}, [])
    assert await epochs.check(store, tmp_path) is None


async def test_a_member_that_the_database_never_saw_ends(
    store: PostgresDatabase, tmp_path: Path
) -> None:
    await epochs.renew(store, tmp_path)
    fleet = member(store, tmp_path)
    await fleet.beat({}, [])
    await do(store, sa.delete(workers))
    await do(store, sa.delete(epoch_table))
    with pytest.raises(StorageGoneError):
        await fleet.beat({}, [])


async def do(store: PostgresDatabase, statement: sa.Executable) -> None:
    def unit(conn: Connection) -> None:
        conn.execute(statement)

    await store.write(unit)
