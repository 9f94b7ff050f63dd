"""A process of a schedule, which may end in good order: as assistant.daemon runs and ends one.

The first signal drains: nothing more is taken, calls in flight end and are recorded, leases are
released. The second cancels: a call in flight becomes unknown and is recorded as that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

from assistant.loops.reconciler import Reconciler
from tests.simulation.books import Books
from tests.support.world import Process


@dataclass
class Ordered:
    """See the module's text."""

    process: Process
    books: Books
    _hurried: bool = False
    _stopping: anyio.Event = field(default_factory=anyio.Event)
    _everything: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    async def run(self) -> None:
        """Every loop, until it is told to end."""
        house = self.process.house
        async with anyio.create_task_group() as everything:
            self._everything = everything.cancel_scope
            everything.start_soon(house.keeper.run)
            async with anyio.create_task_group() as loops:
                loops.start_soon(self.process.watcher.run)
                loops.start_soon(Reconciler(house).run)
                async with anyio.create_task_group() as drained:
                    drained.start_soon(self._stopping.wait)
                    drained.start_soon(self.process.worker.run)
                loops.cancel_scope.cancel()
            everything.cancel_scope.cancel()
        gate = self.process.gate
        if not gate.dead:
            self.books.ended(gate, hurried=self._hurried)
            gate.bury()

    def signal(self) -> None:
        """Tell it to end; the second time at once."""
        if self._stopping.is_set():
            self._hurried = True
            self._everything.cancel()
            return
        self._stopping.set()
        self.books.drains(self.process.gate)
        self.process.worker.drain()
