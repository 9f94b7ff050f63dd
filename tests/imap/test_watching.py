"""Watching real servers: hints, losses, new numbers, and servers that count nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import cast

import anyio
import pytest

from providers.imap import ImapMailbox
from providers.imap.session import Session
from providers.ports import Changes, Folder, TransientError
from storage.words import Rejected
from tests.contracts.clock import SkippingClock
from tests.contracts.imap_harness import CyrusHarness, ImapHarness
from tests.contracts.mails import QUESTION, mail, owners, question
from tests.contracts.steps import REMOVAL, Notes, ids
from tests.imap.acts import all_known, box_at, make, nothing_known, server_of
from tests.imap.fake import Connection, FakeServer
from tests.support.dovecot import wait_until
from tests.support.proxy import Act, Proxy, Rule, To


@pytest.fixture
async def box(world: ImapHarness, proxy: Proxy) -> AsyncIterator[ImapMailbox]:
    made = box_at(world, proxy.port)
    yield made
    await made.close()


@pytest.fixture(params=["QRESYNC", "CONDSTORE", "UIDPLUS"], ids=lambda name: f"no {name}")
def lacking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server as one that lacks an extension, and what builds upon it."""
    below = {"QRESYNC": {"QRESYNC"}, "CONDSTORE": {"QRESYNC", "CONDSTORE"}}
    gone = below.get(request.param, {request.param})
    can = Session.can
    monkeypatch.setattr(Session, "can", lambda self, name: name not in gone and can(self, name))
    return str(request.param)


async def first(box: ImapMailbox, notes: Notes | None = None) -> Changes:
    known = nothing_known if notes is None else notes.known
    changes = await box.changes(None, since=None, known=known)
    if notes is not None:
        notes.note(changes)
    return changes


async def test_mail_is_noticed_while_the_server_idles(world: ImapHarness, box: ImapMailbox) -> None:
    changes = await first(box)
    with anyio.fail_after(15):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.to_thread.run_sync(wait_until, lambda: box._watch._lock.locked(), 5)
            world.deliver(question())
    assert ids((await box.changes(changes.cursor, since=None, known=nothing_known)).seen) == [
        QUESTION
    ]


async def test_mail_between_the_pass_and_the_wait_ends_the_wait_at_once(
    world: ImapHarness, box: ImapMailbox
) -> None:
    await first(box)
    world.deliver(question())
    with anyio.fail_after(15):
        await box.wait(3600)


async def test_a_wait_that_ends_with_its_time_keeps_the_connection(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    changes = await first(box)
    for _ in range(3):
        rule = proxy.add(Rule(To.CLIENT, b"+ idling", Act.DELAY))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 30)
            await anyio.to_thread.run_sync(rule.acted.wait, 10)
            world.clock.skip(30)
        changes = await box.changes(changes.cursor, since=None, known=nothing_known)
    assert proxy.connections == 1


async def test_a_connection_lost_while_idle_ends_the_wait(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    await first(box)
    rule = proxy.add(Rule(To.CLIENT, b"+ idling", Act.CUT, offset=8))
    with anyio.fail_after(15):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.to_thread.run_sync(rule.acted.wait, 10)
            await anyio.to_thread.run_sync(wait_until, lambda: bool(world.clock._sleepers[1:]), 5)
            world.clock.skip(2)
    assert (await first(box)).seen == ()


async def test_a_server_that_says_bye_while_idle_ends_the_wait(
    fake: FakeServer, box_on_fake: ImapMailbox
) -> None:
    fake.capabilities += b" IDLE"

    def idle(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.line(b"+ idling")
        connection.line(b"* BYE shutting down")
        connection.hang_up()

    fake.answers[b"IDLE"] = idle
    await first(box_on_fake)
    clock = cast("SkippingClock", box_on_fake._clock)
    with anyio.fail_after(15):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box_on_fake.wait, 3600)
            await anyio.to_thread.run_sync(wait_until, lambda: bool(clock._sleepers[1:]), 5)
            clock.skip(2)


async def test_breaks_in_a_row_are_waited_out_longer_and_longer(
    fake: FakeServer, box_on_fake: ImapMailbox
) -> None:
    fake.capabilities += b" IDLE"
    fake.answers[b"IDLE"] = lambda connection, tag, rest: connection.hang_up()
    await first(box_on_fake)
    clock = cast("SkippingClock", box_on_fake._clock)
    waits = []
    for _ in range(4):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box_on_fake.wait, 3600)
            before = len(clock._sleepers)
            await anyio.to_thread.run_sync(
                wait_until, lambda n=before: len(clock._sleepers) >= n + 2, 5
            )
            waits.append(clock._sleepers[-1][0] - clock._skipped_s)
            clock.skip(waits[-1])
    assert all(2**n / 2 <= wait <= 2**n for n, wait in enumerate(waits))


async def test_without_idle_only_the_time_ends_a_wait(
    fake: FakeServer, box_on_fake: ImapMailbox
) -> None:
    await first(box_on_fake)
    clock = cast("SkippingClock", box_on_fake._clock)
    with anyio.fail_after(15):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box_on_fake.wait, 30)
            await anyio.to_thread.run_sync(wait_until, lambda: bool(clock._sleepers), 5)
            clock.skip(30)
    assert fake.count(b"IDLE") == 0


@pytest.fixture
async def box_on_fake(fake: FakeServer) -> AsyncIterator[ImapMailbox]:
    made = ImapMailbox(server_of(fake), clock=SkippingClock())
    yield made
    await made.close()


async def test_a_pass_over_a_broken_connection_is_tried_again(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    world.deliver(question())
    proxy.add(Rule(To.CLIENT, b" FETCH (", Act.CUT, offset=5))
    with pytest.raises(TransientError):
        await first(box)
    assert ids((await first(box)).seen) == [QUESTION]


async def test_new_mail_is_found_whatever_the_server_lacks(
    world: ImapHarness, box: ImapMailbox, lacking: str
) -> None:
    notes = Notes()
    world.deliver(question())
    changes = await first(box, notes)
    world.deliver(mail("<second@example.org>"))
    world.deliver(owners(), Folder.DRAFTS)
    changes = await box.changes(changes.cursor, since=None, known=notes.known)
    assert sorted(map(str, ids(changes.seen))) == ["<own@example.com>", "<second@example.org>"]


async def test_a_draft_that_went_is_noticed_after_a_restart_whatever_the_server_lacks(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox, lacking: str
) -> None:
    notes = Notes()
    draft = await make(box)
    changes = await first(box, notes)
    world.owner_deletes(draft.ref)
    again = box_at(world, proxy.port)
    changes = await again.changes(changes.cursor, since=None, known=notes.known)
    await again.close()
    assert changes.vanished == (draft.ref,)


async def test_without_uidplus_no_draft_is_removed(
    world: ImapHarness, box: ImapMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    can = Session.can
    monkeypatch.setattr(Session, "can", lambda self, name: name != "UIDPLUS" and can(self, name))
    outcome = await box.remove(await make(box), intent=REMOVAL, attempt=1)
    assert isinstance(outcome, Rejected)
    assert len(world.list_drafts()) == 1


async def test_an_unchanged_mailbox_is_opened_and_not_searched(
    world: ImapHarness, box: ImapMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.deliver(question())
    changes = await first(box)

    async def search(self: Session, *criteria: bytes) -> list[int]:
        raise AssertionError(criteria)

    monkeypatch.setattr(Session, "search", search)
    again = await box.changes(changes.cursor, since=None, known=all_known)
    assert again.seen == ()


async def test_new_numbers_are_a_gap_and_a_bounded_time_is_read_again(
    world: ImapHarness, box: ImapMailbox
) -> None:
    world.append(mail("<old@example.org>"), Folder.SENT, days_ago=9)
    changes = await first(box)
    held = dict(changes.cursor)
    numbers = dict(held["folders"]["Sent"])  # type: ignore[index]
    folders = {**held["folders"], "Sent": {**numbers, "v": numbers["v"] - 1}}  # type: ignore[dict-item]
    world.append(mail("<new@example.com>"), Folder.SENT)
    after = await box.changes({**held, "folders": folders}, since=None, known=nothing_known)
    assert ids(after.seen) == ["<new@example.com>"]
    assert after.gap is not None
    assert "Sent" in after.gap.reason
    covered = after.gap.covered_from
    assert covered is not None
    assert timedelta(0) <= world.clock.now() - covered < timedelta(minutes=11)


async def test_a_gap_goes_no_further_back_than_thirty_days(
    world: ImapHarness, box: ImapMailbox
) -> None:
    for days in (40, 20):
        world.append(mail(f"<{days}@example.org>"), Folder.INBOX, days_ago=days)
    changes = await first(box)
    folders = {
        name: {**mark, "v": mark["v"] - 1}
        for name, mark in changes.cursor["folders"].items()  # type: ignore[attr-defined]
    }
    old = (world.clock.now() - timedelta(days=90)).timestamp()
    after = await box.changes(
        {**changes.cursor, "at": old, "folders": folders}, since=None, known=nothing_known
    )
    assert ids(after.seen) == ["<20@example.org>"]


@pytest.mark.parametrize(
    "cursor", [{}, {"at": "x"}, {"at": 1, "floor": 0, "folders": {"INBOX": 3}}]
)
async def test_a_cursor_that_is_none_of_ours_loses_nothing(
    world: ImapHarness, box: ImapMailbox, cursor: dict[str, object]
) -> None:
    world.deliver(question())
    assert ids((await box.changes(cursor, since=None, known=nothing_known)).seen) == [QUESTION]


async def test_old_mail_that_is_moved_in_is_passed_over(
    world: ImapHarness, box: ImapMailbox
) -> None:
    since = world.clock.now() - timedelta(days=3)
    changes = await box.changes(None, since=since, known=nothing_known)
    world.append(mail("<moved@example.org>"), Folder.INBOX, days_ago=400)
    world.deliver(question())
    again = await box.changes(changes.cursor, since=None, known=nothing_known)
    assert ids(again.seen) == [QUESTION]


async def test_only_header_blocks_of_the_look_back_are_read(
    world: ImapHarness, box: ImapMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        world.append(mail(f"<{number}@example.org>"), Folder.INBOX, days_ago=3 + number)
    world.deliver(question())
    read: list[int] = []
    items = Session.items

    async def counted(self: Session, uids: list[int], *, header: bool) -> object:
        read.extend(uids if header else [])
        return await items(self, uids, header=header)

    monkeypatch.setattr(Session, "items", counted)
    since = world.clock.now() - timedelta(days=2)
    await box.changes(None, since=since, known=nothing_known)
    assert len(read) == 1


async def test_the_servers_own_threads_are_told(tmp_path: Path) -> None:
    world = CyrusHarness(tmp_path)
    world.deliver(question())
    world.deliver(mail("<reply@example.com>", parent=QUESTION), Folder.SENT)
    box = box_at(world, world.port)
    seen = (await first(box)).seen
    await box.close()
    world.tear_down()
    assert len({one.thread for one in seen}) == 1
    assert seen[0].thread


async def test_a_longer_look_back_later_shows_what_was_passed_over(
    world: ImapHarness, box: ImapMailbox
) -> None:
    world.append(mail("<earlier@example.org>"), Folder.INBOX, days_ago=2)
    now = world.clock.now()
    changes = await box.changes(None, since=now - timedelta(days=1), known=nothing_known)
    again = await box.changes(changes.cursor, since=now - timedelta(days=3), known=nothing_known)
    assert (changes.seen, ids(again.seen)) == ((), ["<earlier@example.org>"])


async def test_a_draft_marked_for_deletion_counts_as_trashed(
    world: ImapHarness, box: ImapMailbox
) -> None:
    draft = await make(box)
    world.reader.select("Drafts")
    world.reader.uid("STORE", world.uid(draft.ref)[1], "+FLAGS", "(\\Deleted)")
    assert (await box.draft(draft)).where == "trashed"
    assert (await first(box)).seen == ()
