"""Signatures and footers go; closings, lists and sentences that look alike stay."""

from __future__ import annotations

import pytest

from providers.mime.newtext import new_text
from providers.mime.signatures import is_program_footer
from tests.newtext.lines import PHONES

ASKED = "Could you open the hall?"


@pytest.mark.parametrize("line", PHONES)
def test_footer_of_a_phone_goes(line: str) -> None:
    assert new_text(f"{ASKED}\n\n{line}\n").text == ASKED


@pytest.mark.parametrize("line", PHONES)
def test_footer_of_a_phone_goes_above_a_quotation(line: str) -> None:
    text = f"{ASKED}\n\n{line}\n\n> On 2 Mar 2026, at 09:12, Robin Vale wrote:\n> Yes?\n"
    assert new_text(text, subject="Re: Hall").text == ASKED


@pytest.mark.parametrize("line", PHONES)
def test_footer_of_a_phone_stays_in_the_middle_of_a_text(line: str) -> None:
    text = f"His mails end so:\n{line}\nHow do I get rid of it?"
    assert new_text(text).text == text


@pytest.mark.parametrize(
    "line",
    [
        "Sent from my iPhone?",
        "Was it sent from my phone?",
        "My iPhone was sent back yesterday",
        "I sent the iPad from Berlin",
        "Sent the iPhone back",
        "Do you use Outlook for Android?",
        "Outlook for iOS crashed again and I lost all of my mail",
        "Gesendet wurde es gestern",
        "Ich habe das iPhone gesendet, wie besprochen, und warte jetzt auf die Bestätigung",
        "Enviado el martes",
        "Sent from Berlin",
        "Gesendet mit Verspätung",
        "Get the phone",
        "从手机看不到附件",
        "Mina",
        "Thanks!",
    ],
)
def test_sentence_about_phones_is_no_footer(line: str) -> None:
    assert not is_program_footer(line)


@pytest.mark.parametrize("mark", ["-- ", "--", "--\u00a0", "–– "])
def test_everything_below_the_mark_goes(mark: str) -> None:
    assert new_text(f"{ASKED}\n\n{mark}\nMina Okafor\nExample Org\n").text == ASKED


@pytest.mark.parametrize(
    "closing",
    ["Thanks,\nMina", "Mit freundlichen Grüßen\nLena Weber", "Cordialement,\nLéa", "Saludos\nInés"],
)
def test_closing_without_a_mark_is_the_authors_word(closing: str) -> None:
    assert new_text(f"{ASKED}\n\n{closing}").text == f"{ASKED}\n\n{closing}"


@pytest.mark.parametrize(
    "postscript",
    [
        "PS: Is the heating on?",
        "P.S. Bring cake.",
        "PPS Bring cake.",
        "P.D.: Trae pastel.",
        "追伸 鍵も。",
    ],
)
def test_postscript_below_a_signature_stays(postscript: str) -> None:
    text = f"{ASKED}\n\n-- \nMina Okafor\n\n{postscript}\n"
    assert new_text(text).text == f"{ASKED}\n\n{postscript}"


def test_bare_dashes_between_the_items_of_a_list_stay() -> None:
    text = "Soup\n--\nBread\n--\nCake"
    assert new_text(text).text == text


def test_bare_dashes_above_a_question_stay() -> None:
    text = "The hall is shut.\n--\nWho has the key?"
    assert new_text(text).text == text


def test_bare_dashes_above_a_long_text_stay() -> None:
    text = "Intro\n--\n" + "\n".join(f"Line {number} of my report." for number in range(30))
    assert new_text(text).text == text


def test_mark_above_fifty_lines_is_no_signature() -> None:
    text = "Intro\n-- \n" + "\n".join(f"Line {number} of my report." for number in range(50))
    assert "Line 49" in new_text(text).text


def test_rule_in_a_text_that_asks_about_a_list_is_no_footer() -> None:
    text = "Hello\n-----\nHow do I unsubscribe from the mailing list?"
    assert new_text(text).text == text


def test_each_run_between_quotations_loses_its_own_signature() -> None:
    text = "Fine.\n-- \nMina\n\n> Shall we?\n\nYes.\n\n-- \nMina\n"
    assert new_text(text, subject="Re: x").text == "Fine.\n\nYes."
