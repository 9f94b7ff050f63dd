"""What tests of the Maildir adapter do again and again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from providers.maildir import MaildirMailbox
from providers.mime.compose import content_hash
from providers.ports import DraftRef, Look, LookRequest, Staged, ThreadScope
from storage.words import Accepted, FaultPoint, IntentId, Ref
from tests.contracts.harness import MaildirHarness
from tests.contracts.mails import ANSWER, INTENT, MARK, QUESTION, ours

REMOVAL = IntentId("2e" * 16)
SCOPE = ThreadScope(thread=None, message_ids=frozenset({QUESTION}))


async def nothing_known(refs: Sequence[Ref]) -> frozenset[Ref]:
    """A store that has noted nothing."""
    return frozenset()


async def everything_known(refs: Sequence[Ref]) -> frozenset[Ref]:
    """A store that has noted all."""
    return frozenset(refs)


async def stage(box: MaildirMailbox, attempt: int = 1) -> Staged:
    """Stage our draft."""
    return await box.stage(ours(), intent=INTENT, attempt=attempt)


async def make(box: MaildirMailbox) -> DraftRef:
    """Make our draft and record it."""
    outcome = await box.create(await stage(box), scope=SCOPE)
    assert isinstance(outcome, Accepted)
    return DraftRef(
        ref=outcome.ref,
        version=outcome.version,
        content_hash=content_hash(ours()),
        mark=MARK,
        scope=SCOPE,
    )


async def look(
    box: MaildirMailbox,
    world: MaildirHarness,
    staged: Staged | None = None,
    *,
    intent: IntentId = INTENT,
    ago: timedelta = timedelta(),
) -> Look:
    """Look for our draft as for an unknown intent that was claimed *ago*."""
    return await box.look(
        LookRequest(
            intent=intent,
            attempt=1,
            scope=SCOPE,
            mark=MARK,
            message_id=ANSWER,
            content_hash=content_hash(ours()),
            place={},
            before=frozenset(),
            token={} if staged is None else staged.token,
            claimed_at=world.clock.now() - ago,
            may_withdraw=True,
            caller_ended=True,
        )
    )


class At:
    """Runs *act* when a fault point is reached, once."""

    def __init__(self, point: FaultPoint, act: object) -> None:
        self.point = point
        self.act = act
        self.reached = 0

    def hit(self, point: FaultPoint) -> None:
        """Called by the adapter, on any thread."""
        if point is self.point:
            self.reached += 1
            if callable(self.act):
                self.act()
