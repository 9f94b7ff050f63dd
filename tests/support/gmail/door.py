"""From a request to a reply: the method, the faults that are due, quota, the effect, the log."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import anyio

from tests.support.gmail.asking import Asked
from tests.support.gmail.errors import RefusedError
from tests.support.gmail.faults import Answer, Fault, told
from tests.support.gmail.journal import Line
from tests.support.gmail.oauth import OAuthError
from tests.support.gmail.partial import chosen
from tests.support.gmail.signing import OAUTH, oauth_name, oauth_reply
from tests.support.gmail.wire import Ended, Opening, Reply
from tests.support.gmail.world import World, method_of

_PAGE_404 = b"<!doctype html><title>Error 404 (Not Found)</title><p>The URL was not found."


class Door:
    """The two callbacks of the wire, for everything but the control path."""

    def __init__(self, world: World) -> None:
        self.waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        self._world = world
        self._gates: dict[str, anyio.Event] = {}
        self._due: dict[int, tuple[Line, Fault | None]] = {}

    def open(self, gate: str) -> None:
        """Let the answers that wait at *gate* go, and those that come."""
        self._gates.setdefault(gate, anyio.Event()).set()

    def begin(self, asked: Asked, connection: int) -> Opening:
        """Log the request and see which fault is due."""
        line = self._line(asked, connection)
        fault = self._world.fault_for(line.method)
        self._due[connection] = (line, fault)
        if fault is None or fault.at_body is None:
            return Opening()

        def done(octets: int, how: Ended) -> None:
            line.octets, line.ended = octets, how

        return Opening(at_body=fault.at_body, end=fault.end or "reset", done=done)

    def _line(self, asked: Asked, connection: int) -> Line:
        found = method_of(asked.verb, asked.path)
        name = found[0].name if found else OAUTH.get((asked.verb, asked.path), "unknown")
        lines = self._world.journal.lines
        line = Line(
            number=len(lines) + 1,
            at_s=self._world.now_s(),
            connection=connection,
            method=name,
            verb=asked.verb,
            path=asked.path,
            query=[] if name.startswith("oauth.") else list(asked.query),
        )
        lines.append(line)
        return line

    async def serve(self, asked: Asked, connection: int) -> Reply:
        """What becomes of the whole request."""
        line, fault = self._due.pop(connection)
        line.octets = len(asked.body)
        if line.method == "oauth.token":
            line.method = oauth_name(asked)
            fault = fault or self._world.fault_for(line.method, "oauth.token")
        answer = await self._answer(asked, line, fault)
        raw = answer.raw
        line.status = answer.status

        def done(how: Ended) -> None:
            line.ended = how

        if fault is None:
            return Reply(raw=raw, done=done)
        end = fault.end
        if fault.cut is not None:
            raw, end = raw[: fault.cut], end or "drop"
        elif end is not None:
            raw = b""
            line.status = 0
        return Reply(raw=raw, end=end, stale=fault.stale, done=done)

    async def _answer(self, asked: Asked, line: Line, fault: Fault | None) -> Answer:
        if fault is None:
            return await self._honest(asked, line, None)
        if fault.effect == "after":
            honest = await self._honest(asked, line, fault)
            return fault.answer or honest
        await self._wait(fault)
        replaced = fault.answer is not None or fault.end is not None or fault.cut is not None
        if replaced:
            return fault.answer or Answer()
        return await self._honest(asked, line, None)

    async def _wait(self, fault: Fault) -> None:
        with self.waiting():
            if fault.delay_s > 0:
                await self._world.clock.sleep(fault.delay_s)
            if fault.gate is not None:
                await self._gates.setdefault(fault.gate, anyio.Event()).wait()

    async def _honest(self, asked: Asked, line: Line, fault: Fault | None) -> Answer:
        """What the server would say; with *fault* it waits between effect and answer."""
        try:
            if line.method.startswith("oauth."):
                answer = oauth_reply(self._world, asked, line)
                if fault is not None:
                    await self._wait(fault)
                return answer
            return await self._method(asked, line, fault)
        except RefusedError as error:
            return told(error.body, error.code, **error.headers)
        except OAuthError as error:
            return told(error.body, error.code)

    async def _method(self, asked: Asked, line: Line, fault: Fault | None) -> Answer:
        found = method_of(asked.verb, asked.path)
        if found is None:
            return Answer(status=404, body=_PAGE_404, kind="text/html; charset=UTF-8")
        method, args = found
        asked = Asked(
            verb=asked.verb,
            path=asked.path,
            query=asked.query,
            headers=asked.headers,
            body=asked.body,
            args=args,
        )
        box = self._world.allow(method, asked)
        line.user = box.address
        with self._world.quota.running(box.address):
            self._world.quota.charge(box.address, method.name)
            value = self._world.perform(method, box, asked, line)
            if fault is not None:
                await self._wait(fault)
            elif self._world.latency_s > 0:
                with self.waiting():
                    await self._world.clock.sleep(self._world.latency_s)
        if value is None:
            return Answer(status=204)
        return told(chosen(value, asked.text("fields")))
