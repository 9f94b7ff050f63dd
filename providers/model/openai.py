"""Asks any OpenAI-compatible server, through the ``openai`` package with its own retries off.

The package repeats requests by itself, sleeps for as long as a server asks it to, follows
redirects with the mail in hand, and its timeout starts again with each byte; all of that is
switched off here or wrapped. What is left: one request, or a few where the server provably did
nothing for the ones before (no connection, an error status), inside one limit for the whole call.

Nothing here is logged but kinds of failure. The key leaves only in the Authorization header; the
environment's OPENAI_* variables are not used. Mail goes to the configured address and nowhere
else: no redirect is followed and no proxy of the environment is used.

A cancelled or timed-out call may have cost tokens; ``ModelError.usage`` is None then. A crash
loses nothing but the answer.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import httpx2
from anyio import CapacityLimiter, Lock, to_thread
from pydantic import JsonValue, TypeAdapter

from providers.model.wire import read_answer, status_error
from providers.model.within import OutOfTimeError, within
from providers.model_port import ModelAnswer, ModelError, ModelFailure, ModelRequest, Role, Usage
from storage.words import Clock

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam

ATTEMPTS: Final = 3
"""Requests that one call makes at most."""
BACKOFF_S: Final = (1.0, 4.0)
"""Waits before the second and the third; a server's Retry-After may make them longer."""
PARALLEL: Final = 4
"""Requests to one server at a time; small ones answer one after another."""
ANSWER_LIMIT: Final = 1 << 20
"""Bytes of an answer that are read; more is no answer to what is asked here."""

_RETRIES_AT_MOST: Final = 6.0
_RETRY_SHARE: Final = 0.2
_UNSENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_OFFICIAL: Final = ("openai.com", "openai.azure.com")
_ERROR_BODY: Final = TypeAdapter[JsonValue](JsonValue)


class RetryBudget:
    """How many repetitions are left: each call earns a little, each repetition costs one.

    So a server that fails for long gets hardly more requests than calls.
    """

    def __init__(self, at_most: float = _RETRIES_AT_MOST, share: float = _RETRY_SHARE) -> None:
        self._at_most = at_most
        self._share = share
        self._left = at_most

    def called(self) -> None:
        """A call was begun."""
        self._left = min(self._at_most, self._left + self._share)

    def take(self) -> bool:
        """Whether one more repetition may be made; counts it."""
        if self._left < 1:
            return False
        self._left -= 1
        return True


class OpenAIModel:
    """One server and one key. Safe for many calls at once."""

    def __init__(self, base_url: str, key: str | None, clock: Clock) -> None:
        self._base_url = base_url
        self._key = key
        self._clock = clock
        self._budget = RetryBudget()
        self._parallel = CapacityLimiter(PARALLEL)
        self._opening = Lock()
        self._client: AsyncOpenAI | None = None
        host = (urlsplit(base_url).hostname or "").lower()
        self._official = any(host == one or host.endswith(f".{one}") for one in _OFFICIAL)

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """One answer within ``request.timeout_s``, repetitions and their waits included."""
        client = await self._opened()
        async with self._parallel:
            self._budget.called()
            deadline_s = self._clock.boot_s() + request.timeout_s
            for attempt in range(ATTEMPTS):
                try:
                    return await self._once(client, request, deadline_s)
                except ModelError as error:
                    wait_s = self._wait_s(error, attempt)
                    if wait_s is None or self._clock.boot_s() + wait_s >= deadline_s:
                        raise
                    if not self._budget.take():
                        raise
                await self._clock.sleep(wait_s)
            raise AssertionError("the last attempt returns or raises")

    async def close(self) -> None:
        """Give back connections; safe to call twice."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _wait_s(self, error: ModelError, attempt: int) -> float | None:
        """How long to wait before the next attempt; None when there is none."""
        if attempt >= ATTEMPTS - 1 or error.standing or error.usage is None:
            return None
        backoff_s = BACKOFF_S[attempt]
        if error.failure is ModelFailure.DOWN:
            return max(backoff_s, error.retry_after_s or 0.0)
        if error.failure is ModelFailure.QUOTA and error.retry_after_s is not None:
            return max(backoff_s, error.retry_after_s)
        return None

    async def _once(
        self, client: AsyncOpenAI, request: ModelRequest, deadline_s: float
    ) -> ModelAnswer:
        left_s = deadline_s - self._clock.boot_s()
        try:
            body = await within(self._clock, left_s, self._sending(client, request))
        except OutOfTimeError as error:
            raise ModelError(
                ModelFailure.TIMEOUT, f"no whole answer within {request.timeout_s:g} s"
            ) from error
        return read_answer(body, least_prompt_tokens=request.least_prompt_tokens)

    def _sending(
        self, client: AsyncOpenAI, request: ModelRequest
    ) -> Callable[[], Awaitable[bytes]]:
        async def send() -> bytes:
            from openai import APIConnectionError, APIStatusError, OpenAIError

            try:
                return await self._post(client, request)
            except APIStatusError as error:
                raise status_error(
                    error.status_code, _body_of(error.response), _retry_after_s(error.response)
                ) from error
            except APIConnectionError as error:
                raise _unconnected(error.__cause__) from error
            except httpx2.TransportError as error:
                raise _unconnected(error) from error
            except (OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
                raise ModelError(
                    ModelFailure.REFUSED,
                    f"the request could not be made ({type(error).__name__}): check [model]",
                    usage=Usage(),
                    standing=True,
                ) from error

        return send

    async def _post(self, client: AsyncOpenAI, request: ModelRequest) -> bytes:
        """The body of an answer with status 200."""
        from openai import Omit, omit

        async with client.chat.completions.with_streaming_response.create(
            model=request.model,
            messages=_messages(request),
            response_format={
                "type": "json_schema",
                "json_schema": {
                    "name": request.schema_name,
                    "schema": dict(request.schema),
                    "strict": True,
                },
            },
            # Servers of others know the older name only, and models of OpenAI's the newer one.
            max_completion_tokens=request.max_output_tokens if self._official else omit,
            max_tokens=omit if self._official else request.max_output_tokens,
            temperature=omit if self._official else 0.0,
            store=False if self._official else omit,
            extra_headers=None if self._key else {"Authorization": Omit()},
            timeout=request.timeout_s,
        ) as response:
            if response.status_code != 200:
                raise status_error(response.status_code, None, None)
            body = bytearray()
            async for chunk in response.iter_bytes():
                body += chunk
                if len(body) > ANSWER_LIMIT:
                    raise ModelError(
                        ModelFailure.BAD_ANSWER, f"the answer is larger than {ANSWER_LIMIT} bytes"
                    )
            return bytes(body)

    async def _opened(self) -> AsyncOpenAI:
        """The client; made on a worker thread, because importing it takes most of a second."""
        async with self._opening:
            if self._client is None:
                self._client = await to_thread.run_sync(self._make)
            return self._client

    def _make(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        # At DEBUG the transport's loggers name addresses; mail and key belong into no log.
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        client = AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._key or "none",
            max_retries=0,
            http_client=httpx2.AsyncClient(
                follow_redirects=False,
                trust_env=False,
                # A kept connection that the server has closed meanwhile would be tried again.
                limits=httpx2.Limits(max_keepalive_connections=0),
            ),
        )
        client.organization = None
        client.project = None
        return client


def _messages(request: ModelRequest) -> list[ChatCompletionMessageParam]:
    made: list[ChatCompletionMessageParam] = []
    for prompt in request.prompts:
        match prompt.role:
            case Role.SYSTEM:
                made.append({"role": "system", "content": prompt.text})
            case Role.USER:
                made.append({"role": "user", "content": prompt.text})
            case Role.ASSISTANT:
                made.append({"role": "assistant", "content": prompt.text})
    return made


def _unconnected(cause: BaseException | None) -> ModelError:
    """A failure below HTTP: what never left costs nothing, of the rest nobody knows."""
    name = type(cause).__name__ if cause is not None else "no connection"
    if isinstance(cause, _UNSENT):
        return ModelError(ModelFailure.DOWN, f"the server can't be reached ({name})", usage=Usage())
    if isinstance(cause, httpx2.TimeoutException):
        return ModelError(ModelFailure.TIMEOUT, "the server did not answer in time")
    return ModelError(ModelFailure.DOWN, f"the connection broke ({name})")


def _body_of(response: httpx2.Response) -> object:
    """The error object of an answer, None when there is none that can be read."""
    if len(response.content) > ANSWER_LIMIT:
        return None
    try:
        return _ERROR_BODY.validate_json(response.content)
    except ValueError:
        return None


def _retry_after_s(response: httpx2.Response) -> float | None:
    """Seconds that Retry-After asks for (RFC 9110 10.2.3); a date is not understood here."""
    value = response.headers.get("Retry-After", "").strip()
    return float(value[:9]) if value.isascii() and value.isdigit() else None
