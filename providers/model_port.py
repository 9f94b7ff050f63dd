"""The model port: what Fencepost needs of a language model, whoever provides it.

A model only writes text. It decides nothing about a mailbox, and what it says is checked by whoever
asked. An adapter never asks twice by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from providers.ports import Json, ProviderError


class Role(StrEnum):
    """Who speaks in a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One part of what a model is shown, in order."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to a model; the answer is a JSON object that keeps to ``schema``.

    ``schema_name`` is a plain word. ``max_output_tokens`` bounds the answer, ``timeout_s`` the
    whole call with every repetition. ``least_prompt_tokens``: a server that says it read fewer
    has cut the prompt.
    """

    model: str
    prompts: tuple[Prompt, ...]
    schema_name: str
    schema: Json
    max_output_tokens: int
    timeout_s: float
    least_prompt_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that a server says it has read and written."""

    prompt: int = 0
    completion: int = 0

    @property
    def total(self) -> int:
        """What the call cost."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """A JSON object, not yet checked against its schema; ``usage`` None when not told."""

    value: Json
    usage: Usage | None


class ModelFailure(StrEnum):
    """Why there is no answer."""

    TIMEOUT = "timeout"  # not within the time given
    REFUSED = "refused"  # the server or the model does not want this request
    BAD_ANSWER = "bad_answer"  # an answer that is not what was asked for
    DOWN = "down"  # the server can't be reached or failed
    QUOTA = "quota"  # the server wants fewer requests, or to be paid


class ModelError(ProviderError):
    """A model gave no answer; ``str()`` holds no secret and no mail.

    ``usage`` is what the call cost, None when nobody can say; ``retry_after_s`` what the server
    asked for. ``standing`` says that no other request would fare better until somebody acts: the
    key, the model's name or the address is wrong. ``answer`` is the text of a bad answer, for
    asking again; it is the model's, so it is never logged or shown.
    """

    def __init__(
        self,
        failure: ModelFailure,
        text: str,
        *,
        usage: Usage | None = None,
        retry_after_s: float | None = None,
        standing: bool = False,
        answer: str = "",
    ) -> None:
        super().__init__(text)
        self.failure = failure
        self.usage = usage
        self.retry_after_s = retry_after_s
        self.standing = standing
        self.answer = answer


class Model(Protocol):
    """A language model behind a server. It only writes text: it has no tools."""

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """One answer. Raises ModelError. A cancelled call may have cost tokens."""

    async def close(self) -> None:
        """Give back connections; safe to call twice."""
