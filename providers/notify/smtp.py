"""Tell the owner by mail: one message handed to a mail server, once, and what its end means.

A mail is handed over when the server has answered the final dot. So the phases are driven here one
by one, and the line between "it cannot have been taken" and "nobody can say" is the dot itself:

    connect  EHLO  STARTTLS  AUTH  MAIL  RCPT  DATA  text  |  .   answer
    '--------------- no answer, or a no: rejected ---------'  '-- 2xx accepted, 4xx/5xx rejected,
                                                                   none or another one: unknown

Everything before the dot has ``BEGIN_S`` seconds. The wait after it is as long as the caller gives,
ten minutes by RFC 5321 4.5.3.2.6: a server may take its time, and a client that goes too early
leaves a mail behind that it does not know of (RFC 1047). Nothing here repeats, and after the answer
nothing is waited for: the end of the session could only spoil what is known.

The bytes are rendered once, with Message-ID and Date, and stored with the intent; the envelope is
the configuration's and never read from them. The mail says that a machine made it
(Auto-Submitted, RFC 3834), so that nobody, Fencepost included, answers it.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import SMTP as SMTP_POLICY
from email.policy import compat32
from typing import Final, Literal

import idna
from aiosmtplib import (
    SMTP,
    SMTPException,
    SMTPResponse,
    SMTPResponseException,
    SMTPServerDisconnected,
    SMTPTimeoutError,
)
from anyio import lowlevel, move_on_after

from providers.notifier_port import Notice
from storage.words import Accepted, Outcome, Rejected, Unknown

BEGIN_S: Final = 60.0
"""Seconds for everything before the final dot; a server that tarpits its greeting fits in."""

Security = Literal["tls", "starttls", "none"]
_POLICY: Final = SMTP_POLICY.clone(max_line_length=900)
_UTF8: Final = _POLICY.clone(utf8=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """A server that takes mail; without ``username`` nobody logs in.

    ``trust`` replaces the certificates of the system, for a server with one of its own.
    """

    host: str
    port: int
    security: Security
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    trust: ssl.SSLContext | None = None


class RefusedError(Exception):
    """The server said no, or was not there, before it can have taken anything."""

    def __init__(self, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.passing = passing


class Mail:
    """A Notifier over one mail server, to one or more addresses of the owner."""

    def __init__(
        self, server: MailServer, *, sender: str, recipients: Sequence[str], wait_s: float
    ) -> None:
        self._server = server
        self._sender = _ascii_domain(sender)
        self._recipients = tuple(_ascii_domain(one) for one in recipients)
        self._wait_s = wait_s

    @property
    def call_s(self) -> float:
        """The longest that one call takes, with a second for its own work."""
        return BEGIN_S + self._wait_s + 1.0

    def render(self, notice: Notice) -> bytes:
        """The whole message; the same notice gives the same bytes."""
        addresses = (self._sender, *self._recipients)
        message = EmailMessage(policy=_POLICY if all(map(str.isascii, addresses)) else _UTF8)
        message["From"] = self._sender
        message["To"] = ", ".join(self._recipients)
        message["Subject"] = f"Fencepost: {' '.join(notice.title.split())}"
        message["Date"] = notice.at
        message["Message-ID"] = f"<{notice.id}@{self._sender.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message["X-Auto-Response-Suppress"] = "All"
        text = notice.text if notice.url is None else f"{notice.text}\n\n{notice.url}"
        message.set_content(text.encode("utf-8", "replace").decode() + "\n", cte="quoted-printable")
        return message.as_bytes()

    async def send(self, request: bytes) -> Outcome:
        """Hand over rendered bytes once; bytes that ``render`` did not make are refused unsent."""
        message_id = BytesHeaderParser(policy=compat32).parsebytes(request)["Message-ID"]
        if message_id is None:
            return Rejected(reason="the stored request is no notice of ours: it was not sent")
        session = _Session(self._server)
        try:
            refused = await self._begin(session, request)
            answer = await session.finish(self._wait_s)
        except RefusedError as error:
            return Rejected(reason=str(error), passing=error.passing)
        finally:
            session.close()
        return _meaning(answer, str(message_id), refused, len(self._recipients))

    async def try_login(self) -> Outcome:
        """Connect and log in, and hand over nothing."""
        session = _Session(self._server)
        try:
            with move_on_after(BEGIN_S):
                await session.open()
                return Accepted(detail="the server lets us in")
        except RefusedError as error:
            return Rejected(reason=str(error), passing=error.passing)
        finally:
            session.close()
        return Rejected(reason=_TOO_SLOW, passing=True)

    async def close(self) -> None:
        """Nothing is kept between two mails."""

    async def _begin(self, session: _Session, request: bytes) -> int:
        """Everything before the dot; gives how many recipients the server refused."""
        with move_on_after(BEGIN_S):
            await session.open()
            refused = await session.address(self._sender, self._recipients)
            await session.text(request)
            return refused
        raise RefusedError(_TOO_SLOW, passing=True)


_TOO_SLOW: Final = f"the mail server was not ready within {BEGIN_S:g} s"


class _Session:
    """One connection to a mail server, phase by phase. Raises RefusedError until the dot."""

    def __init__(self, server: MailServer) -> None:
        self._server = server
        self._smtp = SMTP(
            hostname=server.host,
            port=server.port,
            use_tls=server.security == "tls",
            start_tls=False,
            tls_context=server.trust,
            # The name of this machine is nobody's business; an address literal is always right.
            local_hostname="[127.0.0.1]",
            timeout=None,
        )

    async def open(self) -> None:
        """Connect, greet, encrypt and log in."""
        with _saying("the connection to the mail server failed"):
            await self._smtp.connect()
        with _saying("the mail server does not greet"):
            await self._smtp.ehlo()
        if self._server.security == "starttls":
            if not self._smtp.supports_extension("starttls"):
                raise RefusedError(
                    "the mail server offers no STARTTLS, and nothing is sent in clear text: "
                    'write security = "tls", or another port',
                    passing=False,
                )
            with _saying("the connection could not be encrypted"):
                await self._smtp.starttls()
                await self._smtp.ehlo()
        if self._server.username is not None:
            with _saying("the mail server refused the login"):
                await self._smtp.login(self._server.username, self._server.password or "")

    async def address(self, sender: str, recipients: Sequence[str]) -> int:
        """Name sender and recipients; gives how many of them were refused, fewer than all."""
        options = []
        if not all(map(str.isascii, (sender, *recipients))):
            if not self._smtp.supports_extension("smtputf8"):
                raise RefusedError(
                    "the mail server takes no address with such letters: use one in ASCII",
                    passing=False,
                )
            options = ["SMTPUTF8", "BODY=8BITMIME"]
        with _saying("the mail server refused the sender"):
            await self._smtp.mail(sender, options=options, encoding="utf-8")
        refusals = []
        for recipient in recipients:
            try:
                with _saying("the mail server refused the recipient"):
                    await self._smtp.rcpt(recipient, encoding="utf-8")
            except RefusedError as error:
                refusals.append(error)
                if not self._smtp.is_connected:
                    raise
        if len(refusals) == len(recipients):
            raise next((one for one in refusals if one.passing), refusals[0])
        return len(refusals)

    async def text(self, request: bytes) -> None:
        """Send everything but the final dot."""
        with _saying("the mail server refused the mail"):
            answer = await self._smtp.execute_command(b"DATA")
            if answer.code != 354:
                raise SMTPResponseException(answer.code, answer.message)
            if self._smtp.protocol is None:
                raise SMTPServerDisconnected("gone")
            self._smtp.protocol.write(_stuffed(request))
            # A server that has gone away meanwhile is noticed here, while that still says no.
            await lowlevel.checkpoint()

    async def finish(self, wait_s: float) -> SMTPResponse | None:
        """Send the dot; the server's answer, None when nobody can say."""
        if not self._smtp.is_connected:
            raise RefusedError("the mail server went away before the mail was whole", passing=True)
        try:
            return await self._smtp.execute_command(b".", timeout=wait_s)
        except (SMTPException, OSError):
            return None

    def close(self) -> None:
        """End the session without waiting for anything."""
        protocol = self._smtp.protocol
        if protocol is not None and protocol.is_connected:
            with suppress(SMTPException, OSError):
                protocol.write(b"QUIT\r\n")
        self._smtp.close()


class _saying:  # noqa: N801 -- read as a phrase: with _saying("it failed")
    """Turns every failure of a phase before the dot into a RefusedError."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SMTPResponseException) and 400 <= error.code < 600:
            raise RefusedError(f"{self._what} ({error.code})", passing=error.code < 500) from error
        if isinstance(error, SMTPServerDisconnected | SMTPTimeoutError | OSError):
            raise RefusedError(self._what, passing=True) from error
        if isinstance(error, SMTPException | ValueError):
            raise RefusedError(f"{self._what}: {error}"[:200], passing=False) from error


def _meaning(
    answer: SMTPResponse | None, message_id: str, refused: int, recipients: int
) -> Outcome:
    """What the answer to the final dot says."""
    if answer is None:
        return Unknown(reason="the mail server gave no answer after it had the mail")
    code = answer.code
    if 200 <= code < 300:
        part = f"; {refused} of {recipients} recipients refused" if refused else ""
        return Accepted(message_id=message_id, detail=f"answer {code}{part}")
    if 400 <= code < 600:
        return Rejected(reason=f"the mail server refused the mail ({code})", passing=code < 500)
    return Unknown(reason=f"the mail server gave an answer that says nothing ({code})")


def _stuffed(request: bytes) -> bytes:
    """The text as it goes over the wire (RFC 5321 4.5.2): CRLF line ends, leading dots doubled."""
    lines = request.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n").split(b"\n")
    return b"".join((b"." + line if line[:1] == b"." else line) + b"\r\n" for line in lines)


def _ascii_domain(address: str) -> str:
    """*address* with its domain in ASCII (IDNA 2008, UTS 46)."""
    local, _, domain = address.rpartition("@")
    if domain.isascii():
        return address
    return f"{local}@{idna.encode(domain, uts46=True).decode()}"
