"""What a text asks: questions, requests without a mark, and what only sounds like one."""

import pytest

from assistant.core.phrases import LANGUAGES, lexicon
from assistant.core.phrases.lexicon import Kind, Lexicon, phrases
from assistant.core.phrases.sentences import LINK, sentences, unlinked
from assistant.core.questions import said

NOBODY: frozenset[str] = frozenset()

REQUESTS = [
    ("en", "Let me know your thoughts."),
    ("en", "Please sign and fax it back to me."),
    ("en", "We are still waiting for your signature."),
    ("de", "Bitte um kurze Rückmeldung."),
    ("de", "Es wäre nett, wenn du mir helfen könntest."),
    ("fr", "Merci de me confirmer votre présence."),
    ("fr", "Dis-moi ce que tu en penses."),
    ("es", "Le agradecería que me enviara el expediente."),
    ("es", "Avísame cuando puedas."),
    ("it", "La prego di confermarmi la sua presenza."),
    ("it", "Fammi sapere quando puoi."),
    ("pt", "Agradecia que me enviasse o processo."),
    ("pt", "Fico a aguardar a tua resposta."),
    ("nl", "Laat me weten wat je ervan vindt."),
    ("nl", "We wachten nog op uw antwoord."),
    ("pl", "Proszę o potwierdzenie."),
    ("ja", "会議の日程を教えてください。"),
    ("ko", "도면을 보내 주세요."),
    ("zh", "请确认会议室。"),
]
STATEMENTS = [
    ("en", "Please let me know if you have any questions."),
    ("en", "Feel free to call me."),
    ("en", "He asked whether we could move the date."),
    ("en", "You can find the documents on the shared drive."),
    ("de", "Bei Rückfragen stehe ich gerne zur Verfügung."),
    ("de", "Wir können das so machen."),
    ("fr", "N'hésitez pas à me contacter."),
    ("fr", "Vous trouverez les documents sur le serveur."),
    ("es", "No dude en contactar conmigo."),
    ("es", "Te paso el informe que me pediste."),
    ("it", "Resto a disposizione per qualsiasi chiarimento."),
    ("pt", "Fico à disposição para qualquer dúvida."),
    ("nl", "Mocht u vragen hebben, dan horen wij dat graag."),
]


@pytest.mark.parametrize(("language", "text"), REQUESTS)
def test_a_request_needs_no_question_mark(language: str, text: str) -> None:
    assert any(ask.firm for ask in said(text, language, NOBODY).asks)


@pytest.mark.parametrize(("language", "text"), STATEMENTS)
def test_a_courtesy_or_a_statement_asks_nothing(language: str, text: str) -> None:
    assert said(text, language, NOBODY).asks == ()


@pytest.mark.parametrize("mark", ["?", "？", "؟", "?!", "⁉"])
def test_a_question_mark_of_any_script_asks(mark: str) -> None:
    assert len(said(f"Xyz abc{mark}", None, NOBODY).asks) == 1


def test_a_question_mark_inside_a_link_asks_nothing() -> None:
    assert said("See https://example.org/page?id=4 for more.", "en", NOBODY).asks == ()


def test_rhetoric_and_small_talk_ask_nothing() -> None:
    text = "How are you? What a game! Who would have thought they'd win?"
    assert said(text, "en", NOBODY).asks == ()


def test_a_question_that_is_only_reported_asks_nothing() -> None:
    assert said('Then she said "where is it?"', "en", NOBODY).asks == ()


def test_a_waived_answer_is_not_asked_for() -> None:
    spoken = said("No need to reply.", "en", NOBODY)
    assert spoken.asks == ()
    assert Kind.WAIVE in spoken.kinds


def test_the_disclaimer_below_a_mail_is_not_read() -> None:
    text = "Done.\n\nIf you are not the intended recipient, please notify the sender and reply."
    assert said(text, "en", NOBODY).asks == ()


def test_a_wrapped_line_is_one_sentence() -> None:
    text = "Could you please send me the revised floor plan of the second\nfloor before Thursday?"
    assert len(said(text, "en", NOBODY).asks) == 1


def test_an_abbreviation_ends_no_sentence() -> None:
    assert [each.text for each in sentences("Could Dr. Abel come at 9.30 a.m. today?")] == [
        "Could Dr. Abel come at 9.30 a.m. today?"
    ]


def test_links_and_addresses_are_replaced_visibly() -> None:
    text = "See https://x.example/a?b=c, www.y.example or z.example/p, mail a@b.example"
    plain = unlinked(text)
    assert plain.count(LINK) == 3
    assert "example" not in plain


def test_every_language_has_the_kinds_that_rules_rely_on() -> None:
    for language in LANGUAGES:
        found = {hit.kind for kind in Kind for hit in _samples(language, kind)}
        assert {Kind.REQUEST, Kind.THANKS, Kind.COURTESY, Kind.WAIVE} <= found


def _samples(language: str, kind: Kind) -> list:  # type: ignore[type-arg]
    texts = {
        "en": "Could you reply, thanks, no need to answer, feel free to call.",
        "de": "Könnten Sie antworten, danke, keine Antwort nötig, bei Rückfragen gerne.",
        "fr": "Pourriez-vous répondre, merci, pas besoin de répondre, n'hésitez pas à appeler.",
        "es": "Podría responder, gracias, no hace falta que respondas, no dude en llamar.",
        "it": "Potrebbe rispondere, grazie, non serve rispondere, non esiti a chiamare.",
        "pt": "Poderia responder, obrigado, não é preciso responder, não hesite em ligar.",
        "nl": "Zou u willen antwoorden, bedankt, geen antwoord nodig, aarzel niet om te bellen.",
    }
    return [
        hit
        for sentence in sentences(texts[language])
        for hit in lexicon().find(sentence.words, sentence.starts)
        if hit.language == language and hit.kind is kind
    ]


def test_the_notation_of_phrases_means_what_it_says() -> None:
    known = Lexicon({"en": {Kind.REQUEST: "^ send|mail me a? re* ... by _ / never\n    mind"}})

    def finds(text: str) -> bool:
        (sentence,) = sentences(text)
        return bool(known.find(sentence.words, sentence.starts))

    assert finds("Send me a report of it all by noon")
    assert finds("OK, mail me results by noon")
    assert not finds("They send me a report by noon")
    assert not finds("Send me a report of all that we did by noon")
    assert not finds("Send me a picture by noon")


def test_a_phrase_goes_on_in_the_next_line() -> None:
    assert list(phrases("a|\n    b c / d\n    + e\n    f")) == ["a|b c", "d e", "f"]


def test_a_phrase_that_could_begin_anywhere_is_refused() -> None:
    with pytest.raises(ValueError, match="must begin with a word"):
        Lexicon({"en": {Kind.REQUEST: "_ me"}})


def test_a_request_that_is_waived_is_none() -> None:
    assert said("No need to let me know.", "en", NOBODY).asks == ()


def test_what_follows_a_waiver_and_a_but_is_asked() -> None:
    assert len(said("No need to call, but could you write?", "en", NOBODY).asks) == 1


def test_a_line_with_a_quotation_mark_is_nobodys_new_word() -> None:
    text = "> Can you come?\nKai> Who pays?\nYes, I can."
    assert said(text, "en", NOBODY).asks == ()


def test_a_semicolon_is_no_question_mark_and_the_greek_one_is() -> None:
    assert said("First this; then that;", "en", NOBODY).asks == ()
    assert len(said("Έρχεσαι αύριο\u037e", "el", NOBODY).asks) == 1
