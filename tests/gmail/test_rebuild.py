"""A mail written anew from its parts says what the mail says; where it can't, it is read whole."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from providers.gmail.rebuild import FILLER_OCTETS, has_plain_fields, head, octets_of, rebuild
from providers.mime.message import Mail
from providers.mime.reading import read_heads, read_mail
from tests.support.gmail import headers, render
from tests.support.gmail.mailbox import Message

CASES = Path(__file__).parent.parent / "cases"
DEEP = {"100-nested-1500", "101-nested-rfc822-1200"}
"""Nested beyond what the server of the tests can take apart."""
LENIENT = {"079-koi8r-raw-subject", "110-base64-unpadded-with-footer"}
"""What the server of the tests can't decode: raw octets in a header field, broken base64."""
MAILS = [path for path in sorted(CASES.glob("*/*.eml")) if path.parent.name not in DEEP | LENIENT]
SAME = (
    "message_id",
    "in_reply_to",
    "references",
    "thread_index",
    "from_",
    "sender",
    "reply_to",
    "to",
    "cc",
    "bcc",
    "date",
    "subject",
    "text",
    "new_text",
    "language",
    "automated",
    "list_id",
    "mark",
    "body_unreadable",
    "unreadable",
)


def shown(raw: bytes) -> dict[str, Any]:
    """The payload of ``format=full``."""
    message = Message(
        id="m",
        thread="t",
        raw=headers.crlf(raw),
        internal_ms=0,
        born_s=0,
        labels=[(0, ())],
        history_id=1,
    )
    payload: dict[str, Any] = render.shown(message, (), "full")["payload"]
    return payload


def text(body: bytes, kind: str = 'text/plain; charset="utf-8"', **other: Any) -> dict[str, Any]:
    """A payload of one part."""
    return {
        "mimeType": kind.partition(";")[0],
        "filename": "",
        "headers": [
            {"name": "From", "value": "mina@example.org"},
            {"name": "Content-Type", "value": kind},
        ],
        "body": {"size": len(body), "data": base64.urlsafe_b64encode(body).decode()},
        **other,
    }


def read(payload: dict[str, Any]) -> Mail:
    raw = rebuild(payload)
    assert raw is not None
    return read_mail(raw)


def test_there_are_cases() -> None:
    assert len(MAILS) > 100


@pytest.mark.parametrize("path", MAILS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_mail_reads_the_same_or_is_read_as_it_was_sent(path: Path) -> None:
    raw = headers.crlf(path.read_bytes())
    again = rebuild(shown(raw))
    if again is None:
        return
    one, other = read_mail(raw), read_mail(again)
    assert {name: getattr(one, name) for name in SAME} == {
        name: getattr(other, name) for name in SAME
    }
    assert [(a.name, a.type) for a in one.attachments] == [
        (a.name, a.type) for a in other.attachments
    ]


def test_most_mails_are_written_anew() -> None:
    whole = sum(rebuild(shown(path.read_bytes())) is not None for path in MAILS)
    assert whole > 0.8 * len(MAILS)


@pytest.mark.parametrize(
    "name", ["116-winmail-dat", "118-smime-enveloped", "119-smime-clear-signed"]
)
def test_what_needs_the_content_of_an_attachment_is_read_as_it_was_sent(name: str) -> None:
    assert rebuild(shown((CASES / name / "1.eml").read_bytes())) is None


def test_the_same_answer_gives_the_same_octets() -> None:
    payload = shown((CASES / "002-reply-to-several" / "1.eml").read_bytes())
    assert rebuild(payload) == rebuild(payload)


@pytest.mark.parametrize("charset", ["iso-2022-jp", "koi8-r", "gb2312", "utf-16", "windows-1251"])
def test_text_that_was_made_utf_8_is_read_as_utf_8(charset: str) -> None:
    wanted = "Встреча в среду?"
    assert read(text(wanted.encode(), f"text/plain; charset={charset}")).text == wanted


@pytest.mark.parametrize("charset", ["iso-2022-jp", "shift_jis", "euc-jp"])
def test_text_that_was_left_as_it_was_is_read_by_its_label(charset: str) -> None:
    wanted = "水曜日に会いましょうか。"
    assert read(text(wanted.encode(charset), f"text/plain; charset={charset}")).text == wanted


def test_text_without_a_label_is_read() -> None:
    assert read(text("Grüße".encode(), "text/plain")).text == "Grüße"


def test_an_attachment_keeps_name_type_and_size_without_its_content() -> None:
    payload = text(b"See this.")
    part = {
        "mimeType": "application/pdf",
        "filename": "plan.pdf",
        "headers": [
            {"name": "Content-Type", "value": 'application/pdf; name="plan.pdf"'},
            {"name": "Content-Disposition", "value": 'attachment; filename="plan.pdf"'},
            {"name": "Content-Transfer-Encoding", "value": "base64"},
        ],
        "body": {"attachmentId": "a", "size": 12_345},
    }
    mail = read(
        {
            "mimeType": "multipart/mixed",
            "headers": [
                {"name": "From", "value": "mina@example.org"},
                {"name": "Content-Type", "value": 'multipart/mixed; boundary="b"'},
            ],
            "body": {"size": 0},
            "parts": [payload, part],
        }
    )
    (attachment,) = mail.attachments
    assert (attachment.name, attachment.type, attachment.size) == (
        "plan.pdf",
        "application/pdf",
        12_345,
    )
    assert mail.text == "See this."


def test_a_huge_attachment_takes_no_huge_memory() -> None:
    payload = text(b"", "application/zip", filename="all.zip")
    payload["body"] = {"attachmentId": "a", "size": 35_000_000}
    raw = rebuild(payload)
    assert raw is not None
    assert len(raw) < 2 * FILLER_OCTETS


def test_a_long_text_that_is_kept_apart_is_read_as_it_was_sent() -> None:
    payload = text(b"")
    payload["body"] = {"attachmentId": "a", "size": 400_000}
    assert rebuild(payload) is None


@pytest.mark.parametrize(
    "value",
    [
        "mina@example.org",
        "Mina Okafor <mina@example.org>",
        '"Okafor, Mina" <mina@example.org>',
        "水 Mina <mina@example.org>",
        "<mina@example.org>",
    ],
)
def test_a_plain_sender_is_taken_as_it_stands(value: str) -> None:
    assert has_plain_fields({"headers": [{"name": "From", "value": value}]})


@pytest.mark.parametrize(
    "value",
    [
        "Boss <boss@example.com>, <vic@example.net>",
        "Boss <boss@example.com> <vic@example.net>",
        "boss@example.com <vic@example.net>",
        "Vic\r\nCc: spy@example.net <vic@example.net>",
        'Vic" <boss@example.com>, "x <vic@example.net>',
        '"Vic <boss@example.com>" <vic@example.net>',
        "Vic (boss@example.com) <vic@example.net>",
        "Okafor, Mina <mina@example.org>",
        "friends: mina@example.org;",
        "mina at example.org",
        "Mina \ufffd <mina@example.org>",
    ],
)
def test_a_sender_that_may_be_another_is_read_as_it_was_sent(value: str) -> None:
    payload = text(b"Hello.")
    payload["headers"][0]["value"] = value
    assert rebuild(payload) is None


def test_several_recipients_are_plain() -> None:
    fields = [{"name": "To", "value": 'a@example.org, "B, C" <b@example.org>,d@example.org'}]
    assert has_plain_fields({"headers": fields})


def test_no_value_makes_a_line_of_its_own() -> None:
    payload = text(b"Hello.")
    payload["headers"] += [
        {"name": "Subject", "value": "A\r\nBcc: spy@example.net\r\n\r\nBody"},
        {"name": "X-Bad\r\nBcc", "value": "spy@example.net"},
        {"name": "", "value": "x"},
    ]
    mail = read(payload)
    assert mail.bcc == ()
    assert mail.text == "Hello."


def test_a_boundary_that_cannot_be_used_is_replaced() -> None:
    payload = {
        "mimeType": "multipart/alternative",
        "headers": [{"name": "Content-Type", "value": "multipart/alternative"}],
        "body": {"size": 0},
        "parts": [text(b"Hello.")],
    }
    assert read(payload).text == "Hello."


def test_parts_without_end_are_read_as_they_were_sent() -> None:
    payload = text(b"Hello.")
    for _ in range(60):
        payload = {"mimeType": "multipart/mixed", "headers": [], "parts": [payload]}
    assert rebuild(payload) is None


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"headers": None, "parts": None, "body": None, "mimeType": None},
        {"headers": [7, {"name": 1, "value": 2}], "parts": "x", "body": {"data": 5, "size": "x"}},
        {"body": {"data": "***"}, "mimeType": "text/plain"},
    ],
)
def test_nonsense_is_never_an_error(payload: dict[str, Any]) -> None:
    rebuild(payload)
    assert isinstance(head(payload), bytes)


def test_the_head_alone_tells_what_a_message_is() -> None:
    payload = text(b"Hello.")
    payload["headers"].append({"name": "References", "value": "<a@example.org> <b@example.org>"})
    assert read_heads(head(payload)).references == ("<a@example.org>", "<b@example.org>")


@pytest.mark.parametrize("data", ["aGk", "aGk=", "aGk=="])
def test_base64url_is_read_padded_or_not(data: str) -> None:
    assert (octets_of(data) or b"").startswith(b"hi")
