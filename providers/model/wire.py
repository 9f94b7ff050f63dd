"""What a server says, read without trust: a body or an error becomes an answer or a ModelError.

Servers that speak "the OpenAI API" answer pages with status 200, error objects with status 200, no
choices, fences around JSON, half an object, nothing. Pure: bytes and numbers in, values out. What
a server writes is never repeated in an error's text, since it may quote the prompt, which is mail;
only codes of a known list are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Final, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from providers.model_port import ModelAnswer, ModelError, ModelFailure, Usage
from providers.ports import Json

_FENCED: Final = re.compile(r"\s*```[A-Za-z]{0,10}[ \t]*\n(.*?)\n?\s*```\s*", re.DOTALL)
_THOUGHT: Final = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_UNPAID: Final = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "account_deactivated",
    }
)
_TOO_LONG: Final = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
)
_TOO_LONG_WORDS: Final = re.compile(
    r"context (?:size|length|window)|maximum context|too many tokens|prompt is too long", re.I
)
_KEPT: Final = 2_000
"""Characters of a bad answer that are kept for asking again."""

Tokens = Annotated[int, Field(ge=0, le=100_000_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")
    text: str = ""


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore")
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    model_config = ConfigDict(extra="ignore")
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    model_config = ConfigDict(extra="ignore")
    prompt_tokens: Tokens
    completion_tokens: Tokens = 0


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore")
    choices: list[_Choice]


def read_answer(body: bytes, *, least_prompt_tokens: int = 0) -> ModelAnswer:
    """The JSON object in a body that came with status 200. Raises ModelError."""
    try:
        said = _json(body.decode("utf-8"))
    except ValueError as error:
        raise ModelError(
            ModelFailure.BAD_ANSWER,
            "the server answered something that is no JSON: check that base_url ends in /v1",
            usage=Usage(),
        ) from error
    if not isinstance(said, dict):
        raise _bad("the server answered JSON that is no object", None)
    usage = _usage(said.get("usage"))
    if said.get("error") is not None:
        raise _error_object(said["error"])
    try:
        parsed = _Body.model_validate(said)
    except ValidationError as error:
        raise _bad("the server's answer has no choices that can be read", usage) from error
    if not parsed.choices:
        raise _bad("the server answered without any choice", usage)
    if usage is not None and usage.prompt < least_prompt_tokens:
        raise ModelError(
            ModelFailure.REFUSED,
            f"the server has read {usage.prompt} tokens of a prompt of at least "
            f"{least_prompt_tokens}: it cuts prompts silently; give it a larger context, or lower "
            "thread_tokens",
            usage=usage,
        )
    return ModelAnswer(value=_object(parsed.choices[0], usage), usage=usage)


def _object(choice: _Choice, usage: Usage | None) -> Json:
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise ModelError(ModelFailure.REFUSED, "the model refuses to answer", usage=usage)
    content = choice.message.content
    if isinstance(content, list):
        content = "".join(part.text for part in content)
    text = _THOUGHT.sub("", content or "", count=1)
    if not text.strip():
        raise _bad("the model answered nothing", usage)
    fenced = _FENCED.fullmatch(text)
    try:
        value = _json(fenced[1] if fenced else text)
    except ValueError as error:
        if choice.finish_reason == "length":
            raise _bad("the answer was cut off: be shorter", usage, text) from error
        raise _bad("the answer is no JSON", usage, text) from error
    if not isinstance(value, dict):
        raise _bad("the answer is JSON, but no object", usage, text)
    return value


def _json(text: str) -> object:
    """Parse strictly; every failure is a ValueError."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _bad(text: str, usage: Usage | None, answer: str = "") -> ModelError:
    return ModelError(ModelFailure.BAD_ANSWER, text, usage=usage, answer=answer[:_KEPT])


def _usage(value: object) -> Usage | None:
    try:
        told = _Usage.model_validate(value)
    except ValidationError:
        return None
    return Usage(prompt=told.prompt_tokens, completion=told.completion_tokens)


def _error_object(value: object) -> ModelError:
    """An error that came with status 200; some gateways put the status they mean into ``code``."""
    code = value.get("code") if isinstance(value, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return status_error(code, value, None)
    if _codes(value) & _UNPAID:
        return status_error(429, value, None)
    if _codes(value) & _TOO_LONG:
        return status_error(400, value, None)
    return _bad("the server answered an error with status 200", Usage())


def _codes(error: object) -> frozenset[str]:
    """The machine-readable words of an error object, wherever a server puts it."""
    if not isinstance(error, Mapping):
        return frozenset()
    inner = error.get("error")
    if isinstance(inner, Mapping):
        return _codes(inner)
    return frozenset(str(error.get(name)) for name in ("code", "type"))


def _too_long(error: object) -> bool:
    if _codes(error) & _TOO_LONG:
        return True
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    said = inner.get("message") if isinstance(inner, Mapping) else inner
    return isinstance(said, str) and _TOO_LONG_WORDS.search(said[:2_000]) is not None


def status_error(status: int, body: object, retry_after_s: float | None) -> ModelError:
    """What a status other than 200 means; *body* is the error object, as far as there is one.

    An error status costs nothing: nobody bills an answer that was not given.
    """
    spent = Usage()
    if status == 429:
        if _codes(body) & _UNPAID:
            return ModelError(
                ModelFailure.QUOTA,
                "the account's quota at the server is used up: pay, or wait for the next period",
                usage=spent,
                standing=True,
            )
        return ModelError(
            ModelFailure.QUOTA,
            "the server wants fewer requests",
            usage=spent,
            retry_after_s=retry_after_s,
        )
    if status in _STANDING:
        failure, text = _STANDING[status]
        return ModelError(failure, f"{text} (status {status})", usage=spent, standing=True)
    if 300 <= status < 400:
        return ModelError(
            ModelFailure.REFUSED,
            f"the server redirects (status {status}): write into base_url where to",
            usage=spent,
            standing=True,
        )
    if status == 413 or (status in (400, 422) and _too_long(body)):
        return ModelError(
            ModelFailure.REFUSED,
            "the prompt is larger than what the server takes: lower thread_tokens, or give the "
            "server a larger context",
            usage=spent,
        )
    if status >= 500 or status in (408, 409, 425):
        return ModelError(
            ModelFailure.DOWN,
            f"the server failed (status {status})",
            usage=spent,
            retry_after_s=retry_after_s,
        )
    return ModelError(
        ModelFailure.REFUSED, f"the server refuses the request (status {status})", usage=spent
    )


_STANDING: Final[Mapping[int, tuple[ModelFailure, str]]] = {
    401: (ModelFailure.REFUSED, "the server does not take the key: check api_key"),
    402: (ModelFailure.QUOTA, "the server wants to be paid: check the account"),
    403: (ModelFailure.REFUSED, "the key may not use this model: check api_key and the model"),
    404: (ModelFailure.REFUSED, "the server has no such model or address: check [model]"),
    405: (ModelFailure.REFUSED, "this address is no model server: check base_url"),
}
