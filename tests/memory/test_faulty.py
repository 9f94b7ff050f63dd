"""The plan of faults: each behaviour does what it says, on any mailbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from providers.memory import Behaviour, Effect, FaultPlan, FaultyMailbox
from providers.ports import Mailbox, MailboxIllError, ThreadScope, TransientError
from storage.words import Accepted, IntentId, Kind, Outcome, Rejected, Unknown
from tests.contracts.harness import Harness, MaildirHarness, MemoryHarness
from tests.contracts.mails import INTENT, MARK, QUESTION, ours
from tests.contracts.steps import draft_ours

SCOPE = ThreadScope(thread=None, message_ids=frozenset({QUESTION}))
B = Behaviour


@pytest.fixture(params=[MemoryHarness, MaildirHarness], ids=["memory", "maildir"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Harness]:
    made: Harness = request.param(tmp_path)
    yield made
    made.tear_down()


def wrapped(harness: Harness, *acts: Behaviour) -> FaultyMailbox:
    plan = FaultPlan(script={"create": acts}, delay_s=90)
    return FaultyMailbox(harness.plain(), plan, clock=harness.clock)


async def create(box: Mailbox) -> Outcome:
    return await box.create(await box.stage(ours(), intent=INTENT, attempt=1), scope=SCOPE)


@pytest.mark.parametrize(
    ("act", "outcome", "drafts"),
    [
        (B.PASS, Accepted, 1),
        (B.REFUSE, Rejected, 0),
        (B.BUSY, Rejected, 0),
        (B.QUOTA, Rejected, 0),
        (B.AUTH, Rejected, 0),
        (B.DROP, Unknown, 0),
        (B.LOSE, Unknown, 1),
        (B.TWICE, Accepted, 2),
        (B.TWICE_LOST, Unknown, 2),
        (B.LATE_EFFECT, Unknown, 0),
    ],
)
async def test_a_behaviour_has_its_outcome_and_its_effect(
    harness: Harness, act: Behaviour, outcome: type[Outcome], drafts: int
) -> None:
    box = wrapped(harness, act)
    assert isinstance(await create(box), outcome)
    assert len(harness.list_drafts()) == drafts
    assert box.journal.made(MARK) == drafts


@pytest.mark.parametrize(("act", "drafts"), [(B.HANG, 0), (B.HANG_AFTER, 1)])
async def test_a_call_that_hangs_ends_when_its_caller_gives_up(
    harness: Harness, act: Behaviour, drafts: int
) -> None:
    box = wrapped(harness, act)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(create, box)
        while box.journal.calls["create"] == 0 or len(harness.list_drafts()) < drafts:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert len(harness.list_drafts()) == drafts


async def test_a_late_answer_comes_after_its_delay(harness: Harness) -> None:
    box = wrapped(harness, B.LATE)
    answers: list[Outcome] = []

    async def call() -> None:
        answers.append(await create(box))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        while not harness.clock.sleepers:
            await anyio.lowlevel.checkpoint()
        assert (len(harness.list_drafts()), answers) == (1, [])
        harness.clock.skip(90)
    assert isinstance(answers[0], Accepted)


async def test_a_late_effect_lands_when_it_is_let(harness: Harness) -> None:
    box = wrapped(harness, B.LATE_EFFECT)
    await create(box)
    (landed,) = await box.land()
    assert isinstance(landed, Accepted)
    assert len(harness.list_drafts()) == 1
    assert await box.land() == []


async def test_only_illness_is_told_as_illness(harness: Harness) -> None:
    box = wrapped(harness, B.REFUSE, B.BUSY, B.QUOTA, B.AUTH)
    told = [await create(box) for _ in range(4)]
    assert [(o.passing, o.illness) for o in told if isinstance(o, Rejected)] == [
        (False, False),
        (True, False),
        (True, True),
        (True, True),
    ]


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (B.QUOTA, MailboxIllError),
        (B.AUTH, MailboxIllError),
        (B.DROP, TransientError),
        (B.LOSE, TransientError),
        (B.REFUSE, TransientError),
    ],
)
@pytest.mark.parametrize("call", ["stage", "snapshot", "fetch", "account"])
async def test_reading_fails_with_an_error(
    harness: Harness, call: str, act: Behaviour, error: type[Exception]
) -> None:
    box = wrapped(harness)
    box.plan.add(call, act)
    calls = {
        "stage": lambda: box.stage(ours(), intent=INTENT, attempt=1),
        "snapshot": lambda: box.snapshot(SCOPE),
        "fetch": lambda: box.fetch([]),
        "account": box.account,
    }
    with pytest.raises(error):
        await calls[call]()
    await calls[call]()


async def test_the_hook_is_called_before_each_effect_with_its_intent(harness: Harness) -> None:
    box = wrapped(harness, B.TWICE)
    seen: list[tuple[Effect, int]] = []
    box.journal.hook = lambda effect: seen.append((effect, len(harness.list_drafts())))
    await create(box)
    assert [(e.kind, e.intent, e.attempt, e.mark, before) for e, before in seen] == [
        (Kind.CREATE_DRAFT, INTENT, 1, MARK, 0),
        (Kind.CREATE_DRAFT, INTENT, 1, MARK, 1),
    ]


async def test_a_hook_that_raises_stops_the_effect(harness: Harness) -> None:
    box = wrapped(harness)

    def refuse(effect: Effect) -> None:
        raise LookupError("no such intent was committed")

    box.journal.hook = refuse
    with pytest.raises(LookupError):
        await create(box)
    assert harness.list_drafts() == []


async def test_calls_are_counted(harness: Harness) -> None:
    box = wrapped(harness, B.DROP, B.PASS)
    await create(box)
    await create(box)
    assert (box.journal.calls["create"], box.journal.calls["stage"]) == (2, 2)
    assert box.plan.taken[-1] == ("create", B.PASS)


def test_the_same_seed_gives_the_same_faults() -> None:
    chances = {"create": {B.DROP: 0.3, B.LOSE: 0.3}}

    def drawn(seed: int) -> list[Behaviour]:
        plan = FaultPlan(seed=seed, chances=chances)
        return [plan.next("create") for _ in range(200)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert set(drawn(1)) == {B.DROP, B.LOSE, B.PASS}


def test_the_script_comes_before_chance_and_other_calls_pass() -> None:
    plan = FaultPlan(script={"create": [B.HANG]}, chances={"create": {B.DROP: 1.0}})
    assert [plan.next("create"), plan.next("create"), plan.next("look")] == [
        B.HANG,
        B.DROP,
        B.PASS,
    ]


async def test_a_lost_answer_of_a_removal_is_a_removal_all_the_same(harness: Harness) -> None:
    box = wrapped(harness)
    draft = await draft_ours(box)
    box.plan.add("remove", B.LOSE)
    outcome = await box.remove(draft, intent=IntentId("2e" * 16), attempt=1)
    assert isinstance(outcome, Unknown)
    assert harness.list_drafts() == []
    assert [e.kind for e in box.journal.effects] == [Kind.CREATE_DRAFT, Kind.REMOVE_DRAFT]
