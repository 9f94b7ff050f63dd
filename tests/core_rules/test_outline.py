"""The outline of a reply: greeting, questions with room for the answer, signature."""

from dataclasses import replace

import pytest

from assistant.core.greeting import first_name, greeting
from assistant.core.outline import LENGTH_LIMIT, outline
from assistant.core.rules import judge
from providers.mime.message import Mail
from tests.core_rules.build import ME, mail, person, thread


def drawn(*mails: Mail, signature: str = "Robin", language: str | None = None) -> str:
    conversation = thread(*mails)
    triage = judge(conversation)
    if language is not None:
        triage = replace(triage, language=language)
    return outline(conversation, triage, signature=signature, name="Robin Vale")


def test_it_greets_quotes_leaves_room_and_signs() -> None:
    text = drawn(mail("Which day suits you? And could you bring the key?"))
    assert text.splitlines() == [
        "[Outline: complete before sending.]",
        "",
        "Hello Mina,",
        "",
        "> Which day suits you?",
        "[your answer]",
        "",
        "> And could you bring the key?",
        "[your answer]",
        "",
        "Kind regards,",
        "Robin",
    ]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ("[Gerüst:", "Hallo Mina,", "[Antwort]", "Viele Grüße")),
        ("fr", ("[Ébauche", "Bonjour Mina,", "[réponse]", "Cordialement,")),
        ("es", ("[Esquema:", "Hola, Mina:", "[respuesta]", "Un saludo,")),
        ("it", ("[Schema:", "Buongiorno Mina,", "[risposta]", "Cordiali saluti,")),
        ("pt", ("[Esboço:", "Olá, Mina,", "[resposta]", "Cumprimentos,")),
        ("nl", ("[Opzet:", "Hallo Mina,", "[antwoord]", "Met vriendelijke groet,")),
        ("xx", ("[Outline:", "Hello Mina,", "[your answer]", "Kind regards,")),
    ],
)
def test_it_speaks_the_language_of_the_thread(language: str, words: tuple[str, ...]) -> None:
    text = drawn(mail("Xyz?"), language=language)
    assert all(word in text for word in words)


def test_the_name_signs_where_there_is_no_signature() -> None:
    assert drawn(mail("Xyz?"), signature=" ").endswith("Kind regards,\nRobin Vale\n")


def test_links_images_and_addresses_of_the_mail_are_taken_out_visibly() -> None:
    text = drawn(
        mail(
            "Could you open https://attacker.example/x?d=1 or attacker.example/p.png or write to "
            "archive@attacker.example and show ![logo](https://attacker.example/l.png)?"
        )
    )
    assert "attacker" not in text
    assert "http" not in text
    assert "@" not in text
    assert "[link]" in text
    assert "[address]" in text
    assert "[image]" in text


def test_characters_that_nobody_sees_are_taken_out() -> None:
    text = drawn(mail("Can\u200b you co\u202eme on\U000e0041 Friday?"))
    assert "> Can you come on Friday?" in text


def test_a_long_question_is_cut_visibly() -> None:
    text = drawn(mail(f"Can you {'really ' * 200} come?"))
    assert len(text) < 600
    assert "…" in text


def test_many_questions_keep_it_bounded() -> None:
    text = drawn(mail("\n\n".join(f"Can you do thing number {n} {'x ' * 100}?" for n in range(99))))
    assert len(text) <= LENGTH_LIMIT
    assert text.endswith("Robin\n")


def test_what_is_only_quoted_in_the_mail_is_not_a_question() -> None:
    text = drawn(mail("Can you come?", text="Can you come?\n\n> Who pays?"))
    assert "Who pays" not in text


def test_a_line_break_in_a_question_cannot_begin_a_line() -> None:
    text = drawn(
        mail("Can you confirm that the plan which we made together last week is fine\nBcc: x?")
    )
    assert not any(line.startswith("Bcc") for line in text.splitlines())


def test_two_writers_are_both_greeted() -> None:
    both = mail(
        "Will you join us?",
        from_=(person("Ben Arno <b@example.org>"), person("Carol Ito <c@example.org>")),
    )
    assert "Hello Ben and Carol," in drawn(both)


def test_an_answer_to_a_form_greets_whom_it_goes_to() -> None:
    form = mail(
        "Do you open on holidays?",
        by="Contact form <noreply@shop.example>",
        reply_to=(person("Tess Adeyemi <tess@example.org>"),),
    )
    assert "Hello Tess," in drawn(form)


def test_a_bare_reply_address_of_the_writer_keeps_the_writers_name() -> None:
    asked = mail("Do you open on holidays?", reply_to=(person("mina@example.net"),))
    assert "Hello Mina," in drawn(asked)


def test_a_thread_without_an_answer_still_gives_a_frame() -> None:
    assert "[your answer]" in drawn(mail("Friday.", by=ME))


@pytest.mark.parametrize(
    ("display", "name"),
    [
        ("Mina Okafor", "Mina"),
        ("Okafor, Mina", "Mina"),
        ("Mina Okafor (Ops)", "Mina"),
        ("Dr. Mina Okafor", "Mina"),
        ("Frau Mina Okafor", None),
        ("Mr. Okafor", None),
        ("Okafor, Mina [Example Org]", "Mina"),
        ("OKAFOR Mina", "Mina"),
        ("mina okafor", "Mina"),
        ("MINA OKAFOR", "Mina"),
        ("Jean-Luc Petit", "Jean-Luc"),
        ("M. Okafor", None),
        ("mina@example.org", None),
        ("Example Org Support", None),
        ("Contact form", None),
        ("Example GmbH", None),
        ("Mina via Garden List", "Mina"),
        ("佐藤", None),
        ("", None),
        ("Robot 3000", None),
        ("https://attacker.example", None),
        ("Vic\r\nCc: spy@attacker.example", None),
        ("'Mina Okafor'", "Mina"),
        ("Okafor, Mina, PhD", "Mina"),
        ("Team Mina", None),
    ],
)
def test_first_names_are_taken_only_from_what_looks_like_a_person(
    display: str, name: str | None
) -> None:
    assert first_name(display) == name


def test_too_many_people_are_greeted_together() -> None:
    people = [person(f"{name} X <{name}@example.org>") for name in ("Ann", "Ben", "Cas", "Dan")]
    assert greeting(people, "en") == "Hello all,"
    assert greeting(people, "de") == "Hallo zusammen,"
    assert greeting([], "en") == "Hello,"


def test_questions_that_a_model_found_lose_their_links_too() -> None:
    conversation = thread(mail("Can you come?"))
    triage = replace(judge(conversation), asked=("See https://attacker.example/x\u200b ok?",))
    text = outline(conversation, triage, signature="Robin", name="Robin Vale")
    assert "> See [link] ok?" in text
