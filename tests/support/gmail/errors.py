"""Refusals in Google's envelope, as values and as the exception that carries one to the wire."""

from __future__ import annotations

from typing import Any

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
DOMAINS = {
    "rateLimitExceeded": "usageLimits",
    "userRateLimitExceeded": "usageLimits",
    "dailyLimitExceeded": "usageLimits",
}


class RefusedError(Exception):
    """The call was turned away before it did anything."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        status: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.status = STATUSES.get(code, "UNKNOWN") if status is None else status
        self.headers = dict(headers or {})

    @property
    def body(self) -> dict[str, Any]:
        """The JSON that says so."""
        return envelope(self.code, self.reason, str(self), status=self.status)


def envelope(
    code: int, reason: str, message: str = "", *, status: str | None = None
) -> dict[str, Any]:
    """``{"error": {...}}`` with the three tellings of the same refusal."""
    text = message or f"refused: {reason}"
    one = {"message": text, "domain": DOMAINS.get(reason, "global"), "reason": reason}
    said = STATUSES.get(code, "UNKNOWN") if status is None else status
    return {"error": {"code": code, "message": text, "errors": [one], "status": said}}


def not_found() -> RefusedError:
    """What every id that is not there is answered with; an expired history id as well."""
    return RefusedError(404, "notFound", "Requested entity was not found.")


def invalid(message: str) -> RefusedError:
    """An argument that cannot be."""
    return RefusedError(400, "invalidArgument", message)
