"""A small HTTP server on loopback that answers like a model, or misbehaves as it is told to.

It counts the requests that reached it, so that nobody can repeat one unseen.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import SocketAttribute, SocketStream

PROMPT_TOKENS = 100


def chat(
    content: object,
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    usage: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """The body of an ordinary answer."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content, "refusal": refusal},
            }
        ],
        "usage": dict(usage)
        if usage is not None
        else {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": 7, "total_tokens": 107},
    }


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server does with one request.

    ``drip_s``: a byte at a time with this pause; ``hang``: nothing at all; ``cut``: the connection
    ends after so many bytes of the whole answer.
    """

    status: int = 200
    body: object = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    drip_s: float | None = None
    hang: bool = False
    cut: int | None = None

    @property
    def raw(self) -> bytes:
        """The whole answer as it stands on the wire."""
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        head = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        lines = [f"HTTP/1.1 {self.status} Status"]
        lines += [f"{name}: {value}" for name, value in (head | dict(self.headers)).items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def good(value: object, **fields: Any) -> Reply:
    """An ordinary answer that holds *value* as JSON."""
    return Reply(body=chat(json.dumps(value), **fields))


@dataclass
class Seen:
    """One request that arrived."""

    path: str
    headers: dict[str, str]
    body: Any


Script = Callable[[Seen], Reply]


class ModelServer:
    """Answers in the order of the script, the last reply again and again."""

    def __init__(self, replies: Sequence[Reply] | Script) -> None:
        self._script = replies if callable(replies) else self._in_order
        self._replies = [] if callable(replies) else list(replies)
        self.seen: list[Seen] = []
        self.arrived = anyio.Event()
        self.left = anyio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def _in_order(self, seen: Seen) -> Reply:
        return self._replies[min(len(self.seen), len(self._replies)) - 1]

    async def handle(self, stream: SocketStream) -> None:
        try:
            async with stream:
                await self._handle(stream)
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.ClosedResourceError):
            pass
        finally:
            self.left.set()

    async def _handle(self, stream: SocketStream) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += await stream.receive()
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (one.partition(":") for one in lines)
        }
        while len(body) < int(headers.get("content-length", 0)):
            body += await stream.receive()
        seen = Seen(path=first.split()[1], headers=headers, body=json.loads(body or b"null"))
        self.seen.append(seen)
        self.arrived.set()
        await self._reply(stream, self._script(seen))

    async def _reply(self, stream: SocketStream, reply: Reply) -> None:
        if reply.hang:
            await stream.receive()
            return
        raw = reply.raw if reply.cut is None else reply.raw[: reply.cut]
        if reply.drip_s is None:
            if raw:
                await stream.send(raw)
            return
        for at in range(len(raw)):
            await stream.send(raw[at : at + 1])
            await anyio.sleep(reply.drip_s)


@asynccontextmanager
async def model_server(replies: Sequence[Reply] | Script) -> AsyncIterator[ModelServer]:
    """A server that runs while the body does."""
    server = ModelServer(replies)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    server.port = int(listener.listeners[0].extra_attributes[SocketAttribute.local_port]())
    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, server.handle)
        yield server
        group.cancel_scope.cancel()
