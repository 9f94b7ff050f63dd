"""What a person at a terminal sees and does: check, probe, status, discarding a draft."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gmail_product.site import Google, question

pytestmark = pytest.mark.timeout(300)
JARGON = re.compile(r"Traceback|[A-Z]\w+Error: |None\b|\bnull\b")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Google]:
    with Google.made(tmp_path) as made:
        yield made


def item(site: Google, kind: str, about: str) -> str:
    """The id of the one open item of a kind whose subject ends so."""
    (found,) = [
        one for one in site.json("review", "list")
        if one["kind"] == kind and one["subject"].endswith(about)
    ]  # fmt: skip
    return str(found["id"])


def test_check_and_probe_say_what_works_and_what_to_do(site: Google) -> None:
    before = site.run("check")
    assert "not probed: drafts are never removed; try fencepost check --probe" in before
    probed = site.run("check", "--probe", "robin/mail")
    assert "made, found, removed; it keeps: content, header" in probed
    assert "drafts can be removed by version" in site.run("check")
    assert site.drafts() == {}
    site.google.say("revoke_user", user="robin@example.com")
    lost = site.run("check", status=1)
    assert "run: fencepost login robin/mail" in lost
    assert not JARGON.search(before + probed + lost)


def test_discard_waits_for_a_probe_and_then_works(site: Google) -> None:
    site.deliver(question(1))
    site.run("once")
    name = item(site, "draft_ready", "1")
    site.run("review", "do", name, "discard")
    site.run("once")
    assert len(site.drafts()) == 1
    shown = site.run("review", "show", name) + site.run("status")
    assert "run fencepost check --probe, or delete the draft in Gmail" in shown
    site.run("check", "--probe", "robin/mail")
    site.run("review", "do", name, "discard")
    site.run("once")
    assert site.drafts() == {}
    assert site.json("review", "list") == []
    assert site.counters()["requests"]["messages.trash"] == 2
    assert not JARGON.search(shown)


def test_discard_where_the_trash_is_refused_leaves_the_draft_and_says_so(site: Google) -> None:
    site.run("check", "--probe", "robin/mail")
    site.settings(trash_draft="refused")
    site.deliver(question(1))
    site.run("once")
    name = item(site, "draft_ready", "1")
    site.run("review", "do", name, "discard")
    site.run("once")
    shown = site.run("review", "show", name)
    assert "the draft was not removed: " in shown
    assert len(site.drafts()) == 1
    assert not JARGON.search(shown)
