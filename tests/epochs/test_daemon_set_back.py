"""A daemon that is killed, and its store set back to a copy newer than the epoch it began."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.witness import read_witness
from tests.cli.conftest import Place
from tests.epochs.stores import Kept, running


def told(data_dir: Path) -> int:
    """How far the witness says that the epoch was moved on."""
    witness = read_witness(data_dir)
    return 0 if witness is None else witness.at


def test_nothing_is_drafted_twice_and_the_loss_is_told(place: Place, kept: Kept) -> None:
    place.deliver(1)
    with running(place) as daemon:
        kept.copy()
        daemon.until(lambda: place.drafts())
        after = told(place.data_dir)
        daemon.until(lambda: told(place.data_dir) > after)
        daemon.process.kill()
        daemon.process.wait()
    kept.put_back()
    assert "older than what was last written" in place.run("check", status=1)
    place.run("once")
    assert len(place.drafts()) == 1
    assert "older than what was last written" not in place.run("check")


@pytest.mark.parametrize("end", ["kill", "terminate"])
def test_a_store_that_lost_nothing_is_the_one_written_last(
    place: Place, kept: Kept, end: str
) -> None:
    with running(place) as daemon:
        getattr(daemon.process, end)()
        daemon.process.wait()
    assert "the one written last" in place.run("check")
