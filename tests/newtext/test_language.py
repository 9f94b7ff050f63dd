"""The language of short mails is known, or it is said that it is not."""

from __future__ import annotations

import pytest

from providers.mime.language import language_of
from tests.newtext.sentences import SENTENCES, UNSURE

EACH = [(code, text) for code, texts in SENTENCES.items() for text in texts]


@pytest.mark.parametrize(("code", "text"), EACH)
def test_sentence_is_never_taken_for_another_language(code: str, text: str) -> None:
    assert language_of(text) in (code, None)


@pytest.mark.parametrize("code", SENTENCES)
def test_most_sentences_are_told(code: str) -> None:
    told = [language_of(text) == code for text in SENTENCES[code]]
    assert sum(told) >= 0.8 * len(told)


@pytest.mark.parametrize("code", SENTENCES)
def test_a_short_mail_of_sentences_is_told(code: str) -> None:
    assert language_of("Robin,\n\n" + "\n".join(SENTENCES[code][:3]) + "\n\nMina") == code


@pytest.mark.parametrize("text", UNSURE)
def test_text_in_no_language_is_said_to_be_so(text: str) -> None:
    assert language_of(text) is None


def test_capitals_do_not_matter() -> None:
    assert language_of("KÖNNEN WIR UNS AM DIENSTAG TREFFEN?") == "de"
    assert language_of("COULD YOU OPEN THE HALL ON TUESDAY?") == "en"


def test_links_and_addresses_do_not_count() -> None:
    text = "https://example.org/the/hall/and/of/with robin@example.com Passt dir der Dienstag?"
    assert language_of(text) == "de"


def test_foreign_names_do_not_count_against_the_script() -> None:
    assert language_of("Robin Vale様、来週の火曜日はいかがでしょうか。") == "ja"
    assert language_of("Robin, встречаемся во вторник?") == "ru"


def test_han_without_kana_is_chinese_and_with_kana_japanese() -> None:
    assert language_of("会议资料已收到。") == "zh"
    assert language_of("会議資料を受け取りました。") == "ja"


def test_persian_and_urdu_are_no_arabic() -> None:
    assert language_of("لطفا گزارش را تا پنجشنبه بفرستید.") == "fa"
    assert language_of("براہ کرم مجھے رپورٹ بھیج دیں، ٹھیک ہے؟") == "ur"


def test_serbian_and_belarusian_are_no_russian() -> None:
    assert language_of("Да ли можете да отворите салу у уторак? Љубиша") is None
    assert language_of("Ці можаце вы адкрыць залу ў аўторак?") is None


def test_only_the_head_of_a_long_text_counts() -> None:
    assert language_of("Können wir uns am Dienstag treffen? " * 200 + "the and of " * 9000) == "de"
