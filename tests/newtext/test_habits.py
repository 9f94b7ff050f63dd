"""Habits of people and old programs, as public archives of mailing lists show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from providers.mime.intros import Marker, SubjectKind, introduction, marker, subject_kind
from providers.mime.newtext import new_text

PROGRAMS: list[dict[str, str]] = json.loads(
    (Path(__file__).parent / "programs.json").read_text("utf-8")
)


@pytest.mark.parametrize("given", PROGRAMS, ids=[given["program"] for given in PROGRAMS])
def test_text_of_a_program_is_read(given: dict[str, str]) -> None:
    found = new_text(given["text"], subject=given["subject"])
    assert found.text.split() == given["own"].split()


@pytest.mark.parametrize("mark", ["| ", "# ", ") ", ": ", "RV> ", "rv> ", "--] ", "% "])
def test_another_sign_below_an_introduction_is_a_quotation(mark: str) -> None:
    text = (
        f"On Thu, 22 Aug 2002, Robin Vale wrote:\n\n{mark}Is it free?\n{mark}\n{mark}All day?\n\n"
        f"It is.\n\n{mark}And cheap?\n\nNot quite.\n"
    )
    assert new_text(text, subject="Re: Hall").text == "It is.\n\nNot quite."


@pytest.mark.parametrize("mark", ["| ", "# ", "- ", "* ", "1. "])
def test_list_of_the_author_is_no_quotation(mark: str) -> None:
    text = f"Robin,\n\nthis is what we need:\n{mark}chairs\n{mark}tables\n\nHave you got them?"
    assert new_text(text, subject="Re: Hall").text == text


def test_marker_with_a_single_header_below_keeps_answers_between_marks() -> None:
    text = (
        '----- Original Message -----\nFrom: "Robin Vale" <robin@example.com>\n>\n'
        "> Memory is a non-issue for anyone that has any idea at all how\nthe\n> hall works.\n"
        "In theory it is.\n"
    )
    assert new_text(text, subject="Re: Hall").text == "In theory it is."


def test_answers_stay_below_a_header_block_at_the_top() -> None:
    text = (
        "-----Original Message-----\nFrom: Robin Vale [mailto:robin@example.com]\n"
        "Sent: Monday, September 02, 2002 2:55 AM\nTo: Mina\nSubject: RE: Hall\n\n\n"
        "Robin Vale wrote:\n>The hall is too small.\n\nI find it large.\n\nRobin Vale wrote:\n"
        ">And dark.\n\nThat it is.\n"
    )
    assert new_text(text, subject="RE: Hall").text == "I find it large.\n\nThat it is."


def test_answer_stays_below_a_wrapped_introduction_without_marks() -> None:
    text = (
        "On Sun, 21 Jul 2002 05:11:08 -0400\nRobin <robin@example.com> wrote:\n\nIt works now :)!\n"
    )
    assert "It works now :)!" in new_text(text, subject="Re: Server").text


def test_original_message_under_a_new_subject_is_passed_on() -> None:
    text = (
        "But I like corn.\n\n-------- Original Message --------\nSubject: Corn\n"
        "From: Power Co <desk@power.example>\n\nCorn becomes king."
    )
    found = new_text(text, subject="When a crop becomes king")
    assert found.text == text
    assert found.forward


@pytest.mark.parametrize(
    "line",
    [
        "----- Forwarded message from Robin Vale <robin@example.com> -----",
        "--- begin forwarded text",
        "----- Forwarded by Robin Vale/Example on 03/02/2026 09:12 AM -----",
        "------- Start of forwarded message -------",
    ],
)
def test_forwards_of_old_programs_are_known(line: str) -> None:
    assert marker(line) is Marker.FORWARDED


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("[sheds] Re: Roof", SubjectKind.REPLY),
        ("[sheds] [roof] FW: Tarpaulin", SubjectKind.FORWARD),
        ("EXT: RE: Roof", SubjectKind.REPLY),
        ("[sheds] Roof", SubjectKind.NEITHER),
        ("Roof: what now: Re: nothing", SubjectKind.REPLY),
        ("A very long first part of a subject: Re: nothing", SubjectKind.NEITHER),
    ],
)
def test_tags_before_the_prefix_are_skipped(subject: str, kind: SubjectKind) -> None:
    assert subject_kind(subject) is kind


def test_sentence_that_mentions_writing_above_a_quotation_is_no_introduction() -> None:
    lines = ["For reads and writes, see lines 1463, 1481.", "", "> Which lines?"]
    assert introduction(lines, 0, first=0, marked_next=True) is None


def test_introduction_without_a_colon_goes_above_marked_lines() -> None:
    text = "On Mon, 2 Mar 2026 at 09:12, Robin Vale <robin@example.com> wrote\n> Yes?\n\nYes."
    assert new_text(text, subject="Re: x").text == "Yes."


def test_only_what_the_last_rule_begins_is_the_lists_footer() -> None:
    text = (
        "It works.\n\n------\nTell me how easy this is.\n\n____________\nSheds mailing list\n"
        "https://lists.example.org/listinfo/sheds\n"
    )
    assert new_text(text, subject="Re: x").text == "It works.\n\n------\nTell me how easy this is."


@pytest.mark.parametrize("subject", ["Re: Hall", "Hall", ""])
def test_word_wrapped_out_of_a_marked_line_goes(subject: str) -> None:
    text = (
        "Robin Vale wrote:\n"
        "> I could also come on Wednesday or Thursday, should that be easier for\n"
        "everybody.\n> Robin\n\nTuesday is fine.\n"
    )
    assert new_text(text, subject=subject).text == "Tuesday is fine."
