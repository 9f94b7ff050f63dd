"""Marks are recognised as ours, told from anybody else's, and made the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.mime.marks import intent_of, mark_of, message_id_of
from storage.words import IntentId

SECRET = b"a secret of thirty-two octets..."
INTENT = IntentId("0123456789abcdef" * 2)
OTHER = IntentId("fedcba9876543210" * 2)


def test_a_mark_names_its_intent() -> None:
    assert intent_of(SECRET, mark_of(SECRET, INTENT)) == INTENT


def test_white_space_around_a_mark_is_no_harm() -> None:
    assert intent_of(SECRET, f" {mark_of(SECRET, INTENT)}\r\n") == INTENT


def test_a_mark_is_short_printable_ascii() -> None:
    mark = mark_of(SECRET, INTENT)
    assert len(mark) == 65
    assert mark.isascii()
    assert mark.isprintable()
    assert " " not in mark


def test_a_mark_with_another_secret_is_not_ours() -> None:
    assert intent_of(b"another secret", mark_of(SECRET, INTENT)) is None


def test_the_code_of_one_intent_does_not_serve_another() -> None:
    code = mark_of(SECRET, INTENT).partition(".")[2]
    assert intent_of(SECRET, f"{OTHER}.{code}") is None


def test_the_code_in_a_message_id_is_no_mark() -> None:
    code = message_id_of(SECRET, INTENT, "example.com")[1:].partition("@")[0]
    assert intent_of(SECRET, f"{INTENT}.{code}") is None


@pytest.mark.parametrize("place", [0, 31, 32, 33, 64])
def test_a_mark_with_one_changed_character_is_not_ours(place: int) -> None:
    mark = mark_of(SECRET, INTENT)
    changed = mark[:place] + ("0" if mark[place] != "0" else "1") + mark[place + 1 :]
    assert intent_of(SECRET, changed) is None


@pytest.mark.parametrize("wrong", ["", ".", INTENT, f"{INTENT}.", "é" * 65, "\ud800", "x" * 65])
def test_what_is_no_mark_names_nothing(wrong: str) -> None:
    assert intent_of(SECRET, wrong) is None


def test_capitals_are_not_our_spelling() -> None:
    assert intent_of(SECRET, mark_of(SECRET, INTENT).upper()) is None


@given(st.text())
def test_no_text_is_a_mark_by_chance(text: str) -> None:
    assert intent_of(SECRET, text) is None


def test_a_message_id_is_the_same_every_time_and_another_for_another_intent() -> None:
    one = message_id_of(SECRET, INTENT, "example.com")
    assert one == message_id_of(SECRET, INTENT, "example.com")
    assert one != message_id_of(SECRET, OTHER, "example.com")


def test_a_message_id_shows_neither_secret_nor_intent() -> None:
    made = message_id_of(SECRET, INTENT, "example.com")
    assert INTENT not in made
    assert SECRET.decode() not in made
    assert SECRET.hex()[:16] not in made


@pytest.mark.parametrize(
    ("domain", "right"),
    [
        ("example.com", "example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("[192.0.2.1]", "[192.0.2.1]"),
    ],
)
def test_a_message_id_ends_with_the_domain(domain: str, right: str) -> None:
    assert message_id_of(SECRET, INTENT, domain).endswith(f"@{right}>")


@pytest.mark.parametrize(
    "domain", ["", "exa mple.com", "a>b", "example.com\r\nBcc: x", "\0", "a@b"]
)
def test_what_is_no_domain_is_refused(domain: str) -> None:
    with pytest.raises(ValueError, match="give the domain"):
        message_id_of(SECRET, INTENT, domain)


def test_an_empty_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="installation key"):
        mark_of(b"", INTENT)
