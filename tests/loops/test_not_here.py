"""What one host lacks costs no thread anything, and makes no mailbox ill for the others."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.loops.turn import Result
from providers.memory import Behaviour
from providers.ports import NotHereError
from storage.words import Action, ItemKind
from tests.support.scenes import draft, lose, note_question
from tests.support.world import BOX, Process, World

LACKING = NotHereError("there is no such folder", "mount it")


class Lacking:
    """A mailbox of which one host lacks something as soon as one of *ways* is gone."""

    def __init__(self, inner: Any, *ways: str) -> None:
        self._inner = inner
        self._ways = ways

    def __getattr__(self, name: str) -> Any:
        if name not in self._ways:
            return getattr(self._inner, name)

        async def gone(*_: object, **__: object) -> None:
            raise LACKING

        return gone


def lacking(world: World, *ways: str, sole: bool = False) -> Process:
    """A process on a host that turns out to lack something on one of these ways."""
    process = world.process(sole=sole)
    process.account.mailbox.inner = Lacking(world.box, *ways)  # type: ignore[attr-defined]
    return process


def health(world: World) -> tuple[object, ...]:
    """What the mailbox's row says of its health."""
    (row,) = world.db.ask("SELECT problem, calls_paused_until FROM mailboxes")
    return row


async def test_a_pass_that_meets_it_makes_no_mailbox_ill(world: World) -> None:
    process = lacking(world, "changes")
    await world.drive(process.note)
    assert health(world) == (None, None)
    assert world.items() == []
    assert not process.house.serving.has(BOX)


async def test_another_host_watches_at_once(world: World) -> None:
    await world.drive(lacking(world, "changes").note)
    await note_question(world, world.process())
    assert len(world.threads()) == 1


async def test_the_lease_is_not_taken_where_something_is_lacking(world: World) -> None:
    process = lacking(world, "changes")
    await world.drive(process.note)
    before = world.db.ask("SELECT fence FROM leases WHERE thread = ''")
    await world.drive(process.note)
    assert world.db.ask("SELECT fence FROM leases WHERE thread = ''") == before


async def test_to_one_process_alone_the_same_mailbox_is_ill(world: World) -> None:
    await world.drive(lacking(world, "changes", sole=True).note)
    assert health(world) == ("there is no such folder", None)
    assert world.item(ItemKind.MAILBOX_ILL).about == "read"


@pytest.mark.parametrize("way", ["fetch", "snapshot", "stage"])
async def test_a_thread_in_hand_goes_back_and_pays_nothing(world: World, way: str) -> None:
    await note_question(world, world.process())
    process = lacking(world, way)
    assert await world.drive(process.work) == [Result.LOST]
    (thread,) = world.threads()
    assert (thread.failures, thread.due_at is not None) == (0, True)
    assert health(world) == (None, None)
    (lease,) = world.db.ask("SELECT owner, orphaned, takes FROM leases WHERE thread <> ''")
    assert lease == (None, 0, 0)


async def test_a_thread_that_went_back_is_drafted_by_a_host_that_has_it(world: World) -> None:
    await note_question(world, world.process())
    await world.drive(lacking(world, "stage").work)
    assert await world.drive(world.process().work) == [Result.DRAFTED]


async def test_no_thread_is_taken_where_something_is_lacking(world: World) -> None:
    await note_question(world, world.process())
    process = lacking(world, "fetch")
    await world.drive(process.work)
    assert await world.drive(process.work) == []


async def test_a_look_that_meets_it_is_left_to_another_host(world: World) -> None:
    await lose(world, world.process(), Behaviour.LOSE)
    world.clock.skip(10)
    await world.drive(lacking(world, "look").reconcile)
    (intent,) = world.intents()
    assert intent.looks == 0
    assert await world.drive(world.process().reconcile) == 1


async def test_a_search_that_a_person_asks_for_says_where_to_ask(world: World) -> None:
    await lose(world, world.process(), Behaviour.LOSE)
    item = world.item(ItemKind.OUTCOME_UNKNOWN)
    process = lacking(world, "look")
    with pytest.raises(Exception, match="on a host that serves it"):
        await process.decide(item.id, Action.NEVER_HAPPENED, key="never-1")


async def test_where_nothing_is_lacking_the_draft_is_made(world: World) -> None:
    await draft(world, lacking(world))
    assert len(world.drafts()) == 1
