"""``migrate --sql`` prints what the database lacks, and says what it begins from."""

from __future__ import annotations

import sqlite3

from storage import migrate
from storage.revisions import chain, head
from tests.cli.conftest import Place

OLDER = "0003"


def file(place: Place) -> str:
    return str(place.data_dir / "fencepost.db")


def at(place: Place, revision: str) -> None:
    """The database as an older release left it."""
    place.data_dir.mkdir()
    migrate.upgrade(place.data_dir / "fencepost.db", revision)


def test_a_new_database_is_made_whole(place: Place) -> None:
    sql = place.run("migrate", "--sql")
    assert sql.startswith("-- the database is new: this makes everything\n")
    assert "CREATE TABLE intents" in sql
    assert not place.data_dir.exists()


def test_of_an_older_database_only_what_is_missing_is_printed(place: Place) -> None:
    at(place, OLDER)
    sql = place.run("migrate", "--sql")
    assert sql.startswith(f"-- from revision {OLDER}, which the database is at, to {head()}\n")
    assert "CREATE TABLE tokens" in sql
    assert "CREATE TABLE intents" not in sql


def test_what_is_printed_brings_the_database_up_to_date(place: Place) -> None:
    at(place, OLDER)
    conn = sqlite3.connect(file(place))
    conn.executescript(place.run("migrate", "--sql"))
    conn.close()
    assert "up to date" in place.run("migrate")
    place.run("once")


def test_a_database_that_is_up_to_date_lacks_nothing(place: Place) -> None:
    place.run("migrate")
    sql = place.run("migrate", "--sql")
    assert sql == f"-- nothing is missing: the database is at revision {head()}\n"


def test_a_database_that_cannot_be_asked_is_made_whole_and_says_why(place: Place) -> None:
    place.data_dir.mkdir()
    (place.data_dir / "fencepost.db").write_bytes(b"no database" * 1000)
    sql = place.run("migrate", "--sql")
    assert "could not be asked" in sql.splitlines()[0]
    assert all(line.startswith("--") for line in sql.partition("CREATE TABLE")[0].splitlines())
    assert "CREATE TABLE intents" in sql


def test_the_database_of_a_newer_release_is_refused(place: Place) -> None:
    place.run("migrate")
    conn = sqlite3.connect(file(place))
    conn.execute("UPDATE alembic_version SET version_num = '9999'")
    conn.commit()
    conn.close()
    assert "9999" not in chain()
    assert "newer release" in place.run("migrate", "--sql", status=1)
