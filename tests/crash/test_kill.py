"""kill -9 of a real process at every named point, over a real Maildir and a real SQLite file.

The scenarios run beside each other, since most of their time is waiting; each test reads its own.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from storage.words import FaultPoint
from tests.crash.site import Ended, Site
from tests.support.mails import mail, question

pytestmark = pytest.mark.crash

_P = FaultPoint
AFTER_ORPHAN = frozenset(
    {_P.SWEEP_WRITTEN, _P.SWEPT, _P.LOOKED, _P.LOOK_WRITTEN, _P.LOOK_COMMITTED}
)
DISCARDING = frozenset({_P.COMMAND_WRITTEN, _P.COMMAND_COMMITTED, _P.REMOVAL_ASIDE})


@dataclass(frozen=True, slots=True)
class Story:
    """What a site went through: the killed process and the one after it."""

    site: Site
    killed: Ended
    after: Ended


def _tell(root: Path, point: FaultPoint) -> Story:
    site = Site(root)
    rests = point is _P.RELEASED
    site.put(mail("thanks@example.org", "Thank you, Robin.") if rests else question())
    if point in AFTER_ORPHAN:
        assert site.run("once", _P.CALL_ALLOWED).was_killed
    doing = "discard" if point in DISCARDING else "once"
    killed = site.run(doing, point)
    return Story(site, killed, site.run("once"))


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[FaultPoint, Future[Story]]]:
    """Every story, told side by side."""
    with ThreadPoolExecutor(4) as pool:
        yield {
            point: pool.submit(_tell, tmp_path_factory.mktemp(point), point) for point in FaultPoint
        }


@pytest.mark.parametrize("point", list(FaultPoint))
def test_a_killed_process_leaves_nothing_that_the_next_does_not_finish(
    stories: dict[FaultPoint, Future[Story]], point: FaultPoint
) -> None:
    story = stories[point].result(timeout=240)
    site = story.site
    assert story.killed.was_killed, story.killed.log
    assert story.killed.trap == point
    assert story.after.status == 0, story.after.log
    states = {state for (state,) in site.ask("SELECT state FROM intents")}
    if point is _P.RELEASED:
        assert states == set()
        assert site.drafts() == []
    elif point in DISCARDING - {_P.COMMAND_WRITTEN}:
        assert states == {"accepted"}
        assert site.drafts() == []
        assert site.ask("SELECT state FROM drafts") == [("discarded",)]
    else:
        assert states == {"accepted"}
        assert len(site.drafts()) == 1
        assert site.ask("SELECT state FROM drafts") == [("held",)]
        assert site.ask("SELECT kind FROM review_items WHERE state = 'open'") == [("draft_ready",)]
    held = site.ask("SELECT count(*) FROM leases WHERE owner IS NOT NULL")
    assert held == [(0,)]


@pytest.mark.parametrize("point", list(FaultPoint))
def test_a_killed_process_leaves_no_hidden_bytes_for_ever(
    stories: dict[FaultPoint, Future[Story]], point: FaultPoint
) -> None:
    site = stories[point].result(timeout=240).site
    assert site.hands.hidden() == []


def test_a_process_that_was_stopped_past_its_lease_makes_one_draft(tmp_path: Path) -> None:
    """SIGSTOP between the commit of the claim and the call: it wakes up, and does not call."""
    site = Site(tmp_path)
    site.put(question())
    with site.start("once", _P.CLAIM_COMMITTED, "stop") as process:
        site.wait_for("trapped", process)
        time.sleep(3.2)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
    assert process.returncode == 0
    site.run("once")
    assert len(site.drafts()) == 1
    rejected = site.ask(
        "SELECT attempt FROM evidence WHERE kind = 'answer' AND detail LIKE '%never left%'"
    )
    assert rejected == [(1,)]
    assert site.ask("SELECT state, attempt FROM intents") == [("accepted", 2)]


@pytest.mark.parametrize("signals", [1, 2])
def test_sigterm_waits_for_the_call_in_flight_and_records_it(tmp_path: Path, signals: int) -> None:
    """A second signal ends the loops; a rename that is under way still ends, and is recorded."""
    site = Site(tmp_path)
    site.put(question())
    with site.start("run", _P.EFFECT_DONE, "hold") as process:
        site.wait_for("trapped", process)
        for _ in range(signals):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
        try:
            log, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 0, log.decode()
    assert len(site.drafts()) == 1
    assert site.ask("SELECT count(*) FROM leases WHERE owner IS NOT NULL") == [(0,)]
    assert site.ask("SELECT state FROM intents") == [("accepted",)]


def test_a_second_process_on_the_same_data_folder_is_refused(tmp_path: Path) -> None:
    """Row 56."""
    site = Site(tmp_path)
    with site.start("run") as first:
        site.wait_for("ready", first)
        second = site.run("once")
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=30)
    assert second.status != 0
    assert "LockedError" in second.log
    assert str(first.pid) in second.log
