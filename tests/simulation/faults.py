"""What happens to a process in a schedule of calls: at which await, commit or fault point.

At an await a process dies, stops until the schedule lets it go on, or the work there is cancelled;
a COMMIT fails in each way in which one can; at a fault point of the house it dies or is cancelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from storage.words import FaultPoint
from tests.simulation.callers import Caller
from tests.support.database import CommitFault
from tests.support.gate import Action, Gate

AT_AWAITS: Final = ("kill", "stop", "cancel")
AT_POINTS: Final = ("kill", "cancel")
GONE: Final = "gone"
"""From a write on the store does not answer for longer than a lease."""
COMMITS: Final = (CommitFault.FULL, CommitFault.LOST, CommitFault.LANDED)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: ``what`` happens at the await, the write, or the point ``where``."""

    what: str
    where: int | FaultPoint

    @override
    def __str__(self) -> str:
        return f"{self.what} at {self.where}"

    def put_into(self, caller: Caller) -> None:
        """Have it happen to this process."""
        gate = caller.process.gate
        if self.what == GONE:
            assert isinstance(self.where, int)
            gate.commits |= dict.fromkeys(range(self.where, self.where + 50), CommitFault.FULL)
        elif self.what in COMMITS:
            assert isinstance(self.where, int)
            gate.commits[self.where] = CommitFault(self.what)
        elif isinstance(self.where, FaultPoint):
            gate.at[self.where] = self._act(caller)
        else:
            gate.acts[self.where] = self._act(caller)

    def _act(self, caller: Caller) -> Action:
        at_point = isinstance(self.where, FaultPoint)

        def act(gate: Gate) -> None:
            match self.what:
                case "kill" if at_point:
                    gate.kill()
                case "kill":
                    gate.dead = True
                case "stop":
                    gate.stop()
                case _:
                    caller.cancel()

        return act


def each_alone(gate: Gate) -> list[Fault]:
    """Every fault that can happen on the way that this process went."""
    at_awaits = [Fault(what, at + 1) for at in range(gate.crossings) for what in AT_AWAITS]
    in_commits = [
        Fault(str(what), at + 1) for at in range(gate.counts["write"]) for what in COMMITS
    ]
    at_points = [Fault(what, point) for point in sorted(gate.points) for what in AT_POINTS]
    return [*at_awaits, *in_commits, *at_points]
