"""Steps that the tests of every mailbox share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from providers.mime.compose import content_hash
from providers.ports import (
    Changes,
    DraftRef,
    Look,
    LookRequest,
    Mailbox,
    Sighting,
    Staged,
    ThreadScope,
)
from storage.words import Accepted, IntentId, Ref, Version
from tests.contracts.harness import Harness
from tests.contracts.mails import ANSWER, INTENT, MARK, QUESTION, ours

REMOVAL = IntentId("2e" * 16)


OTHER = "<other@example.org>"


@dataclass
class Notes:
    """A store of noted references."""

    refs: set[Ref] = field(default_factory=set)

    async def known(self, refs: Sequence[Ref]) -> frozenset[Ref]:
        return frozenset(refs) & self.refs

    def note(self, changes: Changes) -> None:
        self.refs |= {one.ref for one in changes.seen}


def scope(*refs: Ref) -> ThreadScope:
    return ThreadScope(thread=None, message_ids=frozenset({QUESTION}), refs=frozenset(refs))


async def first_pass(box: Mailbox, notes: Notes) -> Changes:
    changes = await box.changes(None, since=None, known=notes.known)
    notes.note(changes)
    return changes


async def stage(box: Mailbox, raw: bytes | None = None) -> Staged:
    return await box.stage(ours() if raw is None else raw, intent=INTENT, attempt=1)


async def draft_ours(box: Mailbox, raw: bytes | None = None) -> DraftRef:
    content = ours() if raw is None else raw
    outcome = await box.create(await stage(box, content), scope=scope())
    assert isinstance(outcome, Accepted)
    return recorded(outcome.ref, outcome.version, content)


def recorded(ref: Ref, version: Version, content: bytes) -> DraftRef:
    return DraftRef(
        ref=ref, version=version, content_hash=content_hash(content), mark=MARK, scope=scope()
    )


def request(harness: Harness, staged: Staged | None = None, **other: object) -> LookRequest:
    given = {
        "intent": INTENT,
        "attempt": 1,
        "scope": scope(),
        "mark": MARK,
        "message_id": ANSWER,
        "content_hash": content_hash(ours()),
        "place": {},
        "before": frozenset(),
        "token": {} if staged is None else staged.token,
        "claimed_at": harness.clock.now(),
        "may_withdraw": True,
        "caller_ended": True,
        **other,
    }
    return LookRequest(**given)  # type: ignore[arg-type]


async def look(
    box: Mailbox, harness: Harness, staged: Staged | None = None, **other: object
) -> Look:
    claimed = {"claimed_at": harness.clock.now(), **other}
    harness.settle()
    return await box.look(request(harness, staged, **claimed))


def ids(seen: Sequence[Sighting]) -> list[str | None]:
    return [one.heads.message_id for one in seen]
