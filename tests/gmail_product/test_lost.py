"""A burst of which every second answer is lost, under a daemon that is killed; longer ones by hand:
``python -m tests.gmail_product.lost``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gmail_product.lost import Burst, plenty
from tests.gmail_product.site import Google

SEED = 20_261


@pytest.mark.timeout(300)
def test_lost_answers_and_kills_make_each_draft_once(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    with Google.made(tmp_path) as site:
        plenty(site)
        burst = Burst(site, threads=30, seed=SEED)
        burst.run(apart_s=5.0, most_kills=4, bound_s=250.0, short_rests=True)
        assert burst.kills > 0
        assert burst.faults() == []
        assert burst.done()
        (told,) = site.sql("SELECT count(*) FROM intents WHERE settled_by = 'sighting'")
        assert told[0] >= 5
