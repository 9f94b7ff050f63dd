"""Faults as values: on which call of which method, before or after the effect, and then what.

``Fault(method="drafts.create", effect="after", end="reset")`` creates the draft and resets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from tests.support.gmail.errors import envelope

JSON_TYPE = "application/json; charset=UTF-8"
REASONS = {
    200: "OK", 204: "No Content", 302: "Found", 307: "Temporary Redirect", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict",
    413: "Payload Too Large", 429: "Too Many Requests", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What stands on the wire; ``reason`` None is the usual phrase, "" none at all."""

    status: int = 200
    body: bytes = b""
    kind: str | None = JSON_TYPE
    reason: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        """The whole answer."""
        reason = REASONS.get(self.status, "Status") if self.reason is None else self.reason
        lines = [f"HTTP/1.1 {self.status} {reason}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.kind is not None and self.body:
            lines.append(f"Content-Type: {self.kind}")
        if self.status != 204:
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + self.body


def told(value: object, status: int = 200, **headers: str) -> Answer:
    """A JSON answer."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer(status=status, body=json.dumps(value).encode(), headers=named)


def refused(code: int, reason: str, **headers: str) -> Answer:
    """Google's envelope."""
    return told(envelope(code, reason), code, **headers)


_HTML = b"<!doctype html><title>Sign in to the network</title><p>Please sign in."
NAMED: dict[str, Answer] = {
    "bare_502": Answer(status=502, reason="", body=b"upstream connect error", kind="text/plain"),
    "empty_503": Answer(status=503),
    "html_504": Answer(status=504, body=_HTML, kind="text/html"),
    "backend_error": refused(500, "backendError"),
    "unavailable": refused(503, "backendError"),
    "precondition": told(
        envelope(400, "failedPrecondition", "Precondition check failed.",
                 status="FAILED_PRECONDITION"), 400),
    "aborted": refused(409, "aborted"),
    "rate_limit": refused(403, "rateLimitExceeded"),
    "user_rate_limit": refused(403, "userRateLimitExceeded"),
    "daily_limit": refused(403, "dailyLimitExceeded"),
    "insufficient": refused(403, "insufficientPermissions"),
    "domain_policy": refused(403, "domainPolicy"),
    "unauthorized": refused(401, "authError"),
    "not_found": refused(404, "notFound"),
    "too_many": refused(429, "rateLimitExceeded"),
    "too_many_wait": refused(429, "rateLimitExceeded", Retry_After="30"),
    "redirect_302": Answer(status=302, headers={"Location": "/gmail/v1/users/me/profile"}),
    "redirect_307": Answer(status=307, headers={"Location": "/gmail/v1/users/me/drafts"}),
    "empty_object": Answer(body=b"{}"),
    "empty_200": Answer(),
    "html_200": Answer(body=_HTML, kind="text/html; charset=utf-8"),
    "json_list": Answer(body=b'[{"id": "r1"}]'),
    "json_list_500": Answer(status=500, body=b'[{"error": {"code": 500}}]'),
    "plain_403": Answer(status=403, body=b"Forbidden", kind="text/plain"),
    "plain_404": Answer(status=404, body=_HTML, kind="text/html"),
    "plain_400": Answer(status=400, body=b'{"message": "no"}'),
    "plain_429": Answer(status=429, body=b"slow down", kind="text/plain"),
    "invalid_grant": told({"error": "invalid_grant", "error_description": "Bad Request"}, 400),
}  # fmt: skip
"""The answers that the real one, or something before it, has been seen to give."""


@dataclass(kw_only=True)
class Fault:
    """Calls of *method* (``*`` matches) from when the fault is set count from 1.

    *nth*: that call only; *every*: each n-th, *times* at most; neither: the next *times* calls.
    *gate* holds the answer until a test opens it, *delay_s* for that long by the server's clock.
    *cut*: only so many octets of the answer are written, counted from its end where negative; then
    the connection ends. *end* says how: FIN, RST, or not at all, and nothing more is ever said.
    *at_body*: the call is cut off after so many octets of its own body.
    """

    method: str = "*"
    nth: int | None = None
    every: int | None = None
    times: int = 1
    effect: Literal["before", "after"] = "after"
    delay_s: float = 0.0
    gate: str | None = None
    answer: Answer | None = None
    cut: int | None = None
    end: Literal["drop", "reset", "hang"] | None = None
    at_body: int | None = None
    stale: bool = False
    """The answer is honest, and the connection closes as the next request on it begins."""
    seen: int = 0
    acted: int = 0

    def is_for(self, method: str) -> bool:
        """Whether it names that method."""
        return fnmatchcase(method, self.method)

    def takes(self, method: str) -> bool:
        """Count a call, and say whether the fault is for it."""
        if not self.is_for(method):
            return False
        self.seen += 1
        if self.nth is not None:
            due = self.seen == self.nth
        else:
            due = self.seen % (self.every or 1) == 0 and self.acted < self.times
        self.acted += due
        return due

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Fault:
        """From JSON: ``answer`` is a name of NAMED, or status, body, kind, reason, headers."""
        given = dict(values)
        answer = given.get("answer")
        if isinstance(answer, str):
            if answer not in NAMED:
                raise ValueError(f"no answer is named {answer!r}: {', '.join(sorted(NAMED))}")
            given["answer"] = NAMED[answer]
        elif isinstance(answer, Mapping):
            body = answer.get("body", "")
            octets = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            given["answer"] = Answer(**{**answer, "body": octets})
        return cls(**given)
