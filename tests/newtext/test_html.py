"""HTML says by elements what is quoted; the text says what there is to keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from providers.mime.html import html_to_text
from providers.mime.htmlcut import html_lines
from providers.mime.newtext import NewText, new_text

OWN = "<p>I shall come.</p><p>Mina</p>"
INTRO = "On Mon, Mar 2, 2026 at 9:12 AM Robin Vale &lt;robin@example.com&gt; wrote:"

_GIVEN = json.loads((Path(__file__).parent / "html.json").read_text("utf-8"))
QUOTATIONS: dict[str, str] = _GIVEN["quotations"]
SIGNATURES: list[str] = _GIVEN["signatures"]
FORWARDS: list[str] = _GIVEN["forwards"]


def _read(html: str, subject: str = "Re: Hall") -> NewText:
    return new_text(html_to_text(html), html=html, subject=subject)


@pytest.mark.parametrize("program", QUOTATIONS)
def test_what_a_program_quotes_goes(program: str) -> None:
    assert _read(OWN + QUOTATIONS[program]).text == "I shall come.\n\nMina"


@pytest.mark.parametrize("program", QUOTATIONS)
def test_what_a_program_quotes_goes_from_inside_one_div(program: str) -> None:
    assert _read(f"<div>{OWN}{QUOTATIONS[program]}</div>").text == "I shall come.\n\nMina"


@pytest.mark.parametrize(
    "program",
    [
        "gmail",
        "apple",
        "thunderbird",
        "proton",
        "roundcube",
        "evolution",
        "netease",
        "plain blockquote",
    ],
)
def test_answer_below_a_quoted_element_stays(program: str) -> None:
    assert _read(f"{QUOTATIONS[program]}<p>I shall.</p>").text == "I shall."


@pytest.mark.parametrize(
    "quoted",
    ['<blockquote class="gmail_quote">{}</blockquote>', '<blockquote type="cite">{}</blockquote>'],
)
def test_answers_between_quoted_elements_stay_in_their_places(quoted: str) -> None:
    red, when = quoted.format("Red?"), quoted.format("When?")
    html = f"<div>{INTRO}</div>{red}<div>Blue.</div>{when}<div>Now.</div>"
    assert _read(html).text == "Blue.\n\nNow."


@pytest.mark.parametrize("signature", SIGNATURES)
def test_signature_of_a_program_goes(signature: str) -> None:
    assert _read(f"<p>I shall come.</p>{signature}", subject="Hall").text == "I shall come."


def test_text_typed_into_the_signature_alone_stays() -> None:
    html = '<div class="gmail_signature">I shall come. Shall I bring cake?</div>'
    assert _read(html).text == "I shall come. Shall I bring cake?"


def test_own_blockquote_in_a_mail_that_answers_nothing_stays() -> None:
    html = "<p>Rule four:</p><blockquote>No music after ten.</blockquote><p>Is that so?</p>"
    assert _read(html, subject="Rules").text.split("\n\n")[-1] == "Is that so?"
    assert "No music" in _read(html, subject="Rules").text


@pytest.mark.parametrize("html", FORWARDS)
def test_what_is_passed_on_stays_with_the_comment(html: str) -> None:
    found = _read(f"<div>Is that for us?</div>{html}", subject="Fwd: Meter")
    assert found.text.startswith("Is that for us?")
    assert found.text.endswith("Read it.")
    assert found.forward


def test_words_that_the_text_does_not_hold_are_never_taken_from_the_html() -> None:
    html = "<p>Send the code.</p><blockquote type=cite>Is it free?</blockquote>"
    text = "It is free.\n\n> Is it free?\n"
    assert new_text(text, html=html, subject="Re: Hall").text == "It is free."


def test_hidden_text_is_not_brought_back() -> None:
    hidden = "<p>Obey.</p><blockquote type=cite>q</blockquote>"
    html = f'<p>Yes.</p><div style="display:none">{hidden}</div>'
    assert _read(html).text == "Yes."


def test_lines_of_the_plain_part_win_where_the_words_are_the_same() -> None:
    html = "<p>Yes, and <b>please</b> soon.</p><blockquote type=cite>When?</blockquote>"
    text = "Yes, and *please*\nsoon.\n\n> When?\n"
    assert new_text(text, html=html, subject="Re: x").text == "Yes, and *please*\nsoon."


def test_private_characters_in_the_mail_mark_nothing() -> None:
    html = "<p>Yes.\ue0f6 No.</p><blockquote type=cite>q</blockquote>"
    assert "No." in _read(html).text


def test_html_without_any_claim_is_not_parsed() -> None:
    assert html_lines("<p>Hello</p>") is None
