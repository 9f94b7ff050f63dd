"""The store of schedules, which goes around SQLAlchemy's execution, does what SQLAlchemy does."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from storage.tables import metadata
from tests.simulation import schedule
from tests.simulation.schedule import Schedule, seeded_ids
from tests.support.database import InlineDatabase


async def _ran(seed: int) -> tuple[list[str], dict[str, list[tuple[object, ...]]]]:
    """All that happened in one schedule, and every row that it left."""
    with seeded_ids(seed), capture_logs():
        one = Schedule(seed)
        found = await one.run()
        db = one.world.db
        rows = {
            table.name: sorted(db.ask(f"SELECT * FROM {table.name}"), key=repr)  # noqa: S608
            for table in metadata.sorted_tables
        }
    return [*one.log, *found], rows


@pytest.mark.parametrize("seed", range(1000, 1006))
async def test_a_schedule_goes_the_same_way_on_both(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = await _ran(seed)
    monkeypatch.setattr(schedule, "QuickDatabase", InlineDatabase)
    assert await _ran(seed) == quick
    assert any(quick[1].values())
