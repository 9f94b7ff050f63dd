"""What the mailbox in memory does besides the contract."""

from __future__ import annotations

from datetime import timedelta

import pytest

from providers.memory import Effect, MemoryMailbox
from providers.ports import Changes, Folder, Mailbox, ThreadScope
from storage.words import Accepted, FaultPoint, IntentId, Kind, Outcome, Ref
from tests.contracts.clock import SkippingClock
from tests.contracts.mails import INTENT, MARK, QUESTION, mail, ours, question
from tests.contracts.steps import draft_ours

SCOPE = ThreadScope(thread=None, message_ids=frozenset({QUESTION}))


async def known(refs: object) -> frozenset[Ref]:
    return frozenset()


async def passed(box: Mailbox, after: Changes | None = None) -> Changes:
    return await box.changes(None if after is None else after.cursor, since=None, known=known)


async def create(box: Mailbox, attempt: int = 1) -> Outcome:
    staged = await box.stage(ours(), intent=INTENT, attempt=attempt)
    return await box.create(staged, scope=SCOPE)


@pytest.fixture
def clock() -> SkippingClock:
    return SkippingClock()


async def test_a_listing_misses_what_was_just_made(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock, lag_s=30)
    await create(box)
    first = await passed(box)
    clock.skip(31)
    second = await passed(box, first)
    assert (len(first.seen), len(second.seen)) == (0, 1)


async def test_a_direct_get_misses_nothing(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock, lag_s=30)
    outcome = await create(box)
    assert isinstance(outcome, Accepted)
    (fetched,) = await box.fetch([outcome.ref])
    assert fetched.raw == ours()


async def test_mail_that_arrives_behind_a_hidden_draft_is_not_lost(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock, lag_s=30)
    await create(box)
    box.deliver(question())
    first = await passed(box)
    clock.skip(31)
    second = await passed(box, first)
    assert [one.heads.message_id for one in first.seen] == [QUESTION]
    assert MARK in [one.heads.mark for one in second.seen]


async def test_history_that_expired_is_a_gap_with_a_bounded_rescan(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock)
    first = await passed(box)
    box.deliver(mail("<old@example.org>"), arrived_at=clock.now() - timedelta(days=60))
    clock.skip(3600)
    box.deliver(question())
    box.forget_history()
    second = await passed(box, first)
    assert second.gap is not None
    assert [one.heads.message_id for one in second.seen] == [QUESTION]


async def test_each_edit_makes_another_version_of_the_same_draft(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock)
    outcome = await create(box)
    assert isinstance(outcome, Accepted)
    box.owner_edits(outcome.ref, ours(body="Changed."))
    (seen,) = (await box.snapshot(SCOPE)).drafts
    assert seen.ref == outcome.ref
    assert seen.version != outcome.version


async def test_every_effect_is_in_the_journal_with_intent_attempt_and_mark(
    clock: SkippingClock,
) -> None:
    box = MemoryMailbox(clock)
    await create(box, attempt=2)
    (effect,) = box.journal.effects
    assert (effect.kind, effect.intent, effect.attempt, effect.mark) == (
        Kind.CREATE_DRAFT,
        INTENT,
        2,
        MARK,
    )
    assert box.journal.made(MARK) == 1


async def test_the_hook_runs_before_the_effect(clock: SkippingClock) -> None:
    drafts: list[int] = []

    def look(effect: Effect) -> None:
        drafts.append(len(box.messages(Folder.DRAFTS)))

    box = MemoryMailbox(clock, hook=look)
    await create(box)
    assert drafts == [0]


async def test_the_effect_is_done_at_its_fault_point(clock: SkippingClock) -> None:
    class Stop:
        def hit(self, point: FaultPoint) -> None:
            raise InterruptedError(point)

    box = MemoryMailbox(clock, faults=Stop())
    with pytest.raises(InterruptedError):
        await create(box)
    assert len(box.messages(Folder.DRAFTS)) == 1


async def test_a_mail_in_the_trash_is_never_news(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock)
    box.owner_deletes(box.deliver(question()), trash=True)
    assert (await passed(box)).seen == ()
    assert (await box.snapshot(SCOPE)).news == ()


async def test_calls_are_counted(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock)
    await create(box)
    await box.account()
    assert box.journal.calls == {"stage": 1, "create": 1, "account": 1}


async def test_another_intent_cannot_remove_what_is_gone_twice(clock: SkippingClock) -> None:
    box = MemoryMailbox(clock)
    draft = await draft_ours(box)
    for number in (1, 2):
        outcome = await box.remove(draft, intent=IntentId(f"{number}e" * 16), attempt=1)
        assert isinstance(outcome, Accepted)
    assert len([e for e in box.journal.effects if e.kind is Kind.REMOVE_DRAFT]) == 1
