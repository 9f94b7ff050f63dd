"""One call of the Gmail API: a token, leave to spend its units, one request, and how it ended.

Whatever goes wrong before the request is handed to the transport is told apart from what goes wrong
after it; the rest of the adapter builds on nothing else. Nothing is repeated here, reads no more
than writes: whoever called decides. A token that the API refuses is reported, so that the next call
gets another; a refusal for the rate makes the whole account wait.

Cancelled, a request closes its connection and says nothing; its caller has to take it for unknown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

import anyio
from anyio import to_thread

from providers.gmail.ports import Limiter, TokenError, TokenSource, TokenTrouble
from providers.gmail.wire import Departure, Params, Raw, TooLargeError, Waits, Wire
from storage.words import Clock

USUAL: Final = 72 * 1024 * 1024
"""Octets of the largest answer: a mail of 36,700,160 octets in base64, and some more."""
_LARGE: Final = 256 * 1024
RATE: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})
DAY: Final = "dailyLimitExceeded"
_WORDS: Final = {
    "RESOURCE_EXHAUSTED": "rateLimitExceeded",
    "UNAUTHENTICATED": "authError",
    "NOT_FOUND": "notFound",
    "FAILED_PRECONDITION": "failedPrecondition",
    "ABORTED": "aborted",
}


_BROKE: Final = {
    "ClientConnectorDNSError": "the server's name could not be resolved",
    "ClientConnectorCertificateError": "the server's certificate is not to be trusted",
    "ClientSSLError": "no secure connection could be made",
    "ClientConnectorError": "no connection could be made",
    "ConnectionTimeoutError": "no connection could be made in time",
    "ServerDisconnectedError": "the connection ended before an answer came",
    "TimeoutError": "no answer came in time",
    "ClientPayloadError": "the answer broke off",
    "ClientOSError": "the connection broke before an answer came",
    "ConnectionError": "the connection broke before an answer came",
}
"""What a failure of a connection is called for people, the narrower before the wider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Google's own error envelope: its ``code`` is that of the status line."""

    code: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer: ``value`` is its JSON, None where it is none; ``refusal`` the envelope.

    ``retry_after_s`` is what Retry-After asks for.
    """

    status: int
    value: object
    refusal: Refusal | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """No whole answer; ``left`` says whether the request was handed to the transport.

    ``too_large``: the answer went beyond the limit and was dropped.
    """

    left: bool
    problem: str
    too_large: bool = False


Exchange = Answer | NoAnswer


class Transport:
    """Calls for one account. *waits* are the limits of time of each request."""

    def __init__(
        self,
        api_root: str,
        tokens: TokenSource,
        limiter: Limiter,
        clock: Clock,
        *,
        waits: Waits | None = None,
    ) -> None:
        self._wire = Wire(api_root, waits or Waits())
        self._tokens = tokens
        self._limiter = limiter
        self._clock = clock

    async def call(
        self,
        method: str,
        params: Params | None = None,
        *,
        body: Mapping[str, object] | None = None,
        limit: int = USUAL,
        patience_s: float = float("inf"),
    ) -> Exchange:
        """Call *method* (as ``drafts.create``) once.

        *patience_s* bounds the wait for a token. Raises TokenError and QuotaError, before anything
        was sent.
        """
        token = await self._token(patience_s)
        departure = Departure()
        async with self._limiter.spend(f"gmail.users.{method}"):
            try:
                raw = await self._wire.send(
                    method,
                    params or {},
                    token=token,
                    body=body,
                    departure=departure,
                    limit=limit,
                )
            except TooLargeError as error:
                return NoAnswer(left=True, problem=str(error), too_large=True)
            except Exception as error:  # noqa: BLE001 - however it ended, what was sent was sent
                return NoAnswer(left=departure.left, problem=_named(error))
            answer = await self._read(raw)
            await self._heed(answer, token)
        return answer

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        await self._wire.close()

    async def _token(self, patience_s: float) -> str:
        with anyio.move_on_after(patience_s):
            return await self._tokens.token()
        raise TokenError(TokenTrouble.TRANSIENT, "no access token could be had in time")

    async def _read(self, raw: Raw) -> Answer:
        value = (
            await to_thread.run_sync(_json, raw.body) if len(raw.body) > _LARGE else _json(raw.body)
        )
        return Answer(
            status=raw.status,
            value=value,
            refusal=_refusal(raw.status, value),
            retry_after_s=self._asked_for(raw.headers.get("retry-after")),
        )

    async def _heed(self, answer: Answer, token: str) -> None:
        refusal = answer.refusal
        if refusal is None:
            return
        if refusal.code == 401:
            await self._tokens.refused(token)
        elif is_rate(refusal):
            self._limiter.slow_down(answer.retry_after_s, day=refusal.reason == DAY)

    def _asked_for(self, value: str | None) -> float | None:
        """Seconds of a Retry-After, which is a number or a date (RFC 9110 10.2.3)."""
        if value is None:
            return None
        if value.isascii() and value.isdigit():
            return float(value)
        try:
            until = parsedate_to_datetime(value)
        except ValueError:
            return None
        if until.tzinfo is None:
            return None
        return max(0.0, (until - self._clock.now()).total_seconds())


def is_rate(refusal: Refusal) -> bool:
    """Whether a call was turned away for its rate or the quota."""
    return refusal.code == 429 or (
        refusal.code == 403 and (refusal.reason in RATE or refusal.reason == DAY)
    )


def _named(error: Exception) -> str:
    """What happened in words, and what the library calls it, which holds no token."""
    kind = type(error).__name__
    said = next((words for name, words in _BROKE.items() if name in _kinds(error)), "")
    detail = " ".join(str(error).split())
    if said:
        return f"{said} ({kind})"
    return f"{kind}: {detail}" if detail else kind


def _kinds(error: Exception) -> set[str]:
    return {one.__name__ for one in type(error).__mro__}


def _json(body: bytes) -> object:
    """The value in *body*, None where it is no JSON."""
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value


def _refusal(status: int, value: object) -> Refusal | None:
    """Google's error envelope, None for anything else."""
    error = value.get("error") if isinstance(value, dict) else None
    if status < 400 or not isinstance(error, dict) or error.get("code") != status:
        return None
    message = error.get("message")
    return Refusal(
        code=status,
        reason=_reason(error),
        message=message if isinstance(message, str) else "",
    )


def _reason(error: Mapping[object, object]) -> str:
    """The reason in words: of the old list of errors, of the new details, or of the status."""
    for field in ("errors", "details"):
        listed = error.get(field)
        for one in listed if isinstance(listed, list) else ():
            reason = one.get("reason") if isinstance(one, dict) else None
            if isinstance(reason, str) and reason:
                return reason
    status = error.get("status")
    return _WORDS.get(status, status) if isinstance(status, str) else ""
