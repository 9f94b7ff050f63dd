"""A real HTTP server on this machine that counts requests and behaves badly on demand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import SocketAttribute, SocketStream


@dataclass
class Received:
    """One request as it came."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """*answer* is sent verbatim after each request; None closes without one, "hang" keeps silent.

    ``connections`` counts what was accepted, ``requests`` what was read whole.
    """

    answer: bytes | str | None = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    reset: bool = False
    port: int = 0
    connections: int = 0
    requests: list[Received] = field(default_factory=list)
    got_one: anyio.Event = field(default_factory=anyio.Event)

    @property
    def url(self) -> str:
        """Where to post."""
        return f"http://127.0.0.1:{self.port}/hook"

    async def serve(self, stream: SocketStream) -> None:
        """Read requests from one connection until it ends."""
        self.connections += 1
        async with stream:
            while (received := await _read(stream)) is not None:
                self.requests.append(received)
                self.got_one.set()
                if self.answer == "hang":
                    await anyio.sleep_forever()
                if self.answer is None:
                    return
                assert isinstance(self.answer, bytes)
                await stream.send(self.answer)
                if self.reset:
                    return


async def _read(stream: SocketStream) -> Received | None:
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            data += await stream.receive()
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        while len(body) < int(headers.get("content-length", "0")):
            body += await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return None
    return Received(lines[0], headers, body)


@asynccontextmanager
async def serving(server: Server) -> AsyncIterator[Server]:
    """Run *server* on a free port of the loopback."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    server.port = listener.extra(SocketAttribute.local_port)  # noqa: S610
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, server.serve)
        yield server
        tasks.cancel_scope.cancel()
