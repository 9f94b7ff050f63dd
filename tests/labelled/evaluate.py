"""How well the rules agree with the labelled threads.

Run from the repository: ``python -m tests.labelled.evaluate`` for the half that the rules were
written with, ``--held`` for the half that was held apart, ``--errors`` to see what is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

from assistant.core.conversation import Triage
from assistant.core.rules import judge
from storage.words import Category
from tests.labelled.threads import LANGUAGES, Labelled, labelled


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts of one evaluation, for the answer "needs a reply"."""

    right: int
    missed: int
    unwanted: int
    quiet: int
    unsure: int

    @property
    def precision(self) -> float:
        """The share of threads said to need a reply that do."""
        return self.right / (self.right + self.unwanted or 1)

    @property
    def recall(self) -> float:
        """The share of threads needing a reply that are said to."""
        return self.right / (self.right + self.missed or 1)

    def __str__(self) -> str:
        total = self.right + self.missed + self.unwanted + self.quiet
        return (
            f"{total} threads: precision {self.precision:.3f}, recall {self.recall:.3f}, "
            f"{self.missed} missed, {self.unwanted} unwanted, {self.unsure} unsure"
        )


def judged(held: bool) -> list[tuple[Labelled, Triage]]:
    """Every thread of one half with what the rules say of it."""
    return [(each, judge(each.conversation)) for each in labelled() if each.held is held]


def score(pairs: Iterable[tuple[Labelled, Triage]]) -> Score:
    """The counts of a half."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    unsure = 0
    for thread, triage in pairs:
        counts[thread.needs_reply, triage.category is Category.NEEDS_REPLY] += 1
        unsure += triage.unsure
    return Score(
        right=counts[True, True],
        missed=counts[True, False],
        unwanted=counts[False, True],
        quiet=counts[False, False],
        unsure=unsure,
    )


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--held", action="store_true", help="the half that was held apart")
    options.add_argument("--errors", action="store_true", help="list what is wrong")
    given = options.parse_args()
    pairs = judged(given.held)
    for language in LANGUAGES:
        print(language, score(pair for pair in pairs if pair[0].language == language))
    print("all", score(pairs))
    for thread, triage in pairs if given.errors else ():
        if thread.needs_reply is not (triage.category is Category.NEEDS_REPLY):
            print(f"{thread.id} {thread.label}: {triage.category}, {triage.reason}")


if __name__ == "__main__":
    main()
