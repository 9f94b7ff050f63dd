"""HTTP receivers in a process of their own: what each end means, and one request for each call."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from providers.notifier_port import Notice, Notifier
from providers.notify import Ntfy, Webhook
from storage.words import Accepted, Outcome, Rejected, Unknown
from tests.support.sink import Port, Sink

NOTICE = Notice(
    id="ab" * 16,
    kind="draft_ready",
    title="A draft waits for review",
    text="robin/local: see fencepost review show 7",
    at=datetime(2026, 3, 2, 9, 0, 7, tzinfo=UTC),
)
HOOK, NTFY = "webhook", "ntfy"


def to(kind: str, port: Port, timeout_s: float = 20) -> Notifier:
    if kind == NTFY:
        return Ntfy(f"ntfy://127.0.0.1:{port.port}/robin", timeout_s)
    return Webhook(f"http://127.0.0.1:{port.port}/hook", b"secret", timeout_s)


async def sent(notifier: Notifier) -> Outcome:
    outcome = await notifier.send(notifier.render(NOTICE))
    await notifier.close()
    return outcome


@pytest.mark.parametrize("kind", [HOOK, NTFY])
@pytest.mark.parametrize(
    ("answer", "means"),
    [
        ("200 OK", Accepted),
        ("202 Later", Accepted),
        ("307 There\r\nLocation: /there", Rejected),
        ("400 No", Rejected),
        ("401 Who", Rejected),
        ("404 Gone", Rejected),
        ("429 Slow\r\nRetry-After: 7", Rejected),
        ("500 Oh", Unknown),
        ("502 Bad", Unknown),
        ("503 Later\r\nRetry-After: 7", Unknown),
        ("504 Late", Unknown),
        ("drop", Unknown),
        ("half", Unknown),
    ],
)
async def test_every_answer_has_its_meaning_and_is_asked_for_once(
    http_sink: Sink, kind: str, answer: str, means: type[Outcome]
) -> None:
    port = http_sink.open(answers=[answer, "200 OK"])
    assert isinstance(await sent(to(kind, port)), means)
    assert len(port.all("requests")) == 1


@pytest.mark.parametrize("kind", [HOOK, NTFY])
async def test_silence_is_unknown_and_asked_for_once(http_sink: Sink, kind: str) -> None:
    port = http_sink.open(answers=["hang"])
    notifier = to(kind, port, 2)
    assert isinstance(await sent(notifier), Unknown)
    assert len(port.all("requests", at_least=1)) == 1


async def test_a_server_says_when_to_come_again(http_sink: Sink) -> None:
    port = http_sink.open(answers=["429 Slow\r\nRetry-After: 7"])
    outcome = await sent(to(HOOK, port))
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.retry_after_s) == (True, 7.0)


def test_a_long_text_stays_a_message_for_ntfy() -> None:
    ntfy = Ntfy("ntfy://ntfy.example.com/robin", 20)
    long = Notice(id="x", kind="digest", title="t", text="火" * 3_000, at=NOTICE.at)
    assert len(ntfy.render(long)) < 4_096 + 200
