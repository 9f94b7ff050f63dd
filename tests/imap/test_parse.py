"""Octets from a server become values, within bounds."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.imap import parse
from providers.imap.parse import ParseError, Parser, Response, pairs

FETCH = b'* 3 FETCH (UID 7 BODY[HEADER]<0> {11}\r\nSubject: a\n FLAGS (\\Seen) X "q\\"x")\r\n'


def read(octets: bytes) -> list[Response]:
    parser = Parser()
    parser.feed(octets)
    found = []
    while (one := parser.next()) is not None:
        found.append(one)
    return found


def test_a_literal_in_a_list_keeps_its_octets() -> None:
    (one,) = read(FETCH)
    told = pairs(one.data[0])
    assert told[b"BODY[HEADER]<0>"] == b"Subject: a\n"
    assert (told[b"UID"], told[b"FLAGS"], told[b"X"]) == (b"7", (b"\\Seen",), b'q"x')


@pytest.mark.parametrize("at", range(1, len(FETCH)))
def test_a_response_that_comes_in_pieces_is_the_same(at: int) -> None:
    parser = Parser()
    parser.feed(FETCH[:at])
    assert parser.next() is None
    parser.feed(FETCH[at:])
    assert parser.next() == read(FETCH)[0]


def test_a_literal_that_looks_like_a_response_is_no_response() -> None:
    evil = b"* BYE gone\r\nF1 OK done\r\n"
    (one, end) = read(b"* 1 FETCH (BODY[] {%d}\r\n%s)\r\nF1 OK x\r\n" % (len(evil), evil))
    assert (one.name, end.text) == (b"FETCH", "x")


def test_a_text_for_people_may_end_like_a_literal() -> None:
    assert [one.text for one in read(b"* OK see {5}\r\nF1 NO why {9}\r\n")] == [
        "see {5}",
        "why {9}",
    ]


def test_a_response_code_is_told_apart_from_the_text() -> None:
    (one,) = read(b"F1 OK [appenduid 7 9] Append completed.\r\n")
    assert (one.code, one.text) == ((b"APPENDUID", b"7", b"9"), "Append completed.")


def test_a_folder_name_may_come_as_a_literal() -> None:
    (one,) = read(b'* LIST () "/" {7}\r\nSent x"\r\n')
    assert one.data == ((), b"/", b'Sent x"')


def test_nil_is_none_and_a_quoted_nil_is_text() -> None:
    (one,) = read(b'* LIST () NIL "NIL"\r\n')
    assert one.data == ((), None, b"NIL")


@pytest.mark.parametrize(
    "octets",
    [
        b"* SEARCH (1\r\n",
        b"* SEARCH 1)\r\n",
        b'* LIST () "unended\r\n',
        b"* SEARCH " + b"(" * 99 + b"\r\n",
        b"F1 HELLO\r\n",
        b"\r\n",
        b"* 1 FETCH (BODY[] {99999999999}\r\n",
    ],
)
def test_what_is_no_imap_is_an_error(octets: bytes) -> None:
    with pytest.raises(ParseError):
        read(octets)


def test_a_line_without_an_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "LINE_OCTETS", 1000)
    parser = Parser()
    parser.feed(b"* OK " + b"x" * 2000)
    with pytest.raises(ParseError):
        parser.next()


def test_many_feeds_of_one_literal_are_not_read_over_and_over() -> None:
    parser = Parser()
    parser.feed(b"* 1 FETCH (UID 1 BODY[] {4000000}\r\n")
    for _ in range(4000):
        assert parser.next() is None
        parser.feed(b"y" * 1000)
    parser.feed(b")\r\n")
    one = parser.next()
    assert one is not None
    assert len(pairs(one.data[0])[b"BODY[]"] or b"") == 4_000_000


@given(
    st.lists(
        st.sampled_from(
            [
                b"* ",
                b"+",
                b"OK",
                b"(",
                b")",
                b'"',
                b"{3}",
                b"\r\n",
                b"[",
                b"]",
                b"1",
                b"FETCH",
                b" ",
                b"\\",
                b"x",
                b"\xff",
                b"\0",
            ]
        ),
        max_size=40,
    )
)
def test_whatever_a_server_sends_is_a_response_or_a_parse_error(parts: list[bytes]) -> None:
    with suppress(ParseError):
        read(b"".join(parts))
