"""Watching is shared out: every mailbox is covered, and nobody watches everything alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.sharing import Sharing, fair_share, left_undone
from storage.words import IntegrationId


def mailbox(number: int) -> IntegrationId:
    return IntegrationId(f"robin/{number}")


BOXES = [mailbox(number) for number in range(6)]
_SERVES = st.lists(st.frozensets(st.sampled_from(BOXES), min_size=1), max_size=5)


def test_the_only_process_takes_everything() -> None:
    assert fair_share(BOXES, []) == 6


def test_two_processes_take_a_half_each() -> None:
    assert fair_share(BOXES, [BOXES]) == 3


def test_a_process_that_cannot_serve_a_mailbox_takes_nothing_of_it() -> None:
    assert fair_share(BOXES, [BOXES[:2]]) == 5


@given(_SERVES)
def test_shares_together_cover_every_mailbox(members: list[frozenset[IntegrationId]]) -> None:
    members = [frozenset(BOXES), *members]
    shares = [
        fair_share(own, [own & other for at, other in enumerate(members) if at != number])
        for number, own in enumerate(members)
    ]
    assert sum(shares) >= len(BOXES)


@pytest.mark.parametrize(
    ("lacking", "able", "undone"),
    [
        (["all"], [], {"watch", "work"}),
        (["all"], ["all"], set()),
        (["work"], ["watch"], {"work"}),
        (["work"], ["watch", "work"], set()),
        (["all"], ["watch"], {"work"}),
        ([], [], set()),
        (["watch"], ["all"], set()),
    ],
)
def test_what_nobody_does_for_a_mailbox_is_what_those_who_lack_it_would_do(
    lacking: list[str], able: list[str], undone: set[str]
) -> None:
    assert left_undone(lacking, able) == undone


def test_a_share_bounds_what_is_taken() -> None:
    sharing = Sharing(share=1)
    assert sharing.may_take()
    sharing.watching.add(mailbox(1))
    assert not sharing.may_take()


def test_without_a_fleet_everything_may_be_taken() -> None:
    assert Sharing(watching={mailbox(1), mailbox(2)}).may_take()


def test_a_smaller_share_gives_up_the_surplus_and_no_more() -> None:
    sharing = Sharing(watching={mailbox(number) for number in range(5)})
    sharing.regroup(3)
    assert [sharing.gives_up() for _ in range(4)] == [True, True, False, False]
