"""Mails of invented people, with their authors' own words worked out by hand.

Sixteen kinds, as mail programs and people make them. ``own`` is what the author wrote; ``text`` is
the plain body, or None where the mail is HTML only. Used by the tests and by the bench.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One mail body and what is the author's own in it."""

    name: str
    kind: str
    own: str
    text: str | None = None
    html: str | None = None
    subject: str = "Re: Hall"
    parents: tuple[str, ...] = ()
    forward: bool = False


def _sample(given: dict[str, str | bool | list[str]]) -> Sample:
    return Sample(**{**given, "parents": tuple(given.get("parents", ()))})  # type: ignore[arg-type]


SAMPLES: Final = [
    _sample(given)
    for given in json.loads((Path(__file__).parent / "mails.json").read_text("utf-8"))
]
"""Seventy-odd mails, a few of each kind."""

ASK: Final = next(one.text or "" for one in SAMPLES if one.name == "sent-again-on-purpose")
"""A message that is answered."""
