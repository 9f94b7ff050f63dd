"""What is remembered of a mailbox, and when it is not believed any more."""

from __future__ import annotations

from dataclasses import replace

from anyio import CapacityLimiter

from providers.gmail.items import Event, Item, item_of
from providers.gmail.refs import Stub
from providers.gmail.shelf import Shelf
from providers.gmail.transport import _refusal
from tests.contracts.mails import question
from tests.gmail.conftest import Site, scope
from tests.gmail.drafts import make, request, thread_of


def item() -> Item:
    made = item_of({"id": "m1", "threadId": "t1", "labelIds": ["INBOX"]})
    assert made is not None
    return made


def shelf() -> Shelf:
    return Shelf(CapacityLimiter(1))


def test_a_thread_that_changed_while_it_was_read_is_not_kept() -> None:
    held = shelf()
    begun = held.begin()
    held.heed([Event(kind="messagesAdded", stub=Stub("t1", "m2"), labels=frozenset({"INBOX"}))])
    held.keep("t1", [item()], begun)
    assert held.thread("t1") is None


def test_a_thread_that_was_read_before_everything_was_forgotten_is_not_kept() -> None:
    held = shelf()
    begun = held.begin()
    held.clear()
    held.keep("t1", [item()], begun)
    assert held.thread("t1") is None


def test_a_thread_whose_draft_changed_is_still_true() -> None:
    held = shelf()
    held.keep("t1", [item()], held.begin())
    held.heed([Event(kind="messagesAdded", stub=Stub("t1", "m2"), labels=frozenset({"DRAFT"}))])
    assert held.thread("t1") is not None


def test_an_envelope_with_another_code_is_not_googles() -> None:
    assert _refusal(400, {"error": {"code": 400, "errors": [{"reason": "invalid"}]}}) is not None
    assert _refusal(400, {"error": {"code": 500}}) is None


async def test_a_look_at_a_settled_intent_asks_for_the_drafts_anew(site: Site) -> None:
    site.deliver(question())
    mailbox = site.mailbox()
    changes = await mailbox.changes(None, since=None, known=site.known)
    asked = request(scope(thread_of(changes.seen[0].ref)), site.clock.now(), message_id=None)
    await mailbox.look(asked)
    before = site.requests("drafts.list")
    await mailbox.look(replace(asked, may_withdraw=False))
    assert site.requests("drafts.list") == before + 2


async def test_a_list_from_before_another_process_called_is_not_used(site: Site) -> None:
    site.deliver(question())
    mailbox = site.mailbox()
    changes = await mailbox.changes(None, since=None, known=site.known)
    where = scope(thread_of(changes.seen[0].ref))
    await mailbox.look(request(where, site.clock.now(), message_id=None))
    draft = await make(site.mailbox(), where)
    found = await mailbox.look(request(where, site.clock.now(), message_id=None))
    assert [one.ref for one in found.found] == [draft.ref]
