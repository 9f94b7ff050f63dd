"""Whose turn it is: what is open, what was taken care of, and by whom."""

from dataclasses import replace

from assistant.core.rules import judge
from providers.mime.message import Owner
from storage.words import Category, Urgency
from tests.core_rules.build import BEN, KAI, ME, MINA, mail, person, thread

MANY = [f"Reader Nr{number} <reader{number}@example.net>" for number in range(20)]
NEEDS = Category.NEEDS_REPLY


def test_a_question_to_the_owner_alone_needs_a_reply() -> None:
    triage = judge(thread(mail("Which day suits you?")))
    assert (triage.category, triage.answer, triage.unsure) == (NEEDS, 0, False)
    assert triage.asked == ("Which day suits you?",)
    assert triage.engine == "rules"
    assert triage.reason.startswith("Mina Okafor asks a question")


def test_an_empty_thread_needs_nothing() -> None:
    assert judge(thread()).category is Category.FYI


def test_a_question_to_somebody_else_is_not_the_owners() -> None:
    triage = judge(thread(mail("Ben, can you open the hall?", to=[BEN], cc=[ME])))
    assert triage.category is Category.FYI
    assert "only in copy" in triage.reason


def test_a_name_reaches_the_owner_in_copy() -> None:
    text = "Ben, the hall is open.\n\nRobin, can you bring the key?"
    triage = judge(thread(mail(text, to=[BEN], cc=[ME])))
    assert triage.category is NEEDS
    assert triage.asked == ("Robin, can you bring the key?",)
    assert "by name" in triage.reason


def test_a_name_on_its_own_line_holds_for_what_follows() -> None:
    triage = judge(thread(mail("Kai,\n\ncan you bring the key?", to=[ME, KAI])))
    assert triage.category is Category.FYI


def test_a_question_for_another_recipient_by_name_is_theirs() -> None:
    triage = judge(thread(mail("Kai, can you bring the key?", to=[ME, KAI])))
    assert triage.category is Category.FYI


def test_a_subject_that_happens_to_be_a_name_addresses_nobody() -> None:
    triage = judge(thread(mail("Kai said yes. When do we start?", to=[ME, KAI])))
    assert triage.category is NEEDS


def test_one_among_twenty_in_copy_owes_nothing() -> None:
    triage = judge(thread(mail("Can you confirm the figures?", to=[KAI], cc=[*MANY, ME])))
    assert triage.category is Category.FYI


def test_everyone_in_a_long_to_is_each() -> None:
    text = "Can everyone confirm their slot?"
    assert judge(thread(mail(text, to=[*MANY, ME]))).category is NEEDS


def test_a_list_asks_its_readers_and_not_the_owner() -> None:
    post = mail("Has anyone seen my rake?", to=["garden@lists.example.org"], list_id="<garden>")
    assert judge(thread(post)).category is Category.FYI


def test_a_list_message_that_answers_the_owner_asks_the_owner() -> None:
    mine = mail("Blight again.", by=ME, to=["garden@lists.example.org"], number=1)
    post = mail(
        "Which part of the plot is it?",
        to=["garden@lists.example.org"],
        list_id="<garden>",
        number=2,
        answers=[1],
    )
    assert judge(thread(mine, post)).category is NEEDS


def test_undisclosed_recipients_are_a_message_to_the_owner() -> None:
    assert judge(thread(mail("Can you come on Saturday?", to=[]))).category is NEEDS


def test_a_plus_address_is_the_owner() -> None:
    text = "Kai, Robin: who can sign for the parcel?"
    asked = mail(text, to=[KAI], cc=["robin+parcels@example.com"])
    assert judge(thread(asked)).category is NEEDS


def test_an_answer_of_the_owner_closes_the_question() -> None:
    asked = mail("Which day suits you?", number=1)
    mine = mail("Friday.", by=ME, to=[MINA], number=2, answers=[1])
    triage = judge(thread(asked, mine))
    assert triage.category is Category.FYI
    assert triage.answer is None


def test_the_owner_who_asked_last_waits() -> None:
    mine = mail("Which day suits you?", by=ME, to=[MINA])
    assert judge(thread(mine)).category is Category.WAITING


def test_a_promise_of_the_other_keeps_the_owner_waiting() -> None:
    mine = mail("When would the rent rise?", by=ME, to=[MINA], number=1)
    other = mail("I'll check and get back to you next week.", number=2, answers=[1])
    triage = judge(thread(mine, other))
    assert triage.category is Category.WAITING
    assert "Mina Okafor" in triage.reason


def test_an_older_question_stays_open_beside_newer_thanks_of_another() -> None:
    asked = mail("Robin, did the hall confirm?", cc=[BEN], number=1)
    thanks = mail("Thanks for organising, Mina!", by=BEN, to=[MINA], cc=[ME], number=2, answers=[1])
    triage = judge(thread(asked, thanks))
    assert (triage.category, triage.answer) == (NEEDS, 0)
    assert "still open although Ben Arno wrote last" in triage.reason


def test_an_answer_to_one_branch_leaves_the_other_open() -> None:
    anna = mail("Robin, can you book the hall?", by="Anna Keller <anna@example.org>", number=1)
    ben = mail("Robin, which day is it?", by=BEN, number=2)
    mine = mail("The 21st.", by=ME, to=[BEN], number=3, answers=[2])
    triage = judge(thread(anna, ben, mine))
    assert (triage.category, triage.answer, triage.unsure) == (NEEDS, 0, True)


def test_an_answer_to_all_reaches_every_open_question_before_it() -> None:
    anna = mail("Robin, can you book the hall?", by="Anna Keller <anna@example.org>", number=1)
    ben = mail("Robin, which day is it?", by=BEN, number=2, answers=[1])
    mine = mail(
        "Booked for the 21st.",
        by=ME,
        to=[BEN],
        cc=["Anna Keller <anna@example.org>"],
        number=3,
        answers=[2],
    )
    assert judge(thread(anna, ben, mine)).category is Category.FYI


def test_both_open_questions_are_listed_and_the_newest_is_answered() -> None:
    anna = mail("Can you book the hall?", by="Anna Keller <anna@example.org>", number=1)
    ben = mail("Which day is it?", by=BEN, number=2)
    triage = judge(thread(anna, ben))
    assert triage.answer == 1
    assert triage.asked == ("Can you book the hall?", "Which day is it?")


def test_an_answer_of_another_settles_a_question_to_several() -> None:
    asked = mail("Where is the projector?", to=[ME, KAI], number=1)
    other = mail("In room 4.", by=KAI, to=[MINA], cc=[ME], number=2, answers=[1])
    triage = judge(thread(asked, other))
    assert triage.category is Category.FYI
    assert "Kai Lind has answered" in triage.reason


def test_an_answer_of_another_does_not_settle_what_was_asked_by_name() -> None:
    asked = mail("Robin, did you book the hall?", to=[ME, KAI], number=1)
    other = mail("I brought chairs.", by=KAI, to=[MINA], cc=[ME], number=2, answers=[1])
    assert judge(thread(asked, other)).category is NEEDS


def test_the_asker_can_close_the_matter() -> None:
    asked = mail("Where is the projector?", number=1)
    later = mail("Never mind, found it.", number=2)
    assert judge(thread(asked, later)).category is Category.FYI


def test_a_postscript_does_not_close_the_question() -> None:
    asked = mail("Where is the projector?", number=1)
    later = mail("The room is booked until five, by the way.", number=2)
    triage = judge(thread(asked, later))
    assert (triage.category, triage.answer) == (NEEDS, 0)


def test_thanks_after_the_owners_answer_need_nothing() -> None:
    asked = mail("Where is the projector?", number=1)
    mine = mail("Room 4.", by=ME, to=[MINA], number=2, answers=[1])
    thanks = mail("Great, thanks!", number=3, answers=[2])
    triage = judge(thread(asked, mine, thanks))
    assert (triage.category, triage.unsure) == (Category.FYI, False)


def test_a_new_question_after_the_owners_answer_is_open() -> None:
    mine = mail("Room 4.", by=ME, to=[MINA], number=1)
    asked = mail("Thanks! And who has the key?", number=2, answers=[1])
    triage = judge(thread(mine, asked))
    assert (triage.category, triage.answer) == (NEEDS, 1)


def test_a_reminder_after_silence_is_said_to_be_one() -> None:
    asked = mail("Could you send two lines for the programme?", number=1)
    again = mail("Just following up, we still don't have your bio.", number=2)
    triage = judge(thread(asked, again))
    assert triage.category is NEEDS
    assert triage.reason.endswith("again, and you have not answered.")


def test_automated_mail_is_automated() -> None:
    machine = mail("Shall we try again?", automated="a report on delivery (bounce)")
    triage = judge(thread(machine))
    assert triage.category is Category.AUTOMATED
    assert "bounce" in triage.reason


def test_an_automatic_answer_does_not_close_a_persons_question() -> None:
    asked = mail("Which day suits you?", number=1)
    machine = mail("I am away.", by=KAI, automated="an automatic reply", number=2)
    assert judge(thread(asked, machine)).answer == 0


def test_nobody_is_answered_where_nobody_would_read_it() -> None:
    triage = judge(thread(mail("Anything else?", by="Desk <no-reply@example.org>")))
    assert triage.category is Category.FYI
    assert "nobody would read" in triage.reason


def test_a_form_that_names_the_asker_in_reply_to_is_answered() -> None:
    form = mail(
        "Do you open on holidays?",
        by="Form <noreply@shop.example>",
        reply_to=(person("Tess <tess@example.org>"),),
    )
    assert judge(thread(form)).category is NEEDS


def test_a_claim_to_be_the_owner_is_nobody_to_answer() -> None:
    claimed = thread(mail("Can you pay this today?", by=ME))
    entry = replace(claimed.entries[0], own=False)
    triage = judge(replace(claimed, entries=(entry,)))
    assert triage.category is not NEEDS


def test_quoted_questions_are_not_said_by_the_one_who_quotes() -> None:
    quoting = mail("Yes, will do.", text="Yes, will do.\n\n> Can you bring the key?")
    assert judge(thread(quoting)).category is Category.FYI


def test_a_question_in_a_forwarded_mail_is_not_the_forwarders() -> None:
    text = "For your files.\n\n---------- Forwarded message ---------\nFrom: x\n\nAny questions?"
    assert judge(thread(mail(text))).category is Category.FYI


def test_a_forward_without_a_word_is_left_to_a_model() -> None:
    text = "---------- Forwarded message ---------\nFrom: x\n\nPlease read your meter."
    triage = judge(thread(mail(text)))
    assert (triage.category, triage.unsure) == (Category.FYI, True)


def test_what_cannot_be_read_is_for_a_person() -> None:
    triage = judge(thread(mail("", body_unreadable="encrypted (S/MIME)")))
    assert triage.category is Category.FYI
    assert "encrypted" in triage.reason


def test_the_subject_of_a_bare_first_message_may_ask() -> None:
    triage = judge(thread(mail("Robin", subject="Lunch on Friday?")))
    assert (triage.category, triage.unsure) == (NEEDS, True)


def test_a_thing_to_do_without_a_question_is_doubtful() -> None:
    triage = judge(thread(mail("Please water the plants while I am away.")))
    assert (triage.category, triage.unsure) == (NEEDS, True)


def test_an_ordinary_bill_needs_no_reply() -> None:
    text = "Please find attached invoice no. 17, payable within 14 days. Please settle the amount."
    assert judge(thread(mail(text))).category is Category.FYI


def test_a_near_deadline_makes_it_urgent() -> None:
    triage = judge(thread(mail("Can you send me the plan by tomorrow?")))
    assert triage.urgency is Urgency.HIGH
    assert triage.deadline == "by tomorrow"


def test_a_far_deadline_does_not() -> None:
    triage = judge(thread(mail("Can you send me the plan by the end of March?")))
    assert triage.urgency is Urgency.NORMAL


def test_a_question_to_several_is_left_behind_by_a_conversation_that_went_on() -> None:
    asked = mail("Where shall we meet?", to=[ME, KAI, BEN], number=1)
    rest = [
        mail("The weather was lovely.", by=KAI, to=[MINA, ME], number=number, answers=[99])
        for number in range(2, 9)
    ]
    triage = judge(thread(asked, *rest))
    assert (triage.category, triage.unsure) == (Category.FYI, True)


def test_the_language_is_that_of_the_message_to_answer() -> None:
    asked = mail("Wann kommst du?", language="de", number=1)
    later = mail("Cheers!", by=BEN, language="en", number=2)
    assert judge(thread(asked, later)).language == "de"


def test_any_of_the_owners_addresses_is_the_owner() -> None:
    owner = Owner(name="Robin Vale", addresses=("robin@example.com", "hello@vale.example.net"))
    asked = mail("Which day suits you?", to=["hello@vale.example.net"], number=1)
    mine = mail("Friday.", by="R <hello@vale.example.net>", to=[MINA], number=2, answers=[1])
    assert judge(thread(asked, owner=owner)).category is NEEDS
    assert judge(thread(asked, mine, owner=owner)).category is Category.FYI


def test_a_reason_holds_no_line_break_of_a_display_name() -> None:
    triage = judge(
        thread(mail("May we visit?", by="Vic\r\nCc: spy@attacker.example <v@example.net>"))
    )
    assert "\n" not in triage.reason
    assert "spy@" not in triage.reason


def test_passing_a_question_on_takes_care_of_it() -> None:
    asked = mail("Can you look at the boiler?", number=1)
    passed_on = mail("Kai, can you?", by=ME, to=[KAI], number=2, answers=[1])
    triage = judge(thread(asked, passed_on))
    assert triage.category is Category.WAITING


def test_one_of_many_in_to_is_not_asked_unless_each_is() -> None:
    asked = mail("When does the shop close?", to=[*MANY, ME])
    triage = judge(thread(asked))
    assert triage.category is Category.FYI
    assert "one of many" in triage.reason


def test_a_copy_of_what_one_sends_to_oneself_speaks_to_those_in_copy() -> None:
    asked = mail("Can you come on Friday?", to=[MINA], cc=[ME])
    assert judge(thread(asked)).category is NEEDS


def test_an_answer_in_another_branch_does_not_count_for_its_ancestors() -> None:
    asked = mail("Robin, did the hall confirm?", cc=[BEN], number=1)
    thanks = mail("Thanks, Mina!", by=BEN, to=[MINA], cc=[ME], number=2, answers=[1])
    mine = mail(
        "No problem.",
        by=ME,
        to=[BEN],
        number=3,
        answers=[2],
        references=("<m1@example.org>", "<m2@example.org>"),
    )
    triage = judge(thread(asked, thanks, mine))
    assert (triage.category, triage.answer, triage.unsure) == (NEEDS, 0, True)


def test_without_headers_an_answer_belongs_to_the_message_before_it() -> None:
    asked = mail("Where is the projector?", to=[ME, KAI], number=1)
    other = mail("In room 4.", by=KAI, to=[MINA], cc=[ME], message_id=None, in_reply_to=())
    assert judge(thread(asked, other)).category is Category.FYI


def test_a_question_to_another_about_the_owner_is_left_to_a_model() -> None:
    asked = mail("Kai, can Robin bring the key?", to=[KAI], cc=[ME])
    triage = judge(thread(asked))
    assert (triage.category, triage.unsure) == (Category.FYI, True)
