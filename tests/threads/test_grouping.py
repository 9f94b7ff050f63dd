"""Which messages share a thread, in whatever order and state they arrive."""

from __future__ import annotations

import base64
import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.mime.message import Heads
from providers.mime.threads import (
    FIRST_REFERENCES,
    LAST_REFERENCES,
    choose_thread,
    claimed_keys,
    group_threads,
    new_thread_id,
    thread_keys,
)
from storage.words import ThreadId
from tests.threads.build import heads, identity


def index(root: bytes, *answers: bytes) -> str:
    return base64.b64encode(root + b"".join(answers)).decode()


ROOT = bytes(range(1, 23))
ANSWER = b"\x10\x20\x30\x40\x50"

TOGETHER = {
    "references": [heads("<1@a.example>"), heads("<2@b.example>", "<1@a.example>")],
    "in_reply_to_alone": [heads("<1@a.example>"), heads("<2@b.example>", reply=("<1@a.example>",))],
    "prose_around_the_id": [
        heads("<p1@example.com>"),
        heads("<2@b.example>", reply=('Your message of "Mon, 02 Mar 2026" <p1@example.com>',)),
    ],
    "prose_after_the_id": [
        heads("<p1@example.com>"),
        heads("<2@b.example>", reply=("<p1@example.com> from Robin on Monday",)),
    ],
    "bare_id": [heads("<p1@example.com>"), heads("<2@b.example>", reply=("p1@example.com",))],
    "prose_with_an_address": [
        heads("<p1@example.com>"),
        heads("<2@b.example>", reply=("Robin <robin@example.com> wrote <p1@example.com>",)),
    ],
    "prose_in_a_comment": [
        heads("<p1@example.com>"),
        heads("<2@b.example>", reply=("<p1@example.com> (Robin's <robin@example.com> message)",)),
    ],
    "own_id_without_angles": [
        heads("abc.123@example.com"),
        heads("<2@b.example>", reply=("<abc.123@example.com>",)),
    ],
    "own_id_without_an_at": [heads("<abc123>"), heads("<2@b.example>", "<abc123>")],
    "bare_word_as_id": [heads("abc123"), heads("<2@b.example>", "<abc123>")],
    "reference_without_angles": [
        heads("<abc.123@example.com>"),
        heads("<2@b.example>", "abc.123@example.com"),
    ],
    "white_space_around_the_id": [
        heads("  < 1@a.example >  "),
        heads("<2@b.example>", "<1@a.example>"),
    ],
    "an_id_folded_in_the_middle": [
        heads("<1.long@a.example>"),
        heads("<2@b.example>", "<1.long@\r\n a.example>"),
    ],
    "brackets_in_the_id": [
        heads("<[7d3f-ABC@mail.example.org]>"),
        heads("<2@b.example>", "<[7d3f-ABC@mail.example.org]>"),
    ],
    "several_ids_in_one_header": [
        heads("<1@a.example> <1b@a.example>"),
        heads("<2@b.example>", "<1b@a.example>"),
    ],
    "several_references_in_one_value": [
        heads("<1@a.example>"),
        heads("<2@b.example>", "<0@a.example> <1@a.example><x@a.example>"),
    ],
    "ghost_root": [
        heads("<g2@example.org>", "<g0@example.net>", reply=("<g0@example.net>",)),
        heads("<g3@example.net>", "<g0@example.net>"),
    ],
    "ghost_known_by_in_reply_to_alone": [
        heads("<g2@example.org>", reply=("<g0@example.net>",)),
        heads("<g3@example.net>", reply=("<g0@example.net>",)),
    ],
    "ghost_in_the_middle": [
        heads("<1@a.example>"),
        heads("<3@a.example>", "<1@a.example>", "<2@a.example>"),
        heads("<4@a.example>", reply=("<2@a.example>",)),
    ],
    "answer_before_question": [heads("<2@b.example>", "<1@a.example>"), heads("<1@a.example>")],
    "loop": [
        heads("<l1@example.org>", "<l1@example.org>", "<l2@example.org>"),
        heads("<l2@example.org>", "<l1@example.org>"),
    ],
    "three_in_a_ring": [
        heads("<1@a.example>", "<3@a.example>"),
        heads("<2@a.example>", "<1@a.example>"),
        heads("<3@a.example>", "<2@a.example>"),
    ],
    "a_changed_subject": [
        heads("<1@a.example>", subject="Room booking"),
        heads("<2@b.example>", "<1@a.example>", subject="Catering (was: Room booking)"),
    ],
    "thread_index": [
        heads("<ti0@example.com>", index=index(ROOT)),
        heads("<ti1@example.org>", index=index(ROOT, ANSWER)),
    ],
    "thread_index_of_two_answers": [
        heads("<ti1@example.org>", index=index(ROOT, ANSWER)),
        heads("<ti2@example.org>", index=index(ROOT, ANSWER, ANSWER)),
    ],
    "thread_index_folded_and_unpadded": [
        heads("<ti0@example.com>", index=index(ROOT)),
        heads("<ti1@example.org>", index=index(ROOT).rstrip("=")[:12] + "\r\n " + index(ROOT)[12:]),
    ],
    "thread_index_of_an_answer_that_has_references_too": [
        heads("<1@a.example>"),
        heads("<2@a.example>", "<1@a.example>", index=index(ROOT)),
        heads("<3@a.example>", index=index(ROOT, ANSWER)),
    ],
    "thread_index_without_message_ids": [
        heads(index=index(ROOT), tag="a"),
        heads(index=index(ROOT, ANSWER), tag="b"),
    ],
    "references_of_300": [
        heads("<r0@a.example>"),
        heads("<last@a.example>", *(f"<r{n}@a.example>" for n in range(300))),
        heads("<r299@a.example>"),
    ],
}

APART = {
    "one_subject": [heads("<1@a.example>"), heads("<2@b.example>")],
    "an_answers_subject": [
        heads("<1@a.example>", subject="Invoice"),
        heads("<2@b.example>", subject="Re: Invoice"),
    ],
    "no_ids": [heads(tag="a"), heads(tag="b")],
    "empty_ids": [heads("<>", tag="a"), heads("<>", tag="b")],
    "empty_parents": [heads("<1@a.example>", "<>"), heads("<2@b.example>", "<>", reply=("",))],
    "letter_case": [heads("<Ab@a.example>"), heads("<2@b.example>", "<aB@a.example>")],
    "prose_alone": [
        heads("<1@a.example>", reply=("Your message of Monday",)),
        heads("<2@b.example>", reply=("Your message of Monday",)),
    ],
    "an_address_in_prose": [
        heads(
            "<1@a.example>", reply=("Message from Mina <mina@example.org> of Monday <7@a.example>",)
        ),
        heads(
            "<2@b.example>", reply=("Message from Mina <mina@example.org> of Monday <8@a.example>",)
        ),
    ],
    "an_address_in_prose_behind_the_id": [
        heads("<1@a.example>", reply=("<7@a.example> (Mina's <mina@example.org> message)",)),
        heads("<2@b.example>", reply=("<8@a.example> (Mina's <mina@example.org> message)",)),
    ],
    "a_bare_address_in_prose": [
        heads("<1@a.example>", reply=("mina@example.org's message of Monday",)),
        heads("<2@b.example>", reply=("mina@example.org's message of Tuesday",)),
    ],
    "an_address_before_a_quoted_subject": [
        heads("<1@a.example>", reply=('Mina <mina@example.org> "Re: Roof" (Mar 2, 7:35pm)',)),
        heads("<2@b.example>", reply=('Mina <mina@example.org> "Re: Keys" (Mar 3, 8:10pm)',)),
    ],
    "thread_index_of_other_roots": [
        heads("<1@a.example>", index=index(ROOT)),
        heads("<2@b.example>", index=index(bytes(reversed(ROOT)))),
    ],
    "thread_index_too_short": [
        heads("<1@a.example>", index=index(ROOT[:21])),
        heads("<2@b.example>", index=index(ROOT[:21])),
    ],
    "thread_index_that_is_none": [
        heads("<1@a.example>", index="no index at all, though long enough?"),
        heads("<2@b.example>", index="no index at all, though long enough?"),
    ],
    "thread_index_beside_references": [
        heads("<1@a.example>", index=index(ROOT)),
        heads("<2@b.example>", "<other@c.example>", index=index(ROOT, ANSWER)),
    ],
    "an_id_that_looks_like_an_index": [
        heads("<1@a.example>", index=index(ROOT)),
        heads("<2@b.example>", f"<thread-index {ROOT.hex()}>"),
    ],
}


@pytest.mark.parametrize("name", TOGETHER)
def test_messages_of_one_thread_are_found_together(name: str) -> None:
    assert len(set(group_threads(TOGETHER[name]))) == 1


@pytest.mark.parametrize("name", APART)
def test_messages_of_two_threads_stay_apart(name: str) -> None:
    assert len(set(group_threads(APART[name]))) == len(APART[name])


def test_a_late_message_that_bridges_two_threads_joins_that_of_its_nearest_parent() -> None:
    threads = group_threads(
        [
            heads("<1@a.example>"),
            heads("<2@b.example>"),
            heads("<3@c.example>", "<1@a.example>", "<2@b.example>"),
        ]
    )
    assert threads[0] != threads[1]
    assert threads[2] == threads[1]


def test_a_late_bridge_moves_nothing() -> None:
    first, bridge = heads("<1@a.example>"), heads("<2@b.example>", "<1@a.example>")
    other = heads("<3@c.example>", "<2@b.example>")
    before = group_threads([first, other])
    assert group_threads([first, other, bridge])[:2] == before


def test_a_bridge_does_not_take_keys_from_the_other_thread() -> None:
    threads = group_threads(
        [
            heads("<1@a.example>"),
            heads("<2@b.example>"),
            heads("<3@c.example>", "<1@a.example>", "<2@b.example>"),
            heads("<4@a.example>", "<1@a.example>"),
        ]
    )
    assert threads[3] == threads[0]


def test_a_message_joins_the_thread_that_waited_for_it_before_that_of_its_parent() -> None:
    keys = thread_keys(heads("<2@b.example>", "<1@a.example>"))
    known = {"1@a.example": ThreadId("old"), "2@b.example": ThreadId("ghost")}
    assert choose_thread(keys, known) == "ghost"


def test_in_reply_to_is_nearer_than_the_last_reference() -> None:
    keys = thread_keys(
        heads("<3@a.example>", "<1@a.example>", "<2@a.example>", reply=("<0@a.example>",))
    )
    assert keys.parents == ("0@a.example", "2@a.example", "1@a.example")


def test_a_message_is_not_its_own_parent() -> None:
    keys = thread_keys(heads("<1@a.example>", "<1@a.example>", reply=("<1@a.example>",)))
    assert keys.parents == ()


def test_references_of_300_keep_their_ends_and_a_bounded_number() -> None:
    chain = [f"<r{n}@a.example>" for n in range(300)]
    keys = thread_keys(heads("<last@a.example>", *chain))
    assert len(keys.parents) == FIRST_REFERENCES + LAST_REFERENCES
    assert keys.parents[0] == "r299@a.example"
    assert keys.parents[-1] == "r0@a.example"


def test_every_key_that_a_message_knows_is_claimed_once() -> None:
    keys = thread_keys(heads("<2@b.example>", "<0@a.example>", "<1@a.example>", index=index(ROOT)))
    assert claimed_keys(keys) == (
        "2@b.example",
        "thread-index " + ROOT.hex(),
        "1@a.example",
        "0@a.example",
    )


def test_a_known_thread_index_does_not_pull_in_a_message_with_references() -> None:
    keys = thread_keys(heads("<2@b.example>", "<1@a.example>", index=index(ROOT)))
    known = {"thread-index " + ROOT.hex(): ThreadId("outlook"), "1@a.example": ThreadId("ids")}
    assert choose_thread(keys, known) == "ids"


def test_a_new_thread_is_named_by_the_identity_of_its_first_message() -> None:
    one, same = heads("<1@a.example>", subject="a"), heads("<1@a.example>", subject="b")
    assert new_thread_id(one) == new_thread_id(same) != new_thread_id(heads("<2@a.example>"))


def test_a_thread_id_is_short_lower_case_hex() -> None:
    made = new_thread_id(heads("<1@a.example>"))
    assert len(made) == 20
    assert set(made) <= set("0123456789abcdef")


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_complete_chain_is_one_thread_in_every_order(order: tuple[int, ...]) -> None:
    ids = [f"<{n}@a.example>" for n in range(4)]
    chain = [heads(ids[n], *ids[:n]) for n in range(4)]
    assert len(set(group_threads([chain[n] for n in order]))) == 1


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[Heads], list[int], random.Random]:
    """Trees of messages whose References are complete, with the root of each."""
    parents: list[int | None] = []
    parents += [
        draw(st.none() | st.integers(0, number - 1)) if number else None
        for number in range(draw(st.integers(1, 12)))
    ]
    chains: list[list[str]] = []
    roots: list[int] = []
    made: list[Heads] = []
    for number, parent in enumerate(parents):
        chain = [] if parent is None else [*chains[parent], f"<{parent}@a.example>"]
        chains.append(chain)
        roots.append(number if parent is None else roots[parent])
        made.append(heads(f"<{number}@a.example>", *chain))
    return made, roots, draw(st.randoms(use_true_random=False))


@given(forests())
def test_complete_references_give_the_same_members_in_any_order(
    forest: tuple[list[Heads], list[int], random.Random],
) -> None:
    made, roots, chance = forest
    order = list(range(len(made)))
    chance.shuffle(order)
    found = dict(zip(order, group_threads([made[n] for n in order]), strict=True))
    for one, other in itertools.combinations(range(len(made)), 2):
        assert (found[one] == found[other]) == (roots[one] == roots[other])


wild = st.text(st.sampled_from('<>@ab \t\r\n,;"()\0é\ud800=:'), max_size=30)


@given(st.lists(st.tuples(wild, st.lists(wild, max_size=3), wild, wild), max_size=6))
def test_any_headers_at_all_have_a_thread(rows: list[tuple[str, list[str], str, str]]) -> None:
    made = [
        Heads(
            identity=identity(str(number)),
            message_id=own,
            references=tuple(references),
            in_reply_to=(reply,),
            thread_index=index,
        )
        for number, (own, references, reply, index) in enumerate(rows)
    ]
    assert len(group_threads(made)) == len(made)


@given(st.lists(st.tuples(wild, wild), min_size=1, max_size=6))
def test_what_arrives_later_changes_no_thread(rows: list[tuple[str, str]]) -> None:
    made = [heads(own, parent, tag=str(number)) for number, (own, parent) in enumerate(rows)]
    assert group_threads(made)[:-1] == group_threads(made[:-1])
