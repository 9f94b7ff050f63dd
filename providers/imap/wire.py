"""One connection to an IMAP server: commands out, responses in, and how far an APPEND has come.

The question that everything else rests on is asked here: had the last octet of a message been
handed over when the connection broke? A message of which less was written cannot be stored by any
server. So an APPEND waits for the server's consent (a synchronising literal, never LITERAL+) and
writes its last octets as a step of its own, and ``Progress`` tells which step was begun.

Nothing is repeated. Whatever ends a command early (a timeout, a cancellation, a lost connection, an
unreadable answer) makes the connection unusable and closes it, because the answer to an old command
must never be taken for that to a new one.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from ssl import SSLError
from typing import Final

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream

from providers.imap.parse import ParseError, Parser, Response
from providers.imap.text import Literal
from providers.ports import TransientError

CHUNK: Final = 64 * 1024
UNTAGGED_OCTETS: Final = 128 * 1024 * 1024
"""How much one command may bring in all."""


class LostError(TransientError):
    """The connection is gone or unusable; ``said`` is what the server said last (a BYE)."""

    def __init__(self, problem: str, said: str = "") -> None:
        super().__init__(f"{problem}: {said}" if said else problem)
        self.said = said


class RefusedError(TransientError):
    """The server said NO or BAD to a command; the connection is fine."""

    def __init__(self, command: str, done: Done) -> None:
        super().__init__(f"the server refused {command}: {shown(done.text)}")
        self.done = done


class Stage(IntEnum):
    """How far an APPEND had come."""

    NOTHING = 0
    """No octet of the message was handed over."""
    PART = 1
    """Some were, and the last one was not."""
    ALL = 2
    """The last octets may have been handed over."""
    ANSWERED = 3
    """The server has answered."""


@dataclass(slots=True)
class Progress:
    """The stage of one APPEND, readable from outside while it runs."""

    stage: Stage = Stage.NOTHING


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a command and the untagged responses before it."""

    last: Response
    untagged: Sequence[Response] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether the server did it."""
        return self.last.name == b"OK"

    @property
    def text(self) -> str:
        """What the server says to people."""
        return self.last.text

    def of(self, name: bytes) -> list[Response]:
        """The untagged responses of one kind."""
        return [one for one in self.untagged if one.name == name]


class Wire:
    """A connection whose greeting has not been read yet."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._parser = Parser()
        self._tags = itertools.count(1)
        self._received = 0
        self.broken = False
        self.said = ""

    async def greeting(self, limit_s: float) -> Response:
        """The server's first words. Raises LostError for a BYE and for what is no IMAP server."""
        async with self._limited(limit_s, "the server sends no greeting"):
            first = await self._read()
            if first.name == b"BYE":
                raise LostError("the server takes no connections now", shown(first.text))
            if first.tag != b"*" or not first.is_status:
                raise LostError("this is no IMAP server")
            return first

    async def command(self, *parts: bytes | Literal, limit_s: float) -> Done:
        """Send one command and wait for its end. Raises LostError."""
        async with self._limited(limit_s, "the server does not answer"):
            tag = self._tag()
            untagged: list[Response] = []
            line = bytearray(tag)
            for part in parts:
                line += b" "
                if isinstance(part, bytes):
                    line += part
                    continue
                line += b"{%d}\r\n" % len(part.octets)
                await self._send(bytes(line))
                refused = await self._consent(tag, untagged)
                if refused is not None:
                    return Done(refused, untagged)
                line = bytearray(part.octets)
            await self._send(bytes(line + b"\r\n"))
            return await self._finish(tag, untagged)

    async def ok(self, name: str, *parts: bytes | Literal, limit_s: float) -> Done:
        """The same for a command that must succeed. Raises RefusedError or LostError."""
        done = await self.command(*parts, limit_s=limit_s)
        if not done.ok:
            raise RefusedError(name, done)
        return done

    async def converse(
        self, command: bytes, answers: Sequence[bytes], *, limit_s: float
    ) -> tuple[Done, list[str]]:
        """Send *command* and one of *answers* for each ``+``; gives the end and the challenges.

        After the last answer an empty line is sent, which ends a failed exchange (RFC 7628).
        """
        async with self._limited(limit_s, "the server does not answer the login"):
            tag = self._tag()
            untagged: list[Response] = []
            challenges: list[str] = []
            await self._send(tag + b" " + command + b"\r\n")
            left = list(answers)
            while (end := await self._consent(tag, untagged, challenges)) is None:
                if len(challenges) > len(answers) + 2:
                    raise LostError("the login has no end")
                await self._send((left.pop(0) if left else b"") + b"\r\n")
            return Done(end, untagged), challenges

    async def append(
        self, head: bytes, content: bytes, progress: Progress, *, before_s: float, limit_s: float
    ) -> Done:
        """APPEND *content* under *head* (folder and flags), once.

        *before_s* bounds everything up to the last octets, *limit_s* the wait for the answer.
        Raises LostError; ``progress`` then tells the stage.
        """
        tag = self._tag()
        untagged: list[Response] = []
        async with self._limited(before_s, "the server does not take the draft"):
            await self._send(tag + b" APPEND " + head + b" {%d}\r\n" % len(content))
            refused = await self._consent(tag, untagged)
            if refused is not None:
                progress.stage = Stage.ANSWERED
                return Done(refused, untagged)
            last = max(len(content) - CHUNK, 0)
            progress.stage = Stage.PART if last else Stage.NOTHING
            for at in range(0, last, CHUNK):
                await self._send(content[at : min(at + CHUNK, last)])
        async with self._limited(limit_s, "the server took the draft and does not answer"):
            # From here on nobody can tell whether the server has the whole.
            progress.stage = Stage.ALL
            await self._send(content[last:] + b"\r\n")
            done = await self._finish(tag, untagged)
            progress.stage = Stage.ANSWERED
            return done

    @asynccontextmanager
    async def idling(self, limit_s: float) -> AsyncIterator[Callable[[], Awaitable[Response]]]:
        """IDLE (RFC 2177): inside, the next notice can be awaited; after it commands can be sent.

        Raises LostError at once when the connection is lost, RefusedError when refused.
        """
        tag = self._tag()
        untagged: list[Response] = []
        async with self._limited(limit_s, "the server does not answer"):
            await self._send(tag + b" IDLE\r\n")
            refused = await self._consent(tag, untagged)
        if refused is not None:
            raise RefusedError("IDLE", Done(refused, untagged))

        async def news() -> Response:
            one = untagged.pop(0) if untagged else await self._read()
            if one.name == b"BYE":
                raise LostError("the server ended the connection", shown(one.text))
            return one

        try:
            # Whoever stops waiting leaves the parser whole: the connection stays usable.
            yield news
        except BaseException:
            await self.drop()
            raise
        async with self._limited(limit_s, "the server does not end its notices"):
            await self._send(b"DONE\r\n")
            await self._finish(tag, [])

    def bare(self) -> ByteStream:
        """The stream below, to be encrypted. Raises LostError for octets that came too early."""
        if self._parser.pending:
            raise LostError("the server sent something between STARTTLS and TLS, which is unsafe")
        return self._stream

    def secured(self, stream: ByteStream) -> None:
        """Go on over *stream*."""
        self._stream = stream

    async def drop(self) -> None:
        """Close at once, without a word; what was not sent yet is discarded."""
        self.broken = True
        stream = self._stream
        below = stream.transport_stream if isinstance(stream, TLSStream) else stream
        with anyio.CancelScope(shield=True):
            await below.aclose()

    def _tag(self) -> bytes:
        if self.broken:
            raise LostError("the connection was closed", self.said)
        self._received = 0
        return b"F%d" % next(self._tags)

    @asynccontextmanager
    async def _limited(self, limit_s: float, problem: str) -> AsyncIterator[None]:
        """Bound a step in time; whatever ends it early ends the connection too."""
        try:
            with anyio.fail_after(limit_s):
                yield
        except TimeoutError as error:
            await self.drop()
            raise LostError(problem, self.said) from error
        except BaseException:
            await self.drop()
            raise

    async def _send(self, octets: bytes) -> None:
        try:
            await self._stream.send(octets)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError, SSLError) as error:
            raise LostError("the connection was lost", self.said) from error

    async def _read(self) -> Response:
        """The next response. Raises LostError."""
        try:
            while (one := self._parser.next()) is None:
                octets = await self._stream.receive(CHUNK)
                self._received += len(octets)
                if self._received > UNTAGGED_OCTETS:
                    raise LostError("the server sends without an end")
                self._parser.feed(octets)
        except ParseError as error:
            raise LostError(str(error)) from error
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise LostError("the connection was lost", self.said) from error
        except (OSError, SSLError) as error:
            raise LostError("the connection was lost", self.said) from error
        if one.name == b"BYE":
            self.said = shown(one.text)
        return one

    async def _consent(
        self, tag: bytes, untagged: list[Response], texts: list[str] | None = None
    ) -> Response | None:
        """Wait for ``+``; gives the tagged end instead when the server refuses."""
        while True:
            one = await self._read()
            if one.tag == b"+":
                if texts is not None:
                    texts.append(one.text)
                return None
            if one.tag == tag:
                return one
            self._keep(one, untagged)

    async def _finish(self, tag: bytes, untagged: list[Response]) -> Done:
        while True:
            one = await self._read()
            if one.tag == tag:
                return Done(one, untagged)
            self._keep(one, untagged)

    def _keep(self, one: Response, untagged: list[Response]) -> None:
        if one.tag != b"*":
            raise LostError("the server answers what nobody asked")
        untagged.append(one)


def shown(text: str) -> str:
    """What a server said, fit to be shown: one line, printable, bounded."""
    return "".join(each if each.isprintable() else " " for each in text).strip()[:300]
