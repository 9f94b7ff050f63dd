"""The bytes of a draft: what others read out of them, and what cannot get into them."""

from __future__ import annotations

import email.policy
import re
from dataclasses import replace
from datetime import datetime
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mime.compose import ComposeError, compose
from providers.mime.message import Address, Envelope
from tests.compose.build import MARK, MESSAGE_ID, MINA, MONDAY, ROBIN, draft, envelope

EXCHANGE = "<AM9PR01MB" + "7" * 60 + "@AM9PR01MB7777.eurprd01.prod.exchangelabs.example>"


def parsed(raw: bytes) -> EmailMessage:
    message = BytesParser(policy=email.policy.default).parsebytes(raw)
    assert isinstance(message, EmailMessage)
    return message


def on_the_wire(raw: bytes, name: str) -> bytes | None:
    """The value of a header as it stands, unfolded by taking out line ends only (RFC 5322)."""
    block = raw.partition(b"\r\n\r\n")[0].replace(b"\r\n ", b" ")
    found = [line for line in block.split(b"\r\n") if line.lower().startswith(name.encode() + b":")]
    assert len(found) <= 1
    return found[0].partition(b":")[2].strip() if found else None


def recipients(raw: bytes, name: str) -> list[tuple[str, str]]:
    """The mailboxes of a header; the newer parser of 3.11 puts spaces between encoded words."""
    value = BytesParser(policy=email.policy.compat32).parsebytes(raw)[name]
    pairs = getaddresses(["".join(value.splitlines())])
    return [(str(make_header(decode_header(shown))), addr) for shown, addr in pairs]


def test_a_plain_draft_is_these_bytes() -> None:
    assert draft() == (
        b"From: Robin Vale <robin@example.com>\r\n"
        b"To: Mina Okafor <mina@example.org>\r\n"
        b"Subject: Re: Floor plan\r\n"
        b"Date: Mon, 02 Mar 2026 09:00:00 +0000\r\n"
        b"Message-ID: " + MESSAGE_ID.encode() + b"\r\n"
        b"In-Reply-To: <m1@example.org>\r\n"
        b"References: <m1@example.org>\r\n"
        b"X-Fencepost-Intent: " + MARK.encode() + b"\r\n"
        b"MIME-Version: 1.0\r\n"
        b'Content-Type: text/plain; charset="utf-8"\r\n'
        b"Content-Transfer-Encoding: quoted-printable\r\n"
        b"\r\n"
        b"Here it is.\r\n"
        b"\r\n"
        b"Robin\r\n"
    )


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert draft() == draft()


def test_a_draft_to_a_mail_without_id_names_no_parent() -> None:
    raw = draft(envelope(in_reply_to=None, references=()))
    assert on_the_wire(raw, "in-reply-to") is None
    assert on_the_wire(raw, "references") is None


def test_no_copies_means_no_cc() -> None:
    assert on_the_wire(draft(), "cc") is None


def test_a_long_exchange_id_is_not_encoded() -> None:
    raw = draft(envelope(in_reply_to=EXCHANGE, references=(EXCHANGE,) * 5))
    assert on_the_wire(raw, "in-reply-to") == EXCHANGE.encode()
    assert on_the_wire(raw, "references") == b" ".join([EXCHANGE.encode()] * 5)


@pytest.mark.parametrize("length", [60, 78, 500, 984, 985, 986, 997])
def test_an_id_of_any_length_stays_whole_on_a_lawful_line(length: int) -> None:
    long = "<" + "x" * (length - 2) + ">"
    raw = draft(envelope(in_reply_to=long, references=("<1@a.example>", long)))
    assert on_the_wire(raw, "in-reply-to") == long.encode()
    assert on_the_wire(raw, "references") == f"<1@a.example> {long}".encode()
    assert max(map(len, raw.split(b"\r\n"))) <= 998


def test_a_long_id_stays_beside_the_name_of_its_field() -> None:
    raw = draft(envelope(in_reply_to=EXCHANGE, references=(EXCHANGE,)))
    assert f"\r\nIn-Reply-To: {EXCHANGE}\r\nReferences: {EXCHANGE}\r\n".encode() in raw


def test_an_id_beyond_a_line_is_refused() -> None:
    with pytest.raises(ComposeError, match="In-Reply-To"):
        draft(envelope(in_reply_to="<" + "x" * 996 + ">"))


@pytest.mark.parametrize(
    "name",
    [
        "Straßer, Lena",
        'Doe, "Pat"',
        "Back\\slash",
        "見積もり 太郎",
        "👩‍👩‍👧 Family",
        "O'Hara (office)",
        "=?utf-8?q?x?=",
        "a" * 200,
        "é" * 200,
        "Mina. Okafor;",
        "Two  spaces",
    ],
)
def test_a_display_name_arrives_as_it_is(name: str) -> None:
    raw = draft(envelope(to=(replace(MINA, name=name), MINA)))
    assert recipients(raw, "to") == [(name, MINA.addr), (MINA.name, MINA.addr)]


@pytest.mark.parametrize(
    "subject",
    [
        "Re: Floor plan",
        "Re: 見積もりの件について、来週の火曜日までにご確認ください",
        "Re: 👩‍👩‍👧‍👦" * 20,
        "Re: " + "é" * 300,
        "Re: " + "word " * 100 + "end",
        "Re: " + "x" * 900,
        "Re: two  spaces",
        "Re: =?utf-8?q?not_encoded?=",
        "Re:",
        'Re: Grüße, "quoted" <and> more',
    ],
)
def test_a_subject_arrives_as_it_is(subject: str) -> None:
    raw = draft(envelope(subject=subject))
    assert parsed(raw)["Subject"] == subject
    assert max(map(len, raw.split(b"\r\n"))) <= 998


@pytest.mark.parametrize("subject", ["Re: " + "é" * 300, "Re: " + "word " * 100 + "end"])
def test_header_lines_are_short_where_they_can_be(subject: str) -> None:
    many = tuple(Address(addr=f"kai{n}@example.net", name="Kai Lind") for n in range(200))
    block = draft(envelope(subject=subject, cc=many)).partition(b"\r\n\r\n")[0]
    assert max(len(line) for line in block.split(b"\r\n") if b"Intent" not in line) <= 76


def test_encoded_words_are_no_longer_than_allowed() -> None:
    raw = draft(envelope(subject="Re: " + "日本" * 100))
    assert max(map(len, re.findall(rb"=\?[^ ]+\?=", raw))) <= 75


def test_an_international_domain_is_asked_for_as_dns_does() -> None:
    raw = draft(envelope(to=(Address(addr="lea@bücher.example"),)))
    assert on_the_wire(raw, "to") == b"lea@xn--bcher-kva.example"


def test_a_quoted_local_part_stays_quoted() -> None:
    raw = draft(envelope(to=(Address(addr='"sales, north"@example.org', name="Sales"),)))
    assert on_the_wire(raw, "to") == b'Sales <"sales, north"@example.org>'


BODIES = [
    "Here it is.\n",
    "no line end",
    "Grüße\n日本語 👩‍👩‍👧\n",
    "From me to you\n>From me\n",
    ".\n..\n",
    "trailing space \nand tab\t\n",
    "= and =20 and =\n",
    "x" * 2_000 + "\n",
    "é" * 2_000 + "\n",
    "From " + "x" * 200 + "\n",
    "-- \nRobin\n",
    "\n\nblank lines above\n",
    "",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_arrives_as_it_is(body: str) -> None:
    content = parsed(draft(body=body)).get_content().replace("\r\n", "\n")
    assert content.rstrip("\n") == body.rstrip("\n")


@pytest.mark.parametrize("body", BODIES)
def test_a_body_survives_seven_bits_and_short_lines(body: str) -> None:
    raw = draft(body=body)
    lines = raw.partition(b"\r\n\r\n")[2].split(b"\r\n")
    assert raw.isascii()
    assert max(map(len, lines)) <= 76
    assert not any(line.startswith(b"From ") or line == b"." for line in lines)
    assert not any(line.endswith((b" ", b"\t")) for line in lines)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_every_line_end_becomes_crlf(end: str) -> None:
    assert draft(body=f"one{end}two{end}").endswith(b"\r\n\r\none\r\ntwo\r\n")


def test_controls_in_a_body_vanish() -> None:
    assert draft(body="a\0b\x1b\x08\td\n").endswith(b"\r\n\r\nab\td\r\n")


@pytest.mark.parametrize("evil", ["\r\n", "\n", "\r", "\0", "\u2028", "\x85", "\x0b"])
def test_a_subject_or_name_adds_no_line(evil: str) -> None:
    raw = draft(
        envelope(
            subject=f"Re: a{evil}Bcc: spy@example.net",
            to=(replace(MINA, name=f"Mina{evil}Bcc: spy@example.net"),),
            from_=replace(ROBIN, name=f"Robin{evil}Bcc: spy@example.net"),
        )
    )
    message = parsed(raw)
    assert message["Bcc"] is None
    assert message["Subject"] == "Re: a Bcc: spy@example.net"
    assert recipients(raw, "to") == [("Mina Bcc: spy@example.net", "mina@example.org")]


EVIL = ["x\r\nBcc: spy@example.net", "x\nBcc: spy@example.net", "x\0y", "x y", "", "é", "\ud800"]


@pytest.mark.parametrize("evil", EVIL)
def test_an_address_that_no_header_holds_is_refused(evil: str) -> None:
    with pytest.raises(ComposeError, match="no address"):
        draft(envelope(to=(Address(addr=f"{evil}@example.org>,"),)))


@pytest.mark.parametrize("evil", EVIL)
def test_a_mark_that_no_header_holds_is_refused(evil: str) -> None:
    with pytest.raises(ComposeError, match="mark"):
        compose(envelope(), "x", message_id=MESSAGE_ID, mark=evil, date=MONDAY)


@pytest.mark.parametrize(
    "evil", ["", "<>", "m1@example.org", "<a> <b>", "<a\r\n b>", "<a>\r\nX: y"]
)
def test_an_id_that_no_header_holds_is_refused(evil: str) -> None:
    with pytest.raises(ComposeError, match="Message-ID"):
        compose(envelope(), "x", message_id=evil, mark=MARK, date=MONDAY)
    with pytest.raises(ComposeError, match="References"):
        draft(envelope(references=(evil,)))


def test_a_draft_to_nobody_is_refused() -> None:
    with pytest.raises(ComposeError, match="To"):
        draft(envelope(to=()))


def test_a_date_without_a_zone_is_refused() -> None:
    naive = datetime(2026, 3, 2, 9)  # noqa: DTZ001 - the point of the test
    with pytest.raises(ComposeError, match="time zone"):
        compose(envelope(), "x", message_id=MESSAGE_ID, mark=MARK, date=naive)


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=60)
plain = st.text(st.sampled_from("abcxyz0189.-_"), min_size=1, max_size=20)
ids = st.builds(lambda left, right: f"<{left}@{right}>", plain, plain) | st.just(EXCHANGE)
addresses = st.builds(
    lambda local, name: Address(addr=f"x{local}x@example.org", name=name.strip()), plain, words
)


@settings(max_examples=60)
@given(
    st.builds(
        Envelope,
        to=st.lists(addresses, min_size=1, max_size=4).map(tuple),
        cc=st.just(()),
        from_=st.just(ROBIN),
        subject=words.map(str.strip),
        in_reply_to=ids,
        references=st.lists(ids, min_size=1, max_size=40).map(tuple),
    )
)
def test_what_is_written_is_what_is_read(made: Envelope) -> None:
    raw = draft(made)
    assert made.in_reply_to is not None
    assert on_the_wire(raw, "in-reply-to") == made.in_reply_to.encode()
    assert on_the_wire(raw, "references") == " ".join(made.references).encode()
    assert parsed(raw)["Subject"] == made.subject
    assert recipients(raw, "to") == [(each.name, each.addr) for each in made.to]
    assert max(map(len, raw.split(b"\r\n"))) <= 998


@settings(max_examples=60)
@given(st.text(), st.text(), st.text())
def test_no_text_at_all_breaks_a_draft(name: str, subject: str, body: str) -> None:
    raw = draft(envelope(to=(replace(MINA, name=name),), subject=subject), body)
    message = parsed(raw)
    assert message.keys() == parsed(draft()).keys()
    assert [addr for _, addr in recipients(raw, "to")] == [MINA.addr]
    assert b"\0" not in raw
