"""What one look saw is kept as evidence and handed to the next, until it proves something."""

from __future__ import annotations

from datetime import UTC, datetime

from providers.imap.never import Facts, proof
from providers.memory import Behaviour, MemoryMailbox
from providers.ports import Folder, Look, LookRequest
from storage.words import EvidenceKind, IntentState
from tests.support.mails import question
from tests.support.world import World


class Counting(MemoryMailbox):
    """A mailbox that proves as IMAP does: by clean looks that others keep."""

    def __init__(self, world: World) -> None:
        super().__init__(world.clock, stages=False)
        self.requests: list[LookRequest] = []
        self._world = world

    async def look(self, request: LookRequest) -> Look:
        self.requests.append(request)
        seen = await super().look(request)
        if seen.found:
            return seen
        facts = Facts(validity=1, start=1, next=1, settled=request.caller_ended)
        now = datetime.fromtimestamp(self._world.clock.database_s(), UTC)
        proved = proof(facts, request.earlier, ended_at=request.ended_at, now=now)
        return Look(proof=proved, absent=facts.json())


async def lost() -> tuple[World, Counting]:
    """A draft whose call broke before the effect, and two days of looking."""
    world = World(stages=False)
    box = Counting(world)
    world.box.inner = box
    process = world.process()
    box.deliver(question())
    world.plan.add("create", Behaviour.DROP)
    await world.drive(process.note)
    world.clock.skip(60)
    await world.drive(process.work)
    assert world.intent.state is IntentState.UNKNOWN
    await world.pass_days(process)
    return world, box


async def test_each_look_is_handed_what_the_earlier_ones_saw() -> None:
    world, box = await lost()
    first = [one for one in box.requests if one.attempt == 1]
    assert [len(one.earlier) for one in first] == list(range(len(first)))
    kept = [
        fact.at / 1000
        for fact in world.facts(world.intent.id)
        if fact.kind is EvidenceKind.ABSENCE and fact.attempt == 1
    ]
    assert [one["at"] for one in first[-1].earlier] == kept
    assert first[-1].ended_at is not None


async def test_the_proof_frees_the_key_and_the_draft_is_made_once() -> None:
    world, box = await lost()
    assert world.intent.state is IntentState.ACCEPTED
    assert world.intent.attempt == 2
    assert len(box.messages(Folder.DRAFTS)) == 1


async def test_a_new_attempt_begins_without_the_looks_of_the_old_one() -> None:
    _, box = await lost()
    assert all(not one.earlier for one in box.requests if one.attempt == 2)
