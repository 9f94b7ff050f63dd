"""A discard that its owner takes back before it was done: the last word counts."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from assistant.commands.deciding import Ask, RefusedError, Result, decide
from storage import reviews
from storage.words import Action, DraftState, FaultPoint, ItemKind, Kind
from tests.support.scenes import draft
from tests.support.world import Process, World
from tests.support.worlds import Make


async def _with_a_discard_asked(world: World) -> tuple[Process, int]:
    process = world.process()
    await draft(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="d"))
    return process, item.id


def _keep(process: Process, number: int) -> Callable[[Connection], Result]:
    """What ``review do ITEM keep`` commits, at a moment that the test chooses."""

    def unit(conn: Connection) -> Result:
        item = reviews.one(conn, number)
        assert item is not None
        return decide(
            conn,
            Ask(
                item=item,
                action=Action.KEEP,
                ref=None,
                note=None,
                operation="kept",
                lag_ms=0,
            ),
        )

    return unit


async def test_a_draft_that_is_kept_before_its_removal_began_stays(make: Make) -> None:
    world = make()
    process, item = await _with_a_discard_asked(world)
    kept = await world.drive(lambda: process.decide(item, Action.KEEP, key="k"))
    assert kept is not None
    assert kept.result == {str(item): {"draft": "kept"}}
    await world.pass_days(process)
    assert len(world.drafts()) == 1
    assert world.records()[0].state is DraftState.HELD
    assert [one.kind for one in world.intents()] == [Kind.CREATE_DRAFT]


async def test_a_removal_is_not_claimed_once_its_draft_is_kept(make: Make) -> None:
    """The person speaks between the plan and the claim."""
    world = make()
    process, item = await _with_a_discard_asked(world)

    def keep(_: object) -> None:
        world.db.run(_keep(process, item))

    process.gate.at[FaultPoint.PLANNED] = keep
    await world.pass_days(process)
    assert len(world.drafts()) == 1
    assert world.records()[0].state is DraftState.HELD
    assert [one.kind for one in world.intents()] == [Kind.CREATE_DRAFT]


async def test_a_removal_that_has_begun_can_not_be_taken_back(make: Make) -> None:
    world = make()
    process, item = await _with_a_discard_asked(world)
    refused: list[RefusedError] = []

    def keep(_: object) -> None:
        try:
            world.db.run(_keep(process, item))
        except RefusedError as error:
            refused.append(error)

    process.gate.at[FaultPoint.CALL_ALLOWED] = keep
    await world.pass_days(process)
    assert len(refused) == 1
    assert world.records()[0].state is DraftState.DISCARDED
