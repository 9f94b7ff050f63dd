"""How long a thread waits after its worker was killed, against the length of the lease.

    python -m tests.bench.bench_takeover [--runs 50] [--lease 2.0]

Two worker processes on one PostgreSQL. One takes a thread and hangs while it reads it; it is killed
with SIGKILL at a moment that moves through the lease from run to run. The time counts until the
other calls the provider for that thread. The killed one renewed its lease at every quarter, so what
is left of the lease is between three quarters and all of it; then the sweep and the turn follow.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time

from storage.postgres import open_postgres
from tests.bench.backlog import Hand, due, fill, hand, names
from tests.support.postgres import Cluster, aside

POLL_S = 0.25
"""How often an idle worker asks what is due; in a fleet it would be told."""


class Stage:
    """The server, the two workers, and threads one after the other."""

    def __init__(self, lease_s: float, folder: str) -> None:
        self.cluster = Cluster(durable=True)
        self.boxes = names(1)
        self.database = self.cluster.new_database()
        fill(self.cluster, self.database, self.boxes, 0)
        self.lease_s = lease_s
        self.folder = folder
        self.numbers = itertools.count(1)
        self.hands = [self.start(), self.start()]

    def start(self) -> Hand:
        one = hand(
            self.cluster,
            self.database,
            f"worker{next(self.numbers)}",
            self.boxes,
            call_s=0.0,
            lease_ttl_s=self.lease_s,
            call_timeout_s=self.lease_s / 4,
            poll_s=POLL_S,
            hang=self.folder,
        )
        one.say()
        return one

    def deliver(self, number: int) -> None:
        async def run() -> None:
            store = await open_postgres(self.cluster.place(self.database))
            await store.write(due(self.boxes[0], number, 1))
            await store.close()

        aside(run)

    def holder(self) -> Hand:
        """The one that says it is holding a thread."""
        while True:
            for one in self.hands:
                while not one.events.empty():
                    if one.events.get()["event"] == "holding":
                        return one
            time.sleep(0.005)

    def run(self, number: int, delay_s: float) -> float:
        """Seconds from SIGKILL to the first action on the thread."""
        self.deliver(number)
        killed = self.holder()
        time.sleep(delay_s)
        at = killed.kill()
        [other] = [one for one in self.hands if one is not killed]
        acted = other.wait_for("acted")["at"]
        assert isinstance(acted, float)
        self.hands = [other, self.start()]
        return acted - at

    def end(self) -> None:
        for one in self.hands:
            one.kill()


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--lease", type=float, default=2.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(options.lease, folder)
        try:
            waits = [stage.run(at, options.lease * at / options.runs) for at in range(options.runs)]
        finally:
            stage.end()
    waits.sort()
    print(f"lease {options.lease:g} s, {len(waits)} runs, from SIGKILL to the first action:")
    for name, value in (
        ("shortest", waits[0]),
        ("median", statistics.median(waits)),
        ("95 of 100", waits[max(0, round(len(waits) * 0.95) - 1)]),
        ("longest", waits[-1]),
    ):
        print(f"  {name:10} {value:6.2f} s  {value / options.lease:5.2f} x the lease")


if __name__ == "__main__":
    main()
