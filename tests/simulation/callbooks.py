"""The books of a schedule of calls: as those of whole workers, and what was heard is on record."""

from __future__ import annotations

import json
from dataclasses import dataclass

from storage.words import Accepted, Rejected
from tests.simulation.books import Books
from tests.support.database import InlineDatabase


@dataclass(kw_only=True)
class CallBooks(Books):
    """See the module's text."""

    blind: bool = True

    def open(self, db: InlineDatabase) -> None:
        """Begin with what the store holds."""
        self.committed(db._raw)
        self.broken.clear()
        db.watch = self

    def compare(self) -> None:
        """Hold what is on record about each answer against what was heard."""
        if not self.heard:
            return
        facts: dict[tuple[object, object], list[str]] = {}
        for intent, attempt, detail in self.world.db.ask(
            "SELECT intent, attempt, detail FROM evidence WHERE kind IN ('answer', 'late_answer')"
        ):
            outcome = json.loads(str(detail))["outcome"]
            facts.setdefault((intent, attempt), []).append(outcome)
        for (intent_id, attempt), heard in self.heard.items():
            told = facts.get((intent_id, attempt))
            if not told:
                continue
            sure = isinstance(heard.outcome, Accepted | Rejected)
            if sure and "unknown" in told:
                self.wrong(f"{intent_id[:6]}.{attempt} was answered and is on record as unknown")
            row = self.intents[intent_id]
            settled = row.state in ("accepted", "duplicated")
            if isinstance(heard.outcome, Accepted) and row.attempt == attempt and not settled:
                self.wrong(f"{row.name} was heard to be done, that is on record, it is {row.state}")
