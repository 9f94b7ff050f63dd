"""Nothing unsafe gets into a command."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.imap.text import (
    Literal,
    UnsafeError,
    folder_name,
    newest,
    quotable,
    quoted,
    read_folder_name,
    read_uid_ranges,
    search_date,
    string,
    uid_set,
)


@pytest.mark.parametrize("bad", ["a\r\nF1 DELETE INBOX", "a\nb", "a\rb", "nul\0", "ümlaut", "\x7f"])
def test_a_quoted_string_takes_printable_ascii_only(bad: str) -> None:
    with pytest.raises(UnsafeError):
        quoted(bad)


def test_quotation_marks_and_backslashes_are_escaped() -> None:
    assert quoted('a"b\\c') == b'"a\\"b\\\\c"'


@given(st.text())
def test_what_can_be_quoted_is_one_token_and_nothing_more(text: str) -> None:
    if quotable(text):
        wire = quoted(text)
        assert wire.startswith(b'"')
        assert wire.endswith(b'"')
        inner = wire[1:-1].replace(b"\\\\", b"").replace(b'\\"', b"")
        assert b'"' not in inner
        assert not set(wire) & {0, 10, 13}


@pytest.mark.parametrize("bad", ["a\r\nb", "a\0b", "\n"])
def test_no_string_holds_line_breaks_or_nul(bad: str) -> None:
    with pytest.raises(UnsafeError):
        string(bad)


def test_what_is_not_ascii_is_sent_by_its_length() -> None:
    assert string("pässword") == Literal("pässword".encode())


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("Drafts", b'"Drafts"'),
        ("Entwürfe", b'"Entw&APw-rfe"'),
        ("A&B", b'"A&-B"'),
        ("下書き", b'"&Tgtm+DBN-"'),
        ('odd "name"', b'"odd \\"name\\""'),
    ],
)
def test_folder_names_are_written_in_modified_utf7(name: str, wire: bytes) -> None:
    assert folder_name(name) == wire


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60))
def test_a_folder_name_survives_the_wire(name: str) -> None:
    wire = folder_name(name)
    inner = wire[1:-1].replace(b'\\"', b'"').replace(b"\\\\", b"\\")
    assert read_folder_name(inner) == name


@pytest.mark.parametrize("bad", ["", "a\r\nb", "a\0b", "a\tb", "\ud800"])
def test_no_folder_name_holds_control_characters(bad: str) -> None:
    with pytest.raises(UnsafeError):
        folder_name(bad)


def test_a_folder_name_that_is_no_utf7_is_taken_as_it_stands() -> None:
    assert read_folder_name(b"A&x-B") == "A&x-B"


@given(st.sets(st.integers(min_value=1, max_value=300), min_size=1))
def test_a_set_of_uids_names_each_once(uids: set[int]) -> None:
    ranges = read_uid_ranges(uid_set(uids))
    assert sorted(newest(ranges, 1000)) == sorted(uids)


@pytest.mark.parametrize("bad", [[], [0], [3, -1]])
def test_a_set_of_uids_is_never_empty_nor_below_one(bad: list[int]) -> None:
    with pytest.raises(UnsafeError):
        uid_set(bad)


def test_a_range_of_millions_is_not_written_out() -> None:
    assert list(newest(read_uid_ranges(b"1:4000000000"), 2)) == [4_000_000_000, 3_999_999_999]


def test_a_date_is_written_the_same_in_every_locale() -> None:
    assert search_date(date(2026, 3, 2)) == b"02-Mar-2026"
