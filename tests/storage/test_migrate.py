"""Migrations: whole or not at all, and never below a database that a newer release has made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from storage import migrate, revisions
from storage.errors import (
    DatabaseMissingError,
    MigrationError,
    SchemaTooNewError,
    SchemaTooOldError,
    StorageIllError,
)
from storage.sqlite import open_readonly, run_sync_unit, sync_engine

FIRST = '''
"""A parent with children."""
import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade():
    op.create_table(
        "parents", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text)
    )
    op.create_table(
        "children",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("parent", sa.Integer, sa.ForeignKey("parents.id", ondelete="CASCADE")),
    )


def downgrade():
    op.drop_table("children")
    op.drop_table("parents")
'''
SECOND = '''
"""The parent is rebuilt."""
import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"


def upgrade():
    with op.batch_alter_table("parents", recreate="always") as table:
        table.alter_column("name", nullable=False, server_default="")


def downgrade():
    with op.batch_alter_table("parents", recreate="always") as table:
        table.alter_column("name", nullable=True, server_default=None)
'''
FAILS_HALF_WAY = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.create_table("half", sa.Column("id", sa.Integer, primary_key=True))
    op.execute("INSERT INTO no_such_table VALUES (1)")


def downgrade():
    pass
"""
ORPHANS = """
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.execute("DELETE FROM parents")


def downgrade():
    pass
"""


@pytest.fixture
def versions(tmp_path: Path) -> Path:
    folder = tmp_path / "versions"
    folder.mkdir()
    (folder / "0001_first.py").write_text(FIRST)
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "with space, 100%" / "fencepost.db"


@pytest.fixture(autouse=True)
def _folder(database: Path) -> None:
    database.parent.mkdir()


def look(database: Path, sql: str) -> list[tuple[object, ...]]:
    engine = sync_engine(database, mode="rw")
    try:
        rows = run_sync_unit(engine, lambda conn: conn.exec_driver_sql(sql).all())
        return [tuple(row) for row in rows]
    finally:
        engine.dispose()


def change(database: Path, *statements: str) -> None:
    engine = sync_engine(database, mode="rw")
    try:
        with engine.begin() as conn:
            for sql in statements:
                conn.exec_driver_sql(sql)
    finally:
        engine.dispose()


def tables(database: Path) -> set[object]:
    return {name for (name,) in look(database, "SELECT name FROM sqlite_master")}


def test_upgrade_brings_a_new_file_to_the_newest_revision(database: Path, versions: Path) -> None:
    (versions / "0002_second.py").write_text(SECOND)
    assert migrate.upgrade(database, versions=versions)
    assert look(database, "SELECT version_num FROM alembic_version") == [("0002",)]


def test_database_at_the_newest_revision_is_left_alone(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    assert not migrate.upgrade(database, versions=versions)


def test_alembic_is_not_imported_when_there_is_nothing_to_migrate(
    database: Path, versions: Path
) -> None:
    migrate.upgrade(database, versions=versions)
    program = (
        "import sys, pathlib; from storage import migrate;"
        "migrate.upgrade(pathlib.Path(sys.argv[1]), versions=pathlib.Path(sys.argv[2]));"
        "sys.exit('alembic' in sys.modules or 'sqlalchemy.ext.asyncio' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(database), str(versions)],
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0


def test_new_database_can_be_read_by_its_owner_only(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    assert database.stat().st_mode & 0o777 == 0o600


def test_revision_that_fails_half_way_leaves_the_revision_before(
    database: Path, versions: Path
) -> None:
    migrate.upgrade(database, versions=versions)
    (versions / "0002_fails.py").write_text(FAILS_HALF_WAY)
    with pytest.raises(MigrationError, match="undone"):
        migrate.upgrade(database, versions=versions)
    assert look(database, "SELECT version_num FROM alembic_version") == [("0001",)]
    assert "half" not in tables(database)


def test_first_start_that_fails_leaves_an_empty_database(database: Path, versions: Path) -> None:
    (versions / "0002_fails.py").write_text(FAILS_HALF_WAY)
    with pytest.raises(MigrationError):
        migrate.upgrade(database, versions=versions)
    assert tables(database) == set()


def test_rebuilding_a_parent_keeps_the_rows_of_its_children(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    change(database, "INSERT INTO parents VALUES (1, 'a')", "INSERT INTO children VALUES (7, 1)")
    (versions / "0002_second.py").write_text(SECOND)
    migrate.upgrade(database, versions=versions)
    assert look(database, "SELECT * FROM children") == [(7, 1)]


def test_downgrade_takes_the_tables_back_and_keeps_the_children(
    database: Path, versions: Path
) -> None:
    (versions / "0002_second.py").write_text(SECOND)
    migrate.upgrade(database, versions=versions)
    change(database, "INSERT INTO parents VALUES (1, 'a')", "INSERT INTO children VALUES (7, 1)")
    migrate.downgrade(database, "0001", versions=versions)
    assert look(database, "SELECT * FROM children") == [(7, 1)]
    assert look(database, "SELECT version_num FROM alembic_version") == [("0001",)]


def test_downgrade_to_base_leaves_no_table_of_ours(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    migrate.downgrade(database, "base", versions=versions)
    assert not tables(database) & {"parents", "children"}


def test_migration_that_leaves_orphans_is_undone(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    change(database, "INSERT INTO parents VALUES (1, 'a')", "INSERT INTO children VALUES (7, 1)")
    (versions / "0002_orphans.py").write_text(ORPHANS)
    with pytest.raises(MigrationError, match="children row 7"):
        migrate.upgrade(database, versions=versions)
    assert look(database, "SELECT * FROM parents") == [(1, "a")]


def test_migration_is_refused_while_foreign_keys_are_on(database: Path, versions: Path) -> None:
    engine = sync_engine(database)
    with pytest.raises(MigrationError, match="foreign keys off"), engine.begin() as conn:
        migrate.upgrade_on(conn, versions=versions)
    engine.dispose()


def test_database_of_a_newer_release_is_refused_with_both_revisions(
    database: Path, versions: Path
) -> None:
    migrate.upgrade(database, versions=versions)
    change(database, "UPDATE alembic_version SET version_num = '0042'")
    with pytest.raises(SchemaTooNewError, match=r"0042.*0001.*install the newer release"):
        migrate.upgrade(database, versions=versions)


def test_downgrade_of_a_newer_database_is_refused_too(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    change(database, "UPDATE alembic_version SET version_num = '0042'")
    with pytest.raises(SchemaTooNewError):
        migrate.downgrade(database, "base", versions=versions)


def test_database_of_another_program_is_refused(database: Path, versions: Path) -> None:
    engine = sync_engine(database)
    with engine.begin() as conn:
        conn.exec_driver_sql("CREATE TABLE theirs (x)")
    engine.dispose()
    with pytest.raises(MigrationError, match="not one of Fencepost"):
        migrate.upgrade(database, versions=versions)


def test_file_that_is_no_database_is_refused_with_a_remedy(database: Path, versions: Path) -> None:
    database.write_bytes(b"Dear Robin, this is no database at all. " * 200)
    with pytest.raises(StorageIllError, match="not an SQLite database: point"):
        migrate.upgrade(database, versions=versions)


def test_unknown_target_is_refused_naming_the_newest(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    with pytest.raises(MigrationError, match="the newest revision is 0001"):
        migrate.downgrade(database, "nonsense", versions=versions)


def test_two_newest_revisions_are_refused(versions: Path) -> None:
    (versions / "0002_a.py").write_text(SECOND)
    (versions / "0003_b.py").write_text(SECOND.replace('"0002"', '"0003"'))
    with pytest.raises(MigrationError, match=r"0002.*0003"):
        revisions.head(versions)


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_sql_of_the_migrations_can_be_printed(dialect: str, versions: Path) -> None:
    sql = migrate.as_sql(dialect, versions=versions)
    assert "CREATE TABLE parents" in sql
    assert "0001" in sql


def test_sql_for_an_unknown_revision_is_refused(versions: Path) -> None:
    with pytest.raises(MigrationError):
        migrate.as_sql("sqlite", to="0077", versions=versions)


async def test_reading_a_missing_database_says_so_and_makes_no_file(
    database: Path, versions: Path
) -> None:
    with pytest.raises(DatabaseMissingError, match="fencepost run"):
        await open_readonly(database, versions=versions)
    assert os.listdir(database.parent) == []


async def test_reading_a_newer_database_is_refused(database: Path, versions: Path) -> None:
    migrate.upgrade(database, versions=versions)
    change(database, "UPDATE alembic_version SET version_num = '0042'")
    with pytest.raises(SchemaTooNewError, match="0042"):
        await open_readonly(database, versions=versions)


async def test_reading_an_older_database_names_the_command_that_migrates(
    database: Path, versions: Path
) -> None:
    migrate.upgrade(database, versions=versions)
    (versions / "0002_second.py").write_text(SECOND)
    with pytest.raises(SchemaTooOldError, match="fencepost migrate"):
        await open_readonly(database, versions=versions)


def test_chain_of_this_release_agrees_with_alembic() -> None:
    from alembic.script import ScriptDirectory

    config = migrate._config(revisions.VERSIONS)
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    assert revisions.chain() == {script.revision: script.down_revision for script in scripts}


def test_migrated_tables_are_the_tables_of_the_code(database: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from storage.tables import metadata

    migrate.upgrade(database)
    engine = sync_engine(database)
    with engine.connect() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()
