"""Whether a draft is still what we made: deaf to what providers do, alert to what people do."""

from __future__ import annotations

import base64
import email.policy
import random
import re
from email.message import EmailMessage
from email.parser import BytesParser
from email.quoprimime import body_encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mime.compose import content_hash
from providers.mime.message import Address
from tests.compose.build import MINA, draft, envelope

KAI = Address(addr="kai@example.net", name="Weber, Kai")
BODY = "Grüße,\n\nhere it is: =20 = 日本語.\nFrom Robin\n"
RAW = draft(envelope(cc=(KAI,), subject="Re: Grüße"), BODY)
HASH = content_hash(RAW)


def header(name: str, value: str, raw: bytes = RAW) -> bytes:
    """*raw* with one header given another value, or put on top where it was missing."""
    line = f"{name}: {value}\r\n".encode()
    pattern = re.compile(rb"^" + name.encode() + rb":.*\r\n(?: .*\r\n)*", re.M)
    changed, times = pattern.subn(lambda _: line, raw)
    return changed if times else line + raw


def body(text: str, encoding: str, charset: str = "utf-8") -> bytes:
    """RAW with its text in another transfer encoding."""
    octets = text.encode(charset)
    encoded = {
        "8bit": octets,
        "base64": base64.encodebytes(octets),
        "quoted-printable": body_encode(octets.decode("latin-1"), 40).encode(),
    }[encoding]
    head = header("Content-Transfer-Encoding", encoding)
    head = header("Content-Type", f"text/plain; charset={charset}", head)
    return head.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" + encoded


PROVIDERS = {
    "message_id_replaced": header("Message-ID", "<CAxyz@mail.example.net>"),
    "message_id_gone": RAW.replace(b"Message-ID:", b"X-Was:"),
    "date_replaced": header("Date", "Tue, 03 Mar 2026 10:00:00 +0100"),
    "headers_added": b"Received: by mx.example; now\r\nX-Mailer: Pigeon\r\n" + RAW,
    "mark_dropped": header("X-Fencepost-Intent", ""),
    "references_refolded": header("References", "\r\n <m1@example.org>"),
    "line_feeds": RAW.replace(b"\r\n", b"\n"),
    "blank_lines_below": RAW + b"\r\n\r\n",
    "lower_case_names": RAW.replace(b"Subject:", b"subject:").replace(b"To:", b"TO:"),
    "subject_in_q": header("Subject", "=?utf-8?q?Re:_Gr=C3=BC=C3=9Fe?="),
    "subject_in_latin_1": header("Subject", "=?iso-8859-1?q?Re=3A_Gr=FC=DFe?="),
    "subject_raw": header("Subject", "Re: Grüße"),
    "subject_folded": header("Subject", "Re:\r\n =?utf-8?q?Gr=C3=BC=C3=9Fe?="),
    "name_quoted": header("To", '"Mina Okafor" <mina@example.org>'),
    "name_gone": header("To", "mina@example.org"),
    "name_encoded": header("To", "=?utf-8?q?Mina_Okafor?= <mina@example.org>"),
    "from_renamed": header("From", "R. Vale <Robin@Example.com>"),
    "address_in_a_comment_style": header("To", "mina@example.org (Mina Okafor)"),
    "text_in_base64": body(BODY, "base64"),
    "text_in_8bit": body(BODY, "8bit"),
    "text_in_other_quoted_printable": body(BODY, "quoted-printable"),
    "text_in_another_charset": body(BODY, "base64", "utf-16"),
    "trailing_space_lost": body(BODY.replace("\n", " \n"), "8bit"),
}
PEOPLE = {
    "a_word": body(BODY.replace("here", "there"), "8bit"),
    "a_letter_case": body(BODY.replace("here", "Here"), "8bit"),
    "a_line_more": body(BODY + "PS: bring cake\n", "8bit"),
    "a_line_less": body(BODY.replace("From Robin\n", ""), "8bit"),
    "a_line_break": body(BODY.replace("here it", "here\nit"), "8bit"),
    "all_text": body("", "8bit"),
    "the_subject": header("Subject", "Re: Gruesse"),
    "a_recipient_more": header("To", "Mina <mina@example.org>, ines@example.org"),
    "another_recipient": header("To", "Mina <mina@example.net>"),
    "no_copy": RAW.replace(b"Cc:", b"X-Cc:"),
    "a_hidden_copy": header("Bcc", "ines@example.org"),
    "from_to_cc": RAW.replace(b"To:", b"X:", 1).replace(b"Cc:", b"To:").replace(b"X:", b"Cc:"),
    "the_sender": header("From", "robin.vale@example.com"),
    "the_parent": header("In-Reply-To", "<m2@example.org>"),
    "the_form": header("Content-Type", "text/html; charset=utf-8"),
}


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_providers_do_leaves_the_hash(name: str) -> None:
    assert PROVIDERS[name] != RAW
    assert content_hash(PROVIDERS[name]) == HASH


@pytest.mark.parametrize("name", PEOPLE)
def test_what_people_do_changes_the_hash(name: str) -> None:
    assert content_hash(PEOPLE[name]) != HASH


def test_two_changes_are_told_apart() -> None:
    hashes = [content_hash(raw) for raw in PEOPLE.values()]
    assert len(set(hashes)) == len(hashes)


def attached(content: bytes, name: str, encoding: str = "base64") -> bytes:
    message = EmailMessage(policy=email.policy.SMTP)
    message["From"], message["To"] = "robin@example.com", "mina@example.org"
    message.set_content("Attached.")
    message.add_attachment(content, "application", "pdf", filename=name, cte=encoding)
    return message.as_bytes()


def test_attachments_count_by_bytes_and_name() -> None:
    one = content_hash(attached(b"%PDF one\0\xff", "plan.pdf"))
    assert one == content_hash(attached(b"%PDF one\0\xff", "plan.pdf", "quoted-printable"))
    assert one != content_hash(attached(b"%PDF two\0\xff", "plan.pdf"))
    assert one != content_hash(attached(b"%PDF one\0\xff", "other.pdf"))


def test_another_boundary_is_no_difference() -> None:
    raw = attached(b"%PDF", "plan.pdf")
    boundary = re.search(rb'boundary="([^"]+)"', raw)
    assert boundary is not None
    assert content_hash(raw.replace(boundary[1], b"another")) == content_hash(raw)


def test_a_mail_written_anew_by_the_library_is_the_same() -> None:
    again = BytesParser(policy=email.policy.SMTP).parsebytes(RAW)
    again["X-Seen"] = "yes"
    assert content_hash(again.as_bytes()) == HASH


@given(st.randoms(use_true_random=False))
def test_the_order_of_headers_is_no_difference(chance: random.Random) -> None:
    head, _, rest = RAW.partition(b"\r\n\r\n")
    fields = re.split(rb"\r\n(?! )", head)
    chance.shuffle(fields)
    assert content_hash(b"\r\n".join(fields) + b"\r\n\r\n" + rest) == HASH


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]) | st.just("\n"))


@given(texts, st.sampled_from(["8bit", "base64", "quoted-printable"]), st.booleans())
def test_any_text_in_any_encoding_is_the_same(text: str, encoding: str, crlf: bool) -> None:
    made = draft(envelope(cc=(KAI,), subject="Re: Grüße"), text)
    again = body(text.replace("\n", "\r\n") if crlf else text, encoding)
    assert content_hash(again) == content_hash(made)


@given(texts, texts)
def test_other_words_are_another_hash(one: str, other: str) -> None:
    same = [line.rstrip() for line in one.rstrip().split("\n")] == [
        line.rstrip() for line in other.rstrip().split("\n")
    ]
    assert (content_hash(draft(body=one)) == content_hash(draft(body=other))) == same


NESTED = b"".join(
    b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(1_500)
)
HOSTILE = [
    b"",
    b"\0",
    b"\xff\xfe",
    b"no header at all",
    b"Subject: =?utf-8?b?a?=\n\nx",
    b"Subject: =?x-unknown?q?a?=\n\nx",
    b"Subject: " + b"=?utf-8?q?" * 50_000 + b"\n\nx",
    b"To: " + b'"\\"' * 50_000 + b"\n\nx",
    b"To: " + b"(" * 100_000 + b"\n\nx",
    b"To: " + b"a" * 200_000 + b"\n\nx",
    b"In-Reply-To: " + b"<" * 200_000 + b"\n\nx",
    b"From: a@[\nTo: <\nCc: \xff@\xff\n\nx",
    b"Content-Type: text/plain; charset=\0\n\nx",
    b"Content-Type: text/plain; charset=idna\n\nx\xff",
    b"Content-Type: text/plain; charset=hex\n\nx",
    b"Content-Type: text/plain; charset=undefined\n\nx",
    b"Content-Type: text/plain; charset*=utf-16'en'%ff\n\nx",
    b"Content-Type: text/plain; name*0*=x''%ff; name*1=\xff\n\nx",
    b"Content-Transfer-Encoding: base64\n\na",
    b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n\xff\xff\nend",
    b"Content-Type: multipart/mixed\n\nx",
    b"Content-Type: message/rfc822\n\n",
    NESTED,
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bytes_have_a_hash(raw: bytes) -> None:
    assert re.fullmatch("[0-9a-f]{64}", content_hash(raw))


@settings(max_examples=200)
@given(st.binary(max_size=60), st.integers(0, len(RAW)), st.integers(0, 40))
def test_a_draft_with_any_bytes_in_it_has_a_hash(junk: bytes, at: int, cut: int) -> None:
    assert len(content_hash(RAW[:at] + junk + RAW[at + cut :])) == 64


@given(st.binary())
def test_any_bytes_have_a_hash(raw: bytes) -> None:
    assert len(content_hash(raw)) == 64


def test_a_mail_too_deep_to_read_still_shows_a_change() -> None:
    assert content_hash(NESTED + b"a") != content_hash(NESTED + b"b")


def test_the_same_recipient_written_twice_is_one() -> None:
    twice = draft(envelope(to=(MINA, MINA)))
    assert content_hash(twice) == content_hash(draft(envelope(to=(MINA,))))
