"""HTTP/1.1 octet by octet, so that an answer can be cut, held back, dropped or reset anywhere.

It knows no Gmail: it reads a request, asks ``serve`` what to do, and does that to the connection.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.support.gmail.asking import Asked

End = Literal["drop", "reset", "hang"]
Ended = Literal["answered", "dropped", "reset", "hung", "cut", "gone"]
HOW: dict[End, Ended] = {"drop": "dropped", "reset": "reset", "hang": "hung"}


@dataclass(kw_only=True)
class Reply:
    """The octets to write, and what becomes of the connection then."""

    raw: bytes = b""
    end: End | None = None
    stale: bool = False
    done: Callable[[Ended], None] = lambda how: None


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What ``begin`` wants of a request whose head has come: to be cut off in its body."""

    at_body: int | None = None
    end: End = "reset"
    done: Callable[[int, Ended], None] = lambda octets, how: None


Begin = Callable[[Asked, int], Opening]
Serve = Callable[[Asked, int], Awaitable[Reply]]


class _ClosedError(Exception):
    """The client is gone, or the connection was ended on purpose."""


@dataclass(kw_only=True)
class Wire:
    """Listens on loopback; ``begin`` sees each head, ``serve`` each whole request."""

    begin: Begin
    serve: Serve
    port: int = 0
    mute: bool = False
    """Accept and read, and never answer, until it is taken back."""
    connections: int = 0
    pulse: int = 0
    """Grows with each thing that happens on a connection."""
    busy: int = 0
    """Requests under way that wait neither for a clock nor for a test."""
    bugs: list[Exception] = field(default_factory=list)
    """What went wrong in the server itself: never the client's affair."""
    _server: asyncio.Server | None = None
    _open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)
    _later: list[asyncio.Task[None]] = field(default_factory=list)
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Open the port, the same one again after ``refuse``."""
        if self._server is None:
            self._server = await asyncio.start_server(self._talk, "127.0.0.1", self.port)
            self.port = int(self._server.sockets[0].getsockname()[1])

    async def refuse(self) -> None:
        """From now on connections are refused; those that stand go on."""
        server, self._server = self._server, None
        if server is not None:
            server.close()

    async def refuse_for(self, seconds: float) -> None:
        """Refuse, and listen again after so many real seconds."""
        await self.refuse()
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, lambda: self._later.append(loop.create_task(self.listen())))

    def unmute(self) -> None:
        """Answer what waits."""
        self.mute = False
        self._heard.set()
        self._heard = asyncio.Event()

    def reset_all(self) -> None:
        """Every connection that stands is reset."""
        for writer in self._open.values():
            reset(writer)

    async def close(self) -> None:
        """End everything."""
        await self.refuse()
        tasks = [*self._open, *self._later]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        self.connections += 1
        self.pulse += 1
        number = self.connections
        try:
            while await self._one(reader, writer, number):
                pass
        except (_ClosedError, ConnectionError, asyncio.IncompleteReadError, OSError):
            pass
        except asyncio.CancelledError:
            reset(writer)
        except Exception as error:  # noqa: BLE001 -- a fault of the server itself; see running
            self.bugs.append(error)
        finally:
            del self._open[task]
            writer.close()
            self.pulse += 1
            with suppress(ConnectionError, OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> bool:
        """Serve one request; False where the connection ends by itself."""
        asked = parsed((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        self.pulse += 1
        self.busy += 1
        try:
            return await self._served(asked, reader, writer, number)
        finally:
            self.busy -= 1
            self.pulse += 1

    async def _served(
        self,
        asked: Asked,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        number: int,
    ) -> bool:
        opening = self.begin(asked, number)
        if opening.at_body is not None:
            await reader.readexactly(opening.at_body)
            opening.done(opening.at_body, HOW[opening.end])
            await self._end(opening.end, reader, writer)
        body = await _body(asked, reader)
        whole = Asked(
            verb=asked.verb, path=asked.path, query=asked.query, headers=asked.headers, body=body
        )
        while self.mute and not asked.path.startswith("/_control/"):
            with self.waiting():
                await self._heard.wait()
        reply = await self.serve(whole, number)
        await self._write(reply, reader, writer)
        if reply.stale:
            with self.waiting():
                await reader.readexactly(1)
            raise _ClosedError
        return asked.headers.get("connection", "").lower() != "close"

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A request waits for a clock, a test or its client."""
        self.busy -= 1
        self.pulse += 1
        try:
            yield
        finally:
            self.busy += 1
            self.pulse += 1

    async def _write(
        self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            writer.write(reply.raw)
            await writer.drain()
        except (ConnectionError, OSError):
            reply.done("gone")
            raise
        if reply.end is None:
            reply.done("answered")
            return
        reply.done("cut" if reply.raw else HOW[reply.end])
        await self._end(reply.end, reader, writer)

    async def _end(
        self, end: End, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """End the connection as told; raises _ClosedError."""
        if end == "hang":
            with self.waiting():
                while await reader.read(65_536):
                    pass
        if end == "reset":
            reset(writer)
        raise _ClosedError


def parsed(head: str) -> Asked:
    """The request line and the fields."""
    first, *lines = head.rstrip("\r\n").split("\r\n")
    verb, target, _ = first.split(" ", 2)
    parts = urlsplit(target)
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    return Asked(
        verb=verb,
        path=unquote(parts.path),
        query=parse_qsl(parts.query, keep_blank_values=True),
        headers=fields,
    )


async def _body(asked: Asked, reader: asyncio.StreamReader) -> bytes:
    if "chunked" not in asked.headers.get("transfer-encoding", "").lower():
        return await reader.readexactly(int(asked.headers.get("content-length", "0")))
    body = b""
    while True:
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        body += (await reader.readexactly(size + 2))[:-2]
        if size == 0:
            return body


def reset(writer: asyncio.StreamWriter) -> None:
    """RST, not FIN: what was written and not yet sent is thrown away."""
    raw = writer.get_extra_info("socket")
    if raw is not None:
        with suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
