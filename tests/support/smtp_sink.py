"""A mail server that refuses, hangs, drops or lies at any phase, and counts what it was given.

A plan names phases and what happens there: a reply like ``"451 later"``, ``"drop"`` or ``"hang"``.

    greet ehlo starttls auth mail rcpt data quit   the command is answered so
    body                                      after 354, before the text is read
    dot                                       the text was read and is thrown away
    stored                                    the text was read and is kept

``user``: [name, password]; ``offers_tls``: STARTTLS is offered; ``tls``: the port speaks TLS at
once; ``utf8``: SMTPUTF8; ``refuses``: {address: reply}.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from typing_extensions import override

from tests.support.sink import Counted, run_child


class _Handler:
    def __init__(self, counted: Counted) -> None:
        self.counted = counted

    async def handle_RCPT(  # noqa: N802 -- the name that aiosmtpd calls
        self, server: _Server, _: Session, envelope: Envelope, address: str, __: list[str]
    ) -> str:
        refusal = self.counted.plan.get("refuses", {}).get(address)
        if refusal is not None:
            return str(refusal)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 -- the name that aiosmtpd calls
        self, server: _Server, session: Session, envelope: Envelope
    ) -> str:
        content = envelope.original_content or b""
        await self.counted.count("read", len(content))
        if "dot" in self.counted.plan:
            return await server.act(self.counted.plan["dot"])
        entry = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": content.decode("utf-8"),
            "tls": session.ssl is not None or bool(self.counted.plan.get("tls")),
        }
        await self.counted.count("stored", entry)
        if "stored" in self.counted.plan:
            return await server.act(self.counted.plan["stored"])
        return "250 OK"


class _Server(SMTP):
    def __init__(self, counted: Counted, tls: ssl.SSLContext | None) -> None:
        user = counted.plan.get("user")
        super().__init__(
            _Handler(counted),
            hostname="sink.example.com",
            enable_SMTPUTF8=bool(counted.plan.get("utf8")),
            tls_context=tls if counted.plan.get("offers_tls") else None,
            auth_require_tls=False,
            authenticator=self._knows if user else None,
            auth_exclude_mechanism=None if user else ["PLAIN", "LOGIN"],
        )
        self._counted = counted
        self._greeted = False

    def _knows(self, *asked: Any) -> AuthResult:
        login = asked[-1]
        assert isinstance(login, LoginPassword)
        given = [login.login.decode(), login.password.decode()]
        # "not handled" has aiosmtpd send the refusal.
        return AuthResult(success=given == self._counted.plan["user"], handled=False)

    async def act(self, action: str) -> str:
        """Do what the plan says; gives the reply where it is one."""
        if action == "drop":
            assert isinstance(self.transport, asyncio.Transport)
            self.transport.abort()
            await asyncio.Event().wait()
        if action == "hang":
            await asyncio.Event().wait()
        return action

    @override
    async def push(self, status: Any) -> None:
        if not self._greeted:
            self._greeted = True
            await self._counted.count("connections", 1)
            if "greet" in self._counted.plan:
                status = await self.act(self._counted.plan["greet"])
        await super().push(status)

    async def _phase(self, name: str, usual: Callable[[Any], Awaitable[None]], arg: Any) -> None:
        await self._counted.count("commands", name)
        if name in self._counted.plan:
            await self.push(await self.act(self._counted.plan[name]))
        else:
            await usual(arg)

    @override
    async def smtp_EHLO(self, hostname: str) -> None:
        await self._phase("ehlo", super().smtp_EHLO, hostname)

    @override
    async def smtp_STARTTLS(self, arg: str) -> None:
        await self._phase("starttls", super().smtp_STARTTLS, arg)

    @override
    async def smtp_AUTH(self, arg: str) -> None:
        await self._phase("auth", super().smtp_AUTH, arg)

    @override
    async def smtp_MAIL(self, arg: str | None) -> None:
        await self._phase("mail", super().smtp_MAIL, arg)

    @override
    async def smtp_RCPT(self, arg: str | None) -> None:
        await self._phase("rcpt", super().smtp_RCPT, arg)

    @override
    async def smtp_QUIT(self, arg: str) -> None:
        await self._phase("quit", super().smtp_QUIT, arg)

    @override
    async def smtp_DATA(self, arg: str) -> None:
        if "body" in self._counted.plan:
            await self._counted.count("commands", "data")
            await self.push("354 go on")
            await self.push(await self.act(self._counted.plan["body"]))
        else:
            await self._phase("data", super().smtp_DATA, arg)


async def _listen(counted: Counted) -> asyncio.Server:
    tls = None
    if len(sys.argv) > 1:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(sys.argv[1], sys.argv[2])
    loop = asyncio.get_running_loop()
    return await loop.create_server(
        lambda: _Server(counted, tls),
        "127.0.0.1",
        0,
        ssl=tls if counted.plan.get("tls") else None,
    )


if __name__ == "__main__":
    run_child(_listen)
