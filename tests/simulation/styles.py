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
    ``kills`` and ``stops`` are chances for each process. ``holds`` is at how many awaits (of those
    in ``at``) something happens (of ``does``; "" nothing), or one task is held or the process
    stopped, for one of ``seconds``. ``threads`` and ``events``: at most, at its begin and in all.
    ``is_odd``: whether the provider says what no store can hold.
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
    at: Sequence[str] = HELD_AT
    does: Sequence[str] = ("", "", "", "mail", "owner", "write", "land")
    seconds: Sequence[float] = (0.0, 0.0, 4.0, 12.0, 19.0, 30.0, 50.0, 75.0)
    threads: int = 2
    events: int = 10
    is_odd: bool = False


_BEFORE_CLAIM: Final = ("have read", "fetch done", "snapshot done", "stage done")
_RACE: Final = (0.0, 4.0, 12.0, 19.0)

_ALL = (
    Style(name="mixed"),
    Style(name="lone", processes=1, kills=0.7, stops=0.4),
    Style(
        name="stopped",
        kills=0.0,
        stops=0.9,
        holds=4,
        calls={**_CALLS, **_WELL},
        seconds=(35.0, 50.0, 75.0, 110.0),
        at=("snapshot done", "stage done", "create", "create done", "written", "remove done"),
        threads=1,
    ),
    Style(name="fleet", processes=3, kills=0.3, stops=0.5, holds=3),
    Style(
        name="raced",
        kills=0.0,
        stops=0.0,
        holds=6,
        calls={"create": (B.PASS, B.LOSE, B.LATE_EFFECT)},
        acts={"mail": 3, "write": 2, "owner": 2, "decide": 3, "ask": 1},
        at=_BEFORE_CLAIM,
        does=("mail", "write", "owner", "land", "decide"),
        seconds=_RACE,
        threads=2,
    ),
    Style(
        name="late",
        calls={
            "create": (B.LATE_EFFECT, B.LATE_EFFECT, B.LOSE, B.HANG_AFTER, B.DROP, B.PASS),
            "look": (B.PASS, B.PASS, B.DROP),
        },
        acts={"mail": 4, "land": 2, "write": 2, "owner": 1, "decide": 6},
        words=(Action.DISMISS, Action.DISMISS, Action.NEVER_HAPPENED, Action.IT_EXISTS),
        about=(ItemKind.OUTCOME_UNKNOWN,),
        kills=0.1,
        stops=0.2,
        holds=5,
        at=_BEFORE_CLAIM,
        does=("land", "land", "mail", "decide"),
        seconds=_RACE,
        threads=1,
        events=16,
    ),
    Style(
        name="grace",
        calls={"create": (B.HANG, B.HANG_AFTER, B.LATE_EFFECT, B.PASS)},
        acts={"mail": 4, "decide": 6, "land": 1},
        words=(Action.DISMISS, Action.DISMISS, Action.IT_EXISTS, Action.DISCARD),
        kills=0.0,
        stops=0.0,
        holds=1,
        at=("create", "create done"),
        does=("die",),
        threads=1,
        events=24,
    ),
    Style(
        name="removed",
        calls={"create": (B.PASS,), "remove": (*_REMOVES, B.LATE_EFFECT), "draft": _READS},
        acts={"mail": 2, "owner": 2, "land": 1, "decide": 8},
        words=(*[Action.DISCARD] * 4, Action.KEEP, Action.DISMISS),
        about=(ItemKind.DRAFT_READY,),
        kills=0.2,
        stops=0.3,
        holds=4,
        at=("draft done", "remove", "remove done", "have read", "written"),
        does=("owner", "owner", "mail", ""),
        events=16,
    ),
    Style(
        name="said",
        acts={"mail": 1, "decide": 8, "land": 1, "write": 1},
        calls={
            "create": (B.LOSE, B.DROP, B.DROP, B.LATE_EFFECT, B.TWICE_LOST, B.PASS),
            "look": (B.PASS, B.DROP),
        },
        kills=0.2,
        at=_BEFORE_CLAIM,
        does=("decide", "decide", ""),
        seconds=_RACE,
        events=18,
    ),
    Style(
        name="never",
        calls={"create": (B.DROP, B.LATE_EFFECT, B.LOSE), "look": (B.DROP, B.DROP, B.PASS)},
        acts={"mail": 1, "decide": 8, "land": 2},
        words=(Action.NEVER_HAPPENED,),
        about=(ItemKind.OUTCOME_UNKNOWN,),
        kills=0.0,
        stops=0.0,
        threads=2,
        events=18,
    ),
    Style(
        name="looked",
        calls={"create": (B.DROP, B.DROP, B.LOSE, B.LOSE, B.TWICE_LOST), "look": (B.PASS,)},
        kills=0.0,
        stops=0.9,
        holds=3,
        at=("look", "look done"),
        does=("", "land", "write", "owner"),
        seconds=(30.0, 75.0, 110.0),
        threads=1,
    ),
    Style(
        name="ill",
        calls={
            "create": (B.QUOTA, B.BUSY, B.BUSY, B.DROP, B.DROP, B.LOSE, B.REFUSE),
            "look": (B.PASS, B.PASS, B.DROP),
        },
        acts={"ask": 2, "mail": 3, "decide": 1, "owner": 1},
        kills=0.2,
        stops=0.3,
    ),
    Style(
        name="silent",
        calls={"create": (B.LOSE, B.LOSE, B.DROP, B.HANG_AFTER)},
        acts={"ask": 6, "mail": 2},
        kills=0.0,
        stops=0.0,
        events=10,
    ),
    Style(
        name="paused",
        acts={**_ACTS, "switch": 5, "mail": 3},
        kills=0.1,
        stops=0.1,
        holds=4,
        at=_BEFORE_CLAIM,
        does=("pause", "pause", "mail", ""),
        seconds=_RACE,
    ),
    Style(
        name="failing",
        kills=0.1,
        stops=0.1,
        holds=6,
        calls={**_CALLS, **_WELL},
        at=("stage done", "stage done", "create done", "remove done", "look done", "changes done"),
        does=("fail", "fail", ""),
        seconds=(0.0, 0.0, 19.0),
    ),
    Style(
        name="restored",
        acts={**_ACTS, "restore": 4},
        calls={**_CALLS, "create": (B.BUSY, B.BUSY, B.PASS, B.LOSE, B.LATE_EFFECT)},
        holds=4,
        kills=0.2,
        stops=0.2,
        at=_BEFORE_CLAIM,
        does=("restore", "restore", "mail", ""),
        seconds=_RACE,
    ),
    Style(
        name="retried",
        calls={"create": (B.REFUSE, B.PASS, B.REFUSE)},
        acts={"mail": 5, "decide": 2},
        words=(Action.RETRY,),
        about=(ItemKind.REJECTED,),
        kills=0.0,
        stops=0.0,
        holds=6,
        at=_BEFORE_CLAIM,
        does=("decide",),
        seconds=_RACE,
        threads=1,
    ),
    Style(
        name="overtaken",
        kills=0.0,
        stops=2.0,
        holds=3,
        calls={},
        at=("fetch done", "snapshot done", "stage done"),
        does=("",),
        seconds=(30.0, 62.0, 75.0, 90.0),
        threads=1,
    ),
    Style(
        name="stalled",
        kills=0.0,
        stops=0.0,
        holds=4,
        at=("stage done", "draft done", "create done", "look done"),
        does=("stall",),
        seconds=(0.0,),
    ),
    Style(
        name="watching",
        kills=0.0,
        stops=2.0,
        holds=3,
        calls={},
        at=("changes done",),
        does=("mail", "write", "owner"),
        seconds=(75.0, 90.0, 110.0),
    ),
    Style(
        name="unseen",
        calls={"create": (B.PASS, B.LOSE), "changes": (B.PASS, B.DROP, B.DROP)},
        acts={"mail": 3, "write": 4, "owner": 2},
        kills=0.0,
        stops=0.0,
        holds=4,
        at=("have read", "fetch done", "changes done"),
        does=("write", "write", "land"),
        seconds=_RACE,
    ),
    Style(
        name="doubled",
        calls={"create": (B.TWICE, B.TWICE_LOST, B.TWICE, B.LOSE), "look": (B.PASS, B.DROP)},
        acts={"mail": 1, "owner": 5, "write": 1, "decide": 1},
        kills=0.2,
    ),
    Style(
        name="stepped",
        calls={
            "create": (B.PASS, B.PASS, B.LOSE, B.DROP, B.HANG_AFTER, B.LATE_EFFECT),
            "changes": (B.PASS,),
        },
        acts={"step": 5, "mail": 3, "decide": 4, "land": 1, "ask": 1},
        words=(Action.DISMISS, Action.DISMISS, Action.IT_EXISTS, Action.DISCARD),
        kills=0.1,
        stops=0.1,
        holds=6,
        at=("create", "create done", "create done", "written", "stage done", "look done"),
        does=("step", "step", "fail", "decide", ""),
        seconds=_RACE,
        threads=1,
        events=20,
    ),
    Style(
        name="locked",
        calls={
            "create": (B.PASS, B.PASS, B.PASS, B.LOSE, B.BUSY, B.HANG_AFTER),
            "changes": (B.PASS,),
        },
        acts={"lock": 2, "mail": 3, "ask": 3, "decide": 2, "owner": 1},
        kills=0.2,
        stops=0.1,
        holds=4,
        at=("create", "create", "create done", "written"),
        does=("lock", "lock", ""),
        seconds=(0.0, 0.0, 4.0, 12.0),
        threads=5,
    ),
    Style(
        name="odd",
        calls={
            "create": (B.PASS, B.REFUSE, B.BUSY, B.QUOTA, B.LOSE, B.DROP, B.DROP, B.TWICE_LOST),
            "remove": _REMOVES,
            "look": (B.PASS, B.PASS, B.DROP),
        },
        is_odd=True,
    ),
    Style(
        name="cut",
        acts={"cut": 3, "mail": 3, "ask": 2, "owner": 1, "decide": 1},
        kills=0.1,
        stops=0.1,
    ),
    Style(
        name="ending",
        calls={"create": (B.PASS, B.PASS, B.LOSE, B.HANG_AFTER), "changes": (B.PASS,)},
        acts={"end": 4, "mail": 3, "ask": 4, "owner": 1, "decide": 1},
        kills=0.1,
        stops=0.1,
        holds=6,
        at=("write", "write", "written", "create", "create done", "have read", "fetch done"),
        does=("end", "end", "mail", "ask", ""),
        seconds=_RACE,
        threads=4,
        events=20,
    ),
    Style(
        name="deadly",
        processes=1,
        kills=0.0,
        stops=0.0,
        holds=2,
        at=("fetch done", "snapshot done", "create", "have read"),
        does=("die",),
        events=14,
    ),
)
STYLES: Final[Mapping[str, Style]] = {one.name: one for one in _ALL}
