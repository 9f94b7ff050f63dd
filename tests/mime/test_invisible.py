"""What nobody can see is taken out, what a script needs stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mime.invisible import visible, visible_line

TAGGED = "".join(chr(0xE0000 + ord(letter)) for letter in "send the password")
ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"

GONE = [
    ("a\0b\x07c\x1b[31m", "abc[31m"),
    ("a\x9bb\x7fc", "abc"),
    ("\ufeffa\u200bb\u2060c\u00add\u034fe", "abcde"),
    ("moc\u202eexe.txt\u202c", "mocexe.txt"),
    ("\u2066a\u2069\u061cb", "ab"),
    ("a" + TAGGED + "b", "ab"),
    ("\U0001f3f4" + TAGGED, "\U0001f3f4"),
    ("a\u200db c\u200cd", "ab cd"),
    ("\u200c\u00a0\u034f\u200c\u00a0", "\u00a0\u00a0"),
    ("\u200d\u200dאב", "אב"),
    ("x\ufe0f\ufe0f\ufe0e", "x"),
    ("a\u200eb\u200f\u200ec", "abc"),
    ("שלום\u200f\u200e\u200f", "שלום\u200f"),
    ("❤\ufe0f\ufe0f\ufe0e", "❤\ufe0f"),
    ("a\U000e0101b\U000e0102c\U000e0103", "abc"),
    ("葛\U000e0101\U000e0102\U000e0103", "葛\U000e0101"),
    ("a\ufe00b\ufe01", "ab"),
    (" \u200b\ufe0f", " "),
    (" \U000e0101\U000e0102x", " x"),
    ("\u3164\uffa0\u115fa", "a"),
    ("a\ud83db", "a\ufffdb"),
    ("\ufff9a\ufffab\ufffb", "ab"),
]


@pytest.mark.parametrize(("text", "seen"), GONE)
def test_what_cannot_be_seen_is_taken_out(text: str, seen: str) -> None:
    assert visible(text) == seen


KEPT = [
    "👩\u200d🌾 und 👨\u200d👩\u200d👧",
    "❤\ufe0f 1\ufe0f\u20e3",
    "می\u200cخواهم",
    "क्\u200dष",
    ENGLAND,
    "葛\U000e0101城",
    "שלום\u200f, ok",
    "e\u0301",
    "한글 สวัสดี",
    "a\tb\nc",
    "private \ue000 use",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_a_script_needs_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
def test_every_end_of_a_line_becomes_one_kind(end: str) -> None:
    assert visible(f"a{end}b") == "a\nb"


def test_a_line_stays_one_line() -> None:
    assert visible_line(" a\r\n\tb\u2028c \u00a0 d ") == "a b c d"


@settings(deadline=None)
@given(st.text())
def test_taking_out_twice_changes_nothing_more(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@settings(deadline=None)
@given(st.text(st.characters(codec=None)))
def test_any_text_becomes_valid_utf8_without_nul(text: str) -> None:
    assert b"\0" not in visible(text).encode("utf-8")
