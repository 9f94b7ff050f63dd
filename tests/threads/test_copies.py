"""Which mails are copies of one message, and which only share its id."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.mime.message import Mail
from providers.mime.threads import distinct_messages, same_message
from tests.threads.build import MONDAY, TUESDAY, identity, mail

QUESTION = "Robin, did you book the hall?"
FOOTER = f"{QUESTION}\n_______________________________________________\ngarden mailing list"

ONE = {
    "directly_and_through_a_list": [mail(text=QUESTION), mail(text=FOOTER, garden=True)],
    "through_a_list_first": [mail(text=FOOTER, garden=True), mail(text=QUESTION)],
    "through_two_lists": [
        mail(text=FOOTER, garden=True),
        mail(text=f"{QUESTION}\n-- \nboard list", list_id="<board.lists.example.org>"),
    ],
    "in_inbox_and_sent": [mail(tag="inbox"), mail(tag="sent")],
    "a_list_that_writes_itself_into_from": [
        mail(text=QUESTION),
        mail(
            from_=("Mina via Garden <garden@lists.example.org>",),
            reply_to=("Mina Okafor <mina@example.org>",),
            text=FOOTER,
            garden=True,
        ),
    ],
    "a_list_that_keeps_the_author_in_cc": [
        mail(text=QUESTION),
        mail(
            from_=("Mina via Garden <garden@lists.example.org>",),
            reply_to=("garden@lists.example.org",),
            cc=("Mina Okafor <mina@example.org>",),
            text=FOOTER,
            garden=True,
        ),
    ],
    "a_list_that_keeps_the_author_in_x_original_from": [
        mail(text=QUESTION),
        mail(
            from_=("Mina via Garden <garden@lists.example.org>",),
            original_from=("mina@example.org",),
            text=FOOTER,
            garden=True,
        ),
    ],
    "a_list_that_dates_anew": [mail(text=QUESTION), mail(text=FOOTER, date=TUESDAY, garden=True)],
    "a_list_that_puts_a_line_on_top": [
        mail(text=QUESTION),
        mail(text=f"This came through the garden list.\n{QUESTION}", garden=True),
    ],
    "a_copy_whose_body_is_lost": [mail(text=QUESTION), mail(text="", garden=True)],
    "letter_case_of_the_author": [mail(), mail(from_=("MINA@Example.org",), tag="2")],
    "no_message_id": [mail(None, tag="1"), mail(None, tag="2")],
    "no_message_id_and_a_list_tag": [
        mail(None, text=QUESTION, subject="Hall"),
        mail(None, text=FOOTER, subject="Re: Hall", garden=True),
    ],
    "an_empty_message_id": [mail("<>", tag="1"), mail("<>", tag="2")],
    "the_very_same_file": [mail(None, date=None), mail(None, date=None)],
    "a_message_id_with_and_without_angles": [mail("m1@example.org"), mail("<m1@example.org>")],
}

MANY = {
    "another_author": [mail(), mail(from_=("Vic Stone <vic@example.net>",))],
    "another_author_and_date": [
        mail(),
        mail(from_=("Vic Stone <vic@example.net>",), date=TUESDAY, text="Pay today."),
    ],
    "another_date_and_text": [mail(), mail(date=TUESDAY, text="The boiler is broken again.")],
    "another_text_in_the_same_second": [
        mail(text="Disk 1 of host alpha is full"),
        mail(text="Backup finished without errors"),
    ],
    "one_id_without_text_on_two_days": [mail(text=""), mail(text="", date=TUESDAY)],
    "other_ids": [mail("<1@example.org>"), mail("<2@example.org>")],
    "no_id_and_another_text": [
        mail(None, text="Disk 1 of host alpha is full"),
        mail(None, text="Backup finished without errors"),
    ],
    "no_id_and_another_date": [mail(None), mail(None, date=TUESDAY)],
    "no_id_and_another_subject": [mail(None, subject="Roof"), mail(None, subject="Keys")],
    "no_id_and_another_author": [mail(None), mail(None, from_=("vic@example.net",))],
    "no_id_no_date_and_another_header": [
        mail(None, date=None, tag="1"),
        mail(None, date=None, tag="2"),
    ],
    "a_quotation_of_the_other": [
        mail(text=QUESTION),
        mail(text=f"Yes.\n> {QUESTION}", date=TUESDAY),
    ],
    "letter_case_of_the_id": [mail("<aB@example.org>"), mail("<Ab@example.org>")],
}


@pytest.mark.parametrize("name", ONE)
def test_copies_of_one_message_are_one(name: str) -> None:
    assert distinct_messages(ONE[name]) == [[0, 1]]


@pytest.mark.parametrize("name", MANY)
def test_messages_that_share_an_id_or_lack_one_are_told_apart(name: str) -> None:
    assert distinct_messages(MANY[name]) == [[0], [1]]


@pytest.mark.parametrize("name", ONE)
def test_being_copies_does_not_depend_on_the_order(name: str) -> None:
    one, other = ONE[name]
    assert same_message(one, other)
    assert same_message(other, one)


def test_groups_stand_in_order_of_first_arrival() -> None:
    mails = [mail("<1@a.example>"), mail("<2@a.example>"), mail("<1@a.example>", tag="again")]
    assert distinct_messages(mails) == [[0, 2], [1]]


def test_nothing_makes_no_groups() -> None:
    assert distinct_messages([]) == []


def test_a_thousand_namesakes_are_told_apart_and_their_copies_found() -> None:
    namesakes = [
        mail(text=f"w{n} x{n} y{n} z{n}", date=MONDAY.replace(minute=n % 60, day=1 + n // 60))
        for n in range(1_000)
    ]
    groups = distinct_messages(namesakes * 2)
    assert groups == [[n, n + 1_000] for n in range(1_000)]


def test_among_many_namesakes_only_equals_are_copies() -> None:
    days = [MONDAY.replace(day=number) for number in range(1, 11)]
    namesakes = [mail(text=f"w{day} x{day}", date=day) for day in days]
    last = namesakes[-1]
    footed = mail(text=f"{last.text}\nfooter", date=last.date)
    assert [10] in distinct_messages([*namesakes, footed])
    assert [9, 10] in distinct_messages([*namesakes, last])


texts = st.sampled_from(["", "a b c", "a b c\nfooter", "d e f", "日本語\n本文"])
mails = st.builds(
    lambda message_id, author, date, text, by_list, tag: dataclasses.replace(
        mail(message_id, date=date, text=text, from_=author, garden=by_list),
        identity=identity(str(tag)),
    ),
    st.sampled_from([None, "<>", "<1@a.example>", "2@a.example", "<3@a.example> <4@a.example>"]),
    st.sampled_from([(), ("mina@example.org",), ("vic@example.net",)]),
    st.sampled_from([None, MONDAY, TUESDAY]),
    texts,
    st.booleans(),
    st.integers(0, 3),
)


@given(st.lists(mails, max_size=8))
def test_every_mail_is_in_exactly_one_group(rows: list[Mail]) -> None:
    groups = distinct_messages(rows)
    assert sorted(index for group in groups for index in group) == list(range(len(rows)))
