"""Whole mails as programs and people make them: exactly the author's words are left."""

from __future__ import annotations

import pytest

from providers.mime.html import html_to_text
from providers.mime.newtext import NewText, new_text
from tests.newtext.mails import SAMPLES, Sample

BY_NAME = {sample.name: sample for sample in SAMPLES}
SIXTEEN = 16


def read(sample: Sample) -> NewText:
    """What is found in ``sample``, read as a mail reader would hand it over."""
    text = sample.text if sample.text is not None else html_to_text(sample.html or "")
    return new_text(text, html=sample.html, subject=sample.subject, parents=sample.parents)


@pytest.mark.parametrize("name", BY_NAME)
def test_exactly_the_authors_words_are_left(name: str) -> None:
    assert read(BY_NAME[name]).text == BY_NAME[name].own


@pytest.mark.parametrize("name", BY_NAME)
def test_forwards_are_told_from_answers(name: str) -> None:
    assert read(BY_NAME[name]).forward is BY_NAME[name].forward


@pytest.mark.parametrize("name", BY_NAME)
def test_what_was_cut_is_named_exactly_where_something_was(name: str) -> None:
    sample = BY_NAME[name]
    whole = sample.text if sample.text is not None else html_to_text(sample.html or "")
    assert bool(read(sample).cut) is (len(sample.own.split()) < len(whole.split()))


def test_there_are_forty_samples_of_sixteen_kinds() -> None:
    assert len(BY_NAME) == len(SAMPLES) >= 40
    assert len({sample.kind for sample in SAMPLES}) >= SIXTEEN
