"""Remove a draft, or learn what became of an intent: searching and acting together.

The order matters in both. A removal first puts back what an earlier attempt of its own left aside,
then takes the exact version, and only where no such file exists asks what became of the draft. A
look first takes back staged bytes (after which nobody can deliver them) and only then searches, so
that a delivery just before is seen and one just after is impossible. Blocking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from providers.maildir import removal, staging
from providers.maildir.files import FORBIDDEN, FULL, MISSING, exists
from providers.maildir.names import parts_of
from providers.maildir.places import Places
from providers.maildir.search import Search
from providers.maildir.staging import Withdrawal
from providers.ports import (
    DraftNow,
    DraftRef,
    Look,
    LookRequest,
    MailboxIllError,
    TransientError,
    Whereabouts,
)
from storage.words import Accepted, Clock, Faults, IntentId, Outcome, Rejected

_PROOF: Final = "the staged bytes were taken back before anybody delivered them"


@dataclass(frozen=True, slots=True)
class Settling:
    """*check* raises unless the Maildir is there; *network* tells whether its disk is remote."""

    places: Places
    search: Search
    clock: Clock
    faults: Faults
    check: Callable[[], None]
    network: Callable[[], bool]

    def remove(self, draft: DraftRef, intent: IntentId, attempt: int) -> Outcome:
        """Remove exactly the version that *draft* names."""
        try:
            self.check()
            self._recover(intent)
        except MailboxIllError as error:
            return Rejected(reason=str(error), passing=True, illness=True)
        except OSError as error:
            return _not_now(error)
        parts = parts_of(draft.ref)
        place = None if parts is None else self.places.labelled(parts[0])
        if parts is not None and place is not None and exists(place.path):
            outcome = removal.take(
                place.path,
                parts[1],
                draft.version,
                intent,
                attempt,
                network=self.network(),
                faults=self.faults,
            )
            if outcome is not None:
                return outcome
        return self._gone(draft)

    def draft(self, draft: DraftRef) -> DraftNow:
        """A direct get of a recorded draft. Raises OSError or a ProviderError."""
        self.check()
        self._recover(None)
        return self.search.whereabouts(draft)

    def look(self, request: LookRequest) -> Look:
        """Take staged bytes back where that is allowed, then search. Raises OSError or worse."""
        self.check()
        taken = Withdrawal.SILENT
        if request.may_withdraw:
            self._recover(request.intent)
            taken = self._withdraw(request)
        found, candidates, unread = self.search.look(request)
        return Look(
            found=tuple(found),
            candidates=tuple(candidates),
            complete=not unread,
            proof=_PROOF if taken is Withdrawal.PROVED else None,
            delivered=taken is Withdrawal.DELIVERED,
            detail="; ".join(unread),
        )

    def _withdraw(self, request: LookRequest) -> Withdrawal:
        token = staging.token_of(request.token)
        place = token and self.places.labelled(token.label)
        if token is None or not place:
            return Withdrawal.SILENT
        try:
            return staging.withdraw(
                place.path, token, request.claimed_at, self.clock.now(), network=self.network()
            )
        except OSError:
            return Withdrawal.SILENT

    def _recover(self, intent: IntentId | None) -> None:
        for place in self.search.drafts():
            removal.recover(place.path, intent=intent)

    def _gone(self, draft: DraftRef) -> Outcome:
        """No file has the draft's name any more: what became of it decides."""
        try:
            where = self.search.whereabouts(draft).where
        except (OSError, TransientError) as error:
            return _not_now(error)
        match where:
            case Whereabouts.ABSENT:
                return Accepted(detail="it was gone already, and nothing took its place")
            case Whereabouts.TRASHED:
                return Accepted(detail="its owner had put it into the trash already")
            case Whereabouts.SENT:
                return Rejected(reason="the draft was sent")
            case Whereabouts.EDITED:
                return Rejected(reason=removal.EDITED)
            case Whereabouts.UNTOUCHED:
                return Rejected(reason="the draft lies under another name now", passing=True)


def _not_now(error: Exception) -> Rejected:
    """A removal that touched nothing: the folder could not be read as it must be."""
    ill = isinstance(error, OSError) and error.errno in FULL | FORBIDDEN | MISSING
    return Rejected(reason=str(error), passing=True, illness=ill)
