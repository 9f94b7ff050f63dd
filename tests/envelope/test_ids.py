"""In-Reply-To and References of an answer: byte for byte, whole where they can be, bounded."""

from __future__ import annotations

import pytest

from providers.mime.envelope import MAX_REFERENCES, MAX_REFERENCES_OCTETS, reply_envelope
from providers.mime.message import Envelope, Mail, Owner
from tests.threads.build import mail

ROBIN = Owner(name="Robin Vale", addresses=("robin@example.com",))
EXCHANGE = "<AM9PR01MB" + "7" * 60 + "@AM9PR01MB7777.eurprd01.prod.exchangelabs.example>"


def answered(to: Mail) -> Envelope:
    envelope = reply_envelope(to, ROBIN)
    assert envelope is not None
    return envelope


NAMED = [
    ("<m1@example.org>", "<m1@example.org>"),
    ("<[7d3f-ABC@mail.example.org]>", "<[7d3f-ABC@mail.example.org]>"),
    (EXCHANGE, EXCHANGE),
    ("abc.123@example.com", "<abc.123@example.com>"),
    ("<no-at-sign>", "<no-at-sign>"),
    ("<a b@example.org>", "<a b@example.org>"),
    ('<"q p"@example.org>', '<"q p"@example.org>'),
    ("  <m1@example.org>  ", "<m1@example.org>"),
    ("<1@a.example> <2@a.example>", "<1@a.example>"),
    ("<é@example.org>", "<é@example.org>"),
    ("<=?utf-8?q?x?=@example.org>", "<=?utf-8?q?x?=@example.org>"),
    ("<" + "x" * 995 + ">", "<" + "x" * 995 + ">"),
]
UNNAMED = [
    None,
    "",
    "<>",
    "<  >",
    "<a\r\nBcc: x@example.net>",
    "<a\0b@example.org>",
    "<a\tb@example.org>",
    "<\ud800@example.org>",
    "<" + "x" * 996 + ">",
]


@pytest.mark.parametrize(("message_id", "named"), NAMED)
def test_the_parent_is_named_byte_for_byte(message_id: str, named: str) -> None:
    envelope = answered(mail(message_id))
    assert envelope.in_reply_to == named
    assert envelope.references == (named,)


@pytest.mark.parametrize("message_id", UNNAMED)
def test_a_parent_without_a_usable_id_is_not_named(message_id: str | None) -> None:
    envelope = answered(mail(message_id))
    assert envelope.in_reply_to is None
    assert envelope.references == ()


def test_references_are_those_of_the_parent_and_its_id() -> None:
    parent = mail("<3@a.example>", references=("<1@a.example>", "<2@a.example>"))
    assert answered(parent).references == ("<1@a.example>", "<2@a.example>", "<3@a.example>")


def test_without_references_the_one_id_of_in_reply_to_stands_in() -> None:
    parent = mail("<3@a.example>", in_reply_to=("<2@a.example>",))
    assert answered(parent).references == ("<2@a.example>", "<3@a.example>")


def test_in_reply_to_with_several_ids_does_not_stand_in() -> None:
    parent = mail("<3@a.example>", in_reply_to=("<1@a.example>", "<2@a.example>"))
    assert answered(parent).references == ("<3@a.example>",)


def test_references_stay_when_the_parent_has_no_id() -> None:
    envelope = answered(mail(None, references=("<1@a.example>",)))
    assert envelope.in_reply_to is None
    assert envelope.references == ("<1@a.example>",)


def test_no_id_stands_twice_and_the_parents_stands_last() -> None:
    parent = mail(
        "<l1@a.example>", references=("<l1@a.example>", "<l2@a.example>", "<l2@a.example>")
    )
    assert answered(parent).references == ("<l2@a.example>", "<l1@a.example>")


def test_300_references_keep_the_first_and_the_last() -> None:
    chain = tuple(f"<r{n:03}.{'q' * 30}@example.org>" for n in range(300))
    references = answered(mail("<last@example.org>", references=chain)).references
    assert references[0] == chain[0]
    assert references[-2:] == (chain[-1], "<last@example.org>")
    assert len(references) == MAX_REFERENCES


def test_long_references_stay_below_the_limit_in_octets() -> None:
    chain = tuple(f"<{n:03}{'é' * 200}@a.example>" for n in range(90))
    references = answered(mail("<last@a.example>", references=chain)).references
    assert sum(len(each.encode()) + 1 for each in references) <= MAX_REFERENCES_OCTETS
    assert references[0] == chain[0]
    assert references[-2] == chain[-1]


def test_references_of_the_longest_ids_still_end_with_the_parent() -> None:
    chain = tuple(f"<{n}{'x' * 990}@a>" for n in range(9))
    references = answered(mail("<last@a.example>", references=chain)).references
    assert references[0] == chain[0]
    assert references[-1] == "<last@a.example>"


def test_an_id_that_no_line_holds_is_left_out_and_told() -> None:
    envelope = answered(mail(references=("<1@a.example>", "<" + "x" * 1_000 + "@a.example>")))
    assert envelope.references == ("<1@a.example>", "<m1@example.org>")
    assert envelope.notes == ("References left out ids that no header line can hold",)


def test_a_parent_that_cannot_be_named_is_told() -> None:
    notes = answered(mail("<" + "x" * 1_000 + "@a.example>")).notes
    assert notes == ("the Message-ID of the mail answered cannot be named",)


def test_empty_ids_are_left_out_silently() -> None:
    envelope = answered(mail(references=("<>", "<1@a.example>")))
    assert envelope.references == ("<1@a.example>", "<m1@example.org>")
    assert envelope.notes == ()
