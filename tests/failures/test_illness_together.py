"""Several threads that meet one illness of their mailbox at once."""

from __future__ import annotations

import pytest

from assistant.effects.illness import REST_MS, _pause_ms
from providers.memory import Behaviour
from storage import mailboxes
from storage.dbtime import database_now_ms
from tests.support.mails import question
from tests.support.scenes import SETTLED_S
from tests.support.world import BOX
from tests.support.worlds import Make


async def test_refusals_of_one_moment_are_one_rest(make: Make) -> None:
    world = make()
    process = world.process()
    for number in range(1, 5):
        world.hands.put(question(number))
        world.plan.add("create", Behaviour.QUOTA)
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    await world.drive(process.work)
    now = world.read(database_now_ms)
    mailbox = world.read(lambda conn: mailboxes.load(conn, BOX))
    assert mailbox is not None
    assert mailbox.calls_paused_until is not None
    assert mailbox.calls_paused_until - now <= REST_MS
    assert mailbox.pauses == 1


@pytest.mark.parametrize(
    ("pauses", "asked_s", "pause_ms"),
    [
        (0, None, REST_MS),
        (0, 3.0, 3_000),
        (0, 600.0, 600_000),
        (1, 3.0, 2 * REST_MS),
        (0, 0.0, 1_000),
    ],
)
def test_a_first_rest_is_as_long_as_the_provider_asks_and_later_ones_double(
    pauses: int, asked_s: float | None, pause_ms: int
) -> None:
    assert _pause_ms(pauses, asked_s) == pause_ms
