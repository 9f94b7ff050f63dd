"""A database that another release migrates while a process of this one is at work on it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from storage.database import Database
from storage.errors import SchemaTooNewError, SchemaTooOldError
from storage.revisions import VERSIONS, chain, head, require_still
from storage.words import FaultPoint
from tests.cli.conftest import Place
from tests.crash.site import Site
from tests.epochs.stores import Kept, running
from tests.support.mails import question

NEWER = '''
"""A newer release's."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{}"


def upgrade() -> None:
    op.add_column("meta", sa.Column("newer", sa.Text))


def downgrade() -> None:
    op.drop_column("meta", "newer")
'''


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The revisions of a newer release."""
    versions = tmp_path / "versions"
    shutil.copytree(VERSIONS, versions, ignore=shutil.ignore_patterns("__pycache__"))
    (versions / "9999_newer.py").write_text(NEWER.format(head()))
    return versions


async def at(store: Database, revision: str | None) -> None:
    """Have the database tell that it is at a revision."""

    def unit(conn: Connection) -> None:
        conn.execute(sa.text("DELETE FROM alembic_version"))
        if revision is not None:
            conn.execute(sa.text("INSERT INTO alembic_version VALUES (:r)"), {"r": revision})

    await store.write(unit)


async def test_the_revision_of_the_start_is_as_it_was(store: Database) -> None:
    await store.read(lambda conn: require_still(conn, chain()))


async def test_a_newer_revision_is_told_as_at_a_start(store: Database) -> None:
    await at(store, "9999")
    with pytest.raises(SchemaTooNewError, match=rf"9999.*{head()}.*install the newer release"):
        await store.read(lambda conn: require_still(conn, chain()))


@pytest.mark.parametrize("revision", [None, "0001"])
async def test_an_older_revision_is_told_as_at_a_start(
    store: Database, revision: str | None
) -> None:
    await at(store, revision)
    with pytest.raises(SchemaTooOldError, match=f"this release needs {head()}"):
        await store.read(lambda conn: require_still(conn, chain()))


async def test_files_of_a_release_installed_over_this_one_change_nothing(
    store: Database, newer: Path
) -> None:
    """They are there before the process has ended, and the tables are still its own."""
    known = chain()
    assert head(newer) == "9999"
    await store.read(lambda conn: require_still(conn, known))


def test_a_daemon_under_which_the_database_was_migrated_ends_as_a_start_would(
    place: Place, kept: Kept, newer: Path
) -> None:
    with running(place) as daemon:
        kept.migrate(newer)
        assert daemon.process.wait(timeout=60) == 1
        said = daemon.said()
    place.deliver(1)
    refused = place.run("once", status=1)
    assert "9999" in refused
    assert refused in said
    assert '"stopped"' in said
    assert place.drafts() == []


@pytest.mark.crash
def test_a_call_in_flight_ends_and_is_recorded_first(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    site.put(question())
    with site.start("run", FaultPoint.EFFECT_DONE, "hold") as process:
        site.wait_for("trapped", process)
        with closing(sqlite3.connect(site.data / "fencepost.db")) as conn, conn:
            conn.execute("UPDATE alembic_version SET version_num = '9999'")
        log, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"SchemaTooNewError" in log
    assert site.ask("SELECT state FROM intents") == [("accepted",)]
    assert len(site.drafts()) == 1
