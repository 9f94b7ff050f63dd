"""An HTTP receiver that refuses, fails, redirects, hangs or drops, and counts what it was given.

The plan's ``answers`` are given in turn, the last one from then on: a status line with headers
(``"429 Slow\\r\\nRetry-After: 7"``), ``"drop"`` (after the request was read and counted),
``"half"`` (the beginning of a status line, then the end) or ``"hang"``.
"""

from __future__ import annotations

import asyncio
from functools import partial

from tests.support.sink import Counted, run_child


async def _serve(
    counted: Counted, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    await counted.count("connections", 1)
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lines = head.split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    except asyncio.IncompleteReadError:
        writer.close()
        return
    entry = {"line": lines[0], "headers": headers, "body": body.decode("utf-8")}
    await counted.count("requests", entry)
    answers = counted.plan.get("answers", ["200 OK"])
    answer = answers[min(len(counted.journal["requests"]), len(answers)) - 1]
    if answer == "hang":
        await asyncio.Event().wait()
    if answer == "half":
        writer.write(b"HTTP/1.1 2")
    elif answer != "drop":
        writer.write(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n".encode())
    await writer.drain()
    writer.close()


async def _listen(counted: Counted) -> asyncio.Server:
    return await asyncio.start_server(partial(_serve, counted), "127.0.0.1", 0)


if __name__ == "__main__":
    run_child(_listen)
