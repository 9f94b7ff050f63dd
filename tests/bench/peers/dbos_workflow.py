"""DBOS: a workflow with one step, the step being the call.

    python dbos_workflow.py URL IN_WORK ACTIONS threads|tasks|fill|queue

Prints one JSON object. ``threads`` starts plain workflows from as many threads as are in work,
``tasks`` asynchronous ones from as many asyncio tasks; each stores its input, the step's result and
its own. ``fill`` enqueues plain workflows (not measured), ``queue`` works that backlog off through
a queue with that ``worker_concurrency``, polled every 20 ms instead of every second: at DBOS's
default of one second a queue starts no more than IN_WORK workflows a second. URL may be
``sqlite:///FILE``. Everything else is left as DBOS has it.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from dbos import DBOS, SetWorkflowID

REQUEST = "x" * 2_000
POLL_S = 0.02


@DBOS.step()
def call(thread: str, request: str) -> str:
    """The call; costs nothing."""
    return f"Drafts/{thread}"


@DBOS.workflow()
def work(thread: str, request: str) -> str:
    """One action."""
    return call(thread, request)


@DBOS.step()
async def call_async(thread: str, request: str) -> str:
    """The call; costs nothing."""
    return f"Drafts/{thread}"


@DBOS.workflow()
async def work_async(thread: str, request: str) -> str:
    """One action."""
    return await call_async(thread, request)


def with_threads(in_work: int, number: int) -> float:
    """Plain workflows, each on a thread of ours."""

    def one(at: int) -> str:
        with SetWorkflowID(f"{at:08d}"):
            return work(f"{at:08d}", REQUEST)

    started = time.perf_counter()
    with ThreadPoolExecutor(in_work) as pool:
        list(pool.map(one, range(number)))
    return time.perf_counter() - started


async def with_tasks(in_work: int, number: int) -> float:
    """Asynchronous workflows, each in a task of ours."""
    left = iter(range(number))

    async def some() -> None:
        for at in left:
            with SetWorkflowID(f"{at:08d}"):
                await work_async(f"{at:08d}", REQUEST)

    started = time.perf_counter()
    await asyncio.gather(*(some() for _ in range(in_work)))
    return time.perf_counter() - started


def fill(number: int) -> float:
    """Enqueue everything; nobody listens to the queue in this process."""

    def one(at: int) -> None:
        with SetWorkflowID(f"{at:08d}"):
            DBOS.enqueue_workflow("acts", work, f"{at:08d}", REQUEST)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(number)))
    return 0.0


def from_queue() -> float:
    """Until nothing is enqueued or at work any more."""
    started = time.perf_counter()
    while DBOS.list_workflows(
        status=["ENQUEUED", "PENDING"], limit=1, load_input=False, load_output=False
    ):
        time.sleep(POLL_S)
    return time.perf_counter() - started


def measure(url: str, in_work: int, number: int, way: str) -> dict[str, object]:
    """Seconds for *number* workflows."""
    DBOS(
        config={
            "name": "bench",
            "application_version": "1",
            "system_database_url": url,
            "sys_db_pool_size": in_work + 8,
            "log_level": "WARNING",
        }
    )
    if way == "fill":
        DBOS.listen_queues([])
    DBOS.launch()
    try:
        if way in ("fill", "queue"):
            DBOS.register_queue("acts", worker_concurrency=in_work, polling_interval_sec=POLL_S)
        match way:
            case "threads":
                seconds = with_threads(in_work, number)
            case "tasks":
                seconds = asyncio.run(with_tasks(in_work, number))
            case "fill":
                seconds = fill(number)
            case "queue":
                seconds = from_queue()
            case _:
                raise SystemExit(f"no such way: {way}")
    finally:
        DBOS.destroy()
    return {
        "seconds": seconds,
        "version": importlib.metadata.version("dbos"),
        "sqlite": sqlite3.sqlite_version,
    }


if __name__ == "__main__":
    print(
        json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])),
    )
