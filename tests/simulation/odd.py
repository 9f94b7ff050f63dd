"""A provider whose words no store can hold as they are: NULs, and bytes that are no UTF-8.

What a server says reaches the house through decoders that keep such bytes (as lone surrogates), so
that an adapter may hand them on in whatever is its provider's own words. What such words are said
of must be recorded all the same, and can be read again.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import override

from providers.memory import FaultyMailbox
from providers.ports import DraftRef, Look, LookRequest, Staged, ThreadScope
from storage.words import Accepted, IntentId, Outcome, Rejected, Unknown

WORDS = " \udcff \0"


class OddMailbox(FaultyMailbox):
    """See the module's text."""

    @override
    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        return _odd(await super().create(staged, scope=scope))

    @override
    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        return _odd(await super().remove(draft, intent=intent, attempt=attempt))

    @override
    async def look(self, request: LookRequest) -> Look:
        look = await super().look(request)
        return replace(
            look,
            proof=look.proof and look.proof + WORDS,
            refused=look.refused and look.refused + WORDS,
            detail=look.detail + WORDS,
        )


def _odd(outcome: Outcome) -> Outcome:
    match outcome:
        case Accepted(message_id=own, detail=detail):
            return replace(outcome, message_id=own and own + WORDS, detail=detail + WORDS)
        case Rejected(reason=reason, detail=detail) | Unknown(reason=reason, detail=detail):
            return replace(outcome, reason=reason + WORDS, detail=detail + WORDS)
