"""The traps of the client library and of the transport below it, each with what the server saw."""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Mapping

import anyio
import pytest

from providers.gmail import wire
from providers.gmail.transport import Answer, NoAnswer
from providers.gmail.wire import Waits
from tests.gmail.conftest import Site, scope
from tests.gmail.drafts import make

SHORT = Waits(connect_s=1.0, read_s=0.2, total_s=5.0)
MORE: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "drafts.update": ("PUT", "/drafts/{id}", ()),
    "drafts.delete": ("DELETE", "/drafts/{id}", ()),
}


async def test_a_read_over_a_stale_connection_is_not_sent_again(site: Site) -> None:
    transport = site.transport()
    site.google.fault("getProfile", stale=True)
    assert isinstance(await transport.call("getProfile"), Answer)
    assert isinstance(await transport.call("getProfile"), NoAnswer)
    await transport.close()
    assert site.google.wire.connections == 1


@pytest.mark.parametrize("method", ["drafts.update", "drafts.delete"])
async def test_no_verb_is_sent_again_after_a_disconnect(
    site: Site, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(wire, "METHODS", {**wire.METHODS, **MORE})
    site.google.fault(method, effect="before", end="reset", times=9)
    transport = site.transport()
    end = await transport.call(method, {"id": "r1"}, body={} if method == "drafts.update" else None)
    await transport.close()
    assert isinstance(end, NoAnswer)
    assert end.left
    assert site.requests(method) == 1


async def test_a_second_sending_is_stopped_even_where_the_transport_wants_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = wire._open

    def reopened(waits: Waits, *, writes: bool) -> object:
        session = made(waits, writes=writes)
        session._retry_connection = True
        return session

    monkeypatch.setattr(wire, "_open", reopened)
    site.google.fault("getProfile", stale=True)
    transport = site.transport()
    await transport.call("getProfile")
    end = await transport.call("getProfile")
    await transport.close()
    assert isinstance(end, NoAnswer)
    assert "ResentError" in end.problem
    assert site.requests("getProfile") == 1


async def test_every_wait_has_a_limit(site: Site) -> None:
    site.google.mute()
    transport = site.transport(SHORT)
    end = await transport.call("getProfile")
    await transport.close()
    site.google.mute(quiet=False)
    assert isinstance(end, NoAnswer)
    assert (end.left, "Timeout" in end.problem) == (True, True)


async def test_a_redirect_is_an_answer_and_is_not_followed(site: Site) -> None:
    site.google.fault("drafts.list", answer="redirect_302", effect="before")
    transport = site.transport()
    end = await transport.call("drafts.list")
    await transport.close()
    assert isinstance(end, Answer)
    assert end.status == 302
    assert len(site.google.journal.lines) == 1


async def test_a_write_has_a_connection_of_its_own(site: Site) -> None:
    mailbox = site.mailbox()
    await make(mailbox)
    await make(mailbox)
    assert [line.connection for line in site.google.journal.of("drafts.create")] == [1, 2]


async def test_tasks_without_a_common_context_share_one_session(site: Site) -> None:
    transport = site.transport()
    async with anyio.create_task_group() as tasks:
        for _ in range(7):
            contextvars.Context().run(tasks.start_soon, transport.call, "getProfile")
    assert len(transport._wire._http) == 1
    await transport.close()
    assert site.requests("getProfile") == 7


async def test_the_trash_is_asked_for_by_the_word_true(site: Site) -> None:
    api = site.mailbox()._api
    await api.drafts(thrown_away=True)
    assert ("includeSpamTrash", "true") in site.google.journal.lines[0].query


async def test_the_librarys_proxy_variable_changes_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aiogoogle.sessions.aiohttp_session.HTTP_PROXY", "http://127.0.0.1:1")
    transport = site.transport()
    assert isinstance(await transport.call("getProfile"), Answer)
    await transport.close()


async def test_an_id_cannot_leave_its_place_in_the_path(site: Site) -> None:
    transport = site.transport()
    await transport.call("drafts.get", {"id": "../profile?x=1"})
    await transport.close()
    assert site.google.journal.lines[0].method != "getProfile"


async def test_an_answer_beyond_the_limit_is_dropped(site: Site) -> None:
    transport = site.transport()
    end = await transport.call("getProfile", limit=10)
    await transport.close()
    assert isinstance(end, NoAnswer)
    assert end.too_large


async def test_no_token_stands_in_what_is_said_or_logged(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site.google.fault("drafts.create", effect="before", end="reset")
    mailbox = site.mailbox()
    staged = await mailbox.stage(b"From: a@example.com\r\n\r\nx", intent="1f" * 16, attempt=1)  # type: ignore[arg-type]
    outcome = await mailbox.create(staged, scope=scope(None))
    assert site.tokens.access not in repr(outcome)
    assert site.tokens.access not in caplog.text
