"""One bug that is planted on purpose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bug:
    """``near`` are names of cases that should find it, tried first."""

    name: str
    rule: str
    where: str
    sound: str
    broken: str
    near: tuple[str, ...] = ()
