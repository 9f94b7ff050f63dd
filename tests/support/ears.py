"""Receivers of notices as a test wants them, reached through a process's gate."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import anyio

from assistant.core.hours import Hours
from assistant.house import Receiver, Telling
from providers.notifier_port import Notice
from storage.words import Accepted, FaultPoint, Outcome
from tests.support.gate import Gate
from tests.support.world import ROBIN, Process

KINDS = frozenset({"draft_ready", "outcome_unknown"})


@dataclass
class Ear:
    """One receiver of the world: what it heard, and what it answers in turn (then: accepted).

    An answer of None keeps the caller waiting until ``answer_now``.
    """

    answers: list[Outcome | None] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    answer_now: anyio.Event = field(default_factory=anyio.Event)

    @property
    def said(self) -> list[dict[str, object]]:
        """What it heard."""
        return [json.loads(one) for one in self.heard]

    @property
    def text(self) -> str:
        """All of it as one text."""
        return "\n".join(f"{one['title']}\n{one['text']}" for one in self.said)


@dataclass
class EarThroughGate:
    """An ear as one process reaches it; implements providers.ports.Notifier."""

    ear: Ear
    gate: Gate

    def render(self, notice: Notice) -> bytes:
        said = {"id": notice.id, "kind": notice.kind, "title": notice.title, "text": notice.text}
        return json.dumps(said | {"at": notice.at.isoformat()}).encode()

    async def send(self, request: bytes) -> Outcome:
        await self.gate.cross("send")
        self.ear.heard.append(request)
        self.gate.hit(FaultPoint.EFFECT_DONE)
        answer = self.ear.answers.pop(0) if self.ear.answers else Accepted()
        if answer is None:
            await self.ear.answer_now.wait()
            answer = Accepted()
        await self.gate.cross("sent")
        return answer

    async def close(self) -> None:
        """The ear is the world's."""


def listen(
    process: Process,
    *ears: Ear,
    hours: Hours | None = None,
    kinds: frozenset[str] = KINDS,
    include_text: bool = False,
    call_timeout_s: float | None = None,
) -> None:
    """Have Robin told through these ears by *process*."""
    receivers = tuple(
        Receiver(
            address=f"https://hooks.example.com/~{number}",
            notifier=EarThroughGate(ear, process.gate),
            call_timeout_s=call_timeout_s if number == 1 else None,
        )
        for number, ear in enumerate(ears, 1)
    )
    process.house.tellings = {
        ROBIN: Telling(
            user=ROBIN,
            receivers=receivers,
            kinds=kinds,
            hours=hours or Hours(),
            include_text=include_text,
        )
    }
