"""Steps that the tests of the notifier share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeVar

from storage.intents import Intent
from storage.words import (
    Kind,
    Rejected,
    Unknown,
)
from tests.support.ears import Ear, listen
from tests.support.scenes import draft
from tests.support.world import Process, World

T = TypeVar("T")


NO = Rejected(reason="the server answered 404")
LATER = Rejected(reason="the server answered 429", passing=True, retry_after_s=7.0)
LOST = Unknown(reason="the connection was lost before an answer")


def notices(world: World) -> list[Intent]:
    return [one for one in world.intents() if one.kind is Kind.NOTIFY]


def states(world: World) -> list[str]:
    return [str(state) for (state,) in world.db.ask("SELECT state FROM notices ORDER BY id")]


async def tell(world: World, process: Process) -> None:
    await world.drive(process.tell)


async def drafted(world: World, *ears: Ear, **how: object) -> Process:
    process = world.process()
    listen(process, *ears, **how)  # type: ignore[arg-type]
    await draft(world, process)
    return process


def to_hour(world: World, hour: int, minute: int = 0) -> None:
    """Let time pass until this hour (UTC)."""
    now = datetime.fromtimestamp(world.clock.database_s(), UTC)
    wanted = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    world.clock.skip((wanted - now).total_seconds() % 86_400)
