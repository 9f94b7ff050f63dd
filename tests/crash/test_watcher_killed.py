"""A mail that kills the process while its mailbox is looked through is not taken for ever."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from providers.ports import Folder
from tests.crash.site import Ended, Site
from tests.support.hands import Lying, MaildirHands
from tests.support.mails import question

pytestmark = pytest.mark.crash

OTHER = """
[[mailboxes]]
id = "other"
provider = "maildir"
path = "{mail}"
"""


class Poisoned(Site):
    """A mailbox with a mail that kills, and a sound one beside it."""

    module = "tests.crash.poison"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.other = MaildirHands(self.hands._clock, root / "Other")
        with (self.config / "users" / "robin.toml").open("a") as file:
            file.write(OTHER.format(mail=root / "Other"))

    def others_drafts(self) -> list[Lying]:
        return [one for one in self.other.lying(Folder.DRAFTS) if one.mark is not None]


@dataclass(frozen=True, slots=True)
class Story:
    """The first death, three more while alone, two processes after them, and a person's retry."""

    runs: list[Ended]
    told: list[tuple[object, ...]]
    others: int
    before_retry: int
    after_retry: int


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """All of it, once."""
    site = Poisoned(tmp_path_factory.mktemp("poisoned"))
    site.put(b"X-Poison: yes\n" + question(1))
    site.other.put(question(2))
    runs = [site.run("once") for _ in range(5)]
    others = len(site.others_drafts())
    (lying,) = site.hands.lying(Folder.INBOX)
    site.hands.delete(lying.ref)
    site.put(question(3))
    runs.append(site.run("once"))
    told = site.ask(
        "SELECT integration, thread, about FROM review_items WHERE kind = 'quarantined'"
    )
    before = len(site.drafts())
    runs.append(site.run("retry"))
    return Story(runs, told, others, before, len(site.drafts()))


def test_the_first_death_accuses_nobody_and_three_alone_set_the_mailbox_aside(
    story: Story,
) -> None:
    assert [one.was_killed for one in story.runs] == [True] * 4 + [False] * 3


def test_a_mailbox_that_is_set_aside_is_told_once(story: Story) -> None:
    assert story.told == [("robin/local", "", "watch")]


def test_other_mailboxes_go_on(story: Story) -> None:
    assert story.others == 1


def test_a_mailbox_that_is_set_aside_is_not_watched_until_a_retry(story: Story) -> None:
    assert (story.before_retry, story.after_retry) == (0, 1)


def test_an_orderly_end_clears_what_was_counted(tmp_path: Path) -> None:
    site = Poisoned(tmp_path)
    site.put(b"X-Poison: yes\n" + question(1))
    for _ in range(3):
        assert site.run("once").was_killed
    (lying,) = site.hands.lying(Folder.INBOX)
    site.hands.delete(lying.ref)
    assert site.run("once").status == 0
    counted = site.ask("SELECT takes, orphaned, alone FROM leases WHERE thread = ''")
    assert counted == [(0, 0, 0), (0, 0, 0)]
