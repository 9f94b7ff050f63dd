"""The Subject of an answer, whatever piled up in front of the one that came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.mime.subjects import MAX_SUBJECT, base_subject, reply_subject

ANSWERS = [
    ("Floor plan", "Re: Floor plan"),
    ("Re: Floor plan", "Re: Floor plan"),
    ("RE: Q3 plan", "Re: Q3 plan"),
    ("re:Q3 plan", "Re: Q3 plan"),
    ("Re : Q3 plan", "Re: Q3 plan"),
    ("Re\u00a0: Q3 plan", "Re: Q3 plan"),
    ("  RE:   Re: re: Q3 plan ", "Re: Q3 plan"),
    ("Re[2]: Q3 plan", "Re: Q3 plan"),
    ("Re[12]: Re[3]: Q3 plan", "Re: Q3 plan"),
    ("Re(2): Q3 plan", "Re: Q3 plan"),
    ("Re^4: Q3 plan", "Re: Q3 plan"),
    ("Re [2]: Q3 plan", "Re: Q3 plan"),
    ("AW: SV: Re\u00a0: Antw: Haushalt 2027", "Re: Haushalt 2027"),
    ("Antwort: Haushalt", "Re: Haushalt"),
    ("VS: Kokous", "Re: Kokous"),
    ("vast: Kokous", "Re: Kokous"),
    ("RES: Orçamento", "Re: Orçamento"),
    ("RIF: R: Fattura", "Re: Fattura"),
    ("RÉP : Devis", "Re: Devis"),
    ("Odp: Faktura", "Re: Faktura"),
    ("YNT: Teklif", "Re: Teklif"),
    ("Vá: Számla", "Re: Számla"),
    ("VÁ: Számla", "Re: Számla"),
    ("ΑΠ: Πρόταση", "Re: Πρόταση"),
    ("Отв: Счёт", "Re: Счёт"),
    ("НА: Счёт", "Re: НА: Счёт"),
    ("回复：会议", "Re: 会议"),
    ("答复: RE: 会议", "Re: 会议"),
    ("返信: 会議", "Re: 会議"),
    ("회신: 회의", "Re: 회의"),
    ("השב: פגישה", "Re: פגישה"),
    ("", "Re:"),
    ("   ", "Re:"),
    ("Re:", "Re:"),
    ("Re: AW:", "Re:"),
]
KEPT = [
    "Fwd: Floor plan",
    "FW: Floor plan",
    "WG: Haushalt",
    "TR : Devis",
    "ENC: Orçamento",
    "Fwd: Re: Floor plan",
    "Catering (was: Room booking)",
    "Research: results",
    "Resume: Mina",
    "Regarding: the roof",
    "Ref: 118",
    "r: plotting",
    "Re-opening: when?",
    "Are: you there",
    "[garden] Minutes",
    "[a][b] Minutes",
    "[unclosed Re: x",
    "a [garden] Re: x",
    "10:30 or 11:00?",
    "Two  spaces",
]
TAGGED = [
    ("[garden] Re: Minutes", "Re: [garden] Minutes"),
    ("Re: [garden] Minutes", "Re: [garden] Minutes"),
    ("Re: [garden] AW: [garden] Minutes", "Re: [garden] Minutes"),
    ("RE: [EXT] RE: [Garden] Minutes", "Re: [EXT] [Garden] Minutes"),
    ("Re: [#118] Broken lamp", "Re: [#118] Broken lamp"),
    ("[garden] Fwd: Minutes", "Re: [garden] Fwd: Minutes"),
]


@pytest.mark.parametrize(("subject", "answer"), ANSWERS)
def test_an_answer_has_one_prefix(subject: str, answer: str) -> None:
    assert reply_subject(subject) == answer


@pytest.mark.parametrize("subject", KEPT)
def test_other_words_are_the_writers_own(subject: str) -> None:
    assert reply_subject(subject) == f"Re: {subject}"


@pytest.mark.parametrize(("subject", "answer"), TAGGED)
def test_a_tag_stays_once(subject: str, answer: str) -> None:
    assert reply_subject(subject) == answer


def test_a_subject_stays_on_one_line() -> None:
    assert reply_subject("a\r\nBcc: x\0y\u2028z") == "Re: a Bcc: x y z"


def test_an_endless_subject_is_cut() -> None:
    assert len(reply_subject("x" * 100_000)) == MAX_SUBJECT + len("Re: ")


@given(st.text(st.sampled_from("ReAWaw:[]() 2\r\n\t：x\0\ud800é")))
def test_answering_an_answer_adds_nothing(subject: str) -> None:
    once = reply_subject(subject)
    assert reply_subject(once) == once
    assert base_subject(once) == base_subject(subject)
