"""Drafts of ours whose records the store has lost: what became of them stays known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from assistant.effects import takingin
from providers.ports import DraftSight, Folder
from storage import drafts, tables, threads
from storage.leases import Held
from storage.words import Action, DraftState, ItemKind, OwnerId, Ref, Version
from tests.support.mails import follow_up
from tests.support.scenes import draft
from tests.support.world import BOX, Process, World


@pytest.fixture(params=["memory", "maildir"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with capture_logs():
        yield World() if request.param == "memory" else World(tmp_path)


async def taken_in(world: World) -> Process:
    """A draft was made, the database lost it and its intent, and it is on record again."""
    process = world.process()
    await draft(world, process)
    await world.pass_days(process, days=0.05)
    for table in (tables.drafts, tables.review_items, tables.evidence, tables.intents):
        world.db.run(lambda conn, t=table: conn.execute(sa.delete(t)))  # type: ignore[misc]
    world.db.run(threads.reconcile_everything)
    process = world.process()
    await world.pass_days(process, days=0.05)
    assert len(world.drafts()) == 1
    return process


async def test_its_owner_sees_what_it_says(world: World) -> None:
    await taken_in(world)
    [record] = world.records()
    assert (record.state, record.shown["to"]) == (DraftState.HELD, ["mina@example.org"])
    assert record.shown["body"]
    assert str(record.shown["subject"]).startswith("Re: ")
    assert world.item(ItemKind.DRAFT_READY).about == str(record.id)


async def test_what_its_owner_discards_is_not_made_again(world: World) -> None:
    process = await taken_in(world)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="d"))
    await world.pass_days(process, days=0.5)
    assert (world.drafts(), [one.state for one in world.records()]) == ([], [DraftState.DISCARDED])


async def test_what_its_owner_deletes_is_not_made_again(world: World) -> None:
    process = await taken_in(world)
    world.hands.delete(world.drafts()[0].ref)
    await world.drive(process.note)
    await world.pass_days(process, days=0.5)
    assert (world.drafts(), [one.state for one in world.records()]) == ([], [DraftState.GONE])


async def test_one_that_had_left_and_lies_there_again_is_on_record(world: World) -> None:
    process = await taken_in(world)
    lying = world.drafts()[0]
    world.hands.delete(lying.ref)
    await world.drive(process.note)
    await world.pass_days(process, days=0.5)
    world.hands.put(lying.raw, Folder.DRAFTS)
    await world.drive(process.note)
    await world.pass_days(process, days=0.5)
    [record] = world.records()
    assert (record.state, record.ref) == (DraftState.HELD, world.drafts()[0].ref)
    assert world.item(ItemKind.DRAFT_READY).about == str(record.id)


async def test_a_newer_message_gets_its_draft_once_it_is_gone(world: World) -> None:
    process = await taken_in(world)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="d"))
    await world.pass_days(process, days=0.1)
    world.hands.put(follow_up(1))
    await world.drive(process.note)
    await world.pass_days(process, days=0.1)
    assert len(world.drafts()) == 1


async def test_a_person_may_have_it_made_again(world: World) -> None:
    process = await taken_in(world)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key="d"))
    await world.pass_days(process, days=0.1)
    row = world.thread
    world.db.run(
        lambda conn: threads.raise_generation(
            conn, row.integration, row.thread, int(world.clock.database_s() * 1000)
        )
    )
    await world.pass_days(process, days=0.1)
    assert len(world.drafts()) == 1


async def test_a_worker_whose_lease_is_another_s_takes_nothing_in(world: World) -> None:
    await taken_in(world)
    [record] = world.records()
    sight = DraftSight(
        ref=Ref("elsewhere"),
        version=Version("1"),
        folder=Folder.DRAFTS,
        content_hash=record.content_hash,
    )
    stale = Held(integration=BOX, thread=record.thread, owner=OwnerId("gone"), fence=1, takes=0)
    world.db.run(lambda conn: drafts.update(conn, record.id, state=DraftState.GONE))
    row = world.thread
    world.db.run(lambda conn: takingin.take_in(conn, row, stale, [(record.intent, sight)], {}))
    assert [one.state for one in world.records()] == [DraftState.GONE]
