"""A draft whose call breaks at every place: on real servers, through a proxy that breaks it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from providers.imap import ImapMailbox
from providers.mime.compose import content_hash
from storage.words import Accepted, Rejected, Unknown
from tests.contracts.imap_harness import CyrusHarness, ImapHarness
from tests.contracts.mails import MARK, ours
from tests.contracts.steps import REMOVAL
from tests.imap.acts import SCOPE, box_at, make, request, stage
from tests.support.dovecot import log_in
from tests.support.proxy import Act, Proxy, Rule, To

LONG = ours(body="Gladly, and more. " * 30_000)
ANSWER = b"OK [APPENDUID"


@pytest.fixture
async def box(world: ImapHarness, proxy: Proxy) -> AsyncIterator[ImapMailbox]:
    """The adapter behind the proxy; it waits no longer than a second for an answer."""
    made = box_at(world, proxy.port, answer_s=1.0)
    yield made
    await made.close()


async def create(box: ImapMailbox, raw: bytes | None = None) -> Accepted | Rejected | Unknown:
    return await box.create(await stage(box, raw), scope=SCOPE)


async def look(box: ImapMailbox, world: ImapHarness) -> list[str | None]:
    found = await box.look(request(world.clock.now()))
    assert found.complete
    return [one.mark for one in found.found]


async def test_a_cut_before_the_command_arrives_is_a_rejection(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    staged = await stage(box)
    proxy.add(Rule(To.SERVER, b" APPEND ", Act.CUT))
    outcome = await box.create(staged, scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert outcome.passing
    assert world.list_drafts() == []


async def test_a_cut_before_the_servers_consent_is_a_rejection(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    staged = await stage(box)
    proxy.add(Rule(To.CLIENT, b"+ ", Act.CUT))
    outcome = await box.create(staged, scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert world.list_drafts() == []


@pytest.mark.parametrize("offset", [0, 1000, 100_000])
async def test_a_draft_that_is_cut_in_the_middle_is_never_stored(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox, offset: int
) -> None:
    staged = await stage(box, LONG)
    proxy.add(Rule(To.SERVER, b"X-Fencepost-Intent", Act.CUT, offset=offset))
    outcome = await box.create(staged, scope=SCOPE)
    assert not isinstance(outcome, Accepted)
    assert world.list_drafts() == []
    assert await look(box, world) == []


@pytest.mark.parametrize("act", [Act.CUT, Act.HOLE])
async def test_a_lost_answer_is_unknown_and_the_draft_is_found(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox, act: Act
) -> None:
    proxy.add(Rule(To.CLIENT, ANSWER, act))
    assert isinstance(await create(box), Unknown)
    assert [content_hash(raw) for raw in world.list_drafts()] == [content_hash(ours())]
    assert await look(box, world) == [MARK]


async def test_an_answer_cut_in_its_middle_is_unknown(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    proxy.add(Rule(To.CLIENT, ANSWER, Act.CUT, offset=len(ANSWER) + 3))
    assert isinstance(await create(box), Unknown)
    assert await look(box, world) == [MARK]


async def test_a_late_answer_within_its_time_is_accepted(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    proxy.add(Rule(To.CLIENT, ANSWER, Act.DELAY, seconds=0.3))
    assert isinstance(await create(box), Accepted)
    assert len(world.list_drafts()) == 1


async def test_the_last_octets_swallowed_is_unknown_and_nothing_is_found(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    staged = await stage(box)
    proxy.add(Rule(To.SERVER, b"Gladly.", Act.HOLE))
    assert isinstance(await box.create(staged, scope=SCOPE), Unknown)
    assert world.list_drafts() == []
    assert await look(box, world) == []


async def test_a_cancelled_call_has_dropped_its_connection(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    staged = await stage(box)
    rule = proxy.add(Rule(To.CLIENT, ANSWER, Act.HOLE))
    async with anyio.create_task_group() as tasks:

        async def run() -> None:
            await box.create(staged, scope=SCOPE)

        tasks.start_soon(run)
        await anyio.to_thread.run_sync(rule.acted.wait, 10)
        tasks.cancel_scope.cancel()
    before = proxy.connections
    snapshot = await box.snapshot(SCOPE)
    assert [one.mark for one in snapshot.drafts] == [MARK]
    assert proxy.connections == before + 1


async def test_a_call_is_made_once_whatever_happens_to_it(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    for marker, act in ((ANSWER, Act.CUT), (ANSWER, Act.HOLE)):
        proxy.add(Rule(To.CLIENT, marker, act))
        before = len(world.list_drafts())
        assert isinstance(await create(box), Unknown)
        assert len(world.list_drafts()) == before + 1


async def test_a_connection_that_died_unnoticed_costs_no_draft(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    staged = await stage(box)
    world.clock.skip(3600)
    proxy.cut_all()
    assert isinstance(await box.create(staged, scope=SCOPE), Accepted)
    assert len(world.list_drafts()) == 1


async def test_a_removal_whose_answer_is_lost_may_be_repeated(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    draft = await make(box)
    rule = proxy.add(Rule(To.SERVER, b"UID EXPUNGE", Act.CUT))
    assert isinstance(await box.remove(draft, intent=REMOVAL, attempt=1), Unknown)
    assert rule.acted.wait(5)
    assert isinstance(await box.remove(draft, intent=REMOVAL, attempt=2), Accepted)
    assert world.list_drafts() == []


async def test_a_full_mailbox_refuses_the_draft_and_says_so(
    world: ImapHarness, box: ImapMailbox
) -> None:
    staged = await stage(box, LONG)
    world.fill()
    outcome = await box.create(staged, scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert outcome.illness
    assert "free some space" in outcome.reason
    assert world.list_drafts() == []


async def test_a_folder_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    world = CyrusHarness(tmp_path)
    box = box_at(world, world.port)
    staged = await stage(box)
    admin = log_in(world.port, "cyrus")
    done, said = admin.setacl(f"user/{world.user}/Drafts", world.user, "lrs")
    admin.logout()
    assert done == "OK", said
    outcome = await box.create(staged, scope=SCOPE)
    await box.close()
    assert isinstance(outcome, Rejected)
    assert outcome.illness
    assert "let this user write" in outcome.reason
    assert world.list_drafts() == []
    world.tear_down()
