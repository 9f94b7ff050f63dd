"""What happens at each limit: a note, never an error, never a text that is lost in silence."""

from __future__ import annotations

import pytest

from providers.mime.html import TEXT_CHARS
from providers.mime.reading import read_heads, read_mail
from providers.mime.scan import DEPTH_MAX, PARTS_MAX, WINDOW_BYTES
from tests.mime.build import mail, multipart

ASKED = "Can you bring the ladder?"


def nest(levels: int, inner: str) -> bytes:
    head = "".join(
        f"Content-Type: multipart/mixed; boundary=b{level}_\n\n--b{level}_\n"
        for level in range(levels)
    )
    return f"From: mina@example.org\n{head}Content-Type: text/plain\n\n{inner}\n".encode()


def test_parts_as_deep_as_people_forward_are_read() -> None:
    assert read_mail(nest(DEPTH_MAX - 1, ASKED)).text == ASKED


@pytest.mark.parametrize("levels", [DEPTH_MAX + 1, 1500, 5000])
def test_parts_that_are_too_deep_are_said_to_be_unread(levels: int) -> None:
    found = read_mail(nest(levels, ASKED))
    assert (found.unreadable, found.body_unreadable) == (
        None,
        f"parts nested deeper than {DEPTH_MAX} were not opened",
    )


def test_mails_inside_one_another_are_said_to_be_unread() -> None:
    raw = b"From: a@example.org\nContent-Type: message/rfc822\n\n" * 1200
    assert "inside one another" in (read_mail(raw).body_unreadable or "")


def test_the_text_before_thousands_of_parts_is_read() -> None:
    raw = multipart("mixed", f"\n{ASKED}\n", *["Content-Type: image/png\n\nx"] * 20_000)
    found = read_mail(raw)
    assert found.text == ASKED
    assert f"more than {PARTS_MAX} parts; the rest was not read" in found.notes


def test_a_thousand_references_are_all_kept() -> None:
    ids = [f"<r{number}@example.org>" for number in range(1000)]
    assert list(read_mail(mail("Hi", "References: " + "\n ".join(ids))).references) == ids


def test_of_too_many_references_first_and_last_are_kept() -> None:
    ids = [f"<r{number}@example.org>" for number in range(5000)]
    found = read_heads(mail("Hi", "References: " + "\n ".join(ids))).references
    assert (found[0], found[-1], len(found)) == (ids[0], ids[-1], 1000)


def test_a_text_longer_than_anybody_reads_is_cut_and_noted() -> None:
    found = read_mail(mail(b"word " * 700_000))
    assert len(found.text) <= TEXT_CHARS
    assert any("cut" in note for note in found.notes)


def test_html_longer_than_anybody_reads_is_cut() -> None:
    found = read_mail(mail(b"<p>word</p>" * 300_000, "Content-Type: text/html"))
    assert len(found.text) <= TEXT_CHARS + 100


HOSTILE = [
    b"From: " + b'"' * 200_000 + b"\n\nHi",
    b"From: " + b'"\\' * 100_000 + b"\n\nHi",
    b"From: " + b"(" * 200_000 + b"\n\nHi",
    b"From: " + b"<" * 200_000 + b"\n\nHi",
    b"To: " + b"=?u?q?" * 40_000 + b"\n\nHi",
    b"To: " + b"a@b.example," * 20_000 + b"\n\nHi",
    b"To: " + b"a:" * 100_000 + b"\n\nHi",
    b"Subject: " + b"=?utf-8?Q?a" * 20_000 + b"\n\nHi",
    b"Subject: " + b"=?utf-8?Q?a?= " * 20_000 + b"\n\nHi",
    b"Subject: " + b"=?utf-8?B?YQ?= =?iso-8859-1?Q?b?= " * 8_000 + b"\n\nHi",
    b"References: " + b"<" * 200_000 + b"\n\nHi",
    b"References: " + b"<a@b>" * 50_000 + b"\n\nHi",
    b"Content-Type: text/plain" + b"; a=b" * 50_000 + b"\n\nHi",
    b"Content-Type: text/plain" + b'; a="' * 50_000 + b"\n\nHi",
    b"Content-Type: text/plain" + b"; a*0*=x" * 20_000 + b"\n\nHi",
    b"Content-Type: text/plain; name=" + b" " * 200_000 + b"x\n\nHi",
    b"X: y\n" + b"Received: from x\n" * 20_000 + b"\nHi",
    b"A: b\nHi\n" + b"no header\n" * 50_000,
    b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n" * 50_000,
    b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--bx\n" * 100_000,
    b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--" + b"b" * 300_000,
    b"Content-Type: multipart/mixed; boundary=b\n\n"
    + b"--b\nContent-Type: multipart/mixed; boundary=c\n\n" * 3000,
    b"Content-Type: text/html\n\n" + b"<div>" * 100_000,
    b"Content-Type: text/html\n\n" + b"<a b='" * 50_000,
    b"Content-Type: text/html\n\n<style>" + b".a{" * 50_000 + b"</style>",
    b"Content-Type: text/html\n\n<style>" + b"@media x{" * 30_000 + b"</style>",
    b"Content-Type: text/html\n\n<style>" + b"/*" * 50_000 + b"</style>",
    b"Content-Type: text/html\n\n<p style='" + b"a:b;" * 50_000 + b"'>x",
    b"Content-Type: text/plain\n\n" + b"begin 644 a\n" * 20_000,
    b"Content-Type: text/plain\n\n" + b"-----BEGIN PGP SIGNED MESSAGE-----\n" * 5_000,
    b"Content-Type: text/plain; format=flowed\n\n" + b"> " * 100_000,
    b"Content-Type: text/plain; format=flowed\n\n" + b"a \n" * 100_000,
    b"Content-Transfer-Encoding: base64\n\n" + b"=" * 300_000,
    b"Content-Transfer-Encoding: base64\n\n" + b"YQ==" * 70_000,
    b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=" * 300_000,
    b"Content-Type: text/calendar; method=REQUEST\n\n" + b"SUMMARY" * 40_000,
    b"Content-Type: text/plain; charset=utf-8\n\n" + b"\xe2\x80" * 100_000,
    b"Content-Type: text/plain; charset=iso-2022-jp\n\n" + b"\x1b$B" * 60_000,
    b"Content-Type: text/plain\n\n" + "\u200d\u200c".encode() * 50_000,
    b"Content-Type: text/plain\n\n" + b"\n" * 200_000,
    b"Content-Type: text/plain\n\n" + b" " * 200_000 + b"x",
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_a_mail_made_to_be_slow_is_read(raw: bytes) -> None:
    found = read_mail(raw)
    assert found.text.encode() is not None
    assert "report" not in (found.unreadable or "")


@pytest.mark.parametrize("before", range(WINDOW_BYTES - 44, WINDOW_BYTES + 4))
def test_a_boundary_across_two_searches_is_found(before: int) -> None:
    head = b"From: mina@example.org\nContent-Type: multipart/mixed; boundary=fence\n\n"
    filler = b"--fence\nContent-Type: image/png\n\n" + b"x" * before
    raw = head + filler + f"\n--fence\n\n{ASKED}\n--fence--\n".encode()
    assert read_mail(raw).text == ASKED


def test_a_boundary_behind_thousands_of_lines_like_one_is_found() -> None:
    raw = multipart("mixed", b"Content-Type: image/png\n\n" + b"--fen\n" * 5000, f"\n{ASKED}\n")
    assert read_mail(raw).text == ASKED
