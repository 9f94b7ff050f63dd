"""A short run of a fleet under fire; longer ones by hand: ``python -m tests.fleet.fire``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleet.fire import burning, fire
from tests.fleet.verdict import faults

SEED = 20_261


@pytest.mark.timeout(600)
def test_a_fleet_under_fire_does_nothing_twice_and_hides_nothing(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    with burning(tmp_path, SEED) as site:
        fire(site, 40, print)
        assert faults(site) == []
