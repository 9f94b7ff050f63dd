"""The one history of migrations on PostgreSQL: whole or not at all, whoever starts at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from storage.errors import MigrationError, SchemaTooNewError
from storage.migrate import as_sql, downgrade_postgres, upgrade_postgres
from storage.pg_place import Place
from storage.postgres import open_postgres
from storage.revisions import head
from storage.tables import metadata
from tests.storage.test_migrate import FAILS_HALF_WAY, FIRST
from tests.support.postgres import cluster, new_database


@pytest.fixture
def name() -> Iterator[str]:
    with new_database(empty=True) as made:
        yield made


@pytest.fixture
def place(name: str) -> Place:
    return cluster().place(name)


def tables(name: str) -> set[str]:
    rows = cluster().sql(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'", database=name
    )
    return {row["tablename"] for row in rows}


def differences(conn: Connection) -> list[object]:
    """What the migrations made otherwise than the tables say."""
    return list(compare_metadata(MigrationContext.configure(conn), metadata))


async def test_migrations_make_the_tables_that_the_release_uses(place: Place) -> None:
    assert await upgrade_postgres(place)
    assert not await upgrade_postgres(place)
    store = await open_postgres(place)
    assert await store.read(differences) == []
    await store.close()


async def test_migrations_go_down_and_up_again(place: Place, name: str) -> None:
    await upgrade_postgres(place)
    await downgrade_postgres(place, "base")
    assert tables(name) <= {"alembic_version"}
    assert await upgrade_postgres(place)


async def test_migrations_go_through_a_pooler(name: str) -> None:
    place = cluster().pooled(name)
    assert await upgrade_postgres(place)
    await (await open_postgres(place)).close()


async def test_hosts_that_migrate_at_once_wait_for_each_other(place: Place) -> None:
    moved: list[bool] = []

    async def migrate() -> None:
        moved.append(await upgrade_postgres(place))

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(migrate)
    assert sorted(moved) == [False, False, False, True]


async def test_a_schema_of_a_newer_release_is_left_alone(place: Place, name: str) -> None:
    await upgrade_postgres(place)
    cluster().sql("UPDATE alembic_version SET version_num = '9999'", database=name)
    with pytest.raises(SchemaTooNewError):
        await upgrade_postgres(place)
    with pytest.raises(SchemaTooNewError):
        await open_postgres(place)


async def test_a_database_of_somebody_else_is_left_alone(place: Place, name: str) -> None:
    cluster().sql("CREATE TABLE theirs (id int)", database=name)
    with pytest.raises(MigrationError, match="not one of Fencepost"):
        await upgrade_postgres(place)
    assert tables(name) == {"theirs"}


async def test_a_migration_that_fails_half_way_is_undone_whole(
    place: Place, name: str, tmp_path: Path
) -> None:
    (tmp_path / "0001_first.py").write_text(FIRST)
    await upgrade_postgres(place, versions=tmp_path)
    (tmp_path / "0002_half.py").write_text(FAILS_HALF_WAY)
    with pytest.raises(MigrationError, match="was undone"):
        await upgrade_postgres(place, versions=tmp_path)
    assert tables(name) == {"alembic_version", "parents", "children"}


async def test_the_sql_that_is_printed_makes_the_same_tables(place: Place, name: str) -> None:
    cluster().script(as_sql("postgresql"), database=name)
    store = await open_postgres(place)
    assert await store.read(differences) == []
    await store.close()
    rows = cluster().sql("SELECT version_num FROM alembic_version", database=name)
    assert rows[0][0] == head()
