"""Address headers: what is an address, whose it is, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mime.addresses import parse_addresses
from providers.mime.owners import usable
from providers.mime.reading import read_mail
from tests.mime.build import mail

ROWS: list[tuple[str, list[tuple[str, str]]]] = [
    ("mina@example.org", [("", "mina@example.org")]),
    ("Mina Okafor <mina@example.org>", [("Mina Okafor", "mina@example.org")]),
    ('"Okafor, Mina" <mina@example.org>', [("Okafor, Mina", "mina@example.org")]),
    ("Okafor, Mina <mina@example.org>", [("Okafor, Mina", "mina@example.org")]),
    ("mina@example.org (Mina Okafor)", [("Mina Okafor", "mina@example.org")]),
    ("Mina (home) <mina@example.org>", [("Mina", "mina@example.org")]),
    ("a@example.org, b@example.org", [("", "a@example.org"), ("", "b@example.org")]),
    ("a@example.org; b@example.org", [("", "a@example.org"), ("", "b@example.org")]),
    ("a@example.org,, ,b@example.org,", [("", "a@example.org"), ("", "b@example.org")]),
    # groups
    ("undisclosed-recipients:;", []),
    ('"Undisclosed (x) recipients":;', []),
    ("unlisted-recipients:; (no To-header on input)", []),
    ("(nobody):;", []),
    ("Team: a@example.org, B <b@example.org>;", [("", "a@example.org"), ("B", "b@example.org")]),
    (
        "x@example.org, Team: a@example.org;, y@example.org",
        [("", "x@example.org"), ("", "a@example.org"), ("", "y@example.org")],
    ),
    ("Team: a@example.org", [("", "a@example.org")]),
    ("Team:;, a@example.org", [("", "a@example.org")]),
    # what is quoted, encoded or in a comment is a name
    ('"boss@example.com" <vic@example.net>', [("boss@example.com", "vic@example.net")]),
    ("boss@example.com <vic@example.net>", [("boss@example.com", "vic@example.net")]),
    ('"<boss@example.com>" <vic@example.net>', [("<boss@example.com>", "vic@example.net")]),
    ("(boss@example.com) vic@example.net", [("boss@example.com", "vic@example.net")]),
    ("=?utf-8?Q?boss=40example.com?= <vic@example.net>", [("boss@example.com", "vic@example.net")]),
    (
        "=?utf-8?Q?boss=40example.com=2C_x?= <vic@example.net>",
        [("boss@example.com, x", "vic@example.net")],
    ),
    (
        "=?utf-8?Q?=22a=22_<boss@example.com>,?= <vic@example.net>",
        [('"a" <boss@example.com>,', "vic@example.net")],
    ),
    ("=?utf-8?Q?Mina_<mina@example.org>?=", []),
    ('"mina@example.org"', []),
    # encoded words
    (
        "=?utf-8?Q?Stra=C3=9Fer=2C_Lena?= <lena@example.org>",
        [("Straßer, Lena", "lena@example.org")],
    ),
    ("=?utf-8?Q?Stra=C3=9Fer,_Lena?= <lena@example.org>", [("Straßer, Lena", "lena@example.org")]),
    ('"=?utf-8?Q?Lena?=" <lena@example.org>', [("Lena", "lena@example.org")]),
    ("=?utf-8?B?TGVuYQ==?= =?utf-8?B?IFc=?= <lena@example.org>", [("Lena W", "lena@example.org")]),
    ("lena@example.org (=?utf-8?Q?L=C3=A9na?=)", [("Léna", "lena@example.org")]),
    # broken quotes and brackets
    ('"Mina <mina@example.org>', [('"Mina', "mina@example.org")]),
    ('Mina" <mina@example.org>', [('Mina"', "mina@example.org")]),
    ('"Mina \\"Mo\\" Okafor" <mina@example.org>', [('Mina "Mo" Okafor', "mina@example.org")]),
    ("Mina <mina@example.org", [("", "mina@example.org")]),
    ("Mina mina@example.org>", [("", "mina@example.org")]),
    ("<mina@example.org>>", [("", "mina@example.org")]),
    ("<<mina@example.org>>", [("", "mina@example.org")]),
    ("(unclosed <mina@example.org>", [("(unclosed", "mina@example.org")]),
    ("Mina <> <mina@example.org>", [("Mina", "mina@example.org")]),
    # strange forms of an address
    ('"sales, north"@example.org', [("", '"sales, north"@example.org')]),
    ('<"sales north"@example.org>', [("", '"sales north"@example.org')]),
    ("<@relay.example,@b.example:mina@example.org>", [("", "mina@example.org")]),
    ("<mailto:mina@example.org>", [("", "mina@example.org")]),
    ("mailto:mina@example.org", [("", "mina@example.org")]),
    ("< mina@example.org >", [("", "mina@example.org")]),
    ("mina @ example . org", [("", "mina@example.org")]),
    ("<mina@example.org.>", [("", "mina@example.org")]),
    ("mina@[192.0.2.1]", [("", "mina@[192.0.2.1]")]),
    ("'mina@example.org'", [("", "mina@example.org")]),
    ("Zoë <zoë@bücher.example>", [("Zoë", "zoë@bücher.example")]),
    # no address
    ("<>", []),
    ("", []),
    ("MAILER-DAEMON", []),
    ("mina", []),
    ("@example.org", []),
    ("mina@", []),
    ("a@b@example.org", []),
    ("<mina okafor@example.org>", []),
    ("<mina@exam ple.org>", []),
    # what must never reach a header
    (
        "=?utf-8?Q?a=0D=0ACc:_spy@example.net?= <mina@example.org>",
        [("a Cc: spy@example.net", "mina@example.org")],
    ),
    ("<mina@example.org\n>", [("", "mina@example.org")]),
    ("=?utf-8?B?4oCubmlkYQ==?= <mina@example.org>", [("nida", "mina@example.org")]),
]


@pytest.mark.parametrize(("value", "expected"), ROWS)
def test_an_address_header_gives_names_and_addresses(
    value: str, expected: list[tuple[str, str]]
) -> None:
    found = [(address.name, address.addr) for address in parse_addresses(value.encode())]
    assert found == expected


def test_raw_names_are_read_in_the_character_set_of_the_body() -> None:
    raw = mail("Hi", "Content-Type: text/plain; charset=koi8-r").replace(
        b"Mina Okafor", "Мина".encode("koi8-r")
    )
    assert read_mail(raw).from_[0].name == "Мина"


def test_addresses_of_repeated_headers_count_together() -> None:
    raw = mail("Hi", "Cc: a@example.org").replace(b"Cc:", b"Cc: b@example.org\nCc:")
    assert [address.addr for address in read_mail(raw).cc] == ["b@example.org", "a@example.org"]


def test_thousands_of_recipients_are_all_read() -> None:
    value = ", ".join(f"Person {number} <p{number}@example.org>" for number in range(3000))
    assert len(parse_addresses(value.encode())) == 3000


HIDDEN = tuple("\x1b\x00\x07\x0b\x0c\x1c\x1f\x7f\x85\u200b\u202e")
FORMS = ("<mi{}na@example.org>", "mi{}na@example.org", "M <mina@exam{}ple.org>", "a{}@example.org")


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("form", FORMS)
def test_an_address_with_something_unseen_inside_becomes_no_other(form: str, hidden: str) -> None:
    for found in parse_addresses(form.format(hidden).encode()):
        assert not usable(found.addr)
        assert found.addr.isprintable()


def test_an_address_that_cannot_be_used_is_kept_to_be_shown() -> None:
    (found,) = parse_addresses(b"Mina <mi\x1bna@example.org>")
    assert (found.name, found.addr) == ("Mina", "mi\\x1bna@example.org")


def test_what_is_unseen_around_an_address_is_taken_off() -> None:
    found = parse_addresses("Mina <\u200bmina@example.org\u200b>".encode())
    assert [each.addr for each in found] == ["mina@example.org"]


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_an_address_that_could_break_a_header(value: bytes) -> None:
    for address in parse_addresses(value):
        assert not set("\r\n\0<>") & set(address.addr)
        assert not set("\r\n\0") & set(address.name)
        assert address.addr.encode()


@settings(deadline=None)
@given(st.text(alphabet='ab@.,;:<>"\\() =?q', max_size=80))
def test_any_mix_of_specials_is_read_without_an_error(value: str) -> None:
    for address in parse_addresses(value.encode()):
        assert address.addr.rpartition("@")[0]
