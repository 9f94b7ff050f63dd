"""A From with the owner's address outside Sent is somebody's claim, not the owner's word."""

from dataclasses import replace

import pytest

from assistant.core.answers import read_triage
from assistant.core.conversation import Conversation, Triage
from assistant.core.rules import judge
from providers.mime.message import Mail
from storage.words import Category
from tests.core_rules.build import BEN, KAI, ME, MINA, mail, person, thread

ASK = "Could you send me the contract today?"
PLUS = "Robin <robin+shop@example.com>"


def received(*mails: Mail, own: tuple[int, ...] = ()) -> Conversation:
    """A thread in which only *own* lie in Sent, whatever the headers claim."""
    found = thread(*mails)
    entries = tuple(replace(entry, own=index in own) for index, entry in enumerate(found.entries))
    return replace(found, entries=entries)


@pytest.mark.parametrize(
    "forged",
    [
        mail(ASK, by=ME, to=[KAI]),
        mail(ASK, by=ME, to=[ME, KAI]),
        mail(ASK, by=ME, to=[ME], cc=[KAI]),
        mail(ASK, by=ME, to=[], cc=[KAI]),
        mail(ASK, by=PLUS, to=[KAI]),
        mail(ASK, by="ROBIN@EXAMPLE.COM", to=[KAI]),
        mail(ASK, by=ME, to=[KAI], reply_to=(person(BEN),)),
        mail(ASK, by=ME, to=["garden@lists.example.org"], list_id="<garden>"),
        mail("Nothing more.", by=ME, to=[KAI]),
    ],
)
def test_a_mail_in_the_owners_name_to_others_is_suspicious(forged: Mail) -> None:
    triage = judge(received(forged))
    assert (triage.category, triage.answer) == (Category.SUSPICIOUS, None)
    assert "in Sent" in triage.reason


def test_a_machine_that_writes_in_the_owners_name_is_a_machine() -> None:
    triage = judge(received(mail(ASK, by=ME, to=[KAI], automated="it says so")))
    assert triage.category is Category.AUTOMATED


def test_the_same_mail_in_sent_is_the_owners() -> None:
    assert judge(received(mail(ASK, by=ME, to=[KAI]), own=(0,))).category is Category.WAITING


@pytest.mark.parametrize("to", [[ME], [PLUS], []])
def test_a_note_to_oneself_is_neither_suspicious_nor_answered(to: list[str]) -> None:
    triage = judge(received(mail("Robin, can you buy milk?", by=ME, to=to)))
    assert (triage.category, triage.answer) == (Category.FYI, None)


def test_a_form_that_writes_in_the_owners_name_is_the_askers_mail() -> None:
    form = mail(ASK, by=ME, to=[ME], reply_to=(person(KAI),))
    assert judge(received(form)).category is Category.NEEDS_REPLY


def test_an_earlier_claim_to_be_the_owner_answers_nothing() -> None:
    asked = mail("Robin, which day suits you?", number=1)
    forged = mail("Tuesday.", by=ME, to=[MINA], number=2, answers=[1])
    later = mail("Any news?", number=3, answers=[2])
    triage = judge(received(asked, forged, later))
    assert (triage.category, triage.answer) == (Category.NEEDS_REPLY, 2)
    assert triage.asked == ("Robin, which day suits you?", "Any news?")


def test_an_earlier_claim_to_be_the_owner_is_never_the_message_to_answer() -> None:
    forged = mail(ASK, by=ME, to=[KAI], number=1)
    later = mail("Thanks, that is all.", number=2, answers=[1])
    assert judge(received(forged, later)).answer is None


def test_a_model_that_wants_an_answer_gets_none_for_a_claim() -> None:
    forged = mail(ASK, by=ME, to=[KAI], number=1)
    later = mail("Out of office.", number=2, answers=[1], automated="a vacation note")
    conversation = received(forged, later)
    said: dict[str, object] = {
        "category": "needs_reply",
        "urgency": "high",
        "reason": "Kai waits.",
        "asked": [],
        "deadline": None,
        "language": "en",
    }
    found = read_triage(said, conversation, judge(conversation), engine="model:m", fence="f")
    assert not isinstance(found, Triage) or found.answer is None
