"""A world whose process has a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from tests.support.models import ScriptedModel, give_brain
from tests.support.scenes import SETTLED_S
from tests.support.world import Process, World

T = TypeVar("T")


class Desk:
    """One world, one process, one model."""

    def __init__(self) -> None:
        self.world = World()
        self.process: Process = self.world.process()
        self.model = ScriptedModel()

    def use(self, model: ScriptedModel, **fields: object) -> None:
        """Let *model* judge and write."""
        self.model = model
        give_brain(self.process, model, **fields)  # type: ignore[arg-type]

    async def drive(self, work: Callable[[], Awaitable[T]]) -> T | None:
        return await self.world.drive(work)

    async def arrive(self, *raws: bytes) -> None:
        """Mails arrive, are noted, and are worked on once they have settled."""
        for raw in raws:
            self.world.hands.put(raw)
        self.world.clock.skip(SETTLED_S)
        await self.drive(self.process.note)
        self.world.clock.skip(SETTLED_S)
        await self.drive(self.process.work)

    async def pass_s(self, seconds: float) -> None:
        """Time passes; what is due then is worked on."""
        self.world.clock.skip(seconds)
        await self.drive(self.process.work)

    def spend(self) -> list[tuple[str, int]]:
        """Day and tokens."""
        rows = self.world.db.ask("SELECT day, tokens FROM spend ORDER BY day")
        return [(str(day), int(str(tokens))) for day, tokens in rows]

    def events(self, kind: str) -> list[str]:
        return [
            str(detail)
            for (detail,) in self.world.db.ask(
                "SELECT detail FROM events WHERE kind = ? ORDER BY id", kind
            )
        ]

    @property
    def triage(self) -> dict[str, object]:
        return dict(self.world.thread.triage or {})

    @property
    def body(self) -> str:
        """The body of the only draft, decoded."""
        (only,) = self.world.records()
        return str(only.shown["body"])


@pytest.fixture
def desk() -> Desk:
    return Desk()
