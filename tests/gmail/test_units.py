"""What things cost in Google's units, as the server counts them."""

from __future__ import annotations

from providers.ports import Fetched
from tests.contracts.mails import QUESTION, mail, question
from tests.gmail.conftest import Site, scope
from tests.gmail.drafts import make, request, thread_of


async def test_a_thread_costs_at_most_sixty_units_from_notice_to_draft(site: Site) -> None:
    site.deliver(question(), days_ago=1)
    site.deliver(mail("<second@example.org>", parent=QUESTION), days_ago=0.5)
    mailbox = site.mailbox()
    first = await mailbox.changes(None, since=None, known=site.known)
    site.refs |= {one.ref for one in first.seen}
    site.deliver(mail("<third@example.org>", parent=QUESTION))

    before = site.units
    changes = await mailbox.changes(first.cursor, since=None, known=site.known)
    site.refs |= {one.ref for one in changes.seen}
    thread = changes.seen[0].thread
    fetched = await mailbox.fetch(sorted(site.refs))
    assert all(one.raw for one in fetched)
    where = scope(thread, *site.refs)
    assert (await mailbox.snapshot(where)).news == ()
    await make(mailbox, where)
    assert site.units - before <= 60
    assert site.units - before == 2 + 40 + 5 + 2 + 10


async def test_a_new_conversation_costs_less(site: Site) -> None:
    mailbox = site.mailbox()
    first = await mailbox.changes(None, since=None, known=site.known)
    site.deliver(question())
    before = site.units
    (seen,) = (await mailbox.changes(first.cursor, since=None, known=site.known)).seen
    await mailbox.fetch([seen.ref])
    where = scope(seen.thread, seen.ref)
    await mailbox.snapshot(where)
    await make(mailbox, where)
    assert site.units - before == 2 + 20 + 5 + 2 + 10


async def test_a_pass_over_a_quiet_mailbox_costs_two_units(site: Site) -> None:
    site.deliver(question())
    mailbox = site.mailbox()
    first = await mailbox.changes(None, since=None, known=site.known)
    before = site.units
    await mailbox.changes(first.cursor, since=None, known=site.known)
    assert site.units - before == 2


async def test_a_whole_thread_is_read_at_once_after_a_restart(site: Site) -> None:
    for number in range(5):
        site.deliver(mail(f"<{number}@example.org>", parent="<0@example.org>"))
    changes = await site.mailbox().changes(None, since=None, known=site.known)
    before = site.units
    fetched = await site.mailbox().fetch([one.ref for one in changes.seen])
    assert all(isinstance(one, Fetched) and one.raw for one in fetched)
    assert site.units - before == 40 + 1


async def test_looks_that_are_made_together_share_the_list_of_drafts(site: Site) -> None:
    mailbox = site.mailbox()
    threads = []
    for number in range(20):
        site.deliver(mail(f"<{number}@example.org>"))
    changes = await mailbox.changes(None, since=None, known=site.known)
    threads = [thread_of(one.ref) for one in changes.seen]
    at = site.clock.now()
    site.clock.skip(60)
    before = site.units
    for thread in threads:
        await mailbox.look(request(scope(thread), at, message_id=None))
    assert site.requests("drafts.list") - 1 == 2
    assert site.units - before == 2 * 5 + 20 * 40


async def test_a_look_never_uses_a_list_from_before_its_call(site: Site) -> None:
    site.deliver(question())
    mailbox = site.mailbox()
    changes = await mailbox.changes(None, since=None, known=site.known)
    thread = thread_of(changes.seen[0].ref)
    await mailbox.look(request(scope(thread), site.clock.now(), message_id=None))
    draft = await make(mailbox, scope(thread))
    found = await mailbox.look(request(scope(thread), site.clock.now(), message_id=None))
    assert [one.ref for one in found.found] == [draft.ref]


async def test_own_drafts_are_read_once(site: Site) -> None:
    site.deliver(question())
    mailbox = site.mailbox()
    changes = await mailbox.changes(None, since=None, known=site.known)
    where = scope(thread_of(changes.seen[0].ref), changes.seen[0].ref)
    await make(mailbox, where)
    await mailbox.snapshot(where)
    before = site.units
    (seen,) = (await mailbox.snapshot(where)).drafts
    assert seen.mark is not None
    assert site.units - before == 2 + 5
