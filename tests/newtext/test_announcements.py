"""Markers and header blocks: what is answered goes, what is passed on stays."""

from __future__ import annotations

import pytest

from providers.mime.intros import SubjectKind, header_block, label, subject_kind
from providers.mime.newtext import new_text
from tests.newtext.lines import FORWARDS, HEADERS, ORIGINALS

OWN = "Wednesday works.\n\nMina"
PASSED_ON = "From: Power Co <desk@power.example>\nSubject: Meter\n\nPlease read it.\n\n--\nDesk"


@pytest.mark.parametrize("line", ORIGINALS)
def test_original_message_goes_with_its_marker(line: str) -> None:
    assert new_text(f"{OWN}\n\n{line}\n\nAny day?\n", subject="Re: Day").text == OWN


@pytest.mark.parametrize("line", ORIGINALS)
def test_original_message_goes_with_marker_and_headers(line: str) -> None:
    text = f"{OWN}\n\n{line}\nFrom: Robin Vale\nSent: Monday\nTo: Mina\nSubject: Day\n\nAny day?\n"
    assert new_text(text, subject="Re: Day").text == OWN


@pytest.mark.parametrize("line", ORIGINALS)
def test_original_message_stays_in_a_forward(line: str) -> None:
    text = f"See below.\n\n{line}\n{PASSED_ON}"
    assert new_text(text, subject="Fwd: Meter").text == text


@pytest.mark.parametrize(("language", "block"), HEADERS)
def test_header_block_goes_with_what_is_below(language: str, block: str) -> None:
    assert new_text(f"{OWN}\n\n{block}\n\nAny day?\n\nRobin", subject="Re: Day").text == OWN


@pytest.mark.parametrize(("language", "block"), HEADERS)
def test_drawn_line_above_a_header_block_goes_too(language: str, block: str) -> None:
    text = f"{OWN}\n\n________________________________\n{block}\n\nAny day?"
    assert new_text(text, subject="Re: Day").text == OWN


@pytest.mark.parametrize(("language", "block"), HEADERS)
def test_header_block_stays_in_a_forward(language: str, block: str) -> None:
    text = f"Is that for us?\n\n{block}\n\nAny day?"
    found = new_text(text, subject="Fwd: Day")
    assert found.text == text
    assert found.forward


@pytest.mark.parametrize(("language", "block"), HEADERS)
def test_header_block_with_blank_lines_inside_goes(language: str, block: str) -> None:
    loose = block.replace("\n", "\n\n").replace("\n\n ", "\n ")
    assert new_text(f"{OWN}\n\n{loose}\n\nAny day?", subject="Re: Day").text == OWN


@pytest.mark.parametrize("comment", ["", "Is that for us?\n\n"])
@pytest.mark.parametrize("subject", ["Fwd: Meter", "", "Re: Meter"])
@pytest.mark.parametrize("line", FORWARDS)
def test_what_is_passed_on_stays_with_the_comment(line: str, subject: str, comment: str) -> None:
    text = f"{comment}{line}\n{PASSED_ON}"
    found = new_text(text, subject=subject)
    assert found.text == text
    assert found.forward


def test_forward_marked_by_apple_mail_stays() -> None:
    text = "> Begin forwarded message:\n> \n> From: Power Co <desk@power.example>\n> \n> Read it."
    found = new_text(text, subject="Fwd: Meter")
    assert found.forward
    assert "Read it." in found.text


def test_signature_above_what_is_passed_on_goes() -> None:
    marker = "---------- Forwarded message ---------"
    text = f"Is that for us?\n\n-- \nMina Okafor\n\n{marker}\n{PASSED_ON}"
    assert "Mina" not in new_text(text, subject="Fwd: Meter").text


def test_vs_answers_in_finnish_and_passes_on_in_danish() -> None:
    finnish = "Sopii.\n\nLähettäjä: Robin\nLähetetty: ma\nVastaanottaja: Mina\nAihe: Tiistai"
    danish = "Til info.\n\nFra: Robin\nSendt: 2. marts 2026\nTil: Mina\nEmne: Tirsdag\n\nLæs det."
    assert new_text(finnish, subject="VS: Tiistai").text == "Sopii."
    assert new_text(danish, subject="VS: Tirsdag").forward


def test_header_block_alone_in_a_mail_that_is_no_answer_stays() -> None:
    block = "From: Robin <robin@example.com>\nSent: Monday\nTo: Mina\nSubject: Day\n\nAny day?"
    assert new_text(block, subject="Day").text == block


def test_two_cities_and_a_date_are_no_header_block() -> None:
    assert header_block(["From: Paris", "To: Lyon", "Date: 3 March"], 0) is None


def test_two_labels_are_no_header_block_without_an_address() -> None:
    assert header_block(["From: the hall", "To: the pond"], 0) is None


def test_folded_recipients_belong_to_the_block() -> None:
    lines = [
        "Von: Robin",
        "Gesendet: Montag",
        "An: Mina;",
        "  Lena;",
        "  Tom",
        "Betreff: Halle",
        "",
    ]
    block = header_block(lines, 0)
    assert block is not None
    assert block.end == 6


def test_labels_are_read_through_emphasis() -> None:
    assert label("*Von:* Robin") == {"from"}
    assert label("Objet : Salle") == {"subject"}
    assert label("发件人：Robin") == {"from"}
    assert label("https://example.org") == frozenset()


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("Re: Hall", SubjectKind.REPLY),
        ("AW: Halle", SubjectKind.REPLY),
        ("RE[2]: Hall", SubjectKind.REPLY),
        ("回复：会议", SubjectKind.REPLY),
        ("Odp: Sala", SubjectKind.REPLY),
        ("WG: Halle", SubjectKind.FORWARD),
        ("Fwd: Re: Hall", SubjectKind.FORWARD),
        ("İLT: Salon", SubjectKind.FORWARD),
        ("VS: Sal", SubjectKind.EITHER),
        ("Hall: open?", SubjectKind.NEITHER),
        ("Hall", SubjectKind.NEITHER),
        ("", SubjectKind.UNKNOWN),
    ],
)
def test_subject_says_whether_it_answers(subject: str, kind: SubjectKind) -> None:
    assert subject_kind(subject) is kind


@pytest.mark.parametrize("mark", ["", "> "])
def test_drawn_line_above_an_introduction_goes_too(mark: str) -> None:
    intro = "On Mon, 2 Mar 2026 at 09:12, Robin <robin@example.com> wrote:"
    assert new_text(f"{OWN}\n\n________\n{intro}\n{mark}Any day?", subject="Re: x").text == OWN


def test_forward_inside_a_later_quotation_is_not_passed_on() -> None:
    marked = "> ---------- Forwarded message ---------\n> From: Power Co\n> Read it."
    found = new_text(f"Robin wrote:\n> Done?\nDone.\n\n{marked}\n\nIt is 4711.", subject="Re: x")
    assert found.text == "Done.\n\nIt is 4711."
    assert not found.forward
