"""A request, its parameters read as strictly as the API reads them, and pages of a listing."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.support.gmail.errors import RefusedError, invalid

T = TypeVar("T")
COMMON = {
    "alt",
    "prettyPrint",
    "fields",
    "key",
    "quotaUser",
    "uploadType",
    "access_token",
    "$.xgafv",
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What arrived: the path without its query, the query in order, the body as octets."""

    verb: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes = b""
    args: dict[str, str] = field(default_factory=dict)
    """What the route took from the path."""

    def only(self, *names: str) -> None:
        """Refuse parameters that the method does not know."""
        for name, _ in self.query:
            if name not in COMMON and name not in names:
                raise invalid(f'Invalid JSON payload received. Unknown name "{name}"')

    def text(self, name: str, default: str | None = None) -> str | None:
        """The last value given."""
        return next((value for key, value in reversed(self.query) if key == name), default)

    def many(self, name: str) -> list[str]:
        """All values given; a repeated parameter."""
        return [value for key, value in self.query if key == name]

    def flag(self, name: str) -> bool:
        """``true`` or ``false`` in lower case, nothing else."""
        value = self.text(name, "false")
        if value not in {"true", "false"}:
            raise invalid(f"Invalid value at '{name}' (TYPE_BOOL), \"{value}\"")
        return value == "true"

    def number(self, name: str, default: int, most: int) -> int:
        """An unsigned number; more than *most* counts as *most*."""
        value = self.text(name)
        if value is None:
            return default
        if not value.isascii() or not value.isdigit():
            raise invalid(f"Invalid value at '{name}' (TYPE_UINT32), \"{value}\"")
        return min(int(value), most) or default

    def json(self) -> dict[str, Any]:
        """The body, an object; raises 400 parseError."""
        try:
            value = json.loads(self.body or b"{}")
        except ValueError as error:
            raise RefusedError(400, "parseError", "Parse Error") from error
        if not isinstance(value, dict):
            raise RefusedError(400, "parseError", "Parse Error")
        return value

    def page(
        self, items: Iterable[T], key: Callable[[T], tuple[Any, ...]], size: int
    ) -> tuple[list[T], str | None]:
        """The items after the page token, sorted by *key*, and the next token.

        The token holds the place, not a list: what comes or goes meanwhile is seen or missed.
        """
        after = self._after()
        rest = [one for one in sorted(items, key=key) if after is None or list(key(one)) > after]
        page = rest[:size]
        if len(rest) <= size:
            return page, None
        return page, base64.urlsafe_b64encode(json.dumps(list(key(page[-1]))).encode()).decode()

    def _after(self) -> list[Any] | None:
        token = self.text("pageToken")
        if not token:
            return None
        try:
            value = json.loads(base64.urlsafe_b64decode(token))
        except (ValueError, binascii.Error) as error:
            raise invalid("Invalid pageToken") from error
        if not isinstance(value, list):
            raise invalid("Invalid pageToken")
        return value
