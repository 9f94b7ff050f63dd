"""What a person says of a draft of which nobody knows whether it was made, at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gmail_product.site import Google, question
from tests.gmail_product.test_words import JARGON, item

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Google]:
    with Google.made(tmp_path) as made:
        yield made


def unknown(site: Google, number: int, *, happened: bool) -> str:
    """A create whose answer is lost; the id of its item."""
    site.settings(lag_s={"drafts.list": 3_600.0, "threads.get": 3_600.0, "history.list": 0.0})
    effect = "after" if happened else "before"
    site.fault(method="drafts.create", effect=effect, end="drop", cut=0)
    site.deliver(question(number))
    site.run("once")
    return item(site, "outcome_unknown", str(number))


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
