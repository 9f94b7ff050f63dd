"""Tokens that end in the middle of work, and a consent that is withdrawn and given again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.gmail_product.browser import log_in
from tests.gmail_product.lost import plenty
from tests.gmail_product.site import Google, address, question

pytestmark = pytest.mark.timeout(300)
BURST = 24


def test_a_token_that_ends_in_a_burst_costs_one_refresh_and_no_draft(tmp_path: Path) -> None:
    with Google.made(tmp_path) as site:
        plenty(site)
        for number in range(BURST):
            site.deliver(question(number))
        with site.running() as daemon:
            site.until(lambda: len(site.effects()) > 3, daemon)
            site.google.say("expire_tokens", user=address("robin"))
            site.until(lambda: site.states() == Counter(accepted=BURST), daemon)
        assert site.counters()["oauth"] == {"refresh": 1}
        assert Counter(site.effects().values()) == {1: BURST}
        assert len({one["thread"] for one in site.drafts().values()}) == BURST
        assert site.items("mailbox_ill") == []


def test_a_withdrawn_consent_stops_one_mailbox_until_its_owner_logs_in(tmp_path: Path) -> None:
    with Google.made(tmp_path, ("robin", "alex")) as site, site.running() as daemon:
        for user in site.users:
            site.deliver(question("one", user), user)
        site.until(lambda: site.states() == Counter(accepted=2), daemon)
        site.google.say("revoke_user", user=address("robin"))
        for user in site.users:
            site.deliver(question("two", user), user)
        site.until(lambda: site.states() == Counter(accepted=3), daemon)
        site.until(lambda: site.items("reconnect"), daemon)
        (item,) = site.items("reconnect")
        assert item["mailbox"] == "robin/mail"
        assert "fencepost login robin/mail" in item["summary"]
        assert len(site.drafts("robin")) == 1
        (ill,) = [one for one in site.json("status")["mailboxes"] if one["problem"] is not None]
        assert ill["mailbox"] == "robin/mail"
        before = site.log.read_text().splitlines()
        assert sum("robin/mail" in line for line in before) <= 2

        status, said = log_in(site, "robin/mail")
        assert status == 0, said
        site.until(lambda: site.states() == Counter(accepted=4), daemon)
        site.until(lambda: not site.items("reconnect"), daemon)
        assert len(site.drafts("robin")) == 2
        assert site.counters()["oauth"]["refused"] <= 2
        assert set(site.effects().values()) == {1}
