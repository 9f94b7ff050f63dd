"""The whole product on a real Dovecot: half of the answers are lost, and the daemon is killed.

Whatever happens, no thread ends with two drafts, no mail is missed or marked as read, and each call
whose outcome was lost is either found or shown with its evidence. The judge is ``imaplib``.
"""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from providers.ports import Folder
from tests.contracts.imap_harness import DovecotHarness
from tests.contracts.mails import mail
from tests.support.dovecot import PASSWORD
from tests.support.proxy import Act, Proxy, Rule, To

pytestmark = pytest.mark.crash

MAILS = 20
KILLS = 4
LOOKS = 4
BOUND_S = 90.0
CONFIG = """\
[storage]
data_dir = "{data}"
[runtime]
lease_ttl = "3s"
call_timeout = "1s"
settle = "0s"
poll = "1s"
[reconcile]
looks = ["0.2s", "1s", "2s", "4s"]
lag = "0.1s"
"""
USER = """\
name = "Robin Vale"
addresses = ["robin@example.com"]
[[mailboxes]]
id = "home"
provider = "imap"
host = "127.0.0.1"
port = {port}
security = "none"
username = "{user}"
password = {{ env = "TEST_IMAP_PASSWORD" }}
"""


class Site:
    """An installation below *root* for an account behind *port*."""

    def __init__(self, root: Path, port: int, user: str) -> None:
        self.config = root / "config"
        (self.config / "users").mkdir(parents=True)
        (self.config / "fencepost.toml").write_text(CONFIG.format(data=root / "data"))
        (self.config / "users" / "robin.toml").write_text(USER.format(port=port, user=user))
        self.log = root / "log"
        self.database = root / "data" / "fencepost.db"
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TEST_IMAP_PASSWORD": PASSWORD,
        }

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "assistant.cli", "--config", str(self.config), *words]

    def run(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                self.command("run"), stdout=log, stderr=log, env=self.environment
            )

    def starts(self) -> int:
        """How often a daemon has come up."""
        return self.log.read_bytes().count(b'"event": "running"')

    def json(self, *words: str) -> list[dict[str, Any]]:
        done = subprocess.run(
            self.command(*words, "--json"), capture_output=True, env=self.environment, check=False
        )
        return list(json.loads(done.stdout)) if done.returncode == 0 else []


class Story:
    """What happened: how often answers were lost, and what is there at the end."""

    def __init__(self, root: Path) -> None:
        self.world = DovecotHarness(root)
        self.proxy = Proxy(self.world.port)
        self.site = Site(root, self.proxy.port, self.world.user)
        # Every second one: three in a row would make the mailbox rest for minutes, as it should.
        lost = itertools.cycle((True, False))
        self.cut = Rule(To.CLIENT, b"OK [APPENDUID", Act.CUT, times=1000, chance=lambda: next(lost))
        self.proxy.add(self.cut)
        self.ids = [f"<m{number}@example.org>" for number in range(MAILS)]

    def tell(self) -> None:
        """Deliver while the daemon runs, kill it again and again, and let it come to rest."""
        batch = MAILS // (KILLS + 1)
        for kill in range(KILLS):
            daemon = self.site.run()
            self.until(lambda n=kill: self.site.starts() > n, daemon)  # type: ignore[misc]
            before = len(self.answered())
            self.deliver(self.ids[kill * batch : (kill + 1) * batch])
            self.wait_for_drafts(before + 1 + kill % 2)
            daemon.kill()
            daemon.wait()
        self.deliver(self.ids[KILLS * batch :])
        daemon = self.site.run()
        try:
            self.until(self.at_rest, daemon)
        finally:
            daemon.terminate()
            daemon.wait(20)
        self.intents = self.site.json("intents")
        self.items = self.site.json("review", "list")

    def wait_for_drafts(self, number: int) -> None:
        """Until drafts are being made, so that the kill comes in the middle; a few seconds."""
        end_s = time.monotonic() + 4
        while len(self.answered()) < number and time.monotonic() < end_s:
            time.sleep(0.02)

    def deliver(self, ids: list[str]) -> None:
        for one in ids:
            number = one.strip("<>").partition("@")[0]
            sender = f"Mina Okafor <{number}@example.org>"
            self.world.deliver(mail(one, sender=sender, body="Could you send me the plan?"))

    def answered(self) -> Counter[str]:
        """How many drafts answer each mail, by the independent reader."""
        drafts = self.world.lying_in(Folder.DRAFTS)
        return Counter(str(message_from_bytes(raw)["In-Reply-To"]) for raw in drafts)

    def at_rest(self) -> bool:
        """Every mail has its intent, no call is open, and unknown ones were looked for."""
        with closing(sqlite3.connect(f"file:{self.site.database}?mode=ro", uri=True)) as store:
            states = [state for (state,) in store.execute("SELECT state FROM intents")]
            looks = store.execute(
                "SELECT max(json_extract(e.detail, '$.look')) FROM intents i JOIN evidence e"
                " ON e.intent = i.id WHERE i.state = 'unknown' GROUP BY i.id"
            ).fetchall()
            looked = [look for (look,) in looks if look == LOOKS]
        settled = len(states) == MAILS and "calling" not in states
        return settled and len(looked) == states.count("unknown")

    def until(self, holds: Callable[[], bool], daemon: subprocess.Popen[bytes]) -> None:
        end_s = time.monotonic() + BOUND_S
        while not holds():
            if daemon.poll() is not None or time.monotonic() > end_s:
                pytest.fail(f"it did not come about: {self.site.log.read_text()[-3000:]}")
            time.sleep(0.2)

    def close(self) -> None:
        self.proxy.close()
        self.world.tear_down()


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    made = Story(tmp_path_factory.mktemp("product"))
    try:
        made.tell()
        yield made
    finally:
        made.close()


def test_answers_were_really_lost(story: Story) -> None:
    assert 1000 - story.cut.times >= 4


def test_no_thread_has_two_drafts(story: Story) -> None:
    assert max(story.answered().values()) == 1


def test_no_mail_is_missed(story: Story) -> None:
    drafted = set(story.answered())
    shown = {str(one["thread"]) for one in story.items if one["kind"] == "outcome_unknown"}
    missing = set(story.ids) - drafted
    assert len(missing) == len(shown)
    assert drafted <= set(story.ids)


def test_every_draft_that_exists_was_found(story: Story) -> None:
    accepted = [one for one in story.intents if one["state"] == "accepted"]
    assert len(accepted) == len(story.answered())


def test_what_stays_unknown_is_shown_with_its_looks(story: Story) -> None:
    unknown = [one for one in story.intents if one["state"] == "unknown"]
    shown = [one for one in story.items if one["kind"] == "outcome_unknown"]
    assert len(unknown) == len(shown)
    assert all("absence" in str(one["evidence"]) for one in unknown)


def test_unread_mail_stays_unread(story: Story) -> None:
    assert story.world.unread() == MAILS
