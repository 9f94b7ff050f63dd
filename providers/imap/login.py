"""Reach an IMAP server and log in: TLS, STARTTLS or plain on this machine; password or token.

What goes wrong here is what an owner can mend, so every failure says what it is and what to do: a
certificate, a wrong password, an expired token, a server that is down. The secret is asked for at
each login, never kept. Nothing is sent in clear text but to this machine itself, and a server that
offers no encryption is refused rather than believed.

A connection for writing is opened with SO_LINGER (1, 0): when it is closed, or this process dies,
the kernel discards what was not sent instead of delivering it later. That is what makes a lost call
over after its end. Keep-alive notices a peer that is gone without a word.

Sources: RFC 3501 6.2, 2595 (STARTTLS), 4616 (PLAIN), 4959 (SASL-IR), 7628 and Google's page on
XOAUTH2, 5530 (response codes).
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import socket
import ssl
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

import anyio
from anyio import CapacityLimiter, to_thread
from anyio.abc import ByteStream, SocketAttribute, SocketStream
from anyio.streams.tls import TLSStream

from providers.imap.parse import Response
from providers.imap.text import UnsafeError, string
from providers.imap.wire import Done, LostError, Wire, shown
from providers.ports import MailboxIllError, TransientError

Security = Literal["tls", "starttls", "none"]
SecretSource = Callable[[], str]
"""Fetches the secret anew; blocks; raises MailboxIllError where it cannot be had."""

GREETING_S: Final = 15.0
LOGIN_S: Final = 20.0
"""A server may delay the answer to a wrong password on purpose."""
_ASKING: Final = 4
_PASSING: Final = frozenset({b"UNAVAILABLE", b"INUSE", b"LIMIT", b"SERVERBUG", b"THROTTLED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where a mailbox is and who logs in; exactly one of *password* and *token*.

    *direct*: the owner says that nothing between us and this Dovecot or Cyrus may hold octets back,
    so that a call can be proved never to have happened. *tls* replaces the system's trust.
    """

    host: str
    port: int
    username: str
    security: Security = "tls"
    password: SecretSource | None = field(default=None, repr=False)
    token: SecretSource | None = field(default=None, repr=False)
    direct: bool = False
    tls: ssl.SSLContext | None = field(default=None, repr=False)

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A connection that is logged in, and what the server has said about itself."""

    wire: Wire
    capabilities: frozenset[str]
    greeting: str


class LoginRefusedError(MailboxIllError):
    """The server knows who we say that we are, and does not believe it."""


async def log_in(server: Server, limiter: CapacityLimiter, *, writes: bool) -> LoggedIn:
    """Connect and log in. Raises MailboxIllError for what somebody must mend, else TransientError.

    *limiter* bounds the threads on which secrets are fetched.
    """
    with anyio.move_on_after(GREETING_S) as reached:
        stream = await _connect(server, writes=writes)
    if reached.cancelled_caught:
        raise TransientError(f"{server.place} cannot be reached: it does not answer")
    wire = Wire(stream)
    try:
        return await _introduced(server, wire, limiter)
    except BaseException:
        await wire.drop()
        raise


async def _introduced(server: Server, wire: Wire, limiter: CapacityLimiter) -> LoggedIn:
    greeting = await wire.greeting(GREETING_S)
    offered = await _capabilities(wire, greeting)
    if server.security == "starttls":
        if greeting.name == b"PREAUTH":
            raise MailboxIllError(
                f"{server.place} says that we are logged in before it encrypts",
                'do not use this server, or write security = "tls"',
            )
        offered = await _start_tls(server, wire, offered)
    if greeting.name != b"PREAUTH":
        done = await _authenticate(server, wire, offered, limiter)
        offered = await _capabilities(wire, done.last, done)
    return LoggedIn(wire, offered, shown(greeting.text))


async def _connect(server: Server, *, writes: bool) -> ByteStream:
    try:
        stream = await anyio.connect_tcp(server.host, server.port)
    except (OSError, UnicodeError) as error:
        why = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise TransientError(f"{server.place} cannot be reached: {_reason(why)}") from error
    try:
        _tune(stream, writes=writes)
        if server.security == "none":
            _only_here(server, stream)
        return await _encrypt(server, stream) if server.security == "tls" else stream
    except BaseException:
        with anyio.CancelScope(shield=True):
            await stream.aclose()
        raise


def _reason(error: BaseException) -> str:
    if isinstance(error, socket.gaierror):
        return "its name is not known (check host, and the network of this machine)"
    return str(getattr(error, "strerror", None) or error)


def _tune(stream: SocketStream, *, writes: bool) -> None:
    raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  # anyio's, no database
    if writes:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if (option := getattr(socket, name, None)) is not None:
            raw.setsockopt(socket.IPPROTO_TCP, option, value)


def _only_here(server: Server, stream: SocketStream) -> None:
    peer = stream.extra(SocketAttribute.remote_address)  # noqa: S610  # anyio's, no database
    if not (isinstance(peer, tuple) and ipaddress.ip_address(peer[0]).is_loopback):
        raise MailboxIllError(
            f"{server.place} is another machine, and the password would go there in clear text",
            'write security = "tls" or "starttls"',
        )


async def _encrypt(server: Server, stream: ByteStream) -> ByteStream:
    context = server.tls or ssl.create_default_context()
    try:
        return await TLSStream.wrap(
            stream,
            server_side=False,
            hostname=server.host,
            ssl_context=context,
            standard_compatible=False,
        )
    except ssl.SSLCertVerificationError as error:
        raise MailboxIllError(*_certificate(server, error)) from error
    except ssl.SSLError as error:
        raise MailboxIllError(
            f"{server.place} speaks no TLS that we understand ({error.reason or error})",
            'check port and security: 993 is "tls", 143 is "starttls"',
        ) from error
    except (anyio.BrokenResourceError, anyio.EndOfStream, OSError) as error:
        raise TransientError(f"{server.place} ended the connection before TLS began") from error


def _certificate(server: Server, error: ssl.SSLCertVerificationError) -> tuple[str, str]:
    said = error.verify_message or str(error)
    problem = f"the certificate of {server.place} is not trusted ({said})"
    if "expired" in said:
        return problem, "its owner must renew it; check also the clock of this machine"
    if "match" in said or "ostname" in said:
        return problem, "write as host the name for which the certificate was made"
    if "self" in said or "issuer" in said:
        return problem, (
            "if it is your own server, add its certificate to the trust store of this machine, "
            "or name its file in the environment variable SSL_CERT_FILE"
        )
    return problem, "ask whoever runs the server"


async def _start_tls(server: Server, wire: Wire, offered: frozenset[str]) -> frozenset[str]:
    done = await wire.command(b"STARTTLS", limit_s=GREETING_S) if "STARTTLS" in offered else None
    if done is None or not done.ok:
        raise MailboxIllError(
            f"{server.place} offers no STARTTLS", 'write security = "tls" with its port, often 993'
        )
    with anyio.move_on_after(GREETING_S):
        wire.secured(await _encrypt(server, wire.bare()))
        return await _capabilities(wire, None)
    raise TransientError(f"{server.place} does not answer while TLS begins")


async def _capabilities(
    wire: Wire, said: Response | None, done: Done | None = None
) -> frozenset[str]:
    """What the server can do, from a response code or an untagged answer where it has told."""
    if said is not None and said.code_name == b"CAPABILITY":
        return _words(said.code[1:])
    told = done.of(b"CAPABILITY") if done is not None else []
    if not told:
        asked = await wire.command(b"CAPABILITY", limit_s=LOGIN_S)
        told = asked.of(b"CAPABILITY")
    return _words(told[-1].data) if told else frozenset()


def _words(values: tuple[object, ...]) -> frozenset[str]:
    return frozenset(v.decode("ascii", "replace").upper() for v in values if isinstance(v, bytes))


async def _authenticate(
    server: Server, wire: Wire, offered: frozenset[str], limiter: CapacityLimiter
) -> Done:
    source = server.token or server.password
    if source is None:
        raise MailboxIllError("no password is given", 'add password = { env = "X" }')
    secret = await to_thread.run_sync(source, limiter=limiter)
    try:
        if server.token is not None:
            return await _xoauth2(server, wire, offered, secret)
        return await _password(server, wire, offered, secret)
    except UnsafeError as error:
        raise MailboxIllError(
            "username or password cannot be sent", "they hold a line break or a NUL: correct them"
        ) from error


async def _password(server: Server, wire: Wire, offered: frozenset[str], secret: str) -> Done:
    string(server.username), string(secret)  # line breaks and NUL are refused in either way
    if "AUTH=PLAIN" in offered:
        packed = _base64(f"\0{server.username}\0{secret}")
        done, _ = await _sasl(wire, "PLAIN", packed, offered)
    elif "LOGINDISABLED" not in offered:
        done = await wire.command(
            b"LOGIN", string(server.username), string(secret), limit_s=LOGIN_S
        )
    else:
        raise MailboxIllError(
            f"{server.place} takes no password here",
            'write security = "tls" or "starttls"; or use a token',
        )
    if not done.ok:
        raise _refusal(done, f"{server.place} refused user name or password", "correct them")
    return done


async def _xoauth2(server: Server, wire: Wire, offered: frozenset[str], secret: str) -> Done:
    if "AUTH=XOAUTH2" not in offered:
        raise MailboxIllError(f"{server.place} takes no OAuth token", "give a password instead")
    token = access_token(secret)
    string(server.username), string(token)
    packed = _base64(f"user={server.username}\x01auth=Bearer {token}\x01\x01")
    done, challenges = await _sasl(wire, "XOAUTH2", packed, offered)
    if done.ok:
        return done
    why = next((why for why in map(_challenge, challenges) if why), "")
    problem = f"{server.place} refused the token{why}"
    raise _refusal(done, problem, "it has expired or was withdrawn: put a new one in its place")


async def _sasl(
    wire: Wire, mechanism: str, packed: bytes, offered: frozenset[str]
) -> tuple[Done, list[str]]:
    head = b"AUTHENTICATE " + mechanism.encode("ascii")
    if "SASL-IR" in offered:
        return await wire.converse(head + b" " + packed, (), limit_s=LOGIN_S)
    return await wire.converse(head, (packed,), limit_s=LOGIN_S)


def access_token(secret: str) -> str:
    """The access token in *secret*: the text itself, or the one that a login has stored as JSON."""
    text = secret.strip()
    if not text.startswith("{"):
        return text
    try:
        held = json.loads(text)["access_token"]
    except (ValueError, KeyError) as error:
        raise MailboxIllError(
            "the token's file holds no access_token", "log in again, or put the token there"
        ) from error
    return str(held)


def _challenge(text: str) -> str:
    """What a server says in base64 about a token that it refuses: ``{"status": "400", ...}``."""
    try:
        told = json.loads(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return ""
    status = told.get("status") if isinstance(told, dict) else None
    return f" (status {shown(str(status))})" if status else ""


def _refusal(done: Done, problem: str, remedy: str) -> TransientError | MailboxIllError:
    """A login that failed: for now, or until somebody acts."""
    said = shown(done.text)
    problem = f"{problem}: {said}" if said else problem
    if done.last.code_name in _PASSING:
        return LostError("the server takes no logins now", said)
    return LoginRefusedError(problem, remedy)


def _base64(text: str) -> bytes:
    return base64.b64encode(text.encode())


def new_limiter() -> CapacityLimiter:
    """A limit of its own for fetching secrets, so that slow ones hold nothing else up."""
    return CapacityLimiter(_ASKING)
