"""What schedules lean towards: each style leads to one kind of danger more often than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from providers.memory import Behaviour
from storage.words import Action, ItemKind

HELD_AT: Final = (
    *["snapshot done", "stage done", "create", "create done"] * 2,
    *["look", "look done", "draft done", "remove", "remove done"],
    *["fetch done", "changes done", "write", "written", "have read"],
)
"""Awaits at which something may happen or a task may be held."""

B = Behaviour
_CREATES: Final = (
    *[B.PASS] * 4,
    *[B.LOSE] * 3,
    *[B.DROP] * 2,
    B.REFUSE,
    *[B.BUSY] * 2,
    B.QUOTA,
    B.HANG,
    B.HANG_AFTER,
    B.TWICE,
    B.TWICE_LOST,
    B.LATE,
    B.LATE_EFFECT,
)
_READS: Final = (*[B.PASS] * 6, B.DROP, B.LOSE)
_REMOVES: Final = (B.PASS, B.LOSE, B.DROP, B.HANG_AFTER, B.BUSY)
_WELL: Final = {"changes": (B.PASS,), "snapshot": (B.PASS,), "fetch": (B.PASS,)}
_CALLS: Final[Mapping[str, Sequence[Behaviour]]] = {
    "create": _CREATES,
    "remove": _REMOVES,
    "look": _READS,
    "snapshot": _READS,
    "fetch": _READS,
    "draft": _READS,
    "changes": _READS,
}
_ACTS: Final = {"ask": 1, "mail": 1, "owner": 3, "write": 1, "land": 1, "decide": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """``processes``: at most, at its begin. ``calls``: what each call of the mailbox may meet.

    ``acts``: how often what happens; ``words`` and ``about``: what a person says, to which items.
    ``kills`` and ``stops`` are chances for each process, ``holds`` and ``commits`` numbers of
    awaits at which something happens and of COMMITs that fail.
    """

    name: str
    processes: int = 2
    calls: Mapping[str, Sequence[Behaviour]] = field(default_factory=lambda: _CALLS)
    acts: Mapping[str, int] = field(default_factory=lambda: _ACTS)
    words: Sequence[Action] = tuple(Action)
    about: Sequence[ItemKind] = tuple(ItemKind)
    kills: float = 0.5
    stops: float = 0.6
    holds: int = 2
    commits: int = 0


_ALL = (
    Style(name="mixed"),
    Style(name="lone", processes=1, kills=0.7, stops=0.4),
    Style(name="stopped", kills=0.1, stops=0.9, holds=4, calls={**_CALLS, **_WELL}),
    Style(name="fleet", processes=3, kills=0.3, stops=0.5, holds=3),
    Style(
        name="late",
        calls={
            "create": (B.LATE_EFFECT, B.LATE_EFFECT, B.LOSE, B.HANG_AFTER, B.DROP, B.PASS),
            "look": (B.PASS, B.PASS, B.DROP),
        },
        acts={"mail": 3, "land": 3, "write": 2, "owner": 1, "decide": 4},
        words=(Action.DISMISS, Action.NEVER_HAPPENED, Action.IT_EXISTS, Action.RETRY),
        about=(ItemKind.OUTCOME_UNKNOWN,),
        kills=0.2,
        holds=4,
    ),
    Style(
        name="removed",
        calls={"create": (B.PASS,), "remove": (*_REMOVES, B.LATE_EFFECT), "draft": _READS},
        acts={"mail": 2, "owner": 4, "land": 1, "decide": 6},
        words=(*[Action.DISCARD] * 4, Action.KEEP, Action.DISMISS),
        about=(ItemKind.DRAFT_READY,),
        kills=0.2,
        holds=4,
    ),
    Style(
        name="said",
        acts={"mail": 1, "decide": 8, "land": 1, "write": 1},
        calls={
            "create": (B.LOSE, B.DROP, B.DROP, B.LATE_EFFECT, B.TWICE_LOST, B.PASS),
            "look": (B.PASS, B.DROP),
        },
        kills=0.2,
    ),
    Style(
        name="ill",
        calls={
            "create": (B.QUOTA, B.BUSY, B.BUSY, B.DROP, B.DROP, B.LOSE, B.REFUSE),
            "look": (B.PASS, B.PASS, B.DROP),
        },
        acts={"ask": 4, "mail": 3, "decide": 1, "owner": 1},
        kills=0.2,
        stops=0.3,
    ),
    Style(name="paused", acts={**_ACTS, "switch": 5, "mail": 3}, holds=4, kills=0.2),
    Style(name="failing", commits=5, kills=0.2, stops=0.2, calls={**_CALLS, **_WELL}),
    Style(name="restored", acts={**_ACTS, "restore": 3}, holds=4, kills=0.3),
    Style(
        name="doubled",
        calls={"create": (B.TWICE, B.TWICE_LOST, B.TWICE, B.LOSE), "look": (B.PASS, B.DROP)},
        acts={"mail": 1, "owner": 5, "write": 1, "decide": 1},
        kills=0.2,
    ),
)
STYLES: Final[Mapping[str, Style]] = {one.name: one for one in _ALL}
