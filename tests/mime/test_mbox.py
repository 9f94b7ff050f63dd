"""mbox files to messages."""

from __future__ import annotations

import io

import pytest

from providers.mime.mbox import split_mbox

MARK = "From mina@example.org Mon Mar  2 09:00:00 2026\n"


def split(text: str) -> list[str]:
    return [raw.decode() for _, raw in split_mbox(io.BytesIO(text.encode()))]


def message(number: int, body: str = "Hi") -> str:
    return f"Subject: {number}\n\n{body}\n"


def test_each_message_begins_at_its_postmark() -> None:
    text = MARK + message(1) + "\n" + MARK + message(2)
    assert split(text) == [message(1), message(2)]


BODIES = [
    "Chapter one.\n\nFrom there we walked home.\n\nEnd.",
    "List:\n\nFrom Monday on: everything changes.\nNote: bring cake.",
    "From the start it was good.",
    "One.\n\nFrom mina@example.org we heard nothing.\n\nTwo.",
    "One.\n\nFrom: mina@example.org\n\nTwo.",
    "One.\n\nfrom mina@example.org Mon Mar  2 09:00:00 2026\nX: y",
    "One.\nFrom mina@example.org Mon Mar  2 09:00:00 2026\nX: y",
    "One.\n\nFrom mina@example.org Mon Mar  2 09:00:00 2026\n\nno header follows",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_line_of_text_that_begins_with_from_splits_nothing(body: str) -> None:
    text = MARK + message(1, body) + "\n" + MARK + message(2)
    assert split(text) == [message(1, body), message(2)]


MARKS = [
    "From - Mon Mar  2 09:00:00 2026\n",
    "From mina@example.org Mon Mar  2 09:00 2026\n",
    "From mina@example.org  Mon, 2 Mar 2026 09:00:00 +0000\n",
    "From MAILER-DAEMON Mon Mar  2 09:00:00 2026\n",
    'From "mina okafor"@example.org Mon Mar  2 09:00:00 2026\n',
    "From mina@example.org\n",
    "From 1234567890@xxx Mon Mar 02 09:00:00 +0000 2026\n",
    "From mina@example.org Mon Mar  2 09:00:00 CET 2026\n",
]


@pytest.mark.parametrize("mark", MARKS)
def test_a_postmark_of_any_program_begins_a_message(mark: str) -> None:
    assert split(mark + message(1) + "\n" + mark + message(2)) == [message(1), message(2)]


def test_crlf_line_ends_split_as_lf_do() -> None:
    text = (MARK + message(1) + "\n" + MARK + message(2)).replace("\n", "\r\n")
    assert len(split(text)) == 2


def test_escaped_from_lines_lose_one_mark() -> None:
    assert split(MARK + message(1, ">From here\n>>From there\n> From us")) == [
        message(1, "From here\n>From there\n> From us")
    ]


def test_an_empty_file_holds_no_message() -> None:
    assert split("") == []


def test_a_postmark_alone_holds_one_empty_message() -> None:
    assert split(MARK) in ([], [""])
