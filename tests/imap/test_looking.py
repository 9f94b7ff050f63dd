"""Looking for a lost draft on real servers: what is found, what is an absence, what is a proof."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from datetime import datetime

import anyio
import pytest

from providers.imap import ImapMailbox
from providers.ports import Folder, Json, Look, Snapshot
from storage.words import Unknown
from tests.contracts.imap_harness import DovecotHarness, ImapHarness
from tests.contracts.mails import ANSWER, MARK, mail, ours, owners
from tests.contracts.steps import REMOVAL
from tests.imap.acts import SCOPE, box_at, make, request, stage
from tests.support.dovecot import wait_until
from tests.support.proxy import Act, Proxy, Rule, To

LOOKS_S = (5, 60, 120, 600, 3600)


class Looking:
    """The looks that the reconciler makes, with what it keeps of each."""

    def __init__(self, box: ImapMailbox, world: ImapHarness, snapshot: Snapshot) -> None:
        self.box, self.world, self.snapshot = box, world, snapshot
        self.ended_at: datetime = world.clock.now()
        self.earlier: list[Json] = []
        self.passed_s = 0.0

    async def at(self, after_s: float, *, caller_ended: bool = True) -> Look:
        self.world.clock.skip(after_s - self.passed_s)
        self.passed_s = after_s
        look = await self.box.look(
            request(
                self.ended_at,
                place=self.snapshot.place,
                before=frozenset(one.ref for one in self.snapshot.drafts),
                ended_at=self.ended_at if caller_ended else None,
                earlier=self.earlier,
                caller_ended=caller_ended,
            )
        )
        if look.absent:
            self.earlier.append({**look.absent, "at": self.world.clock.now().timestamp()})
        return look


@pytest.fixture
async def box(world: ImapHarness, proxy: Proxy) -> AsyncIterator[ImapMailbox]:
    made = box_at(world, proxy.port, answer_s=1.0)
    yield made
    await made.close()


async def lost(box: ImapMailbox, world: ImapHarness, proxy: Proxy) -> Looking:
    """A draft that was handed over whole as far as we know, and never arrived."""
    snapshot = await box.snapshot(SCOPE)
    staged = await stage(box)
    proxy.add(Rule(To.SERVER, b"Gladly.", Act.HOLE))
    assert isinstance(await box.create(staged, scope=SCOPE), Unknown)
    proxy.cut_all()
    return Looking(box, world, snapshot)


async def test_absences_become_a_proof_after_ten_minutes(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    looking = await lost(box, world, proxy)
    proofs = [(await looking.at(seconds)).proof for seconds in LOOKS_S]
    assert proofs[:3] == [None, None, None]
    assert proofs[3]


async def test_no_proof_where_the_owner_does_not_vouch_for_the_way(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    looking = await lost(box, world, proxy)
    looking.box = box_at(world, proxy.port, direct=False)
    assert [(await looking.at(seconds)).proof for seconds in LOOKS_S] == [None] * 5
    await looking.box.close()


async def test_no_proof_while_the_caller_may_still_write(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    looking = await lost(box, world, proxy)
    looks = [await looking.at(seconds, caller_ended=False) for seconds in LOOKS_S]
    assert [one.proof for one in looks] == [None] * 5


async def test_another_draft_beside_it_does_not_hinder_the_proof(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    looking = await lost(box, world, proxy)
    world.deliver(mail("<else@example.com>", parent="<other@example.org>"), Folder.DRAFTS)
    proofs = [(await looking.at(seconds)).proof for seconds in LOOKS_S]
    assert proofs[3]


async def test_the_owners_new_draft_in_the_thread_is_a_candidate_and_no_proof(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    looking = await lost(box, world, proxy)
    world.deliver(owners(), Folder.DRAFTS)
    looks = [await looking.at(seconds) for seconds in LOOKS_S]
    assert [len(one.candidates) for one in looks] == [1] * 5
    assert [one.proof for one in looks] == [None] * 5


async def test_a_draft_that_came_and_went_is_told_and_no_proof(
    world: ImapHarness, box: ImapMailbox
) -> None:
    snapshot = await box.snapshot(SCOPE)
    draft = await make(box)
    looking = Looking(box, world, snapshot)
    world.owner_deletes(draft.ref)
    looks = [await looking.at(seconds) for seconds in LOOKS_S]
    assert [one.proof for one in looks] == [None] * 5
    uid = draft.ref.partition("/")[0].partition(".")[2]
    assert f"came and went since the call (UID {uid})" in looks[0].detail
    assert f"vanished: {uid}:{uid}" in looks[0].detail


async def test_a_draft_is_found_though_the_folder_was_open_already(
    world: ImapHarness, box: ImapMailbox
) -> None:
    await box.snapshot(SCOPE)
    world.append(ours(), Folder.DRAFTS, "(\\Draft)")
    look = await box.look(request(world.clock.now()))
    assert [one.mark for one in look.found] == [MARK]


async def test_a_look_uses_a_connection_opened_after_the_claim(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    await box.snapshot(SCOPE)
    before = proxy.connections
    await box.look(request(world.clock.now()))
    assert proxy.connections == before + 1


def renumber(world: ImapHarness) -> None:
    """Make the drafts folder anew, under new numbers (a server's may be seconds)."""
    world.reader.select("INBOX")

    def numbers() -> bytes:
        _, said = world.reader.status("Drafts", "(UIDVALIDITY)")
        return bytes(said[0])

    before = numbers()

    def anew() -> bool:
        world.reader.delete("Drafts")
        world.reader.create("Drafts")
        return numbers() != before

    wait_until(anew, 5)


async def test_a_place_that_cannot_be_reached_is_no_look(
    world: ImapHarness, proxy: Proxy, box: ImapMailbox
) -> None:
    await box.snapshot(SCOPE)
    proxy.add(Rule(To.SERVER, b'EXAMINE "Trash"', Act.CUT))
    with pytest.raises(Exception, match="lost"):
        await box.look(request(world.clock.now()))


async def test_new_numbers_are_told_and_no_proof(world: ImapHarness, box: ImapMailbox) -> None:
    snapshot = await box.snapshot(SCOPE)
    renumber(world)
    looking = Looking(box, world, snapshot)
    looks = [await looking.at(seconds) for seconds in LOOKS_S]
    assert "numbered anew" in looks[0].detail
    assert [one.proof for one in looks] == [None] * 5


async def test_a_draft_under_new_numbers_is_found_by_its_mark(
    world: ImapHarness, box: ImapMailbox
) -> None:
    draft = await make(box)
    raw = world.take(draft.ref)
    renumber(world)
    world.append(raw, Folder.DRAFTS)
    now = await box.draft(draft)
    assert now.where == "untouched"
    assert now.sight is not None
    assert now.sight.message_id == ANSWER


async def test_a_stalled_server_stores_late_and_no_proof_was_claimed(
    dovecot_world: DovecotHarness,
) -> None:
    world = dovecot_world
    proxy = Proxy(world.port)
    box, looker = box_at(world, proxy.port, answer_s=1.0), box_at(world, world.port)
    snapshot = await box.snapshot(SCOPE)
    staged = await stage(box)
    rule = proxy.add(Rule(To.SERVER, b"X-Fencepost-Intent", Act.DELAY, seconds=0.5))
    stopped: list[int] = []

    async def stop_in_the_middle() -> None:
        await anyio.to_thread.run_sync(rule.acted.wait, 10)
        for pid in world.server.processes(world.user):
            os.kill(pid, signal.SIGSTOP)
            stopped.append(pid)

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop_in_the_middle)
            assert isinstance(await box.create(staged, scope=SCOPE), Unknown)
        assert stopped
        looking = Looking(looker, world, snapshot)
        early = [await looking.at(seconds) for seconds in (5, 60, 120)]
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
    await anyio.to_thread.run_sync(wait_until, lambda: world.list_drafts(), 10)
    late = [await looking.at(seconds) for seconds in (600, 3600)]
    await box.close()
    await looker.close()
    proxy.close()
    assert [(one.found, one.proof) for one in early] == [((), None)] * 3
    assert [(len(one.found), one.proof) for one in late] == [(1, None)] * 2


async def test_a_removal_hits_no_draft_that_has_the_number_now(
    world: ImapHarness, box: ImapMailbox
) -> None:
    draft = await make(box)
    renumber(world)
    other = owners(message_id="<other@example.com>")
    world.append(other, Folder.DRAFTS)
    await box.remove(draft, intent=REMOVAL, attempt=1)
    assert world.list_drafts() == [other]
