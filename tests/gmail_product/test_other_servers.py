"""Servers that give less than Gmail does: what is not said is not needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.gmail_product.poor import Change, Told, as_numbers, before, strip
from tests.gmail_product.site import Google, address, question
from tests.support.gmail.process import Process

_OPTIONAL = (
    "sizeEstimate", "resultSizeEstimate", "snippet", "historyId", "internalDate", "etag",
)  # fmt: skip
_LISTS = {"/messages": "messages", "/drafts": "drafts", "/history": "history"}


def without_own_fields(value: Any) -> Any:
    """*value* without the X- fields of payloads."""
    if isinstance(value, dict):
        return {
            key: [one for one in item if not one["name"].lower().startswith("x-")]
            if key == "headers"
            else without_own_fields(item)
            for key, item in value.items()
        }
    return [without_own_fields(one) for one in value] if isinstance(value, list) else value


def other_shapes(told: Told) -> Told:
    """Nothing optional: no sizes, dates, history ids of messages, labels of a new draft, and our
    own field in ``raw`` alone. What is a number is one, and an empty list stands there."""
    value = without_own_fields(as_numbers(told.value, "internalDate", "historyId"))
    name = _LISTS.get(told.name)
    if told.verb == "GET" and name is not None and told.status == 200:
        value = {name: [], **value}
    if told.name in ("/history", "/profile"):
        return replace(told, value=value)
    names = _OPTIONAL + (("labelIds",) if told.verb == "POST" else ())
    return replace(told, value=strip(value, *names))


def no_history(told: Told) -> Told:
    """history.list is not found, in Google's own words, each time."""
    return told.refused(404, envelope=True) if told.name == "/history" else told


def no_such_method(told: Told) -> Told:
    """Neither history nor search, and nobody but the user's file says who this is."""
    if told.name == "/history" or "q=" in told.path:
        return told.refused(501, envelope=False)
    if told.name in ("/profile", "/settings/sendAs"):
        return told.refused(404, envelope=False)
    return told


CHANGES = (other_shapes, no_history, no_such_method)


@contextmanager
def site_before(root: Path, change: Change) -> Iterator[Google]:
    """An installation whose provider lacks what *change* takes away."""
    with Process.started() as google, before(google.port, change) as provider:
        site = Google(root=root, provider=provider, google=google)
        site.write(google.say("client"), {"robin": google.say("login", address=address("robin"))})
        yield site


@pytest.mark.timeout(300)
@pytest.mark.parametrize("change", CHANGES)
def test_a_plainer_server_gets_one_draft_a_thread(tmp_path: Path, change: Change) -> None:
    lose: list[str] = []

    def changed(told: Told) -> Told:
        made = change(told)
        if lose and told.name == "/drafts" and told.verb == "POST":
            lose.clear()
            return replace(made, cut=True)
        return made

    with site_before(tmp_path, changed) as site:
        first = site.deliver(question(1))
        (told,) = site.json("once")["mailboxes"]
        assert (told["drafted"], told["problems"]) == (1, [])
        answer = question("1b", subject="Re: The plan 1")
        answer["In-Reply-To"] = answer["References"] = "<1@example.org>"
        site.deliver(answer)
        site.deliver(question(2))
        lose.append("the next answer")
        (told,) = site.json("once")["mailboxes"]
        assert (told["messages"], told["problems"]) == (2, [])
        assert site.states() == Counter(accepted=2)
        assert {one["thread"] for one in site.drafts().values()} >= {first["threadId"]}
        assert (len(site.drafts()), set(site.effects().values())) == (2, {1})
        (told,) = site.json("once")["mailboxes"]
        assert (told["messages"], told["drafted"]) == (0, 0)
        gaps = [(detail,) for (detail,) in site.sql("SELECT at FROM events WHERE kind = 'gap'")]
        assert len(gaps) == (change in (no_history, no_such_method))
