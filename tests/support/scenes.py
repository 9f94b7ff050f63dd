"""Beginnings that many tests share, and the ways on which each fault point lies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Final

from providers.memory import Behaviour
from providers.ports import Folder
from storage.words import Action, FaultPoint, ItemKind
from tests.support.mails import mail, question
from tests.support.world import Process, World

SETTLED_S: Final = 6.0
"""Longer than a thread must be quiet."""


async def note_question(world: World, process: Process, number: int = 1) -> None:
    """A question arrived, was noted and is due."""
    world.hands.put(question(number))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)


async def draft(world: World, process: Process, number: int = 1) -> None:
    """A question arrived and has its draft."""
    await note_question(world, process, number)
    await world.drive(process.work)


async def lose(world: World, process: Process, how: Behaviour = Behaviour.LOSE) -> None:
    """A question arrived and the answer of its call was lost."""
    world.plan.add("create", how)
    await draft(world, process)


async def discard(world: World, process: Process, key: str = "discard-1") -> None:
    """A draft lies there and its owner asked for its removal."""
    await draft(world, process)
    item = world.item(ItemKind.DRAFT_READY)
    await world.drive(lambda: process.decide(item.id, Action.DISCARD, key=key))


Way = Callable[[World, Process], Awaitable[object]]


async def _to_note(world: World, process: Process) -> None:
    world.hands.put(question())
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)


async def _to_work(world: World, process: Process) -> None:
    await draft(world, process)


async def _to_rest(world: World, process: Process) -> None:
    world.hands.put(mail("thanks@example.org", "Thank you, Robin."))
    world.clock.skip(SETTLED_S)
    await world.drive(process.note)
    await world.drive(process.work)


async def _to_sweep(world: World, process: Process) -> None:
    other = world.process()
    other.gate.at[FaultPoint.CALL_ALLOWED] = lambda gate: gate.kill()
    await draft(world, other)
    world.shift_lease()
    await world.drive(process.reconcile)


async def _to_look(world: World, process: Process) -> None:
    await lose(world, process)
    world.clock.skip(SETTLED_S)
    await world.drive(process.reconcile)


async def _to_command(world: World, process: Process) -> None:
    await discard(world, process)


async def _to_removal(world: World, process: Process) -> None:
    await discard(world, process)
    await world.drive(process.work)


_P = FaultPoint
WAYS: Final[Mapping[FaultPoint, Way]] = MappingProxyType(
    {
        _P.NOTE_WRITTEN: _to_note,
        _P.NOTED: _to_note,
        _P.BEFORE_LEASE: _to_work,
        _P.LEASED: _to_work,
        _P.READ: _to_work,
        _P.PLANNED: _to_work,
        _P.SNAPSHOT_TAKEN: _to_work,
        _P.STAGED: _to_work,
        _P.CLAIM_WRITTEN: _to_work,
        _P.CLAIM_COMMITTED: _to_work,
        _P.CALL_ALLOWED: _to_work,
        _P.EFFECT_DONE: _to_work,
        _P.ANSWERED: _to_work,
        _P.OUTCOME_WRITTEN: _to_work,
        _P.OUTCOME_COMMITTED: _to_work,
        _P.RELEASED: _to_rest,
        _P.SWEEP_WRITTEN: _to_sweep,
        _P.SWEPT: _to_sweep,
        _P.LOOKED: _to_look,
        _P.LOOK_WRITTEN: _to_look,
        _P.LOOK_COMMITTED: _to_look,
        _P.COMMAND_WRITTEN: _to_command,
        _P.COMMAND_COMMITTED: _to_command,
        _P.REMOVAL_ASIDE: _to_removal,
    }
)
"""A way that leads past each fault point; a point without one fails the tests of this table."""

CALLED: Final = frozenset({_P.EFFECT_DONE, _P.ANSWERED, _P.OUTCOME_WRITTEN, _P.OUTCOME_COMMITTED})
"""Points at which the draft has been made."""
CLAIMED: Final = frozenset({_P.CLAIM_COMMITTED, _P.CALL_ALLOWED})
"""Points at which the intent is committed and nothing was called."""
DISCARDING: Final = frozenset({_P.COMMAND_WRITTEN, _P.COMMAND_COMMITTED, _P.REMOVAL_ASIDE})
"""Points on the way of a removal."""


def owners_drafts(world: World) -> int:
    """How many unsent drafts lie there that are not ours."""
    return sum(1 for one in world.hands.lying(Folder.DRAFTS) if one.mark is None)
