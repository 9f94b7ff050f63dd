"""Tokens by user and day: reserved, booked, never past the ceiling by reservation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from storage import spend
from storage.migrate import downgrade, upgrade
from storage.spend import Rest
from storage.sqlite import sync_engine
from storage.tables import metadata


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[Connection]:
    upgrade(tmp_path / "fencepost.db")
    engine = sync_engine(tmp_path / "fencepost.db")
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def test_a_reservation_counts_at_once(conn: Connection) -> None:
    assert spend.reserve(conn, "robin", "2026-03-02", 300, 1_000)
    assert spend.on(conn, "robin", "2026-03-02") == 300


def test_reservations_together_cannot_pass_the_ceiling(conn: Connection) -> None:
    taken = [spend.reserve(conn, "robin", "2026-03-02", 300, 1_000) for _ in range(5)]
    assert taken == [True, True, True, False, False]
    assert spend.on(conn, "robin", "2026-03-02") == 900


def test_booking_replaces_the_reservation_by_what_was_used(conn: Connection) -> None:
    spend.reserve(conn, "robin", "2026-03-02", 300, 1_000)
    spend.book(conn, "robin", "2026-03-02", reserved=300, used=120)
    assert spend.on(conn, "robin", "2026-03-02") == 120


def test_more_than_was_reserved_is_booked_as_well(conn: Connection) -> None:
    spend.reserve(conn, "robin", "2026-03-02", 300, 1_000)
    spend.book(conn, "robin", "2026-03-02", reserved=300, used=2_000)
    assert not spend.reserve(conn, "robin", "2026-03-02", 1, 1_000)


def test_users_and_days_are_apart(conn: Connection) -> None:
    spend.reserve(conn, "robin", "2026-03-02", 900, 1_000)
    assert spend.reserve(conn, "robin", "2026-03-03", 900, 1_000)
    assert spend.reserve(conn, "kai", "2026-03-02", 900, 1_000)


def test_the_latest_days_of_each_user_come_newest_first(conn: Connection) -> None:
    for day in range(1, 10):
        spend.reserve(conn, "robin", f"2026-03-0{day}", day, 1_000)
    spend.reserve(conn, "kai", "2025-01-01", 5, 1_000)
    found = spend.latest(conn, days=2)
    assert [(one.user, one.day, one.tokens) for one in found] == [
        ("kai", "2025-01-01", 5),
        ("robin", "2026-03-09", 9),
        ("robin", "2026-03-08", 8),
    ]


def test_a_rest_is_kept_replaced_and_ended(conn: Connection) -> None:
    first = Rest(since_at=1, until_at=5, tries=1, problem="down")
    second = Rest(since_at=1, until_at=9, tries=2, problem="key", standing=True)
    for rest in (first, second):
        spend.put_to_rest(conn, "robin", rest)
        assert spend.rest_of(conn, "robin") == rest
    assert spend.wake(conn, "robin")
    assert not spend.wake(conn, "robin")
    assert spend.rest_of(conn, "robin") is None


def test_the_migrations_make_the_tables_that_the_code_knows(conn: Connection) -> None:
    found = sa.inspect(conn)
    for table in metadata.sorted_tables:
        made = {column["name"]: column for column in found.get_columns(table.name)}
        assert set(made) == {column.name for column in table.columns}
        for column in table.columns:
            assert bool(made[column.name]["nullable"]) == bool(column.nullable), column


def test_down_to_the_frame_and_up_again_keeps_the_other_tables(tmp_path: Path) -> None:
    path = tmp_path / "fencepost.db"
    upgrade(path)
    engine = sync_engine(path)
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO meta (name, value) VALUES ('kept', 'yes')")
        spend.reserve(connection, "robin", "2026-03-02", 300, 1_000)
    engine.dispose()
    downgrade(path, "0001")
    upgrade(path)
    engine = sync_engine(path)
    with engine.begin() as connection:
        kept = connection.exec_driver_sql("SELECT value FROM meta WHERE name = 'kept'").scalar()
        assert kept == "yes"
        assert spend.on(connection, "robin", "2026-03-02") == 0
    engine.dispose()
