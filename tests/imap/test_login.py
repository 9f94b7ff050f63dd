"""Connecting and logging in: what works, and what is said when it does not."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from providers.imap import ImapMailbox, Server
from providers.imap.link import Pause
from providers.ports import MailboxIllError, TransientError
from tests.contracts.clock import SkippingClock
from tests.contracts.imap_harness import ImapHarness
from tests.imap.acts import server_of
from tests.imap.fake import PASSWORD, TOKEN, Connection, FakeServer
from tests.support.dovecot import PASSWORD as REAL_PASSWORD
from tests.support.dovecot import DovecotServer, dovecot, free_port, make_certificate

Answer = Callable[[Connection, bytes, bytes], None]


async def account(server: Server) -> str:
    box = ImapMailbox(server, clock=SkippingClock())
    try:
        return await box.account()
    finally:
        await box.close()


async def refused(server: Server) -> MailboxIllError:
    with pytest.raises(MailboxIllError) as caught:
        await account(server)
    assert caught.value.remedy
    return caught.value


def saying(*lines: bytes) -> Answer:
    def answer(connection: Connection, tag: bytes, rest: bytes) -> None:
        for line in lines:
            connection.line(line.replace(b"TAG", tag))

    return answer


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return make_certificate(tmp_path)


@pytest.fixture
def secure(certificate: Path) -> Iterator[FakeServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    made = FakeServer(tls=context)
    yield made
    made.close()


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


async def test_a_password_is_sent_by_authenticate_plain(fake: FakeServer) -> None:
    await account(server_of(fake))
    assert (fake.count(b"AUTHENTICATE PLAIN"), fake.count(b"LOGIN")) == (1, 0)


async def test_without_sasl_ir_the_password_waits_for_consent(fake: FakeServer) -> None:
    fake.capabilities = b"IMAP4rev1 AUTH=PLAIN"
    await account(server_of(fake))
    assert fake.commands[1] == b"AUTHENTICATE PLAIN"


async def test_a_server_without_authenticate_gets_login(fake: FakeServer) -> None:
    fake.capabilities = b"IMAP4rev1"
    await account(server_of(fake))
    assert fake.count(b"LOGIN") == 1


async def test_a_password_that_is_not_ascii_is_sent_by_its_length(fake: FakeServer) -> None:
    fake.capabilities = b"IMAP4rev1"
    got: list[bytes] = []

    def login(connection: Connection, tag: bytes, rest: bytes) -> None:
        got.append(connection.read_literal(rest))
        connection.ok(tag)

    fake.answers[b"LOGIN"] = login
    await account(server_of(fake, password=lambda: "pässwörd"))
    assert got == ["pässwörd".encode()]


@pytest.mark.parametrize("secret", ["a\r\nF9 DELETE INBOX", "a\0b"])
@pytest.mark.parametrize("offers", [b"IMAP4rev1", b"IMAP4rev1 AUTH=PLAIN SASL-IR"])
async def test_a_password_with_a_line_break_is_never_sent(
    fake: FakeServer, secret: str, offers: bytes
) -> None:
    fake.capabilities = offers
    await refused(server_of(fake, password=lambda: secret))
    assert fake.count(b"LOGIN") + fake.count(b"AUTHENTICATE") + fake.count(b"DELETE") == 0


async def test_a_token_is_sent_by_xoauth2(fake: FakeServer) -> None:
    await account(server_of(fake, password=None, token=lambda: TOKEN))
    assert fake.count(b"AUTHENTICATE XOAUTH2") == 1


async def test_a_token_may_lie_in_the_file_of_a_login(fake: FakeServer) -> None:
    held = f'{{"access_token": "{TOKEN}", "expires_at": 1}}'
    await account(server_of(fake, password=None, token=lambda: held))


async def test_the_token_is_read_anew_at_each_login(fake: FakeServer) -> None:
    tokens = iter(["old", TOKEN])
    box = ImapMailbox(
        server_of(fake, password=None, token=lambda: next(tokens)), clock=SkippingClock()
    )
    with pytest.raises(MailboxIllError):
        await box.account()
    await box.account()
    await box.close()


async def test_an_expired_token_is_told_with_what_the_server_says(fake: FakeServer) -> None:
    error = await refused(server_of(fake, password=None, token=lambda: "expired"))
    assert "status 401" in error.problem
    assert "new one" in error.remedy


async def test_a_wrong_password_is_told(fake: FakeServer) -> None:
    error = await refused(server_of(fake, password=lambda: "wrong"))
    assert "refused user name or password" in error.problem


async def test_no_message_shows_the_secret(fake: FakeServer) -> None:
    error = await refused(server_of(fake, password=lambda: "hush-hush"))
    assert "hush-hush" not in f"{error} {error!r} {server_of(fake, password=lambda: 'hush-hush')}"


async def test_a_refused_password_is_not_sent_again_and_again(fake: FakeServer) -> None:
    box = ImapMailbox(server_of(fake, password=lambda: "wrong"), clock=SkippingClock())
    for _ in range(4):
        with pytest.raises(MailboxIllError):
            await box.account()
    await box.close()
    assert fake.count(b"AUTHENTICATE") == 1


async def test_a_corrected_password_is_sent_at_once(fake: FakeServer) -> None:
    secrets = iter(["wrong", PASSWORD])
    box = ImapMailbox(server_of(fake, password=lambda: next(secrets)), clock=SkippingClock())
    with pytest.raises(MailboxIllError):
        await box.account()
    await box.account()
    await box.close()


async def test_a_login_that_is_not_taken_now_is_tried_later(fake: FakeServer) -> None:
    fake.answers[b"AUTHENTICATE"] = saying(b"TAG NO [UNAVAILABLE] try later")
    with pytest.raises(TransientError):
        await account(server_of(fake))


async def test_a_server_that_takes_no_passwords_is_told(fake: FakeServer) -> None:
    fake.capabilities = b"IMAP4rev1 LOGINDISABLED"
    assert "takes no password" in (await refused(server_of(fake))).problem


async def test_a_server_that_says_bye_is_tried_later(fake: FakeServer) -> None:
    fake.greeting = b"* BYE too many connections"
    with pytest.raises(TransientError, match="too many connections"):
        await account(server_of(fake))


async def test_a_server_that_knows_us_already_is_used(fake: FakeServer) -> None:
    fake.greeting = b"* PREAUTH welcome"
    await account(server_of(fake))
    assert fake.count(b"AUTHENTICATE") == 0


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request", b"+ hello", b"SSH-2.0-x"])
async def test_what_is_no_imap_server_is_told(fake: FakeServer, greeting: bytes) -> None:
    fake.greeting = greeting
    with pytest.raises(TransientError):
        await account(server_of(fake))


async def test_nobody_listening_is_tried_later_and_not_in_a_hurry() -> None:
    server = Server(
        host="127.0.0.1", port=free_port(), username="x", security="none", password=lambda: "x"
    )
    box = ImapMailbox(server, clock=SkippingClock())
    with pytest.raises(TransientError, match="cannot be reached"):
        await box.account()
    with pytest.raises(TransientError, match="tried again in"):
        await box.account()
    await box.close()


async def test_an_unknown_host_is_told() -> None:
    server = Server(host="nowhere.invalid", port=993, username="x", password=lambda: "x")
    with pytest.raises(TransientError, match="name is not known"):
        await account(server)


def test_pauses_double_and_have_chance_in_them() -> None:
    pause = Pause(first_s=1, longest_s=60)
    waits = [pause.failed(0) for _ in range(9)]
    assert all(min(60, 2**n) / 2 <= wait <= min(60, 2**n) for n, wait in enumerate(waits))
    assert len({Pause().failed(0) for _ in range(9)}) > 1


async def test_clear_text_goes_nowhere_but_to_this_machine(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("providers.imap.login.ipaddress.ip_address", _elsewhere)
    await refused(server_of(fake))
    assert fake.commands == []


class _Elsewhere:
    is_loopback = False


def _elsewhere(text: str) -> _Elsewhere:
    return _Elsewhere()


async def test_tls_works_with_a_trusted_certificate(secure: FakeServer, certificate: Path) -> None:
    await account(server_of(secure, security="tls", trusts=trusting(certificate)))


async def test_a_self_signed_certificate_is_refused_and_explained(secure: FakeServer) -> None:
    error = await refused(server_of(secure, security="tls"))
    assert "not trusted" in error.problem
    assert "SSL_CERT_FILE" in error.remedy
    assert secure.commands == []


async def test_a_certificate_for_another_name_is_explained(
    secure: FakeServer, certificate: Path
) -> None:
    server = server_of(secure, security="tls", trusts=trusting(certificate), host="127.0.0.1")
    assert "write as host the name" in (await refused(server)).remedy


async def test_tls_on_a_port_without_tls_is_explained(fake: FakeServer) -> None:
    error = await refused(server_of(fake, security="tls"))
    assert "check port and security" in error.remedy


async def test_starttls_encrypts_before_the_password(secure: FakeServer, certificate: Path) -> None:
    secure.wrapped = False
    secure.capabilities = b"IMAP4rev1 STARTTLS AUTH=PLAIN SASL-IR"
    await account(server_of(secure, security="starttls", trusts=trusting(certificate)))
    names = [line.split()[0] for line in secure.commands]
    assert names.index(b"STARTTLS") < names.index(b"AUTHENTICATE")


async def test_a_server_without_starttls_never_gets_the_password(fake: FakeServer) -> None:
    assert "offers no STARTTLS" in (await refused(server_of(fake, security="starttls"))).problem
    assert fake.count(b"AUTHENTICATE") == 0


async def test_preauth_before_starttls_is_refused(fake: FakeServer) -> None:
    fake.greeting = b"* PREAUTH welcome"
    await refused(server_of(fake, security="starttls"))


async def test_octets_smuggled_in_before_tls_end_the_connection(
    secure: FakeServer, certificate: Path
) -> None:
    secure.wrapped = False
    secure.capabilities = b"IMAP4rev1 STARTTLS AUTH=PLAIN SASL-IR"

    def starttls(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.send(tag + b" OK begin\r\n* OK injected\r\n")

    secure.answers[b"STARTTLS"] = starttls
    with pytest.raises(TransientError, match="unsafe"):
        await account(server_of(secure, security="starttls", trusts=trusting(certificate)))
    assert secure.count(b"AUTHENTICATE") == 0


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_a_real_server_is_reached_encrypted(security: str, tmp_path: Path) -> None:
    real: DovecotServer = dovecot()
    server = Server(
        host="localhost",
        port=real.tls_port if security == "tls" else real.port,
        username="tls@0",
        security="tls" if security == "tls" else "starttls",
        password=lambda: REAL_PASSWORD,
        tls=trusting(real.certificate),
    )
    assert (await account(server)).startswith("imap:")


async def test_a_real_servers_wrong_password_is_told(world: ImapHarness) -> None:
    server = Server(
        host="127.0.0.1",
        port=world.port,
        username=world.user,
        security="none",
        password=lambda: "wrong",
    )
    assert "refused user name or password" in (await refused(server)).problem


async def test_accounts_differ_by_user(fake: FakeServer) -> None:
    names = {await account(server_of(fake, username=name)) for name in ("robin", "mina")}
    assert len(names) == 2
