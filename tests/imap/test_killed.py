"""kill -9 around one APPEND, on both real servers: what the next process makes of it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from providers.ports import Folder
from storage.words import FaultPoint
from tests.contracts.imap_harness import CyrusHarness, DovecotHarness, ImapHarness
from tests.imap.test_product import Site
from tests.support.mails import question

pytestmark = pytest.mark.crash

WORLDS = {"dovecot": DovecotHarness, "cyrus": CyrusHarness}
BEFORE, AFTER = FaultPoint.CLAIM_COMMITTED, FaultPoint.EFFECT_DONE
POINTS = (BEFORE, AFTER)


class Story:
    """A process that is killed at *point*, and the one that comes after it."""

    def __init__(self, root: Path, world: ImapHarness, point: FaultPoint) -> None:
        self.world, self.site, self._root = world, Site(root, world.port, world.user), root
        world.append(question(), Folder.INBOX, days_ago=0.1)
        self.killed = self._once(point)
        self.at_the_kill = len(world.list_drafts())
        self.after = self._once()
        self.states = self._ask("SELECT state FROM intents")
        self.items = self._ask("SELECT kind FROM review_items WHERE state = 'open'")
        self.drafts = len(world.list_drafts())
        self.unread = world.unread()
        world.tear_down()

    def _ask(self, sql: str) -> list[str]:
        with closing(sqlite3.connect(f"file:{self.site.database}?mode=ro", uri=True)) as store:
            return [str(value) for (value,) in store.execute(sql)]

    def _once(self, point: FaultPoint | None = None) -> int:
        words = [str(self.site.config), "once", point or "", "kill"]
        command = [sys.executable, "-m", "tests.support.runner", *words]
        with self.site.log.open("ab") as log:
            return subprocess.run(
                command,
                cwd=Path(__file__).parents[2],
                stdout=log,
                stderr=log,
                env={**os.environ, **self.site.environment},
                check=False,
                timeout=110,
            ).returncode


@pytest.fixture(scope="module")
def stories(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[tuple[str, FaultPoint], Future[Story]]]:
    """Every story, told side by side: most of their time is waiting."""
    worlds = {
        (name, point): kind(tmp_path_factory.mktemp(name))
        for name, kind in WORLDS.items()
        for point in POINTS
    }
    with ThreadPoolExecutor(4) as pool:
        yield {
            (name, point): pool.submit(Story, tmp_path_factory.mktemp(f"{name}-{point}"), it, point)
            for (name, point), it in worlds.items()
        }


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("point", POINTS)
def test_a_killed_process_leaves_at_most_one_draft(
    stories: dict[tuple[str, FaultPoint], Future[Story]], name: str, point: FaultPoint
) -> None:
    story = stories[name, point].result()
    assert (story.killed, story.after) == (-signal.SIGKILL, 0), story.site.log.read_text()
    assert story.drafts == (0 if point is BEFORE else 1)
    assert story.unread == 1


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("point", POINTS)
def test_what_was_made_is_found_and_what_was_not_is_shown(
    stories: dict[tuple[str, FaultPoint], Future[Story]], name: str, point: FaultPoint
) -> None:
    story = stories[name, point].result()
    shown = (
        (["unknown"], ["outcome_unknown"]) if point is BEFORE else (["accepted"], ["draft_ready"])
    )
    assert (story.states, story.items) == shown


@pytest.mark.parametrize("name", WORLDS)
def test_the_kill_after_the_effect_came_after_it(
    stories: dict[tuple[str, FaultPoint], Future[Story]], name: str
) -> None:
    made = [stories[name, point].result().at_the_kill for point in (BEFORE, AFTER)]
    assert made == [0, 1]
