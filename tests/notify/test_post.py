"""A notice is posted once, whatever the server does, and its end is classified by what happened."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import anyio
import pytest
from httpx2 import Headers

from providers.notifier_port import Notice, Notifier
from providers.notify import Ntfy, Webhook
from providers.notify.post import AddressError, outcome_of, retry_after_s
from providers.notify.webhook import sign
from storage.words import Accepted, Rejected, Unknown
from tests.notify.server import Server, serving

SECRET = b"shared"
NOTICE = Notice(
    id="n-1",
    kind="draft_ready",
    title="A draft waits: Dienstag — 火曜日",
    text="Robin, one draft waits for you.",
    at=datetime(2026, 3, 2, 9, 0, 7, tzinfo=UTC),
    url="http://127.0.0.1:8025/review/n-1",
)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(Server()) as running:
        yield running


@pytest.fixture
async def hook(server: Server) -> AsyncIterator[Webhook]:
    made = Webhook(server.url, SECRET, 20)
    yield made
    await made.close()


def is_a_notifier(notifier: Notifier) -> Notifier:
    return notifier


async def test_a_2xx_is_accepted(hook: Webhook) -> None:
    assert isinstance(await hook.send(hook.render(NOTICE)), Accepted)


async def test_exactly_the_rendered_bytes_are_sent(server: Server, hook: Webhook) -> None:
    request = hook.render(NOTICE)
    await hook.send(request)
    assert [one.body for one in server.requests] == [request]


async def test_the_body_says_what_the_notice_says(hook: Webhook) -> None:
    assert json.loads(hook.render(NOTICE)) == {
        "id": "n-1",
        "kind": "draft_ready",
        "title": NOTICE.title,
        "text": NOTICE.text,
        "at": "2026-03-02T09:00:07+00:00",
        "url": NOTICE.url,
    }


async def test_the_same_notice_renders_to_the_same_bytes(hook: Webhook) -> None:
    assert hook.render(NOTICE) == hook.render(NOTICE)


async def test_the_signature_covers_timestamp_and_body(server: Server, hook: Webhook) -> None:
    request = hook.render(NOTICE)
    await hook.send(request)
    headers = server.requests[0].headers
    stamp = str(int(NOTICE.at.timestamp()))
    code = hmac.new(SECRET, f"{stamp}.".encode() + request, hashlib.sha256).hexdigest()
    assert headers["x-fencepost-timestamp"] == stamp
    assert headers["x-fencepost-signature"] == f"sha256={code}"
    assert headers["x-fencepost-delivery"] == "n-1"


async def test_without_a_secret_nothing_is_signed(server: Server) -> None:
    plain = Webhook(server.url, None, 20)
    await plain.send(plain.render(NOTICE))
    await plain.close()
    assert "x-fencepost-signature" not in server.requests[0].headers


def test_another_secret_gives_another_signature() -> None:
    assert sign(b"a", "1", b"x") != sign(b"b", "1", b"x")


async def test_bytes_that_are_no_notice_are_not_sent(server: Server, hook: Webhook) -> None:
    for request in (b"", b"{}", b"[]", b"\xff", b'{"id": 1, "at": "yesterday"}'):
        assert isinstance(await hook.send(request), Rejected)
    assert server.connections == 0


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_2xx_is_accepted(status: int) -> None:
    assert isinstance(outcome_of(status, Headers()), Accepted)


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308, 400, 401, 403, 404, 410, 413])
def test_a_redirect_or_refusal_is_rejected_for_good(status: int) -> None:
    outcome = outcome_of(status, Headers())
    assert isinstance(outcome, Rejected)
    assert not outcome.passing


@pytest.mark.parametrize("status", [408, 425, 429])
def test_a_refusal_that_passes_says_so(status: int) -> None:
    outcome = outcome_of(status, Headers({"Retry-After": "7"}))
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.retry_after_s) == (True, 7.0)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599, 199, 600, 999])
def test_everything_else_is_unknown(status: int) -> None:
    assert isinstance(outcome_of(status, Headers()), Unknown)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        ("Mon, 02 Mar 2026 09:01:00 GMT", 60.0),
        ("Mon, 02 Mar 2026 08:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("٣", None),
        ("", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    headers = {"Date": "Mon, 02 Mar 2026 09:00:00 GMT", "Retry-After": value}
    assert retry_after_s(Headers(list(headers.items()), encoding="utf-8")) == seconds


async def test_a_redirect_is_not_followed(server: Server, hook: Webhook) -> None:
    server.answer = (
        f"HTTP/1.1 307 Moved\r\nLocation: {server.url}\r\nContent-Length: 0\r\n\r\n".encode()
    )
    assert isinstance(await hook.send(hook.render(NOTICE)), Rejected)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_no_status_is_a_reason_to_repeat(server: Server, hook: Webhook, status: int) -> None:
    server.answer = f"HTTP/1.1 {status} X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n".encode()
    await hook.send(hook.render(NOTICE))
    assert len(server.requests) == 1


async def test_a_connection_that_ends_without_an_answer_is_unknown_and_not_repeated(
    server: Server, hook: Webhook
) -> None:
    server.answer = None
    assert isinstance(await hook.send(hook.render(NOTICE)), Unknown)
    assert (len(server.requests), server.connections) == (1, 1)


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 2", b"garbage\r\n\r\n", b"HTTP/1.1 200", b"HTTP/1.1 100 Continue\r\n\r\n"]
)
async def test_an_answer_that_cannot_be_read_is_unknown(
    server: Server, hook: Webhook, answer: bytes
) -> None:
    server.answer, server.reset = answer, True
    assert isinstance(await hook.send(hook.render(NOTICE)), Unknown)
    assert len(server.requests) == 1


async def test_a_status_counts_though_the_body_breaks_off(server: Server, hook: Webhook) -> None:
    server.answer, server.reset = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nshort", True
    assert isinstance(await hook.send(hook.render(NOTICE)), Accepted)


async def test_each_notice_has_a_connection_of_its_own(server: Server, hook: Webhook) -> None:
    # a server that closes kept connections would otherwise be met in the middle of a request
    for _ in range(3):
        assert isinstance(await hook.send(hook.render(NOTICE)), Accepted)
    assert (server.connections, len(server.requests)) == (3, 3)


async def test_no_answer_in_time_is_unknown(server: Server) -> None:
    hook = Webhook(server.url, SECRET, 1)
    await hook.send(hook.render(NOTICE))
    server.answer = "hang"
    assert isinstance(await hook.send(hook.render(NOTICE)), Unknown)
    await hook.close()
    assert len(server.requests) == 2


async def test_a_cancelled_send_says_nothing_and_is_not_repeated(
    server: Server, hook: Webhook
) -> None:
    server.answer = "hang"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hook.send, hook.render(NOTICE))
        await server.got_one.wait()
        tasks.cancel_scope.cancel()
    assert len(server.requests) == 1


async def test_a_refused_connection_may_be_tried_again() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    hook = Webhook(f"http://127.0.0.1:{port}/", SECRET, 20)
    outcome = await hook.send(hook.render(NOTICE))
    await hook.close()
    assert isinstance(outcome, Rejected)
    assert outcome.passing


@pytest.mark.parametrize("host", ["no-such-host.invalid", "x" * 70 + ".invalid"])
async def test_a_name_that_does_not_resolve_may_be_tried_again(host: str) -> None:
    hook = Webhook(f"http://{host}/", SECRET, 20)
    outcome = await hook.send(hook.render(NOTICE))
    await hook.close()
    assert isinstance(outcome, Rejected)
    assert outcome.passing


async def test_a_tls_failure_may_be_tried_again_and_sends_nothing(server: Server) -> None:
    hook = Webhook(server.url.replace("http:", "https:"), SECRET, 0.5)
    outcome = await hook.send(hook.render(NOTICE))
    await hook.close()
    assert isinstance(outcome, Rejected)
    assert outcome.passing
    assert server.requests == []


async def test_no_connection_in_time_may_be_tried_again() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        port = silent.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]
        for one in fillers:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        hook = Webhook(f"https://127.0.0.1:{port}/", SECRET, 0.3)
        outcome = await hook.send(hook.render(NOTICE))
        await hook.close()
        for one in fillers:
            one.close()
    assert isinstance(outcome, Rejected)
    assert outcome.passing


@pytest.mark.parametrize(
    "url",
    ["", "hooks.example.com", "ftp://example.com/", "file:///etc/passwd", "http://", "https:///x"],
)
def test_only_http_addresses_are_taken(url: str) -> None:
    with pytest.raises(AddressError, match="https://HOST/PATH"):
        Webhook(url, SECRET, 20)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(AddressError) as caught:
        Webhook("https://robin:hunter2@hooks.example.com/", SECRET, 20)
    assert "hunter2" not in str(caught.value)


async def test_neither_address_nor_secret_is_logged(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    hook = Webhook(f"{server.url}/token-in-path", SECRET, 20)
    await hook.send(hook.render(NOTICE))
    await hook.close()
    assert "token-in-path" not in caplog.text
    assert "shared" not in caplog.text


async def test_closing_twice_is_safe(hook: Webhook) -> None:
    await hook.send(hook.render(NOTICE))
    await hook.close()
    await hook.close()


async def test_a_notice_id_cannot_add_a_header(server: Server, hook: Webhook) -> None:
    odd = Notice(id="x\r\nX-Evil: 1 é", kind="gap", title="t", text="t", at=NOTICE.at)
    assert isinstance(await hook.send(hook.render(odd)), Accepted)
    assert "x-evil" not in server.requests[0].headers


async def test_ntfy_posts_a_message_to_its_topic(server: Server) -> None:
    ntfy = is_a_notifier(Ntfy(f"ntfy://127.0.0.1:{server.port}/robin", 20))
    request = ntfy.render(NOTICE)
    assert isinstance(await ntfy.send(request), Accepted)
    await ntfy.close()
    (received,) = server.requests
    assert (received.line, received.body) == ("POST / HTTP/1.1", request)
    assert json.loads(request) == {
        "topic": "robin",
        "title": NOTICE.title,
        "message": NOTICE.text,
        "tags": ["draft_ready"],
        "click": NOTICE.url,
    }


async def test_ntfy_classifies_like_a_webhook(server: Server) -> None:
    ntfy = Ntfy(f"ntfy://127.0.0.1:{server.port}/robin", 20)
    server.answer = None
    assert isinstance(await ntfy.send(ntfy.render(NOTICE)), Unknown)
    await ntfy.close()
    assert len(server.requests) == 1


def test_ntfy_uses_tls_for_any_other_machine() -> None:
    assert str(Ntfy("ntfy://ntfy.example.com/robin", 20)._post._url) == "https://ntfy.example.com/"


@pytest.mark.parametrize(
    "url",
    [
        "ntfy://ntfy.example.com",
        "ntfy://ntfy.example.com/a/b",
        "ntfy:///robin",
        "https://ntfy.example.com/robin",
        "ntfy://ntfy.example.com/ro bin",
        "ntfy://u:p@ntfy.example.com/robin",
    ],
)
def test_other_shapes_of_an_ntfy_address_are_refused(url: str) -> None:
    with pytest.raises(AddressError):
        Ntfy(url, 20)
