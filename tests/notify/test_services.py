"""Other services through apprise: called once, a yes is a yes, everything else is unknown."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

import pytest

from providers.notifier_port import Notice, Notifier
from providers.notify.post import AddressError
from providers.notify.services import MissingError, Service
from storage.words import Accepted, Outcome, Rejected, Unknown
from tests.support.sink import Port, Sink

pytestmark = pytest.mark.filterwarnings(
    # apprise's own imports, under Python 3.11 and 3.12
    "ignore:'imghdr' is deprecated:DeprecationWarning",
    "ignore:.*:DeprecationWarning:apprise.*",
)

NOTICE = Notice(
    id="ab" * 16,
    kind="draft_ready",
    title="A draft waits for review",
    text="robin/local: see fencepost review show 7",
    at=datetime(2026, 3, 2, 9, 0, 7, tzinfo=UTC),
    url="http://127.0.0.1:8025/review/7",
)


def to(port: Port, more: str = "") -> Service:
    return Service(f"json://127.0.0.1:{port.port}/hook-token{more}")


async def sent(service: Notifier) -> Outcome:
    return await service.send(service.render(NOTICE))


async def test_a_yes_is_accepted_and_says_what_the_notice_says(http_sink: Sink) -> None:
    port = http_sink.open()
    assert isinstance(await sent(to(port)), Accepted)
    (request,) = port.all("requests")
    body = json.loads(request["body"])
    assert body["title"] == NOTICE.title
    assert NOTICE.text in body["message"]
    assert str(NOTICE.url) in body["message"]


@pytest.mark.parametrize(
    "answer",
    ["400 No", "404 Gone", "429 Slow\r\nRetry-After: 1", "500 Oh", "503 Later", "drop", "half"],
)
async def test_whatever_is_not_a_yes_is_unknown_and_not_repeated(
    http_sink: Sink, answer: str
) -> None:
    port = http_sink.open(answers=[answer])
    assert isinstance(await sent(to(port)), Unknown)
    assert len(port.all("requests")) == 1


async def test_no_answer_in_time_is_unknown_and_not_repeated(http_sink: Sink) -> None:
    port = http_sink.open(answers=["hang"])
    assert isinstance(await sent(to(port, "?rto=0.3&cto=0.3")), Unknown)
    assert len(port.all("requests", at_least=1)) == 1


async def test_a_refused_connection_is_unknown_too(http_sink: Sink) -> None:
    assert isinstance(await sent(Service("json://127.0.0.1:1/x")), Unknown)


async def test_repeats_that_the_address_asks_for_are_not_made(http_sink: Sink) -> None:
    port = http_sink.open(answers=["500 Oh"])
    await sent(to(port, "?retry=3&wait=0"))
    assert len(port.all("requests")) == 1


async def test_an_optional_service_that_fails_is_no_yes() -> None:
    assert isinstance(await sent(Service("json://127.0.0.1:1/x?optional=yes")), Unknown)


async def test_bytes_that_are_no_notice_are_not_sent(http_sink: Sink) -> None:
    port = http_sink.open()
    for request in (b"", b"{}", b"[]", b"\xff", b"null"):
        assert isinstance(await to(port).send(request), Rejected)
    assert port.all("connections") == []


async def test_the_token_in_the_address_is_not_logged(
    http_sink: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await sent(to(http_sink.open(answers=["500 Oh"])))
    assert "hook-token" not in caplog.text


def test_an_address_that_apprise_does_not_know_is_refused_and_not_repeated() -> None:
    with pytest.raises(AddressError) as caught:
        Service("nonsense://hunter2/")
    assert "hunter2" not in str(caught.value)


def test_without_the_extra_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    with pytest.raises(MissingError, match=r'pip install "fencepost\[apprise\]"'):
        Service("tgram://token/chat")
