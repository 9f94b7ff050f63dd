"""The line above a quotation goes with it, in every language and however it is wrapped."""

from __future__ import annotations

import textwrap

import pytest

from providers.mime.newtext import new_text
from tests.newtext.lines import INTRODUCTIONS

OWN = "Yes, that suits me.\nMina"
QUOTED = "> Does Tuesday suit you?\n>"

pytestmark = pytest.mark.parametrize(("language", "line"), INTRODUCTIONS)


def _own(text: str) -> str:
    return new_text(text, subject="Re: Tuesday").text


def test_introduction_above_marked_lines_goes(language: str, line: str) -> None:
    assert _own(f"{OWN}\n\n{line}\n\n{QUOTED}\n") == OWN


def test_introduction_without_blank_line_above_it_goes_alone(language: str, line: str) -> None:
    assert _own(f"{OWN}\n{line}\n{QUOTED}\n") == OWN


def test_introduction_above_unmarked_lines_takes_them_along(language: str, line: str) -> None:
    assert _own(f"{OWN}\n\n{line}\n\nDoes Tuesday suit you?\n\nRobin\n") == OWN


def test_answer_below_the_quotation_stays(language: str, line: str) -> None:
    assert _own(f"{line}\n{QUOTED}\n\n{OWN}\n") == OWN


@pytest.mark.parametrize("width", [40, 50, 65])
def test_wrapped_introduction_goes_whole(language: str, line: str, width: int) -> None:
    wrapped = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    assert _own(f"{OWN}\n\n{wrapped}\n\n{QUOTED}\n") == OWN
