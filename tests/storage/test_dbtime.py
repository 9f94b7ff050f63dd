"""The database's clock tells milliseconds, and a test can put another in its place."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from storage.dbtime import database_now_ms
from storage.sqlite import open_sqlite, run_sync_unit, sync_engine


class Wheel:
    """A clock that stands where it was put."""

    def __init__(self, at_s: float) -> None:
        self.at_s = at_s

    def __call__(self) -> float:
        return self.at_s


WHEEL = Wheel(0.0)
ENGINE = sync_engine(None, virtual_clock=WHEEL)


@pytest.fixture(autouse=True, scope="module")
def _end() -> Iterator[None]:
    yield
    ENGINE.dispose()


def test_database_tells_the_time_of_its_host() -> None:
    engine = sync_engine(None)
    before = time.time_ns() // 1_000_000
    told = run_sync_unit(engine, database_now_ms)
    after = time.time_ns() // 1_000_000
    engine.dispose()
    assert before <= told <= after


@given(st.integers(min_value=0, max_value=4_102_444_800_000))
def test_virtual_clock_is_told_to_the_millisecond(at_ms: int) -> None:
    WHEEL.at_s = at_ms / 1000
    assert run_sync_unit(ENGINE, database_now_ms) == at_ms


def test_time_goes_on_inside_a_transaction() -> None:
    def twice(conn: sa.Connection) -> tuple[int, int]:
        WHEEL.at_s = 100.0
        first = database_now_ms(conn)
        WHEEL.at_s = 101.5
        return first, database_now_ms(conn)

    assert run_sync_unit(ENGINE, twice) == (100_000, 101_500)


async def test_virtual_clock_rules_writers_and_readers(tmp_path: Path) -> None:
    wheel = Wheel(1_800_000_000.123)
    database = await open_sqlite(tmp_path / "a.db", virtual_clock=wheel)
    told = [await database.write(database_now_ms), await database.read(database_now_ms)]
    await database.close()
    assert told == [1_800_000_000_123] * 2
