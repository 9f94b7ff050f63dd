"""One HTTP POST, once, and what its end means.

A notice must not be sent twice by accident, so nothing here repeats: no transport retry, no
redirect, no connection from an earlier request (a server that closes it would be a reason to try
again). The transport is used without the client around it, which also keeps addresses out of logs.

Whether anything left this machine is read from the transport's trace and not guessed from the kind
of error: before the first byte of the request a failure is a refusal that may pass, after it
nobody can say, until a status line has come. The body of the answer is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from anyio import Lock, move_on_after, to_thread
from httpx2 import (
    URL,
    AsyncHTTPTransport,
    Headers,
    InvalidURL,
    Limits,
    Request,
    TransportError,
)

from storage.words import Accepted, Outcome, Rejected, Unknown

_SENDING: Final = ".send_request_headers.started"
_CONNECT_SHARE: Final = 0.45
_PASSING: Final = frozenset({408, 425, 429})
_NO_REUSE: Final = Limits(max_connections=4, max_keepalive_connections=0)


class AddressError(ValueError):
    """A notice cannot go to this address; the message says what to write instead."""


def address(url: str) -> URL:
    """Check an http or https address. Raises AddressError, which never repeats a password."""
    try:
        parsed = URL(url)
    except (InvalidURL, ValueError) as error:
        raise AddressError("this is no address: write https://HOST/PATH") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise AddressError(
            f"{parsed.scheme or 'no'}:// cannot be posted to: write https://HOST/PATH"
        )
    if parsed.userinfo:
        raise AddressError("name no user or password in the address: they would show in logs")
    return parsed


@dataclass(slots=True)
class _Progress:
    """How far a request has come."""

    sent: bool = False

    async def trace(self, event: str, info: Mapping[str, object]) -> None:
        """Called by the transport before and after each of its steps."""
        if event.endswith(_SENDING):
            self.sent = True


class Post:
    """Posts to one address, at most *timeout_s* seconds for everything until the status line."""

    def __init__(self, url: URL, timeout_s: float) -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._transport: AsyncHTTPTransport | None = None
        self._opening = Lock()

    async def send(self, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """Post *body* once. Cancellation goes through: the caller then knows nothing."""
        progress = _Progress()
        fixed = {"Content-Type": "application/json", "Connection": "close"}
        request = Request(
            "POST",
            self._url,
            headers={**headers, **fixed, "User-Agent": "fencepost"},
            content=body,
            extensions={"trace": progress.trace, "timeout": self._timeouts()},
        )
        transport = await self._opened()
        outcome: Outcome | None = None
        with move_on_after(self._timeout_s):
            try:
                response = await transport.handle_async_request(request)
            except (TransportError, UnicodeError, OSError) as error:
                return _failed(progress, type(error).__name__)
            outcome = outcome_of(response.status_code, response.headers)
            with suppress(TransportError, OSError):
                await response.aclose()
        return _failed(progress, "no answer in time") if outcome is None else outcome

    async def close(self) -> None:
        """Give back the transport; safe to call twice."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    def _timeouts(self) -> Mapping[str, float]:
        """Connecting and TLS end before the deadline does: only so is the socket closed."""
        return {"connect": self._timeout_s * _CONNECT_SHARE}

    async def _opened(self) -> AsyncHTTPTransport:
        """The transport; made on a worker thread because it reads the system's certificates."""
        async with self._opening:
            if self._transport is None:
                self._transport = await to_thread.run_sync(_transport)
            return self._transport


def _transport() -> AsyncHTTPTransport:
    return AsyncHTTPTransport(trust_env=False, limits=_NO_REUSE, retries=0)


def outcome_of(status: int, headers: Headers) -> Outcome:
    """What a status line means for a notice that was posted once.

    Accepted: 2xx. Rejected: 4xx (408, 425 and 429 may pass) and 3xx. Everything else is unknown:
    a server or proxy that fails may have handed the notice on first.
    """
    if 200 <= status < 300:
        return Accepted(detail=f"status {status}")
    if 400 <= status < 500:
        return Rejected(
            reason=f"the server answered {status}",
            passing=status in _PASSING,
            retry_after_s=retry_after_s(headers),
        )
    if 300 <= status < 400:
        return Rejected(
            reason=f"the server answered {status}: write the address that it redirects to"
        )
    return Unknown(reason=f"the server answered {status}")


def retry_after_s(headers: Headers) -> float | None:
    """Seconds that Retry-After asks for (RFC 9110 10.2.3): a number, or a date after Date."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        then = parsedate_to_datetime(value)
        now = parsedate_to_datetime(headers.get("Date", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    return max((_aware(then) - _aware(now)).total_seconds(), 0.0)


def _aware(at: datetime) -> datetime:
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _failed(progress: _Progress, what: str) -> Outcome:
    if progress.sent:
        return Unknown(reason="the connection was lost before an answer", detail=what)
    return Rejected(reason="the server could not be reached", passing=True, detail=what)
