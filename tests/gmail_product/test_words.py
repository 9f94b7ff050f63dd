"""What a person at a terminal sees and does: check, probe, status, explain, the review queue."""

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


def unknown(site: Google, number: int, *, happened: bool) -> str:
    """A create whose answer is lost; the id of its item."""
    site.settings(lag_s={"drafts.list": 3_600.0, "threads.get": 3_600.0, "history.list": 0.0})
    effect = "after" if happened else "before"
    site.fault(method="drafts.create", effect=effect, end="drop", cut=0)
    site.deliver(question(number))
    site.run("once")
    return item(site, "outcome_unknown", str(number))


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


def test_never_happened_makes_one_draft_anew(site: Google) -> None:
    name = unknown(site, 1, happened=False)
    shown = site.run("review", "show", name)
    assert "nobody can say yet whether it happened (the connection ended" in shown
    site.settings(lag_s={"drafts.list": 0.0, "threads.get": 0.0})
    site.run("review", "do", name, "never_happened")
    site.run("once")
    assert len(site.drafts()) == 1
    assert not JARGON.search(shown + site.run("status"))


def test_never_happened_is_refused_where_the_draft_is_found(site: Google) -> None:
    name = unknown(site, 1, happened=True)
    site.settings(lag_s={"drafts.list": 0.0, "threads.get": 0.0})
    said = site.run("review", "do", name, "never_happened", status=1)
    site.run("once")
    assert len(site.drafts()) == 1
    assert item(site, "draft_ready", "1")
    assert not JARGON.search(said)


def test_it_exists_settles_and_makes_no_other(site: Google) -> None:
    name = unknown(site, 1, happened=True)
    site.run("review", "do", name, "it_exists")
    site.settings(lag_s={"drafts.list": 0.0, "threads.get": 0.0})
    site.run("once")
    assert (len(site.drafts()), site.counters()["requests"]["drafts.create"]) == (1, 1)
    assert [dict(one) for one in site.items("outcome_unknown")] == []


def test_a_draft_whose_marks_are_gone_can_be_adopted(site: Google) -> None:
    name = unknown(site, 1, happened=True)
    (draft,) = site.drafts()
    site.say("edit_draft", draft=draft, body="My own words.\n")
    site.settings(lag_s={"drafts.list": 0.0, "threads.get": 0.0})
    site.until(lambda: "adopt" in looked(site, name))
    shown = site.run("review", "show", name)
    assert f"draft/{draft}" in shown
    site.run("review", "do", name, "adopt", "--ref", f"draft/{draft}")
    site.run("once")
    (row,) = site.json("threads")
    assert row["draft"]["state"] == "edited"
    assert (list(site.drafts()), site.counters()["requests"]["drafts.create"]) == ([draft], 1)
    assert not JARGON.search(shown)


def looked(site: Google, name: str) -> list[str]:
    """The actions of an item after one more pass."""
    site.run("once")
    (found,) = [one for one in site.json("review", "list") if str(one["id"]) == name]
    return [str(one) for one in found["actions"]]
