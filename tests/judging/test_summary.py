"""A pass tells whether anything could be done at all, and what stood in the way."""

from __future__ import annotations

from collections import Counter

import pytest

from assistant.loops.turn import Result
from assistant.once import Summary, problems_of
from storage.words import IntegrationId
from tests.judging.conftest import Desk
from tests.support.mails import question
from tests.support.models import ScriptedModel, failing


def summary(*, problem: bool = False, **results: int) -> Summary:
    return Summary(
        mailbox=IntegrationId("robin/work"),
        messages=0,
        threads=0,
        results=Counter({Result(name): number for name, number in results.items()}),
        problem=problem,
    )


@pytest.mark.parametrize(
    ("one", "failed"),
    [
        (summary(), False),
        (summary(nothing=3), False),
        (summary(failed=2), True),
        (summary(failed=2, lost=1), True),
        (summary(failed=2, nothing=1), False),
        (summary(drafted=1, problem=True), True),
    ],
)
def test_a_pass_failed_where_nothing_could_be_done(one: Summary, failed: bool) -> None:
    assert one.failed is failed


async def test_a_pass_says_that_the_model_is_down(desk: Desk) -> None:
    desk.use(ScriptedModel(lambda _: failing()))
    await desk.arrive(question())
    house = desk.process.house
    (name,) = house.accounts
    found = await desk.drive(
        lambda: house.store.read(lambda conn: problems_of(conn, name, unread=False))
    )
    assert found is not None
    (problem,) = found
    assert problem.startswith("the model is waited for: ")
