"""One thing that ``fencepost check`` looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was looked at and whether it works; ``remedy`` is empty where it does."""

    what: str
    works: bool
    says: str
    remedy: str = ""
