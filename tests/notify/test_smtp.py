"""A mail is handed over once, and the final dot is the line between a no and nobody knows."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import anyio
import pytest

from providers.mime.reading import read_mail
from providers.notifier_port import Notice, Notifier
from providers.notify import smtp
from providers.notify.smtp import Mail, MailServer
from storage.words import Accepted, Outcome, Rejected, Unknown
from tests.notify.conftest import MailSink
from tests.support.sink import Port

ROBIN = "robin@example.com"
NOTICE = Notice(
    id="ab" * 16,
    kind="draft_ready",
    title="A draft waits for review",
    text="robin/local: see fencepost review show 7\n.\n..dots and Grüße — 火曜日",
    at=datetime(2026, 3, 2, 9, 0, 7, tzinfo=UTC),
)
BEFORE = ["greet", "ehlo", "auth", "mail", "rcpt", "data"]


def to(port: Port, **changes: object) -> Mail:
    values: dict[str, object] = {"security": "none", "host": "127.0.0.1", "port": port.port}
    server = MailServer(**values | changes)  # type: ignore[arg-type]
    return Mail(server, sender=ROBIN, recipients=[ROBIN], wait_s=20)


async def sent(mail: Mail) -> Outcome:
    return await mail.send(mail.render(NOTICE))


def is_a_notifier(mail: Mail) -> Notifier:
    return mail


async def test_a_mail_that_the_server_takes_is_accepted(mail_sink: MailSink) -> None:
    port = mail_sink.open()
    assert isinstance(await sent(to(port)), Accepted)
    (stored,) = port.all("stored")
    assert (stored["from"], stored["to"]) == (ROBIN, [ROBIN])
    assert len(port.all("connections")) == 1


async def test_exactly_the_rendered_bytes_arrive(mail_sink: MailSink) -> None:
    port = mail_sink.open()
    mail = to(port)
    await sent(mail)
    assert port.all("stored")[0]["content"].encode() == mail.render(NOTICE)


def test_the_same_notice_renders_to_the_same_bytes() -> None:
    mail = Mail(
        MailServer(host="smtp.example.com", port=587, security="starttls"),
        sender=ROBIN,
        recipients=[ROBIN],
        wait_s=1,
    )
    raw = mail.render(NOTICE)
    assert raw == mail.render(NOTICE)
    message = message_from_bytes(raw, policy=default)
    assert message["Message-ID"] == f"<{NOTICE.id}@example.com>"
    assert message["Date"].datetime == NOTICE.at
    assert message.get_content().replace("\r\n", "\n") == NOTICE.text + "\n"


def test_nobody_answers_a_notice() -> None:
    mail = Mail(
        MailServer(host="smtp.example.com", port=587, security="starttls"),
        sender=ROBIN,
        recipients=[ROBIN],
        wait_s=1,
    )
    assert read_mail(mail.render(NOTICE)).automated is not None


def test_a_title_adds_no_header() -> None:
    mail = Mail(
        MailServer(host="smtp.example.com", port=587, security="none"),
        sender=ROBIN,
        recipients=[ROBIN],
        wait_s=1,
    )
    odd = Notice(id="cd" * 16, kind="gap", title="a\r\nBcc: x@example.net", text="t", at=NOTICE.at)
    assert message_from_bytes(mail.render(odd))["Bcc"] is None


@pytest.mark.parametrize("phase", BEFORE)
@pytest.mark.parametrize(("reply", "passing"), [("451 later", True), ("550 no", False)])
async def test_a_no_before_the_dot_is_rejected(
    mail_sink: MailSink, phase: str, reply: str, passing: bool
) -> None:
    port = mail_sink.open(**{phase: reply, "user": ["robin", "secret"]})
    outcome = await sent(to(port, username="robin", password="secret"))
    assert isinstance(outcome, Rejected)
    assert outcome.passing is passing
    assert reply[:3] in outcome.reason
    assert port.all("stored") == []


@pytest.mark.parametrize("phase", [*BEFORE, "body"])
async def test_a_connection_that_ends_before_the_dot_may_be_tried_again(
    mail_sink: MailSink, phase: str
) -> None:
    port = mail_sink.open(**{phase: "drop", "user": ["robin", "secret"]})
    outcome = await sent(to(port, username="robin", password="secret"))
    # Where only the text is under way, the dot may follow before its loss is known.
    if phase == "body" and isinstance(outcome, Unknown):
        return
    assert isinstance(outcome, Rejected)
    assert outcome.passing
    assert len(port.all("connections")) == 1


@pytest.mark.parametrize("phase", BEFORE)
async def test_silence_before_the_dot_may_be_tried_again(
    mail_sink: MailSink, phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "BEGIN_S", 0.3)
    port = mail_sink.open(**{phase: "hang", "user": ["robin", "secret"]})
    outcome = await sent(to(port, username="robin", password="secret"))
    assert isinstance(outcome, Rejected)
    assert outcome.passing
    assert port.all("stored") == []


@pytest.mark.parametrize(
    ("reply", "passing"), [("451 later", True), ("421 bye", True), ("554 spam", False)]
)
async def test_a_no_to_the_dot_is_rejected(mail_sink: MailSink, reply: str, passing: bool) -> None:
    port = mail_sink.open(dot=reply)
    outcome = await sent(to(port))
    assert isinstance(outcome, Rejected)
    assert outcome.passing is passing


@pytest.mark.parametrize("phase", ["dot", "stored"])
@pytest.mark.parametrize("action", ["drop", "hang", "hm", "999 what", "354 go on", "1"])
async def test_after_the_dot_without_an_answer_nobody_knows(
    mail_sink: MailSink, phase: str, action: str
) -> None:
    port = mail_sink.open(**{phase: action})
    mail = to(port)
    mail._wait_s = 0.5 if action == "hang" else 20
    assert isinstance(await sent(mail), Unknown)
    assert len(port.all("read", at_least=1)) == 1
    assert len(port.all("connections")) == 1


async def test_a_cancelled_call_says_nothing_and_is_not_repeated(mail_sink: MailSink) -> None:
    port = mail_sink.open(stored="hang")
    mail = to(port)
    outcomes: list[Outcome] = []

    async def call() -> None:
        outcomes.append(await sent(mail))

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await anyio.to_thread.run_sync(lambda: port.all("stored", at_least=1))
        group.cancel_scope.cancel()
    assert outcomes == []
    assert len(port.all("stored")) == 1


async def test_what_is_known_does_not_wait_for_the_end_of_the_session(
    mail_sink: MailSink,
) -> None:
    port = mail_sink.open(quit="hang")
    with anyio.fail_after(10):
        assert isinstance(await sent(to(port)), Accepted)
    assert "quit" in port.all("commands", at_least=5)


async def test_a_refused_connection_may_be_tried_again() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    mail = Mail(
        MailServer(host="127.0.0.1", port=number, security="none"),
        sender=ROBIN,
        recipients=[ROBIN],
        wait_s=1,
    )
    outcome = await sent(mail)
    assert isinstance(outcome, Rejected)
    assert outcome.passing


async def test_a_host_that_does_not_resolve_may_be_tried_again(mail_sink: MailSink) -> None:
    outcome = await sent(to(mail_sink.open(), host="no-such-host.invalid"))
    assert isinstance(outcome, Rejected)
    assert outcome.passing


async def test_one_recipient_of_two_that_is_refused_is_said(mail_sink: MailSink) -> None:
    port = mail_sink.open(refuses={"old@example.com": "550 gone"})
    mail = to(port)
    mail._recipients = ("old@example.com", ROBIN)
    outcome = await sent(mail)
    assert isinstance(outcome, Accepted)
    assert "1 of 2 recipients refused" in outcome.detail
    assert port.all("stored")[0]["to"] == [ROBIN]


async def test_all_recipients_refused_passes_if_one_of_them_does(mail_sink: MailSink) -> None:
    port = mail_sink.open(refuses={"old@example.com": "550 gone", ROBIN: "452 full"})
    mail = to(port)
    mail._recipients = ("old@example.com", ROBIN)
    outcome = await sent(mail)
    assert isinstance(outcome, Rejected)
    assert outcome.passing
    assert "data" not in port.all("commands")


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_mail_goes_encrypted_and_logged_in(mail_sink: MailSink, security: str) -> None:
    port = mail_sink.open(
        tls=security == "tls", offers_tls=security == "starttls", user=["robin", "secret"]
    )
    mail = to(
        port,
        security=security,
        host="localhost",
        username="robin",
        password="secret",
        trust=mail_sink.trust,
    )
    assert isinstance(await sent(mail), Accepted)
    assert port.all("stored")[0]["tls"]


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_nothing_goes_to_a_server_whose_certificate_is_not_trusted(
    mail_sink: MailSink, security: str
) -> None:
    port = mail_sink.open(
        tls=security == "tls", offers_tls=security == "starttls", user=["robin", "secret"]
    )
    outcome = await sent(
        to(port, security=security, host="localhost", username="robin", password="secret")
    )
    assert isinstance(outcome, Rejected)
    assert "auth" not in port.all("commands")


async def test_without_starttls_nothing_goes_in_clear_text(mail_sink: MailSink) -> None:
    port = mail_sink.open(user=["robin", "secret"])
    outcome = await sent(
        to(port, security="starttls", host="localhost", username="robin", password="secret")
    )
    assert isinstance(outcome, Rejected)
    assert not outcome.passing
    assert "nothing is sent in clear text" in outcome.reason
    assert not {"auth", "mail"} & set(port.all("commands"))


async def test_a_wrong_password_is_rejected_for_good_and_not_shown(mail_sink: MailSink) -> None:
    port = mail_sink.open(user=["robin", "secret"])
    outcome = await sent(to(port, username="robin", password="hunter2"))
    assert isinstance(outcome, Rejected)
    assert not outcome.passing
    assert "hunter2" not in str(outcome)
    assert "hunter2" not in repr(MailServer(host="h", port=1, security="none", password="hunter2"))


async def test_a_server_without_logins_is_said(mail_sink: MailSink) -> None:
    outcome = await sent(to(mail_sink.open(), username="robin", password="secret"))
    assert isinstance(outcome, Rejected)
    assert not outcome.passing


async def test_an_address_beyond_ascii_needs_a_server_that_takes_it(mail_sink: MailSink) -> None:
    for utf8 in (True, False):
        port = mail_sink.open(utf8=utf8)
        mail = Mail(
            MailServer(host="127.0.0.1", port=port.port, security="none"),
            sender="rüdiger@bücher.example",
            recipients=["rüdiger@bücher.example"],
            wait_s=20,
        )
        outcome = await sent(mail)
        assert isinstance(outcome, Accepted if utf8 else Rejected)
        if utf8:
            assert port.all("stored")[0]["to"] == ["rüdiger@xn--bcher-kva.example"]


async def test_bytes_that_are_no_notice_are_not_sent(mail_sink: MailSink) -> None:
    port = mail_sink.open()
    for request in (b"", b"{}", b"Subject: x\r\n\r\nno id"):
        assert isinstance(await to(port).send(request), Rejected)
    assert port.all("connections") == []


async def test_a_trial_logs_in_and_hands_over_nothing(mail_sink: MailSink) -> None:
    port = mail_sink.open(user=["robin", "secret"])
    assert isinstance(await to(port, username="robin", password="secret").try_login(), Accepted)
    assert isinstance(await to(port, username="robin", password="no").try_login(), Rejected)
    assert not {"mail", "rcpt", "data"} & set(port.all("commands"))


def test_a_call_is_as_long_as_its_parts() -> None:
    mail = Mail(
        MailServer(host="h.example.com", port=25, security="none"),
        sender=ROBIN,
        recipients=[ROBIN],
        wait_s=600,
    )
    assert mail.call_s >= smtp.BEGIN_S + 600
