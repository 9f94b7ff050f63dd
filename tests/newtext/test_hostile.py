"""Hostile text costs time in proportion to its length, and nothing makes the reader raise.

Time is counted in calls, which repeat exactly: twice the input may cost little more than twice
the calls. Work inside one regular expression isn't counted so; there the sizes are such that
anything worse than linear would not end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pytest

from providers.mime.language import language_of
from providers.mime.newtext import new_text

SIZE = 1_000

REPEATED = {
    "quoted": "> x\n",
    "deeply quoted": ">>>>>>>>>> x\n",
    "introduction": "On 2 March 2026 09:12 robin@example.com wrote:\n",
    "introduction and quote": "On 2 March 2026, X wrote:\n> q\n",
    "introduction and blank lines": "On 2 March 2026, X wrote:\n\n\n\n",
    "half an introduction": "wrote:\n",
    "colon": "x:\n",
    "sender": "From: a@example.com\n",
    "recipients": "From: a\nTo: a,\na,\n",
    "labels": "Subject: x\nFrom: y\n\n",
    "dashed": "-----x-----\n",
    "original message": "-----Original Message-----\n",
    "rule": "________\n",
    "signature": "-- \nx\n",
    "bare signature": "--\nx\n",
    "phone": "Sent from my iPhone\n",
    "postscript": "PS x\n",
    "question and answer": "> q\nanswer\n",
    "question, blank, answer": "> q\n\nanswer\n\n",
    "wrapped out of a quotation": "> " + "x " * 33 + "\nfoo\n",
    "arrow": "go\n> a > b\n",
    "same words": "a b c d e f g h i j k l\n",
}

LONG = {
    "letters": "a" * 200_000,
    "spaces": " " * 200_000 + "x",
    "colons": ":" * 200_000,
    "at signs": "a@" * 100_000,
    "addresses": "a@example.com " * 15_000 + "wrote:",
    "angles": "<" * 200_000 + ":",
    "dashes": "-" * 200_000 + "x" + "-" * 200_000,
    "marks": ">" * 200_000,
    "line ends": "\n" * 200_000,
    "returns": "\r" * 200_000,
    "overrides": "\u202e" * 200_000,
    "digits": "1" * 200_000 + ":",
    "dates": "2 March 2026 " * 15_000 + "wrote:",
    "links": "https://" * 25_000,
    "sent from": "Sent from my " * 15_000,
    "combining": "e" + "\u0301" * 200_000,
}


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", REPEATED)
def test_twice_the_lines_cost_twice_the_work(name: str) -> None:
    once, twice = (
        _calls(partial(new_text, REPEATED[name] * times, subject="Re: x"))
        for times in (SIZE, 2 * SIZE)
    )
    assert twice < 2.2 * once + 1000


@pytest.mark.parametrize("name", ["question and answer", "same words", "introduction"])
def test_twice_the_lines_cost_twice_the_work_beside_parents(name: str) -> None:
    parents = ("a b c d e f g h i j k l\n" * 500, "> x\n" * 500)
    once, twice = (
        _calls(partial(new_text, REPEATED[name] * times, subject="Re: x", parents=parents))
        for times in (SIZE, 2 * SIZE)
    )
    assert twice < 2.2 * once + 1000


@pytest.mark.parametrize("name", ["quoted", "signed"])
def test_twice_the_elements_cost_twice_the_work(name: str) -> None:
    element = {
        "quoted": "<blockquote type=cite>q</blockquote><p>a</p>",
        "signed": "<div class=gmail_signature>a</div>",
    }[name]
    once, twice = (_calls(partial(new_text, "a", html=element * times)) for times in (500, 1000))
    assert twice < 2.2 * once + 1000


@pytest.mark.parametrize("name", LONG)
def test_long_line_is_read_to_the_end(name: str) -> None:
    new_text(LONG[name], subject="Re: x", parents=(LONG[name],))
    language_of(LONG[name])


@pytest.mark.parametrize("name", REPEATED)
def test_hundred_thousand_lines_are_read_to_the_end(name: str) -> None:
    lines = REPEATED[name] * (20_000 // REPEATED[name].count("\n"))
    assert isinstance(new_text(lines).text, str)


def test_deeply_nested_quotations_are_read_to_the_end() -> None:
    html = "<blockquote type=cite>" * 3_000 + "q" + "</blockquote>" * 3_000 + "<p>Mine.</p>"
    assert new_text("q\n\nMine.", html=html).text == "Mine."


@pytest.mark.parametrize(
    "text", ["", "\n", "\r\n", " ", ">", ">\n", "-- ", "-- \n", "--", ":", "\ufeff", "\0"]
)
def test_almost_nothing_is_read(text: str) -> None:
    assert new_text(text, subject="Re: x").text.strip("->: \ufeff\0") == ""


def test_half_a_character_becomes_valid() -> None:
    assert new_text("a\ud800b é").text.encode("utf-8")
    assert new_text("\udcff").text.encode("utf-8")
