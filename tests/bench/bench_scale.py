"""Throughput of one, two and four worker processes on one PostgreSQL.

    python -m tests.bench.bench_scale [--threads 10000] [--seconds 20] [--in-work 4] [--call 0.05]

A backlog of due threads over ten mailboxes; a provider that takes 50 ms for each draft. Each worker
is a process with the worker loop as ``fencepost run`` has it: it takes leases, reads the record and
the mail, judges by rules, plans, claims, calls, records. With IN_WORK at once no worker can do more
than IN_WORK / 0.05 drafts a second; the other limit is the processor, which is shown with how much
of it all was used. Each number of workers starts from the same backlog; what counts is the drafts
made in a window that begins once all have begun.
"""

from __future__ import annotations

import argparse
import os
import time

from tests.bench.backlog import Hand, cloned, fill, hand, names
from tests.support.postgres import Cluster

MAILBOXES = 10
WARM_S = 3.0


def busy_s() -> float:
    """Processor seconds that the whole machine has used so far."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(one) for one in stat.readline().split()[1:]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def measure(hands: list[Hand], seconds: float) -> tuple[float, float]:
    """Drafts a second within a window, and processors in use meanwhile."""
    for one in hands:
        one.say()
    time.sleep(WARM_S)
    start, used = time.monotonic(), busy_s()
    time.sleep(seconds)
    end, used = time.monotonic(), busy_s() - used
    for one in hands:
        one.say()
    for one in hands:
        one.close()
    made = 0
    for one in hands:
        while not one.events.empty():
            found = one.events.get()
            at = found.get("at")
            if found["event"] == "acted" and isinstance(at, float):
                made += start <= at < end
    return made / (end - start), used / (end - start)


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--in-work", type=int, default=4)
    parser.add_argument("--call", type=float, default=0.05)
    options = parser.parse_args()
    cluster = Cluster(durable=True)
    boxes = names(MAILBOXES)
    database = cluster.new_database()
    fill(cluster, database, boxes, options.threads // MAILBOXES)
    cap = options.in_work / options.call
    print(f"{options.in_work} in work a process, {options.call * 1000:.0f} ms a call:", end=" ")
    print(f"at most {cap:.0f} drafts/s a process; {os.cpu_count()} processors")
    alone = 0.0
    for number in (1, 2, 4):
        with cloned(cluster, database) as copy:
            hands = [
                hand(
                    cluster,
                    copy,
                    f"worker{at}",
                    boxes,
                    in_work=options.in_work,
                    call_s=options.call,
                )
                for at in range(number)
            ]
            rate, used = measure(hands, options.seconds)
            [left] = cluster.sql(
                "SELECT count(*) FROM threads WHERE due_at IS NOT NULL", database=copy
            )
        alone = alone or rate
        print(
            f"{number} workers {rate:7.1f} drafts/s  {rate / alone:5.2f} x one  "
            f"{rate / (number * cap):4.0%} of what the calls allow  "
            f"{used:.1f} processors in use  {left[0]} threads left",
            flush=True,
        )


if __name__ == "__main__":
    main()
