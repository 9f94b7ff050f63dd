"""drafts.create against a server that goes wrong: the outcome, and how often it was asked.

The last column is the number of requests that the server saw; more than one would be a second
draft. The draft is there or not as the server was told, whatever the outcome says.
"""

from __future__ import annotations

import socket
from typing import Any

import pytest

from providers.gmail import GmailMailbox
from providers.gmail.ports import QuotaError, TokenError, TokenTrouble
from providers.ports import MailboxIllError, ReconnectError, TransientError
from storage.words import Accepted, IntentId, Outcome, Rejected, Unknown
from tests.contracts.mails import ours
from tests.gmail.conftest import Site, scope
from tests.gmail.drafts import recorded

INTENT = IntentId("1f" * 16)


async def create(mailbox: GmailMailbox, thread: str | None = None) -> Outcome:
    staged = await mailbox.stage(ours(), intent=INTENT, attempt=1)
    return await mailbox.create(staged, scope=scope(thread))


UNKNOWN = [
    "empty_object",
    "empty_200",
    "html_200",
    "json_list",
    "json_list_500",
    "plain_400",
    "plain_403",
    "plain_404",
    "plain_429",
    "bare_502",
    "empty_503",
    "html_504",
    "backend_error",
    "unavailable",
    "precondition",
    "aborted",
    "redirect_302",
    "redirect_307",
]
REJECTED = [
    "rate_limit",
    "user_rate_limit",
    "daily_limit",
    "insufficient",
    "domain_policy",
    "unauthorized",
    "not_found",
    "too_many",
    "too_many_wait",
]


@pytest.mark.parametrize("effect", ["before", "after"])
@pytest.mark.parametrize("answer", UNKNOWN)
async def test_an_answer_that_proves_nothing_is_unknown_and_asked_once(
    site: Site, answer: str, effect: str
) -> None:
    site.google.fault("drafts.create", answer=answer, effect=effect, times=9)
    assert isinstance(await create(site.mailbox()), Unknown)
    assert [len(site.google.journal.lines), site.requests("drafts.create")] == [1, 1]


@pytest.mark.parametrize("answer", REJECTED)
async def test_a_refusal_of_googles_is_rejected_and_asked_once(site: Site, answer: str) -> None:
    site.google.fault("drafts.create", answer=answer, effect="before", times=9)
    assert isinstance(await create(site.mailbox()), Rejected)
    assert len(site.google.journal.lines) == 1


@pytest.mark.parametrize(
    "fault",
    [
        {"effect": "before", "end": "drop"},
        {"effect": "before", "end": "reset"},
        {"effect": "after", "end": "drop"},
        {"effect": "after", "end": "reset"},
        {"effect": "after", "cut": 20},
        {"effect": "after", "cut": -1},
        {"at_body": 10, "end": "reset"},
    ],
)
async def test_a_connection_that_breaks_is_unknown_and_asked_once(
    site: Site, fault: dict[str, Any]
) -> None:
    site.google.fault("drafts.create", times=9, **fault)
    assert isinstance(await create(site.mailbox()), Unknown)
    assert site.requests("drafts.create") == 1


async def test_silence_is_unknown_and_asked_once(site: Site) -> None:
    site.google.mute()
    outcome = await create(site.mailbox(answer_s=0.3))
    site.google.mute(quiet=False)
    assert isinstance(outcome, Unknown)
    assert "handed to the network" in outcome.detail
    assert site.google.wire.connections == 1


async def test_a_whole_answer_is_accepted_and_asked_once(site: Site) -> None:
    outcome = await create(site.mailbox())
    assert isinstance(outcome, Accepted)
    assert [len(site.google.journal.lines), outcome.version] == [
        1,
        site.google.box().draft(outcome.ref.removeprefix("draft/")).id,
    ]


async def test_a_refused_connection_never_left(site: Site) -> None:
    await site.google.refuse()
    outcome = await create(site.mailbox())
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.illness) == (True, True)
    assert site.google.journal.lines == []


async def test_a_name_that_does_not_resolve_never_left(site: Site) -> None:
    mailbox = GmailMailbox(
        site.tokens, site.limiter, clock=site.clock, api_root="http://gmail.invalid"
    )
    outcome = await create(mailbox)
    await mailbox.close()
    assert isinstance(outcome, Rejected)
    assert outcome.passing


async def test_a_broken_tls_never_left(site: Site) -> None:
    mailbox = GmailMailbox(
        site.tokens,
        site.limiter,
        clock=site.clock,
        api_root=site.google.root.replace("http:", "https:"),
    )
    outcome = await create(mailbox)
    await mailbox.close()
    assert isinstance(outcome, Rejected)
    assert outcome.passing


async def test_a_connection_that_is_never_made_never_left(site: Site) -> None:
    with socket.socket() as full:
        # Nobody accepts here, and the queue is full: the kernel answers no further knock.
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        mailbox = GmailMailbox(
            site.tokens,
            site.limiter,
            clock=site.clock,
            api_root=f"http://127.0.0.1:{full.getsockname()[1]}",
            answer_s=0.3,
        )
        outcome = await create(mailbox)
        await mailbox.close()
        for each in waiting:
            each.close()
    assert isinstance(outcome, Rejected)
    assert outcome.passing


async def test_no_token_never_left(site: Site) -> None:
    site.tokens.trouble = TokenError(TokenTrouble.RECONNECT, "revoked", "log in again")
    outcome = await create(site.mailbox())
    assert isinstance(outcome, Rejected)
    assert outcome.reconnect
    assert site.google.journal.lines == []


async def test_no_quota_never_left(site: Site) -> None:
    site.limiter.trouble = QuotaError("used up", retry_after_s=30)
    outcome = await create(site.mailbox())
    assert isinstance(outcome, Rejected)
    assert outcome.retry_after_s == 30
    assert site.google.journal.lines == []


async def test_a_draft_over_the_limit_is_refused_and_never_left(site: Site) -> None:
    mailbox = site.mailbox()
    staged = await mailbox.stage(b"x" * 36_700_161, intent=INTENT, attempt=1)
    assert isinstance(await mailbox.create(staged, scope=scope(None)), Rejected)
    assert site.google.journal.lines == []


async def test_what_the_server_finds_too_large_is_rejected(site: Site) -> None:
    site.google.settings.max_raw = 100
    assert isinstance(await create(site.mailbox()), Rejected)


async def test_a_thread_that_is_gone_is_rejected(site: Site) -> None:
    outcome = await create(site.mailbox(), "18f0")
    assert isinstance(outcome, Rejected)
    assert not outcome.passing


async def test_the_refused_token_is_reported(site: Site) -> None:
    site.google.fault("drafts.create", answer="unauthorized", effect="before")
    await create(site.mailbox())
    assert site.tokens.told == [site.tokens.access]


async def test_a_refusal_for_the_rate_slows_everybody_down(site: Site) -> None:
    site.google.fault("drafts.create", answer="too_many_wait", effect="before")
    outcome = await create(site.mailbox())
    assert isinstance(outcome, Rejected)
    assert (outcome.retry_after_s, site.limiter.slowed) == (30.0, [(30.0, False)])


async def test_the_days_quota_is_told_as_such(site: Site) -> None:
    site.google.fault("drafts.create", answer="daily_limit", effect="before")
    await create(site.mailbox())
    assert site.limiter.slowed == [(None, True)]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("insufficient", ReconnectError),
        ("domain_policy", MailboxIllError),
        ("too_many", TransientError),
        ("backend_error", TransientError),
        ("bare_502", TransientError),
        ("json_list", TransientError),
        ("html_200", TransientError),
        ("plain_404", TransientError),
    ],
)
async def test_a_read_that_fails_says_what_to_do(
    site: Site, answer: str, error: type[Exception]
) -> None:
    site.google.fault("drafts.list", answer=answer, effect="before")
    with pytest.raises(error) as caught:
        await site.mailbox().snapshot(scope(None))
    assert str(caught.value)
    assert not isinstance(caught.value, ReconnectError) or "log in" in caught.value.remedy


async def test_a_strangers_404_is_not_taken_for_a_draft_that_is_gone(site: Site) -> None:
    mailbox = site.mailbox()
    outcome = await create(mailbox)
    assert isinstance(outcome, Accepted)
    site.google.fault("drafts.get", answer="plain_404", effect="before")
    with pytest.raises(TransientError):
        await mailbox.draft(recorded(outcome))
