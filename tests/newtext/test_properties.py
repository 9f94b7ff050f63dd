"""Whatever stands in a mail: nothing raises, nothing is invented, the result is stable."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mime.html import html_to_text
from providers.mime.language import language_of
from providers.mime.newtext import new_text
from tests.newtext.lines import FORWARDS, HEADERS, INTRODUCTIONS, ORIGINALS, PHONES
from tests.newtext.mails import ASK, SAMPLES

WHAT_PROGRAMS_WRITE = st.sampled_from(
    [
        *(line for _, line in INTRODUCTIONS),
        *(line for _, block in HEADERS for line in block.split("\n")),
        *ORIGINALS,
        *FORWARDS,
        *PHONES,
        *ASK.split("\n"),
        "-- ",
        "--",
        "________________________________",
        "",
        "",
        ">",
        "PS: x",
    ]
)
WORDS = st.text(st.characters(codec="utf-8"), max_size=40)
LINES = st.builds(
    lambda mark, line, end: mark + line + end,
    st.sampled_from(["", "", "", "> ", ">> ", " > ", "\u00a0", "*"]),
    st.one_of(WHAT_PROGRAMS_WRITE, WORDS),
    st.sampled_from(["", "", " ", ":", "\r"]),
)
TEXTS = st.lists(LINES, max_size=30).map("\n".join)
SUBJECTS = st.sampled_from(["", "Re: x", "Fwd: x", "VS: x", "x", "AW: x"])
PARENTS = st.lists(st.one_of(TEXTS, st.just(ASK)), max_size=2).map(tuple)
PIECES = st.sampled_from(
    [
        *(sample.html for sample in SAMPLES if sample.html),
        "<blockquote type=cite>",
        "</blockquote>",
        "<div class=gmail_signature>",
        "</div>",
        "<div id=appendonsend>",
        "<p>words",
        "<style>p{display:none}</style>",
        "<div style='display:none'>",
        "\ue0f0",
    ]
)
SPACE = re.compile(r"\s+")


def _loose(text: str) -> str:
    return SPACE.sub("", text.encode("utf-8", "replace").decode())


@given(text=TEXTS, subject=SUBJECTS, parents=PARENTS)
@settings(max_examples=300, deadline=None)
def test_every_line_that_is_left_stands_in_the_text(
    text: str, subject: str, parents: tuple[str, ...]
) -> None:
    found = new_text(text, subject=subject, parents=parents)
    whole = [_loose(line) for line in re.split(r"\r\n?|\n", text)]
    at = 0
    for line in found.text.split("\n"):
        if _loose(line):
            at = whole.index(_loose(line), at) + 1


@given(text=TEXTS, subject=SUBJECTS)
@settings(max_examples=200, deadline=None)
def test_what_is_left_is_valid_and_has_no_loose_ends(text: str, subject: str) -> None:
    found = new_text(text, subject=subject).text
    assert found.encode("utf-8").decode("utf-8") == found
    assert found == found.strip("\n").rstrip()


@given(text=TEXTS)
@settings(max_examples=200, deadline=None)
def test_something_is_cut_where_words_are_missing(text: str) -> None:
    found = new_text(text, subject="Re: x")
    assert bool(found.cut) or _loose(found.text) == _loose(text)


@given(
    lines=st.lists(st.text(st.sampled_from("abc xyz éß."), min_size=1, max_size=30), max_size=12)
)
@settings(max_examples=200, deadline=None)
def test_plain_prose_is_left_as_it_is(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = new_text(text, subject="Re: x")
    assert _loose(found.text) == _loose(text)
    assert new_text(found.text, subject="Re: x").text == found.text


@given(answer=st.text(st.sampled_from("abcdef ghij"), min_size=1, max_size=60), data=st.data())
@settings(max_examples=200, deadline=None)
def test_answer_between_marked_lines_is_never_lost(answer: str, data: st.DataObject) -> None:
    _, line = data.draw(st.sampled_from(INTRODUCTIONS))
    text = f"{line}\n> First question?\n\n{answer}\n\n> Second question?\n"
    assert new_text(text, subject="Re: x").text.split() == answer.split()


@given(pieces=st.lists(st.one_of(PIECES, WORDS), max_size=12), subject=SUBJECTS, parents=PARENTS)
@settings(max_examples=200, deadline=None)
def test_nothing_is_taken_from_html_that_the_text_lacks(
    pieces: list[str], subject: str, parents: tuple[str, ...]
) -> None:
    html = "".join(pieces)
    text = html_to_text(html)
    found = new_text(text, html=html, subject=subject, parents=parents).text
    whole = re.sub(r"[\s*_]+", "", text)
    assert all(re.sub(r"[\s*_]+", "", line) in whole for line in found.split("\n"))
    assert found.encode("utf-8").decode("utf-8") == found


@given(text=st.one_of(TEXTS, st.text()))
@settings(max_examples=300, deadline=None)
def test_language_is_a_code_or_nothing(text: str) -> None:
    assert re.fullmatch(r"[a-z]{2}", language_of(text) or "xx")
