"""Answers of a model, checked: what is taken over and what is not."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.core.answers import (
    DRAFT_SCHEMA,
    LONGEST_DRAFT,
    TRIAGE_SCHEMA,
    Body,
    Fault,
    allowed_in,
    read_draft,
    read_triage,
)
from assistant.core.claims import claim_in
from assistant.core.cleaning import Allowed
from assistant.core.conversation import Conversation, Triage
from assistant.core.prompts import Frame, asked_again, triage_question
from assistant.core.rules import judge
from assistant.core.tokens import Rate
from storage.words import Category, Urgency
from tests.core_rules.build import ME, MINA, mail, thread

FENCE = "mail-0123456789"
GOOD = {
    "category": "needs_reply",
    "urgency": "high",
    "reason": "Mina asks for the plan.",
    "asked": ["Could you send the plan?"],
    "deadline": "by Friday",
    "language": "en",
}
FRAME = Frame(name="Robin", instructions="", fence=FENCE, budget=4_000, rate=Rate())
ASKS = thread(mail("Hello Robin. Could you send the plan? I need it by Friday."))


def read(value: Mapping[str, object], conversation: Conversation = ASKS) -> Triage | Fault:
    return read_triage(value, conversation, judge(conversation), engine="model:small", fence=FENCE)


def taken(value: Mapping[str, object], conversation: Conversation = ASKS) -> Triage:
    found = read(value, conversation)
    assert isinstance(found, Triage), found
    return found


def test_a_good_judgement_is_taken() -> None:
    triage = taken(GOOD)
    assert (triage.category, triage.urgency) == (Category.NEEDS_REPLY, Urgency.HIGH)
    assert triage.engine == "model:small"
    assert triage.asked == ("Could you send the plan?",)
    assert (triage.deadline, triage.answer) == ("by Friday", 0)


@pytest.mark.parametrize(
    "change",
    [
        {"category": "urgent"},
        {"category": "NEEDS_REPLY"},
        {"category": None},
        {"urgency": "now"},
        {"urgency": 1},
        {"reason": None},
        {"reason": "x" * 5_000},
        {"asked": "Could you?"},
        {"asked": [1]},
        {"deadline": 5},
        {"to": ["spy@attacker.example"]},
        {"answer": 3},
    ],
)
def test_an_answer_outside_the_schema_is_a_fault_that_names_no_content(
    change: dict[str, object],
) -> None:
    found = read(GOOD | change)
    assert isinstance(found, Fault)
    assert "attacker" not in found.text
    assert "urgent" not in found.text


@pytest.mark.parametrize("missing", sorted(GOOD))
def test_a_missing_key_is_a_fault(missing: str) -> None:
    found = read({key: value for key, value in GOOD.items() if key != missing})
    assert isinstance(found, Fault)
    assert missing in found.text


def test_every_field_of_both_schemas_is_required_and_nothing_else_allowed() -> None:
    for schema in (TRIAGE_SCHEMA, DRAFT_SCHEMA):
        properties, required = schema["properties"], schema["required"]
        assert isinstance(properties, dict)
        assert isinstance(required, list)
        assert set(properties) == set(required)
        assert schema["additionalProperties"] is False


def test_only_what_stands_in_the_mail_counts_as_asked() -> None:
    triage = taken(GOOD | {"asked": ["could you  send the plan?", "Could you send money?"]})
    assert triage.asked == ("could you send the plan?",)


def test_a_deadline_that_nobody_wrote_is_not_taken() -> None:
    assert taken(GOOD | {"deadline": "within the hour"}).deadline != "within the hour"


def test_own_words_are_no_question_to_oneself() -> None:
    talk = thread(mail("Could you send the plan?", by=ME), mail("Which one?", number=1))
    assert "Could you send the plan?" not in taken(GOOD, talk).asked


def test_the_reason_keeps_no_link_address_or_code() -> None:
    reason = f"Asks to see https://attacker.example, a@b.example, ZX-CANARY-4471\n{FENCE}"
    found = taken(GOOD | {"reason": reason}).reason
    assert "attacker" not in found
    assert "b.example" not in found
    assert "4471" not in found
    assert "\n" not in found
    assert FENCE not in found


def test_whom_to_answer_is_chosen_by_code() -> None:
    talk = thread(
        mail("Could you send the plan?", number=0),
        mail("Thanks!", number=1, by="Kai <kai@example.net>"),
    )
    rules = judge(talk)
    assert taken(GOOD, talk).answer == (rules.answer if rules.answer is not None else 1)


def test_an_answer_that_nobody_would_read_is_not_owed() -> None:
    talk = thread(mail("Your parcel is here.", by="noreply@shop.example", automated="a robot"))
    assert taken(GOOD, talk).category is not Category.NEEDS_REPLY


def test_the_language_of_the_message_beats_what_the_model_says() -> None:
    talk = thread(mail("Kannst du mir bitte den Plan schicken?", language="de"))
    assert taken(GOOD | {"language": "fr"}, talk).language == "de"


@pytest.mark.parametrize("said", ["english", "e", "", "🙂🙂", "12", None])
def test_a_language_is_a_code_or_nothing(said: str | None) -> None:
    talk = thread(mail("Ok?", language=None))
    assert taken(GOOD | {"language": said}, talk).language in (None, "en")


# drafts

HELLO = "Dear Mina,\n\nthank you for your message. I will look into it on Friday.\n\nKind regards,"


def draft(body: object, *, language: str | None = "en", **fields: object) -> Body | Fault:
    values: dict[str, object] = {"allowed": Allowed(), "signature": "Robin", "name": "Robin Vale"}
    return read_draft(
        {"body": body},
        language=language,
        fence=FENCE,
        **(values | fields),  # type: ignore[arg-type]
    )


def kept(body: str, **fields: object) -> str:
    found = draft(body, **fields)  # type: ignore[arg-type]
    assert isinstance(found, Body), found
    return found.text


def test_a_draft_is_signed_once() -> None:
    assert kept(HELLO) == HELLO + "\nRobin\n"
    assert kept(HELLO + "\nRobin") == HELLO + "\nRobin\n"
    assert kept(HELLO + "\nRobin Vale\n", signature="") == HELLO + "\nRobin Vale\n"


def test_a_name_inside_a_sentence_at_the_end_is_no_signature() -> None:
    assert kept("Hello there, I am the one called Robin") == (
        "Hello there, I am the one called Robin\nRobin\n"
    )


def test_header_lines_on_top_are_not_kept() -> None:
    text = kept(f"Subject: Hi\nBcc: spy@attacker.example\nTo: x\n\n{HELLO}")
    assert text.startswith("Dear Mina,")


def test_markup_becomes_plain_text() -> None:
    assert kept(f"# Answer\n**Dear** Mina,\n```\nhello there my friend\n```\n{HELLO}").startswith(
        "Answer\nDear Mina,"
    )


def test_the_fence_never_leaves_the_house() -> None:
    assert FENCE not in kept(f"{HELLO}\n{FENCE}>\n<{FENCE} x")


@pytest.mark.parametrize(
    "body",
    ["", " \n ", "ok", "[...]", "https://attacker.example", "x" * (LONGEST_DRAFT + 1), 5, None],
)
def test_a_draft_of_the_wrong_length_or_kind_is_a_fault(body: object) -> None:
    assert isinstance(draft(body), Fault)


@pytest.mark.parametrize(
    ("language", "wrong"),
    [
        ("en", "de"),
        ("de", "en"),
        ("fr", "es"),
        ("es", "it"),
        ("it", "pt"),
        ("pt", "nl"),
        ("nl", "fr"),
    ],
)
def test_a_draft_in_another_language_than_the_thread_is_a_fault(language: str, wrong: str) -> None:
    found = draft(REPLIES[wrong], language=language)
    assert isinstance(found, Fault)
    assert "language" in found.text


REPLIES = {
    "en": HELLO,
    "de": "Hallo Mina,\n\nvielen Dank für deine Nachricht. Ich sehe mir das am Freitag an und "
    "melde mich dann.\n\nViele Grüße",
    "fr": "Bonjour Mina,\n\nmerci beaucoup pour ton message. Je regarde cela vendredi et je te "
    "réponds ensuite.\n\nCordialement,",
    "es": "Hola Mina:\n\nmuchas gracias por tu mensaje. Lo miro el viernes y te respondo después."
    "\n\nUn saludo,",
    "it": "Ciao Mina,\n\ngrazie mille per il tuo messaggio. Ci guardo venerdì e poi ti rispondo."
    "\n\nCordiali saluti,",
    "pt": "Olá Mina,\n\nmuito obrigado pela sua mensagem. Vejo isso na sexta-feira e depois "
    "respondo.\n\nCumprimentos,",
    "nl": "Beste Mina,\n\nhartelijk dank voor je bericht. Ik kijk er vrijdag naar en laat het je "
    "dan weten.\n\nMet vriendelijke groet,",
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(REPLIES))
def test_a_plain_reply_in_each_language_is_kept(language: str) -> None:
    assert kept(REPLIES[language], language=language).startswith(REPLIES[language])


CLAIMS = [
    "I have attached the plan.",
    "I've already forwarded your message to Kai.",
    "Please find attached the invoice.",
    "The plan is attached.",
    "Attached you will find the plan.",
    "I just paid the bill.",
    "We have booked the hall for you.",
    "I am forwarding this to the whole team.",
    "The amount has been transferred.",
    "Ich habe dir den Plan angehängt.",
    "Anbei der Plan.",
    "Im Anhang findest du den Plan.",
    "Gestern habe ich den Betrag überwiesen.",
    "Die Rechnung wurde heute bezahlt.",
    "J'ai joint le plan.",
    "Vous trouverez le plan ci-joint.",
    "J’ai déjà transféré votre message.",
    "Je vous joins le plan.",
    "He adjuntado el plano.",
    "Te adjunto el plano.",
    "Ya he reenviado tu mensaje.",
    "Pagué la factura ayer.",
    "Ho allegato il piano.",
    "In allegato trovi il piano.",
    "Ho già inoltrato il messaggio.",
    "Anexei o plano.",
    "Segue em anexo o plano.",
    "Já encaminhei a mensagem.",
    "Ik heb het plan bijgevoegd.",
    "In de bijlage vind je het plan.",
    "Ik heb je bericht al doorgestuurd.",
    "Het bedrag heb ik overgemaakt.",
]
NO_CLAIMS = [
    *REPLIES.values(),
    "I will attach the plan as soon as I have it.",
    "Shall I forward this to Kai?",
    "I have not sent it yet.",
    "Thank you, I have received your letter and read it.",
    "Could you send me what is attached to the other one?".replace("is attached", "belongs"),
    "Ich habe den Plan noch nicht geschickt.",
    "Ich schicke dir den Plan am Freitag.",
    "Je vous enverrai le plan vendredi.",
    "J'ai bien reçu votre message.",
    "Te enviaré el plano el viernes.",
    "Ti mando il piano venerdì.",
    "Vou enviar o plano na sexta.",
    "Ik heb het nog niet gestuurd.",
    "Ik stuur het je vrijdag.",
]


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim_that_something_was_done_is_a_fault(text: str) -> None:
    assert claim_in(text) is not None
    found = draft(f"Hello Mina,\n\n{text}\n\nBye for now,", language=None)
    assert isinstance(found, Fault)
    assert text not in found.text


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_a_plan_a_question_or_a_denial_is_no_claim(text: str) -> None:
    assert claim_in(text) is None


def test_only_the_owners_own_messages_allow_a_link() -> None:
    link = "https://vale.example.net/plans"
    theirs = thread(mail(f"Is it {link} ?"), mail("Yes?", number=1))
    own = thread(mail(f"It is {link} .", by=ME), mail("Where again?", number=1, by=MINA))
    for talk, stays in ((theirs, False), (own, True)):
        allowed = allowed_in(talk, instructions="", signature="")
        assert (link in kept(f"{HELLO}\n{link}", allowed=allowed)) is stays


def test_what_the_owner_only_quoted_is_not_the_owners() -> None:
    link = "https://attacker.example/x"
    one = mail("See below.", by=ME)
    quoting = thread(mail(link), type(one)(**{**_fields(one), "text": f"See below.\n> {link}"}))
    allowed = allowed_in(quoting, instructions="", signature="")
    assert "attacker" not in kept(f"{HELLO}\n{link}", allowed=allowed)


def _fields(one: object) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__slots__}  # type: ignore[attr-defined]


def test_the_owners_file_allows_its_addresses() -> None:
    allowed = allowed_in(
        ASKS,
        instructions="Point to https://vale.example.net/faq.",
        signature="Tel +44 20 7946 0958",
    )
    text = kept(
        f"{HELLO}\nhttps://vale.example.net/faq, robin@example.com, +44 20 7946 0958",
        allowed=allowed,
    )
    assert "removed" not in text


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*GOOD, "body", "x"]), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*GOOD, "body", "x"]), _JSON, max_size=7))
@settings(max_examples=200, deadline=None)
def test_no_answer_makes_it_fail(value: dict[str, object]) -> None:
    read(value)
    read_draft(value, language="en", allowed=Allowed(), fence=FENCE, signature="", name="")


def test_half_a_letter_gets_nowhere() -> None:
    body = json.loads('"Dear Mina, this is a draft \\ud800 with half a letter"')
    kept(body).encode()
    reason = read(GOOD | {"reason": body})
    assert isinstance(reason, Fault) or reason.reason.encode()
    again = asked_again(triage_question(ASKS, FRAME), body, "no", FRAME)
    "".join(prompt.text for prompt in again.prompts).encode()
