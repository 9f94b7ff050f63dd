"""What the provider's side saw: calls counted, effects written down as they happen.

A test compares this book with the database: one effect a key, and none without an intent that was
committed before. The hook runs at the very moment of an effect, so it can ask the database through
a connection of its own whether that intent and attempt are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from storage.words import Kind, Ref

Hook = Callable[["Effect"], None]
"""Called just before an effect; what it raises stops the effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One effect on the mailbox: what kind, for which intent and attempt, under which mark.

    ``mark`` is the raw value of the mark header of the draft made or removed (None without one).
    """

    kind: Kind
    intent: str
    attempt: int
    mark: str | None
    at: datetime
    ref: Ref | None = None


@dataclass(slots=True)
class Journal:
    """Calls by name and effects in their order."""

    hook: Hook | None = None
    calls: Counter[str] = field(default_factory=Counter)
    effects: list[Effect] = field(default_factory=list)

    def call(self, name: str) -> None:
        """Count one call."""
        self.calls[name] += 1

    def before(self, effect: Effect) -> None:
        """Tell the hook that *effect* is about to happen."""
        if self.hook is not None:
            self.hook(effect)

    def happened(self, effect: Effect) -> None:
        """Write down that *effect* happened."""
        self.effects.append(effect)

    def made(self, mark: str) -> int:
        """How many drafts were made under *mark*."""
        return sum(1 for e in self.effects if e.kind is Kind.CREATE_DRAFT and e.mark == mark)
