"""The port of this machine to which the browser brings the owner's consent.

A tiny web server on 127.0.0.1 that serves one login and nothing else: bounded requests, GET alone,
one page at ``/``. Only an answer that carries our state ends the wait (``consent``); everybody else
gets a page that says so, and the wait goes on. The browser that brought the answer is kept waiting
until it is known what came of it, so that the page at the end tells the truth.

Nothing that arrives is logged or shown: it may be a code. A crash closes the port.
"""

from __future__ import annotations

import errno
import html
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import anyio
from anyio.abc import SocketAttribute, SocketStream

from providers.gmail.consent import Answer, Asked, Code, Denied, Foreign, answer_of

HOST: Final = "127.0.0.1"
_HEAD_BYTES: Final = 16_384
_READ_S: Final = 10.0
_PAGE_S: Final = 60.0
_GOODBYE_S: Final = 2.0
_CONNECTIONS: Final = 16
_REASONS: Final = {200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed"}
_PAGE: Final = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1.1rem/1.5 system-ui, sans-serif; margin: 18vh auto 0; max-width: 32rem;
padding: 0 1.5rem }}
h1 {{ font-size: 1.5rem; font-weight: 600 }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p></main></body></html>
"""


class PortError(Exception):
    """The port can't be opened; the message says what to do."""


@dataclass(slots=True)
class _Ending:
    """What the browser is told in the end."""

    title: str = "The login was stopped"
    text: str = "Nothing was kept. You can close this page."
    known: anyio.Event = field(default_factory=anyio.Event)


class Loopback:
    """An open port; ``answer`` waits for the consent, ``tell`` ends it."""

    def __init__(self, port: int) -> None:
        self.redirect: Final = f"http://{HOST}:{port}"
        self._asked: Asked | None = None
        self._found: Code | Denied | None = None
        self._arrived = anyio.Event()
        self._ending = _Ending()
        self._pages = anyio.CapacityLimiter(_CONNECTIONS)

    async def answer(self, asked: Asked) -> Code | Denied:
        """The first answer to *asked*, from a browser or from ``bring``."""
        self._asked = asked
        await self._arrived.wait()
        if self._found is None:
            raise RuntimeError("the wait ended without an answer")
        return self._found

    def bring(self, target: str) -> Answer:
        """Take an address that came back, as a browser or a person brings it."""
        if self._asked is None:
            return Foreign("no login is under way")
        answer = answer_of(target, self._asked)
        if not isinstance(answer, Foreign) and self._found is None:
            self._found = answer
            self._arrived.set()
        return answer

    def tell(self, title: str, text: str) -> None:
        """What came of it: the page that the browser has waited for."""
        self._ending.title, self._ending.text = title, text
        self._ending.known.set()

    async def end(self) -> None:
        """Tell every browser that still waits how it ended, within a moment."""
        self._ending.known.set()
        with anyio.move_on_after(_GOODBYE_S):
            for _ in range(_CONNECTIONS):
                await self._pages.acquire_on_behalf_of(object())

    async def serve(self, stream: SocketStream) -> None:
        """Answer one request of one connection."""
        async with stream:
            with suppress(OSError, anyio.BrokenResourceError, anyio.EndOfStream):
                line = ""
                with anyio.move_on_after(_READ_S):
                    line = await _request_line(stream)
                if line:
                    async with self._pages:
                        await stream.send(await self._page(line))

    async def _page(self, line: str) -> bytes:
        method, _, rest = line.partition(" ")
        target = rest.partition(" ")[0]
        if method != "GET":
            return _response(405, "Only GET", "This port serves one login and nothing else.")
        if target.partition("?")[0] != "/":
            return _response(404, "Nothing here", "This port serves one login and nothing else.")
        answer = self.bring(target)
        if isinstance(answer, Foreign):
            text = (
                f"This is not the answer to the login that waits: {answer.why}. "
                "Go back to the page that Fencepost opened, and consent there."
            )
            return _response(400, "Not this login", text)
        with anyio.move_on_after(_PAGE_S):
            await self._ending.known.wait()
        return _response(200, self._ending.title, self._ending.text)


async def _request_line(stream: SocketStream) -> str:
    """The first line of a request whose head was read whole; empty for one that is none."""
    head = b""
    while b"\r\n\r\n" not in head:
        if len(head) > _HEAD_BYTES:
            return ""
        head += await stream.receive(4096)
    return head.partition(b"\r\n")[0].decode("latin-1")


def _response(status: int, title: str, text: str) -> bytes:
    body = _PAGE.format(title=html.escape(title), text=html.escape(text)).encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\n"
        "Content-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n"
        "Referrer-Policy: no-referrer\r\n"
        "Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


@asynccontextmanager
async def listening(port: int = 0) -> AsyncIterator[Loopback]:
    """Listen on *port* of 127.0.0.1 (0: a free one) while the block lasts. Raises PortError.

    A browser that still waits at the end of the block is told how it ended.
    """
    try:
        listener = await anyio.create_tcp_listener(local_host=HOST, local_port=port)
    except OSError as error:
        taken = error.errno in {errno.EADDRINUSE, errno.EACCES}
        remedy = "leave --port out, or name another" if taken and port else "try again"
        raise PortError(
            f"{HOST}:{port} can't be listened on ({error.strerror}): {remedy}"
        ) from error
    failure: Exception | None = None
    async with listener, anyio.create_task_group() as group:
        loopback = Loopback(listener.extra(SocketAttribute.local_port))  # noqa: S610  # anyio's
        group.start_soon(listener.serve, loopback.serve)
        try:
            yield loopback
        except Exception as error:  # noqa: BLE001 -- carried out of the group unchanged
            failure = error
        finally:
            with anyio.CancelScope(shield=True):
                await loopback.end()
            group.cancel_scope.cancel()
    if failure is not None:
        raise failure
