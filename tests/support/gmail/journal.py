"""Every request that arrived: what was asked, whether it took effect, and how it ended.

Tests compare it with their database: how often was a thing made under one mark.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.support.gmail import headers

EFFECTS = {
    "drafts.create", "drafts.update", "drafts.delete", "drafts.send", "messages.send",
    "messages.insert", "messages.trash", "messages.untrash", "messages.modify", "messages.delete",
}  # fmt: skip
"""The methods that change a mailbox."""


@dataclass(kw_only=True)
class Line:
    """One request.

    *ended*: "", "answered", "dropped", "reset", "hung", "cut", or "gone" (the client).
    """

    number: int
    at_s: float
    connection: int
    method: str
    verb: str
    path: str
    query: list[tuple[str, str]]
    octets: int = 0
    user: str = ""
    marks: dict[str, str] = field(default_factory=dict)
    effect: bool = False
    made: str = ""
    status: int = 0
    ended: str = ""

    def mark(self, raw: bytes) -> None:
        """Note the Message-ID and the X- fields that a message came with."""
        for name, value in headers.pairs(raw):
            if name.lower().startswith("x-") or name.lower() == "message-id":
                self.marks[name.lower()] = value


@dataclass(kw_only=True)
class Journal:
    """The lines in the order of arrival."""

    lines: list[Line] = field(default_factory=list)

    def of(self, method: str) -> list[Line]:
        """The requests for a method."""
        return [one for one in self.lines if one.method == method]

    def counts(self) -> dict[str, int]:
        """How many requests for each method."""
        return dict(Counter(one.method for one in self.lines))

    def effects(self, header: str = "message-id", *methods: str) -> dict[str, list[Line]]:
        """Requests that took effect, by the value of that field of what they brought.

        Without *methods*, those that create or send.
        """
        wanted = methods or ("drafts.create", "drafts.update", "messages.send")
        found: dict[str, list[Line]] = {}
        for one in self.lines:
            if one.effect and one.method in wanted and header.lower() in one.marks:
                found.setdefault(one.marks[header.lower()], []).append(one)
        return found

    def told(self) -> list[dict[str, Any]]:
        """As JSON."""
        return [asdict(one) for one in self.lines]
