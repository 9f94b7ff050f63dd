"""What looks like a quotation and is the author's own stays, to the last word."""

from __future__ import annotations

import pytest

from providers.mime.intros import introduction
from providers.mime.newtext import new_text

KEPT_WHOLE = (
    ("", "Open\n> Settings > Sounds\nand switch it off."),
    ("Re: Phone", "Open the menu\n> Settings\n> Sounds\n> Off\nand tell me if it helps."),
    ("Weights", "Which of these is right?\n> 300 kg\n< 300 kg"),
    ("Re: Lift", "It may carry a load of\n> 300 kg, I think. Is that enough?"),
    ("Shell", "I typed\n> make hall\nand nothing happened. Why?"),
    ("Re: Code", "It says\n>>> open(hall)\n>>> close(hall)\nIs that right?"),
    ("Re: Pipe", "cat plans | sort -> plans\nx => y\nboth fail."),
    ("Menu", "Soup\n-----\nBread\n-----\nCake"),
    ("Re: Menu", "=====\nSoup\n=====\nWhich one?\n_____"),
    ("Re: Hall", "On Monday I wrote to you:\n\nthe lock is broken.\n\nWhat now?"),
    ("Re: Hall", "On 2 March 2026 at 09:12 I wrote to robin@example.com:\n\nthe lock is broken."),
    ("Re: Hall", "Am 2. März 2026 um 09:12 schrieb ich an r@example.com:\n\ndas Schloss klemmt."),
    ("Re: Hall", "Den 2 mars 2026 kl 09:12 skrev jag till robin@example.com:\n\nlåset är trasigt."),
    ("Re: Hall", "2 марта 2026 г. в 09:12 я написал на robin@example.com:\n\nзамок сломан."),
    ("Re: Hall", "The rule that Lena wrote:\n\nno music after ten.\n\nDo you know it?"),
    ("Re: Hall", "Robin wrote the plan and Mina wrote the budget:\n\nboth are good."),
    ("Re: Hall", "Here is what we need:\n\n- chairs\n- tables"),
    ("Trip", "From: Paris\nTo: Lyon\nDate: 3 March\n\nCan you book that?"),
    ("Re: Trip", "Von: Berlin\nNach: Bonn\nDatum: 3. März\n\nKannst du das buchen?"),
    ("Re: Hall", "From: what I heard, it is shut. Is it?"),
    ("Re: Hall", "To: be honest\nSubject: unclear\nI do not know."),
    ("Re: Bounce", "The headers are:\nFrom: a@example.com\nTo: b@example.com\nSubject: x\n\nWhy?"),
    ("Re: Bounce", "From: a@example.com\nReceived: by a.example.com\nSubject: x\n\nWhy?"),
    ("Re: Bounce", "It says\nFrom: a@example.com\nTo: b\nSubject: x\nMessage-ID: <y>\n\nWhy?"),
    ("Re: Hall", "Original message received, thank you. When do we meet?"),
    ("Re: Hall", "I forwarded message number four to Lena.\nForwarded message five as well."),
    ("Re: Hall", "Begin forwarded messages with FYI, please."),
    ("Hall", "It was sent from my phone, so forgive the typos.\nWhat do you think?"),
    ("Hall", "The signature line is\n--\nand below it comes a name. Shall we change that?"),
    ("Re: Hall", "Time: 9:12\nPlace: hall\nWho: you\n\nOK?"),
    ("Re: Hall", "Meeting on 2 March 2026 at 09:12, ask robin@example.com:\n\nis the hall free?"),
)  # fmt: skip


@pytest.mark.parametrize(("subject", "text"), KEPT_WHOLE)
def test_the_authors_own_text_stays_whole(subject: str, text: str) -> None:
    found = new_text(text, subject=subject)
    assert found.text == text
    assert found.cut == ()


@pytest.mark.parametrize(
    "line",
    [
        "As Peter wrote:",
        "Here is what Lena wrote:",
        "And then you wrote:",
        "the law that they wrote:",
    ],
)
def test_own_sentence_above_a_quotation_stays(line: str) -> None:
    found = new_text(f"{line}\n> No music after ten.\n\nIs that so?", subject="Re: Hall")
    assert found.text == f"{line}\n\nIs that so?"


def test_line_above_an_introduction_is_not_taken_for_a_part_of_it() -> None:
    lines = ["See you at 9:00 on 2 March", "Robin Vale <robin@example.com> wrote:", "> Yes?"]
    assert introduction(lines, 1, first=0, marked_next=True) == 1


def test_introduction_does_not_reach_over_a_blank_line() -> None:
    lines = ["On Monday it rains", "", "Robin Vale wrote:", "> Yes?"]
    assert introduction(lines, 2, first=0, marked_next=True) == 2


def test_text_that_starts_with_a_quotation_keeps_its_answer() -> None:
    text = "> Does Tuesday suit you?\n\nIt does. Shall I bring cake?"
    assert new_text(text, subject="Re: x").text == "It does. Shall I bring cake?"


@pytest.mark.parametrize("answer", ["yes", "no, not yet", "ja", "да", "ok with me"])
def test_short_answer_below_a_long_quoted_line_stays(answer: str) -> None:
    quoted = "> Is the hall free on the first Tuesday in March as you told us last"
    text = f"Robin Vale wrote:\n{quoted}\n{answer}\n> And the one after?\nIt is."
    assert new_text(text, subject="Re: x").text == f"{answer}\n\nIt is."
