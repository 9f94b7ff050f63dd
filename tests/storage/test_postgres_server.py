"""A PostgreSQL server that is down, ill, old, read-only, full, exchanged or somebody else's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from storage.epochs import AlarmKind, add_epoch, check, renew, server_of
from storage.errors import (
    CommitUnknownError,
    SchemaTooOldError,
    StorageBusyError,
    StorageError,
    StorageGoneError,
    StorageIllError,
    StorageSettingsError,
)
from storage.migrate import upgrade_postgres
from storage.pg_errors import explained
from storage.pg_place import OLDEST, Place, _unfit
from storage.postgres import PostgresDatabase, open_postgres
from storage.tables import meta
from storage.witness import read_witness
from tests.support.dovecot import free_port
from tests.support.postgres import PASSWORD, USER, Cluster, cluster, new_database, opened

SECRET = "do-not-show-this"


@pytest.fixture
def name() -> Iterator[str]:
    with new_database() as made:
        yield made


@pytest.fixture
def own() -> Iterator[Cluster]:
    """A server that the test may spoil."""
    server = Cluster()
    yield server
    server.remove()


@pytest.fixture
async def store(own: Cluster) -> AsyncIterator[PostgresDatabase]:
    database = await open_postgres(own.place(own.new_database()))
    yield database
    await database.close()


def remember(name: str) -> partial[None]:
    return partial(_remember, name=name)


def _remember(conn: Connection, name: str) -> None:
    conn.execute(sa.insert(meta).values(name=name, value="x"))


def names(conn: Connection) -> list[str]:
    return list(conn.scalars(sa.select(meta.c.name).order_by(meta.c.name)))


async def refused(place: Place) -> StorageError:
    """Why a store cannot be opened."""
    with pytest.raises(StorageError) as caught:
        await open_postgres(place)
    assert SECRET not in str(caught.value)
    assert PASSWORD not in str(caught.value)
    return caught.value


# at the start


async def test_a_server_that_is_not_there_is_named() -> None:
    port = free_port()
    error = await refused(Place(url=f"postgresql://u@127.0.0.1:{port}/fencepost", password=SECRET))
    assert isinstance(error, StorageIllError)
    assert f"127.0.0.1:{port}/fencepost cannot be reached (Connection refused)" in str(error)
    assert "start it" in str(error)


async def test_a_host_that_nobody_knows_is_named() -> None:
    error = await refused(Place(url="postgresql://u@db.invalid/fencepost", password=SECRET))
    assert "db.invalid" in str(error)


async def test_a_wrong_password_is_told_and_not_shown(name: str) -> None:
    error = await refused(replace(cluster().place(name), password=SECRET))
    assert "[storage] password" in str(error)


async def test_a_password_in_the_address_is_never_shown(name: str) -> None:
    url = cluster().url(name).replace("fencepost@", f"fencepost:{SECRET}@")
    await refused(Place(url=url))
    assert SECRET not in Place(url=url).shown


async def test_a_wrong_password_behind_the_pooler_is_told(name: str) -> None:
    error = await refused(replace(cluster().pooled(name), password=SECRET))
    assert "[storage] password" in str(error)


async def test_a_database_that_does_not_exist_is_told() -> None:
    assert "createdb" in str(await refused(cluster().place("nowhere")))


async def test_an_unknown_user_is_told(name: str) -> None:
    place = Place(url=cluster().url(name, user="stranger"), password=SECRET)
    assert "[storage] password" in str(await refused(place))


async def test_a_database_without_tables_waits_for_a_migration() -> None:
    with new_database(empty=True) as empty:
        assert isinstance(await refused(cluster().place(empty)), SchemaTooOldError)


async def test_commits_that_are_not_durable_are_refused(name: str) -> None:
    """P7."""
    cluster().sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
    error = await refused(cluster().place(name))
    assert isinstance(error, StorageSettingsError)
    assert "synchronous_commit" in str(error)


@pytest.mark.parametrize("level", ["local", "remote_write", "on", "remote_apply"])
async def test_every_commit_that_waits_for_the_disk_is_taken(name: str, level: str) -> None:
    cluster().sql(f"ALTER DATABASE {name} SET synchronous_commit = {level}")
    await (await opened(name)).close()


async def test_a_database_that_takes_no_writes_is_refused(name: str) -> None:
    cluster().sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    assert "takes no writes" in str(await refused(cluster().place(name)))


async def test_an_encoding_that_cannot_hold_every_mail_is_refused() -> None:
    cluster().sql("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' "
                  "TEMPLATE template0")  # fmt: skip
    try:
        assert "UTF8" in str(await refused(cluster().place("latin")))
    finally:
        cluster().drop("latin")


def test_a_server_that_is_too_old_is_refused() -> None:
    facts = {
        "version": OLDEST - 1,
        "called": "13.99",
        "recovering": False,
        "read_only": "off",
        "durable": "on",
        "encoding": "UTF8",
    }
    error = _unfit(facts, "here")
    assert isinstance(error, StorageSettingsError)
    assert "13.99" in str(error)
    assert _unfit({**facts, "version": OLDEST}, "here") is None


async def test_no_connection_left_is_busy(name: str) -> None:
    server = cluster()
    server.sql(f"CREATE ROLE few LOGIN PASSWORD '{PASSWORD}' CONNECTION LIMIT 1")
    server.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO few", database=name)
    place = Place(url=server.url(name, user="few"), password=PASSWORD)
    first = await open_postgres(place, connections=1)
    try:
        error = await refused(place)
        assert isinstance(error, StorageBusyError)
        assert "no connection left" in str(error)
    finally:
        await first.close()
        server.sql("DROP OWNED BY few", database=name)
        server.sql("DROP ROLE few")


async def test_a_role_without_rights_is_told(name: str) -> None:
    server = cluster()
    server.sql(f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'")
    try:
        error = await refused(Place(url=server.url(name, user="guest"), password=PASSWORD))
        assert "grant" in str(error)
    finally:
        server.sql("DROP ROLE guest")


# in the middle


async def test_a_unit_under_way_while_the_server_crashes_is_told(
    own: Cluster, store: PostgresDatabase
) -> None:
    def unit(conn: Connection) -> None:
        _remember(conn, "a")
        own.stop()
        _remember(conn, "b")

    with pytest.raises(StorageError) as caught:
        await store.write(unit)
    assert not isinstance(caught.value, CommitUnknownError)
    own.start()
    assert await store.read(names) == []


async def test_after_a_restart_the_store_goes_on_by_itself(
    own: Cluster, store: PostgresDatabase
) -> None:
    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(store.write, remember(str(number)))
    own.restart()
    await anyio.sleep(0.05)
    await store.write(remember("after"))
    assert "after" in await store.read(names)


async def test_a_server_that_is_down_in_the_middle_is_told(
    own: Cluster, store: PostgresDatabase
) -> None:
    await store.write(remember("a"))
    own.stop("fast")
    await anyio.sleep(0.05)
    with pytest.raises(StorageIllError):
        await store.write(remember("b"))
    own.start()
    await store.write(remember("c"))
    assert await store.read(names) == ["a", "c"]


async def test_a_pooler_that_restarts_is_met_again(name: str) -> None:
    bouncer = cluster().bouncer
    store = await opened(name, pooled=True)
    await store.write(remember("a"))
    bouncer.stop()
    bouncer.start()
    await anyio.sleep(0.05)
    await store.write(remember("b"))
    assert await store.read(names) == ["a", "b"]
    await store.close()


async def test_another_server_in_the_same_place_is_no_longer_ours(
    own: Cluster, store: PostgresDatabase
) -> None:
    await store.write(remember("a"))
    own.stop()
    own.data.rename(own.base / "old")
    own.make()
    own.start()
    own.sql("ALTER ROLE fencepost PASSWORD 'correct-horse'", "CREATE DATABASE t1")
    await anyio.sleep(0.05)
    with pytest.raises(StorageGoneError, match="another server"):
        await store.write(remember("b"))


async def test_a_promoted_server_is_no_longer_ours(own: Cluster, store: PostgresDatabase) -> None:
    await store.write(remember("a"))
    promote(own)
    await anyio.sleep(0.05)
    with pytest.raises(StorageGoneError, match="promoted"):
        await store.write(remember("b"))


@pytest.fixture
def small_disk(own: Cluster) -> Iterator[Path]:
    """A folder of 12 MB that belongs to the server's user."""
    small = own.base / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m,mode=0777", "none", str(small)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    (small / "space").mkdir(mode=0o700)
    own.own(small / "space")
    yield small / "space"
    own.stop()
    subprocess.run(["umount", str(small)], check=True)


async def test_a_full_disk_stores_nothing_and_says_so(own: Cluster, small_disk: Path) -> None:
    name = own.new_database()
    own.sql(f"CREATE TABLESPACE small LOCATION '{small_disk}'")
    own.sql(f"ALTER DATABASE {name} SET TABLESPACE small")
    store = await open_postgres(own.place(name))

    def much(conn: Connection) -> None:
        for number in range(30):
            value = os.urandom(500_000).hex()
            conn.execute(sa.insert(meta).values(name=f"much{number}", value=value))

    with pytest.raises(StorageIllError, match="full"):
        await store.write(much)
    assert await store.read(names) == []
    await store.write(remember("little"))
    await store.close()


# restored


async def test_the_witness_remembers_the_server(name: str, tmp_path: Path) -> None:
    store = await opened(name)
    await renew(store, tmp_path)
    witness = read_witness(tmp_path)
    assert witness is not None
    assert witness.server == await store.read(server_of) != ""
    assert await check(store, tmp_path) is None
    await store.close()


async def test_a_role_that_may_not_ask_knows_the_epochs_only(name: str, tmp_path: Path) -> None:
    server = cluster()
    server.sql(f"CREATE ROLE plain LOGIN PASSWORD '{PASSWORD}'")
    server.sql(
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO plain",
        "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
        "GRANT USAGE ON SCHEMA virtual TO plain",
        database=name,
    )
    place = Place(url=server.url(name, user="plain"), password=PASSWORD)
    store = await open_postgres(place)
    try:
        assert await store.read(server_of) == ""
        await renew(store, tmp_path)
        assert await check(store, tmp_path) is None
    finally:
        await store.close()
        server.sql("DROP OWNED BY plain", database=name)
        server.sql("DROP ROLE plain")


async def test_a_promoted_server_raises_the_alarm_at_a_start(own: Cluster, tmp_path: Path) -> None:
    name = own.new_database()
    store = await open_postgres(own.place(name))
    await renew(store, tmp_path)
    await store.close()
    promote(own)
    store = await open_postgres(own.place(name))
    alarm = await check(store, tmp_path)
    assert alarm is not None
    assert alarm.kind is AlarmKind.OTHER_SERVER
    await renew(store, tmp_path, fence=alarm.fence)
    assert await check(store, tmp_path) is None
    await store.close()


async def test_a_dump_restored_with_the_newest_epoch_in_it_raises_the_alarm(
    name: str, tmp_path: Path
) -> None:
    store = await opened(name)
    await renew(store, tmp_path)
    await store.close()
    restore_dump(cluster(), name)
    store = await opened(name)
    alarm = await check(store, tmp_path)
    assert alarm is not None
    assert alarm.kind is AlarmKind.OTHER_SERVER
    await store.close()


async def test_a_dump_restored_at_work_ends_the_process(name: str) -> None:
    store = await opened(name)
    await store.write(remember("before"))
    restore_dump(cluster(), name)
    with pytest.raises(StorageError):
        await store.read(names)
    with pytest.raises(StorageGoneError, match="start Fencepost again"):
        await store.read(names)
    await store.close()


async def test_a_server_that_got_its_tables_since_it_was_met_is_the_same(own: Cluster) -> None:
    """As for each of several processes that migrate an empty database at once."""
    place = own.place(own.new_database(empty=True))
    before = await open_postgres(place, versions=None)
    await upgrade_postgres(place)
    assert await before.read(lambda conn: conn.exec_driver_sql("SELECT 1").scalar()) == 1
    await before.close()


def restore_dump(server: Cluster, name: str) -> None:
    """Dump a database, drop it, and make it again from the dump."""
    dump = str(server.base / f"{name}.dump")
    to = ("-h", str(server.base), "-p", str(server.port), "-U", USER)
    server.command("pg_dump", *to, "-Fc", "-f", dump, name)
    server.sql(f"DROP DATABASE {name} WITH (FORCE)", f"CREATE DATABASE {name} TEMPLATE template0")
    server.command("pg_restore", *to, "-d", name, dump)
    server.sql(f"ALTER DATABASE {name} SET search_path = virtual, pg_catalog, public")


async def test_a_database_exchanged_at_work_ends_the_process(name: str, tmp_path: Path) -> None:
    """Behind a pooler no connection of ours breaks."""
    store = await opened(name, pooled=True)
    await renew(store, tmp_path)
    await renew(store, tmp_path, at_work=True)
    cluster().sql("DELETE FROM public.epochs", database=name)
    with pytest.raises(StorageGoneError, match="older"):
        await renew(store, tmp_path, at_work=True)
    await store.write(add_epoch)
    await store.close()


def promote(server: Cluster) -> None:
    """Make it a standby and promote it, which begins another timeline."""
    server.stop("fast")
    signal = server.data / "standby.signal"
    signal.touch()
    server.own(signal)
    server.start()
    server.command("pg_ctl", "-D", str(server.data), "-w", "promote")


async def test_a_standby_is_refused(own: Cluster) -> None:
    name = own.new_database()
    own.stop("fast")
    (own.data / "standby.signal").touch()
    own.own(own.data / "standby.signal")
    own.start()
    assert "takes no writes" in str(await refused(own.place(name)))


# what the driver raises


@pytest.mark.parametrize(
    ("error", "becomes"),
    [
        (asyncpg.DiskFullError("x"), StorageIllError),
        (asyncpg.DeadlockDetectedError("x"), StorageBusyError),
        (asyncpg.AdminShutdownError("x"), StorageBusyError),
        (asyncpg.CannotConnectNowError("x"), StorageBusyError),
        (asyncpg.ReadOnlySQLTransactionError("x"), StorageIllError),
        (asyncpg.ConnectionDoesNotExistError("x"), StorageIllError),
        (asyncpg.InterfaceError("connection is closed"), StorageIllError),
    ],
)
def test_an_error_of_the_driver_is_sorted(error: Exception, becomes: type[Exception]) -> None:
    found = explained(error)
    assert type(found) is becomes
    assert found.__cause__ is error


@pytest.mark.parametrize("error", [KeyError("x"), OSError("x"), asyncpg.UniqueViolationError("x")])
def test_what_is_not_the_store_s_stays_as_it_is(error: Exception) -> None:
    assert explained(error) is error
