"""procrastinate: one task with a lock each, worked off by one worker.

    python procrastinate_lock.py URL IN_WORK ACTIONS

Prints one JSON object. The jobs are deferred before the clock starts, each with a lock of its own
(as a thread has a lease of its own), and the tables are analysed, without which the job that is
fetched next is searched for ten times as long. Finished jobs are deleted, procrastinate's own
``delete_jobs="successful"``, which keeps its table small. The connector is psycopg's, its pool as
large as the worker's concurrency and two more.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import logging
import sys
import time

import procrastinate

REQUEST = "x" * 2_000
AT_ONCE = 500


async def measure(url: str, in_work: int, number: int) -> dict[str, object]:
    """Seconds for *number* jobs whose work costs nothing."""
    size = in_work + 2
    app = procrastinate.App(
        connector=procrastinate.PsycopgConnector(conninfo=url, min_size=size, max_size=size)
    )
    done: list[str] = []

    @app.task(name="act", queue="acts")
    async def act(thread: str, request: str) -> None:
        done.append(thread)

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        for start in range(0, number, AT_ONCE):
            names = [f"{at:08d}" for at in range(start, min(start + AT_ONCE, number))]
            await asyncio.gather(
                *(
                    act.configure(lock=name).defer_async(thread=name, request=REQUEST)
                    for name in names
                )
            )
        await app.connector.execute_query_async("ANALYZE")
        started = time.perf_counter()
        await app.run_worker_async(
            queues=["acts"],
            concurrency=in_work,
            wait=False,
            delete_jobs="successful",
            install_signal_handlers=False,
        )
        seconds = time.perf_counter() - started
    if len(done) != number:
        raise SystemExit(f"procrastinate ran {len(done)} jobs of {number}")
    return {"seconds": seconds, "version": importlib.metadata.version("procrastinate")}


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    print(json.dumps(asyncio.run(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))))
