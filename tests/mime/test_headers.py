"""Headers: each one decoded by itself, whatever the others hold."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from providers.mime.headers import HEADERS_MAX, decode_words, split_headers
from providers.mime.reading import read_heads, read_mail
from tests.mime.build import mail

SUBJECTS = [
    ("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
    ("=?UTF-8?q?Gr=c3=bc=c3=9fe?=", "Grüße"),
    ("=?iso-8859-1?Q?Caf=E9_au_lait?=", "Café au lait"),
    ("=?windows-1252?Q?=80_5?=", "€ 5"),
    ("=?koi8-r?B?9/P09+X+4Q==?=", "ВСТВЕЧА"),
    ("=?gb2312?B?u+HS6elG?=", "会议镕"),
    ("=?utf-8?B?R3LDvMOfZQ?=", "Grüße"),
    ("=?utf-8?B?R3LDvM?= =?utf-8?B?OfZQ==?=", "Grüße"),
    ("=?utf-8?Q?Gr=C3?= =?utf-8?Q?=BC=C3=9Fe?=", "Grüße"),
    ("=?utf-8?Q?two?=\n =?utf-8?Q?_words?=", "two words"),
    ("=?utf-8?Q?a?= =?iso-8859-1?Q?=E9?= b", "aé b"),
    ("Re: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= an alle", "Re: Grüße an alle"),
    ("=?utf-8*de?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
    ("=?utf-8?Q?spaces inside it?= too", "spaces inside it too"),
    ("=?utf-8?Q?what=3F?yes?=", "what??yes"),
    ("=?utf-8?Q?broken=ZZ_code?=", "broken=ZZ code"),
    ("=?utf-8?X?no such way?=", "=?utf-8?X?no such way?="),
    ("=?x-unknown?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
    ("=?utf-8?Q?cut off at the e", "cut off at the e"),
    ("=?utf-8?Q??=", ""),
    ("plain = ? and =? alone", "plain = ? and =? alone"),
    ("=?utf-8?Q?a=0D=0ABcc:_x?=", "a Bcc: x"),
    ("=?utf-8?Q?nul=00=07?=", "nul"),
    ("=?utf-8?B?4oCuZXZpbOKArA==?=", "evil"),
    ("\ttabs\tand   runs ", "tabs and runs"),
    ("folded\n subject\n\there", "folded subject here"),
    ("=?us-ascii?Q?=43af=C3=A9?=", "Café"),
    ("=?utf-8?Q?=F0=9F=91=A9=E2=80=8D=F0=9F=8C=BE?=", "👩‍🌾"),
    ("=?utf-7?Q?Caf+AOk-?=", "Café"),
    ("(=?utf-8?Q?in_brackets?=)", "(in brackets)"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "text"), SUBJECTS)
def test_a_subject_is_decoded_as_it_was_meant(raw: str, text: str) -> None:
    assert decode_words(raw.encode()) == text


RAW_SUBJECTS = [
    ("Grüße — Frage 🌱", "utf-8", "utf-8"),
    ("Встреча в среду", "koi8-r", "koi8-r"),
    ("Встреча в среду", "cp1251", "windows-1251"),
    ("会議の日程", "cp932", "shift_jis"),
    ("会議の日程", "iso2022_jp", "iso-2022-jp"),
    ("朱镕基路的会议室", "gbk", "gb2312"),
    ("Größe", "latin-1", "iso-8859-1"),
]


@pytest.mark.parametrize(("subject", "codec", "label"), RAW_SUBJECTS)
def test_raw_bytes_in_a_header_are_read_as_the_body_is(
    subject: str, codec: str, label: str
) -> None:
    raw = mail("Hi", f"Content-Type: text/plain; charset={label}").replace(
        b"Subject: Roof", b"Subject: " + subject.encode(codec)
    )
    assert read_mail(raw).subject == subject


def test_raw_bytes_in_a_header_are_read_as_the_first_text_part_is() -> None:
    raw = (
        b"From: ivan@example.org\nSubject: " + "Встреча".encode("koi8-r") + b"\n"
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n"
        b"Content-Type: text/plain; charset=koi8-r\n\n" + "Привет".encode("koi8-r") + b"\n--b--\n"
    )
    assert read_mail(raw).subject == "Встреча"


BROKEN_LINES = [
    # a folded line that lost its indent
    (b"From: mina@example.org\nSubject: a long\nsubject here\nTo: robin@example.com\n\nHi", "Hi"),
    # no blank line at all
    (
        b"From: mina@example.org\nSubject: s\nHi Robin, can you read me?",
        "Hi Robin, can you read me?",
    ),
    # blank lines and a postmark before the headers
    (b"\n\nFrom mina@example.org Mon Mar  2 09:00:00 2026\nFrom: mina@example.org\n\nHi", "Hi"),
    (b">From mina@example.org Mon Mar  2\nFrom: mina@example.org\n\nHi", "Hi"),
    # a byte order mark
    (b"\xef\xbb\xbfFrom: mina@example.org\n\nHi", "Hi"),
    # white space before the colon, upper case, no space after it
    (b"FROM : mina@example.org\nSUBJECT:s\n\nHi", "Hi"),
    # line ends of every kind
    (b"From: mina@example.org\r\nSubject: s\r\n\r\nHi\r\n", "Hi"),
    (b"From: mina@example.org\rSubject: s\r\rHi\r", "Hi"),
    (b"From: mina@example.org\r\r\nSubject: s\r\r\n\r\r\nHi", "Hi"),
    (b"From: mina@example.org\nSubject: s\r\n\nHi", "Hi"),
    # a blank line that is not quite
    (b"From: mina@example.org\nSubject: s\n \nHi", None),
]


@pytest.mark.parametrize(("raw", "text"), BROKEN_LINES)
def test_the_header_block_ends_where_a_person_would_say(raw: bytes, text: str | None) -> None:
    found = read_mail(raw)
    assert [address.addr for address in found.from_] == ["mina@example.org"]
    assert text is None or found.text == text


DATES = [
    ("Mon, 02 Mar 2026 09:00:00 +0000", datetime(2026, 3, 2, 9, tzinfo=UTC)),
    ("Mon, 2 Mar 2026 09:00:00 +0530", datetime(2026, 3, 2, 3, 30, tzinfo=UTC)),
    ("2 Mar 2026 09:00 GMT", datetime(2026, 3, 2, 9, tzinfo=UTC)),
    ("Mon, 2 Mar 2026 09:00:00 EST", datetime(2026, 3, 2, 14, tzinfo=UTC)),
    ("Mon, 02 Mar 2026 09:00:00 -0000", datetime(2026, 3, 2, 9, tzinfo=UTC)),
    ("Mon, 02 Mar 2026 09:00:00 +0000 (UTC)", datetime(2026, 3, 2, 9, tzinfo=UTC)),
    ("Mon, 02 Mar 99999999 09:00:00 +0000", None),
    ("Mon, 32 Mar 2026 09:00:00 +0000", None),
    ("Mon, 02 Mar 2026 25:61:00 +0000", None),
    ("Mon, 02 Mar 2026 09:00:00 +9999999", None),
    ("Mon, 31 Dec 9999 23:59:59 -2300", None),
    ("yesterday", None),
    ("", None),
    ("2026-03-02T09:00:00Z", None),
]


@pytest.mark.parametrize(("text", "date"), DATES)
def test_a_date_is_in_utc_or_missing(text: str, date: datetime | None) -> None:
    assert read_mail(mail("Hi", f"Date: {text}")).date == date


IDS = [
    ("<a@example.org>", "<a@example.org>"),
    ("  <a@example.org>  ", "<a@example.org>"),
    ("<[7d3f-ABC@mail.example.org]>", "<[7d3f-ABC@mail.example.org]>"),
    ("a@example.org", "a@example.org"),
    ("\n <long." + "q" * 80 + "@example.org>", "<long." + "q" * 80 + "@example.org>"),
    ("<folded.in.\n the.middle@example.org>", "<folded.in.the.middle@example.org>"),
    ("<a b@example.org>", "<a b@example.org>"),
    ("<a@example.org> (added by mx)", "<a@example.org>"),
    ("<>", None),
    ("", None),
    ("<[a@b>", "<[a@b>"),
    ("<=?utf-8?Q?a?=@example.org>", "<=?utf-8?Q?a?=@example.org>"),
]


@pytest.mark.parametrize(("value", "message_id"), IDS)
def test_a_message_id_is_kept_byte_for_byte(value: str, message_id: str | None) -> None:
    assert read_mail(mail("Hi", f"Message-ID: {value}")).message_id == message_id


def test_references_are_split_also_where_nothing_stands_between_them() -> None:
    raw = mail("Hi", "References: <a@example.org><b@example.org>\n\t<c@example.org>")
    assert read_mail(raw).references == ("<a@example.org>", "<b@example.org>", "<c@example.org>")


def test_several_references_headers_count_together() -> None:
    raw = mail("Hi", "References: <a@example.org>", "X-Other: x") + b""
    raw = raw.replace(b"X-Other: x", b"References: <b@example.org>")
    assert read_mail(raw).references == ("<a@example.org>", "<b@example.org>")


def test_heads_and_mail_have_one_identity() -> None:
    raw = mail("Hi", "Subject: =?utf-8?Q?Gr=C3=BC?=")
    assert read_heads(raw).identity == read_mail(raw).identity


def test_the_header_block_alone_has_the_identity_of_the_whole() -> None:
    raw = mail("Hi\n" * 1000)
    assert read_heads(raw[: raw.index(b"\n\n") + 2]).identity == read_mail(raw).identity


def test_the_identity_is_the_same_for_both_line_ends() -> None:
    raw = mail("Hi\nthere", "X-Long: folded\n value")
    assert read_mail(raw).identity == read_mail(raw.replace(b"\n", b"\r\n")).identity


def test_the_identity_is_the_same_behind_a_postmark() -> None:
    raw = mail("Hi")
    marked = b"From mina@example.org Mon Mar  2 09:00:00 2026\n" + raw
    assert read_mail(raw).identity == read_mail(marked).identity


def test_two_mails_without_a_message_id_differ_by_their_headers() -> None:
    one = mail("Hi", "Message-ID: ")
    other = mail("Hi", "Message-ID: ", "Date: Tue, 03 Mar 2026 09:00:00 +0000")
    assert read_mail(one).identity != read_mail(other).identity


def test_a_long_header_block_has_one_identity_for_a_part_of_it() -> None:
    raw = mail("Hi", *(f"X-Filler-{number}: {'x' * 900}" for number in range(200)))
    assert read_heads(raw[: 64 * 1024]).identity == read_mail(raw).identity


def test_a_message_id_behind_the_part_that_counts_changes_no_identity() -> None:
    filler = [f"X-Filler-{number}: {'x' * 900}" for number in range(100)]
    raw = mail("Hi", *filler, "Message-ID: <late@example.org>")
    assert read_heads(raw[: 64 * 1024]).identity == read_mail(raw).identity


def test_more_headers_than_any_mail_has_do_not_hide_the_body() -> None:
    raw = b"From: mina@example.org\n" + b"X-A: b\n" * (HEADERS_MAX * 3) + b"\nHi Robin"
    assert read_mail(raw).text == "Hi Robin"


def test_one_unreadable_header_costs_no_other() -> None:
    raw = mail("Hi", "Date: x", "Cc: \x00\x01<<>>,,((", "Reply-To: <>").replace(
        b"Roof", b"\xff\xfe"
    )
    found = read_mail(raw)
    assert (found.text, found.from_[0].addr) == ("Hi", "mina@example.org")


def test_a_value_is_unfolded_only_at_its_folds() -> None:
    block = split_headers(b"Subject: a\n b\nTo: c\n\n", 0, 30)
    assert block.fields == {"subject": [b"a\n b"], "to": [b"c"]}
