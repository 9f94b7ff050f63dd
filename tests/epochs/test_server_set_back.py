"""A PostgreSQL server whose disk was set back, that crashed, or that was given to a standby."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import anyio
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from storage.epochs import AlarmKind, renew, server_of
from storage.errors import StorageError
from storage.pg_place import Place
from storage.postgres import PostgresDatabase, open_postgres
from storage.tables import meta
from storage.witness import Witness, read_witness
from tests.epochs.steps import alarm_of, moved
from tests.support.dovecot import missing
from tests.support.postgres import PASSWORD, Cluster, binaries


@pytest.fixture
def own() -> Iterator[Cluster]:
    """A server that the test may spoil."""
    server = Cluster()
    yield server
    server.remove()


def copy(server: Cluster) -> Path:
    """A copy of its disk at one moment, as a snapshot has it; the server goes on."""
    server.stop()
    where = server.base / "copy"
    subprocess.run(["cp", "-a", str(server.data), str(where)], check=True)
    server.start()
    return where


def put_back(server: Cluster, where: Path) -> None:
    """Kill the server and have it start on the copy."""
    server.stop()
    shutil.rmtree(server.data)
    where.rename(server.data)
    server.start()


async def write(store: PostgresDatabase, name: str, *, size: int = 1) -> None:
    def unit(conn: Connection) -> None:
        conn.execute(sa.insert(meta).values(name=name, value="x" * size))

    await store.write(unit)


async def again(store: PostgresDatabase) -> PostgresDatabase:
    """As another process opens it."""
    await store.close()
    return await open_postgres(store.place)


async def at_work(server: Cluster, data_dir: Path) -> tuple[PostgresDatabase, Witness]:
    """A process that has begun its epoch on a database of its own."""
    store = await open_postgres(server.place(server.new_database()))
    return store, await renew(store, data_dir)


async def test_a_disk_set_back_to_a_copy_newer_than_the_epoch_raises_the_alarm(
    own: Cluster, tmp_path: Path
) -> None:
    store, epoch = await at_work(own, tmp_path)
    server = await store.read(server_of)
    await write(store, "before")
    where = copy(own)
    store = await again(store)
    await write(store, "lost")
    await moved(store, tmp_path, epoch)
    put_back(own, where)
    store = await again(store)
    assert await store.read(server_of) == server
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT
    await store.close()


async def test_what_others_write_after_it_was_set_back_does_not_hide_it(
    own: Cluster, tmp_path: Path
) -> None:
    """A position in the server's log would be passed by then."""
    store, epoch = await at_work(own, tmp_path)
    where = copy(own)
    store = await again(store)
    await moved(store, tmp_path, epoch)
    lost = position(own)
    put_back(own, where)
    store = await again(store)
    await write(store, "others", size=1_000_000)
    assert position(own) > lost
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT
    await store.close()


async def test_a_server_that_is_killed_again_and_again_raises_no_alarm(
    own: Cluster, tmp_path: Path
) -> None:
    """What was acknowledged has reached its log, whatever else it was doing when it died."""
    store, epoch = await at_work(own, tmp_path)
    for round_ in range(4):
        async with anyio.create_task_group() as group:
            for worker in range(4):
                group.start_soon(write_until_it_fails, store, f"{round_} {worker}")
            group.start_soon(beat_until_it_fails, store, tmp_path, epoch)
            await anyio.to_thread.run_sync(own.stop)
        own.start()
        store = await again(store)
        assert await alarm_of(store, tmp_path) is None
        epoch = await renew(store, tmp_path)
    await store.close()


async def write_until_it_fails(store: PostgresDatabase, name: str) -> None:
    with suppress(StorageError):
        for number in count():
            await write(store, f"{name} {number}", size=5_000)


async def beat_until_it_fails(store: PostgresDatabase, data_dir: Path, epoch: Witness) -> None:
    with suppress(StorageError):
        while True:
            epoch = await moved(store, data_dir, epoch)


async def test_a_log_that_was_reset_raises_the_alarm_where_it_lost_something(
    own: Cluster, tmp_path: Path
) -> None:
    """The position in the log only rises by that, and neither identifier nor timeline changes."""
    store, epoch = await at_work(own, tmp_path)
    own.sql("CHECKPOINT")
    await moved(store, tmp_path, epoch)
    await store.close()
    own.stop()
    reset_log(own, "-f")
    store = await open_postgres(store.place)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT
    await store.close()


async def test_a_log_that_was_reset_after_an_orderly_end_raises_none(
    own: Cluster, tmp_path: Path
) -> None:
    store, epoch = await at_work(own, tmp_path)
    await moved(store, tmp_path, epoch)
    await store.close()
    own.stop("fast")
    reset_log(own)
    store = await open_postgres(store.place)
    assert await alarm_of(store, tmp_path) is None
    await store.close()


def reset_log(server: Cluster, *how: str) -> None:
    """Have the server forget its log, and start it."""
    folder = binaries()
    if folder is None or not (folder / "pg_resetwal").exists():
        missing("pg_resetwal is not among PostgreSQL's programs here")
    server.command("pg_resetwal", *how, "-D", str(server.data))
    server.start()


async def test_a_standby_that_lacked_the_last_beat_is_noticed_by_a_role_that_may_not_ask(
    own: Cluster, tmp_path: Path
) -> None:
    """Nothing tells it of another timeline; the epoch does."""
    name = own.new_database()
    own.sql(f"CREATE ROLE plain LOGIN PASSWORD '{PASSWORD}'")
    own.sql(
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO plain",
        "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
        "GRANT USAGE ON SCHEMA virtual TO plain",
        database=name,
    )
    store = await open_postgres(Place(url=own.url(name, user="plain"), password=PASSWORD))
    epoch = await renew(store, tmp_path)
    found = read_witness(tmp_path)
    assert found is not None
    assert found.server == ""
    where = copy(own)
    store = await again(store)
    await moved(store, tmp_path, epoch)
    own.stop()
    shutil.rmtree(own.data)
    where.rename(own.data)
    promote(own)
    store = await again(store)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT
    await store.close()


def promote(server: Cluster) -> None:
    """Start it as a standby and promote it."""
    signal = server.data / "standby.signal"
    signal.touch()
    server.own(signal)
    server.start()
    server.command("pg_ctl", "-D", str(server.data), "-w", "promote")


def position(server: Cluster) -> int:
    """How far the server's log is flushed, in bytes."""
    return int(server.sql("SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn")[0][0])
