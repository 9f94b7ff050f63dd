"""Earlier messages that we hold show what is quoted without marks, and never cost own words."""

from __future__ import annotations

import textwrap

from providers.mime.newtext import new_text
from providers.mime.quotes_parent import Parents, answers_inside, repeated
from tests.newtext.mails import ASK

OLDER = "Dear all,\n\nwe shall meet in the small hall as in every month and speak about the roof."
HEADERS = "From: Robin <robin@example.com>\nSent: Monday\nTo: Mina\nSubject: Hall\n\n"


def _own(text: str, *parents: str, subject: str = "Re: Hall") -> str:
    return new_text(text, subject=subject, parents=parents).text


def test_unmarked_copy_of_the_parent_goes() -> None:
    assert _own(f"It is free.\n\n{ASK}", ASK) == "It is free."


def test_copy_wrapped_otherwise_goes() -> None:
    other = textwrap.fill(ASK.replace("\n", " "), 40)
    assert _own(f"It is free.\n\n{other}", ASK) == "It is free."


def test_copy_above_the_answer_goes() -> None:
    assert _own(f"{ASK}\n\nIt is free.", ASK) == "It is free."


def test_without_the_parent_the_copy_stays() -> None:
    assert _own(f"It is free.\n\n{ASK}") == f"It is free.\n\n{ASK}"


def test_copy_of_an_older_message_goes_too() -> None:
    assert _own(f"Agreed.\n\n{OLDER}", OLDER, ASK) == "Agreed."


def test_short_sentence_that_is_equal_stays() -> None:
    assert _own("Thanks,\nRobin", ASK) == "Thanks,\nRobin"
    assert (
        _own("Hello Mina,\n\nyes.\n\nThanks,\nRobin", ASK)
        == "Hello Mina,\n\nyes.\n\nThanks,\nRobin"
    )


def test_single_sentence_that_is_equal_stays() -> None:
    text = "I have counted again.\n\nThere will be about thirty of us.\n\nIs that so?"
    assert _own(text, ASK) == text


def test_sentence_that_is_taken_up_inside_a_line_stays() -> None:
    text = "You ask whether the small hall is free on the first Tuesday in March, and it is."
    assert _own(text, ASK) == text


def test_message_sent_again_stays_whole() -> None:
    assert _own(ASK, ASK, subject="Hall") == ASK


def test_answers_typed_into_an_outlook_quotation_stay() -> None:
    text = (
        f"Answers below.\n\n{HEADERS}Hello Mina,\n\ncould you tell me whether the small hall is "
        "free on the first Tuesday in March,\nYes.\nand whether we may bring our own chairs? There "
        "will be about thirty of us.\nNo.\n\nThanks,\nRobin\n"
    )
    assert _own(text, ASK) == "Answers below.\n\nYes.\n\nNo."


def test_answer_below_an_outlook_quotation_stays() -> None:
    assert _own(f"{HEADERS}{ASK}\n\nYes, it is free.", ASK) == "Yes, it is free."


def test_answer_below_the_quotation_of_a_short_question_stays() -> None:
    assert _own(f"{HEADERS}Is it free?\n\nYes, until noon.", "Is it free?") == "Yes, until noon."


def test_answer_below_an_introduced_quotation_without_marks_stays() -> None:
    text = f"On 2 Mar 2026 at 09:12, Robin <robin@example.com> wrote:\n\n{ASK}\n\nYes, it is."
    assert _own(text, ASK) == "Yes, it is."


def test_introduction_at_the_top_keeps_what_follows_where_no_parent_is_held() -> None:
    text = "On 2 Mar 2026 at 09:12, Robin <robin@example.com> wrote:\n\nIs it free?\n\nYes, it is."
    assert "Yes, it is." in _own(text)


def test_older_history_below_the_quotation_is_no_answer() -> None:
    text = f"Yes.\n\n{HEADERS}{ASK}\n\n{HEADERS}Something that we never held before."
    assert _own(text, ASK) == "Yes."


def test_arrow_that_the_parent_wrote_is_a_quotation() -> None:
    assert _own("> Settings > Accounts\nI did that.", "Settings > Accounts") == "I did that."


def test_word_wrapped_out_of_a_quoted_line_goes_with_it() -> None:
    asked = "Would you be so kind as to bring the long ladder and the short one too, Mina?"
    text = (
        "> Would you be so kind as to bring the long ladder and the short one\ntoo, Mina?\nI will."
    )
    assert _own(text, asked) == "I will."


def test_answer_below_a_long_quoted_line_stays_where_the_parent_lacks_it() -> None:
    asked = "Would you be so kind as to bring the long ladder and the short one"
    assert _own(f"> {asked}\ntoo late now", asked) == "too late now"


def test_only_so_much_of_the_parents_is_read() -> None:
    long = "\n".join(f"line {number} of a very long message" for number in range(100_000))
    assert _own(f"Agreed.\n\n{OLDER}", long, OLDER) == "Agreed."


def test_tail_of_an_endless_parent_is_not_read() -> None:
    endless = "word " * 50_000 + "could you tell me whether the hall is free"
    assert not Parents([endless]).holds_line("could you tell me whether the hall is free")
    assert Parents([endless[-500:]]).holds_line("could you tell me whether the hall is free")


def test_lines_are_repeated_only_in_long_stretches() -> None:
    parents = Parents([ASK])
    assert repeated(["Thanks,", "own words here", "Robin"], parents) == set()
    assert repeated(["Own.", *ASK.split("\n")[2:4]], parents) == {1, 2}


def test_no_answer_is_found_in_a_text_that_is_not_the_parents() -> None:
    assert answers_inside(["a wholly different text of somebody", "yes"], Parents([ASK])) == set()
