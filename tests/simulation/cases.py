"""What happens in a schedule of calls: one fault and what follows, or several, all drawn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from providers.memory import Behaviour
from storage.words import Action, FaultPoint
from tests.simulation.callers import Ask, Twist
from tests.simulation.faults import AT_AWAITS, AT_POINTS, COMMITS, GONE, Fault
from tests.support.database import CommitFault

B = Behaviour
HOWS: Final = (
    *(B.PASS, B.LOSE, B.DROP, B.BUSY, B.REFUSE, B.LATE_EFFECT, B.HANG_AFTER, B.TWICE_LOST),
)
Step = tuple[object, ...]
SAME, OTHER = Ask(0), Ask(1)
AFTER: Final[tuple[tuple[Step, ...], ...]] = (
    # Another process asks for the same, and the first goes on.
    (("wait", 61.0), ("look", 1), ("turn", 1, SAME), ("wait", 21.0), ("turn", 1, SAME), ("go on",)),
    # Another asks for something else in the thread before it has looked, and the first goes on.
    (("wait", 61.0), ("turn", 1, OTHER), ("wait", 21.0), ("turn", 1, OTHER), ("go on",)),
)
POINTS: Final = (
    *(FaultPoint.CLAIM_WRITTEN, FaultPoint.CLAIM_COMMITTED, FaultPoint.CALL_ALLOWED),
    *(FaultPoint.EFFECT_DONE, FaultPoint.ANSWERED, FaultPoint.OUTCOME_WRITTEN),
    *(FaultPoint.OUTCOME_COMMITTED, FaultPoint.SWEEP_WRITTEN, FaultPoint.SWEPT),
    *(FaultPoint.LOOKED, FaultPoint.LOOK_WRITTEN, FaultPoint.LOOK_COMMITTED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What happens in one schedule: *faults* by process, *steps* in their order."""

    name: str
    hows: Sequence[Behaviour]
    looks: Sequence[Behaviour] = ()
    stages: bool
    lag_s: float = 0.0
    delay_s: float = 60.0
    faults: Sequence[tuple[int, Fault]] = ()
    steps: Sequence[Step]


def afterwards(how: Behaviour, fault: Fault, number: int, *, stages: bool) -> list[Case]:
    """One fault in the first call, and what may come after it."""

    def case(after: Sequence[Step], looks: Sequence[Behaviour]) -> Case:
        seen = "" if not looks else ", no look reaches the mailbox"
        return Case(
            name=f"{how}, {fault}{seen}",
            hows=(how,),
            looks=looks,
            stages=stages,
            faults=[(0, fault)],
            steps=(("turn", 0, SAME), *after, ("wait", 30.0), ("look", 1)),
        )

    if fault.what == "stop":
        return [case(AFTER[0], ()), case(AFTER[0], [B.DROP] * 3)]
    return [case(AFTER[number % 2], ())]


def drawn(number: int) -> Case:
    """A schedule of several faults, all drawn from its number."""
    own = random.Random(f"beside {number}")
    if own.random() < 0.02:
        return _beside(own, number)
    draw = random.Random(f"calls {number}")
    if draw.random() < 0.3:
        return _story(draw, number)
    steps = [_drawn_step(draw) for _ in range(draw.randint(4, 11))]
    return Case(
        name=f"seed {number}",
        hows=[draw.choice((*HOWS, B.DROP, B.LOSE, B.HANG)) for _ in range(4)],
        looks=[draw.choice((B.PASS, B.PASS, B.PASS, B.DROP, B.LATE)) for _ in range(4)],
        stages=draw.random() < 0.6,
        lag_s=draw.choice((0.0, 0.0, 45.0)),
        faults=[(draw.choice((0, 0, 1)), _drawn_fault(draw)) for _ in range(draw.randint(1, 2))],
        steps=[("turn", 0, SAME), *steps],
    )


def _story(draw: random.Random, number: int) -> Case:
    """A schedule that begins where chance seldom leads, and goes on by chance."""
    kind = draw.choice(("two looks", "no look", "no answer from the store"))
    at, lag_s = draw.randint(2, 8), draw.choice((0.0, 45.0))
    faults, begin, hows, looks = _beginning(draw, kind, at)
    more = [_drawn_step(draw) for _ in range(draw.randint(2, 6))]
    return Case(
        name=f"seed {number}, {kind}",
        hows=hows,
        looks=looks,
        stages=draw.random() < 0.8,
        lag_s=lag_s,
        faults=faults,
        steps=[("turn", 0, SAME), *begin, *more],
    )


def _beside(draw: random.Random, number: int) -> Case:
    """Two tasks of one process call into one thread, as a clock that was set lets them.

    The database's clock runs ahead of a call's lease, its thread is freed by a person's word, and
    the grace goes by in the same way; then both answers come while the process is stopped.
    """
    begin: list[Step] = [("turn", 0, SAME), ("wait", draw.choice((0.0, 1.0))), ("set", 61.0)]
    begin += [("look", 1), ("say", draw.choice((Action.DISMISS, Action.DISMISS, Action.RETRY)))]
    begin += [("beside", 0, OTHER), ("set", draw.choice((21.0, 61.0))), ("beside", 0, OTHER)]
    begin += [("stop", 0), ("wait", draw.choice((6.0, 13.0))), ("go on",)]
    return Case(
        name=f"seed {number}, two beside each other",
        hows=[draw.choice((B.LATE, B.LATE, B.PASS)) for _ in range(3)],
        stages=draw.random() < 0.5,
        lag_s=45.0,
        delay_s=5.0,
        steps=[*begin, *(_drawn_step(draw) for _ in range(draw.randint(0, 4)))],
    )


def _beginning(
    draw: random.Random, kind: str, at: int
) -> tuple[list[tuple[int, Fault]], list[Step], list[Behaviour], list[Behaviour]]:
    again: Step = ("turn", 0, SAME)
    match kind:
        case "two looks":
            # Two look at one attempt, and one of them comes with its answer when another is made.
            pause = draw.choice((1.0, 31.0, 61.0, 130.0))
            steps: list[Step] = [("glance", 1), ("glance", 0), ("wait", pause), again]
            steps += [("wait", 21.0), ("go on",), ("wait", 1.0)]
            hows = [B.DROP, draw.choice((B.LOSE, B.HANG_AFTER, B.LATE_EFFECT))]
            return [(1, Fault("stop", at))], steps, hows, []
        case "no look":
            # Nobody sees what a stopped process made, until it says so itself.
            steps = [("wait", 61.0), ("look", 1), ("go on",), ("wait", 6.0)]
            return [(0, Fault("stop", at + 6))], steps, [B.PASS], [B.DROP] * 4
        case _:
            # A COMMIT whose end is unknown, and then the store does not answer.
            one = draw.choice((CommitFault.LANDED, CommitFault.LOST))
            two = draw.choice((CommitFault.FULL, CommitFault.LOST, GONE, GONE))
            write = draw.randint(1, 4)
            failing = [(0, Fault(str(one), write)), (0, Fault(str(two), write + 1))]
            steps = [("wait", 61.0), ("look", 1), ("turn", 1, SAME), ("wait", 21.0)]
            return failing, steps, [draw.choice(HOWS)], []


def _drawn_step(draw: random.Random) -> Step:
    who = draw.choice((0, 1, 1))
    match draw.choice("tttttllgwwwwwsonopd"):
        case "t":
            twist = draw.choice((*[Twist.NONE] * 5, *list(Twist)[1:]))
            ask = Ask(
                answers=draw.choice((0, 0, 1)),
                twist=twist,
                removes=draw.random() < 0.1,
                both=draw.random() < 0.1,
            )
            return ("turn", who, ask)
        case "l":
            return ("look", who)
        case "g":
            return ("glance", who)
        case "w":
            return ("wait", draw.choice((6.0, 21.0, 31.0, 61.0, 61.0, 85.0, 130.0, 605.0)))
        case "s":
            return ("skip", draw.choice((61.0, 605.0, 100_000.0)))
        case "o":
            return ("go on",)
        case "n":
            return ("land",)
        case "p":
            return ("owner", draw.choice(("edit", "send", "delete")))
        case _:
            return ("say", draw.choice((Action.NEVER_HAPPENED, Action.DISMISS, Action.DISCARD)))


def _drawn_fault(draw: random.Random) -> Fault:
    kind = draw.random()
    if kind < 0.6:
        return Fault(draw.choice(AT_AWAITS), draw.randint(1, 22))
    if kind < 0.85:
        return Fault(str(draw.choice(COMMITS)), draw.randint(1, 7))
    return Fault(draw.choice(AT_POINTS), draw.choice(POINTS))
