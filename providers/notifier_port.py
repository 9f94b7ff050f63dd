"""The notifier port: what Fencepost needs of a way to reach the owner, whoever provides it.

A notifier sends the stored bytes once and never retries: a lost answer is ``Unknown``. It knows no
policy and no store.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from storage.words import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What the owner is told: a stable id, kind, title and a line of text; no mail text inside.

    ``at`` is when the thing to tell happened; ``url`` names the review page where there is one.
    """

    id: str
    kind: str
    title: str
    text: str
    at: datetime
    url: str | None = None


class Notifier(Protocol):
    """One way to reach the owner."""

    async def send(self, request: bytes) -> Outcome:
        """Send the stored request once. Never retries, never follows a redirect."""

    def render(self, notice: Notice) -> bytes:
        """The exact bytes that ``send`` will send for *notice*; stored with the intent first."""

    async def close(self) -> None:
        """Give back connections."""
