"""Watching is shared out: every mailbox is covered, and nobody watches everything alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.core.sharing import Sharing, fair_share
from storage.words import IntegrationId, UserName

ROBIN, ALEX = UserName("robin"), UserName("alex")
_SERVES = st.lists(st.frozensets(st.sampled_from([ROBIN, ALEX]), min_size=1), max_size=5)


def mailbox(number: int) -> IntegrationId:
    return IntegrationId(f"robin/{number}")


def test_the_only_process_takes_everything() -> None:
    assert fair_share([ROBIN] * 7, []) == 7


def test_two_processes_take_a_half_each() -> None:
    assert fair_share([ROBIN] * 6, [frozenset({ROBIN})]) == 3


def test_a_process_that_does_not_serve_a_user_takes_nothing_of_theirs() -> None:
    assert fair_share([ROBIN] * 4 + [ALEX] * 4, [frozenset({ALEX})]) == 6


@given(st.lists(st.sampled_from([ROBIN, ALEX]), max_size=12), _SERVES)
def test_shares_together_cover_every_mailbox(
    users: list[UserName], members: list[frozenset[UserName]]
) -> None:
    members = [frozenset({ROBIN, ALEX}), *members]
    shares = [
        fair_share(
            [user for user in users if user in own],
            [other for at, other in enumerate(members) if at != number],
        )
        for number, own in enumerate(members)
    ]
    assert sum(shares) >= len(users)


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
