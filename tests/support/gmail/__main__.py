"""The server as a process of its own: it prints its port as a line of JSON and serves.

It ends when its standard input closes (unless ``--detached``), or by a signal.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import anyio
from anyio import to_thread

from tests.support.gmail.clock import ServerClock
from tests.support.gmail.server import ROBIN, running


async def _main(given: argparse.Namespace) -> None:
    clock = ServerClock(running=given.clock == "real")
    async with running(clock=clock, port=given.port, state=given.state) as server:
        for address in given.account:
            server.box(address)
        told = {"port": server.wire.port, "root": server.root, "account": ROBIN}
        print(json.dumps(told), flush=True)
        if given.detached:
            await anyio.sleep_forever()
        await to_thread.run_sync(sys.stdin.buffer.read, abandon_on_cancel=True)


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--state", type=Path, default=None, help="a file that outlives the server")
    parser.add_argument("--clock", choices=("real", "still"), default="real")
    parser.add_argument("--account", action="append", default=[], help="one more address")
    parser.add_argument("--detached", action="store_true", help="serve on without standard input")
    anyio.run(_main, parser.parse_args())


if __name__ == "__main__":
    main()
