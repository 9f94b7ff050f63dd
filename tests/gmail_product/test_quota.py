"""What a draft costs, and what happens when Gmail says that it was too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gmail_product.site import Google, address, question
from tests.support.gmail.settings import NEW_UNITS

pytestmark = pytest.mark.timeout(300)


def cost(site: Google, doing: Callable[[], object]) -> int:
    """Units from notice to draft: all requests but the polls, of which two count."""
    before = Counter(site.counters()["requests"])
    doing()
    made = Counter(site.counters()["requests"]) - before
    return sum(
        NEW_UNITS[name] * (min(number, 2) if name == "history.list" else number)
        for name, number in made.items()
    )


def waiting_thread(site: Google) -> str:
    """A conversation of five mails in which the owner had the last word."""
    thread = None
    for number in range(5):
        mail = question(f"w{number}", subject="The plan w0" if number == 0 else "Re: The plan w0")
        if number:
            mail["In-Reply-To"] = mail["References"] = f"<w{number - 1}@example.org>"
        if number == 4:
            del mail["From"], mail["To"]
            mail["From"], mail["To"] = address("robin"), "mina@example.org"
        labels = ["SENT"] if number == 4 else ["INBOX", "UNREAD"]
        thread = site.deliver(mail, labels=labels, thread=thread)["threadId"]
    assert thread is not None
    return str(thread)


def ask_on(site: Google, thread: str, name: str, parent: str) -> None:
    """One more question in a conversation."""
    mail = question(name, subject="Re: The plan w0")
    mail["In-Reply-To"] = mail["References"] = f"<{parent}@example.org>"
    site.deliver(mail, thread=thread)


def test_a_draft_costs_sixty_units_at_most(tmp_path: Path) -> None:
    with Google.made(tmp_path) as site:
        thread = waiting_thread(site)
        with site.running() as daemon:
            site.until(lambda: len(site.noted()) == 5, daemon)

            def single() -> None:
                site.deliver(question(1))
                site.until(lambda: site.states() == Counter(accepted=1), daemon)

            def longer() -> None:
                ask_on(site, thread, "w5", "w4")
                site.until(lambda: site.states() == Counter(accepted=2), daemon)

            assert cost(site, single) <= 60
            # The next pass reads what became of our own draft; that is after it.
            site.until(lambda: len(site.sql("SELECT 1 FROM messages")) == 7, daemon)
            assert cost(site, longer) <= 60
        (box,) = site.json("status")["mailboxes"]
        assert 0 < box["quota"]["units"] <= site.units() * 2


def test_a_draft_after_a_restart_costs_sixty_units_and_the_start(tmp_path: Path) -> None:
    with Google.made(tmp_path) as site:
        thread = waiting_thread(site)
        site.json("once")
        ask_on(site, thread, "w5", "w4")

        def after() -> None:
            with site.running() as daemon:
                site.until(lambda: site.states() == Counter(accepted=1), daemon)

        start = NEW_UNITS["getProfile"] + NEW_UNITS["settings.sendAs.list"]
        assert cost(site, after) <= 60 + start


def test_too_many_calls_stop_reading_for_a_moment_only(tmp_path: Path) -> None:
    with Google.made(tmp_path) as site, site.running() as daemon:
        for method, answer in (("history.list", "rate_limit"), ("messages.get", "too_many")):
            site.fault(method=method, effect="before", answer=answer)
        for number in range(6):
            site.deliver(question(number))
        site.until(lambda: site.states() == Counter(accepted=6), daemon)
        assert set(site.effects().values()) == {1}
        assert site.items("mailbox_ill") == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [("user_rate_limit", "fewer calls for now"), ("daily_limit", "the day's quota")],
)
def test_a_refused_write_rests_the_mailbox_and_says_until_when(
    tmp_path: Path, answer: str, said: str
) -> None:
    with Google.made(tmp_path) as site:
        site.fault(method="drafts.create", effect="before", answer=answer, times=9)
        site.deliver(question(1))
        site.run("once")
        assert site.effects() == {}
        (box,) = site.json("status")["mailboxes"]
        assert box["calls_rest_until"] is not None
        (item,) = site.items("mailbox_ill")
        assert said in item["summary"]
        site.json("once")
        assert site.counters()["requests"]["drafts.create"] == 1
        assert site.states() == Counter(rejected=1)


def test_the_end_of_a_days_quota_is_told_once_and_calmly(tmp_path: Path) -> None:
    with Google.made(tmp_path) as site, site.running() as daemon:
        site.deliver(question(1))
        site.until(lambda: site.states() == Counter(accepted=1), daemon)
        site.fault(method="history.list", effect="before", answer="daily_limit", times=10**6)
        site.until(lambda: site.items("mailbox_ill"), daemon)
        (item,) = site.items("mailbox_ill")
        assert "the day's quota of the Gmail API is used up" in item["summary"]
        assert "tried again by itself" in item["summary"]
        asked = site.counters()["requests"]["history.list"]
        assert "day's quota" in site.run("status")
        assert site.counters()["requests"]["history.list"] == asked
        assert site.log.read_text().count("a mailbox is ill") == 1
