"""The plan: all policy in one pure function, from what is known to what is to be done.

It never decides whether something *may* be called: the claim does that again, on committed facts,
in its transaction. A plan that is out of date is dropped there and made anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

from assistant.core.conversation import Conversation, Triage
from providers.mime.message import Address, Envelope
from storage.words import Category, DraftState, Identity, IntentState, ThreadId


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the user's file says about drafts."""

    draft: frozenset[Category]
    never_draft_for: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OurDraft:
    """A draft of ours in the thread."""

    id: int
    state: DraftState
    answers: Identity | None
    made_at: int
    discard_asked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is known of the intent that would answer a message in this generation."""

    state: IntentState
    passing: bool
    retry_at: int | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store and the mailbox know of a thread besides its mail.

    ``asked`` maps a message's identity to its intent in the present generation; ``open_calls`` says
    that another call blocks the thread; ``ceiling`` says why the model writes nothing more today,
    None while it does (a draft that was written before is sent again from its stored bytes).
    ``own_unread_at`` is the newest mail of the owner's own that could not be read: its words are
    missing from the conversation, and that they answered is known. ``belongs_to`` is another thread
    of which a mail is that was unreadable when it was noted, and so was put here.
    """

    drafts: Sequence[OurDraft]
    asked: Mapping[Identity, Asked]
    owner_draft: bool
    open_calls: bool
    ceiling: str | None = None
    own_unread_at: datetime | None = None
    belongs_to: ThreadId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateDraft:
    """Make a draft that answers the entry ``answer``."""

    answer: int
    identity: Identity
    envelope: Envelope


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDraft:
    """Remove this draft of ours, because its owner asked for it."""

    draft: int


Act = CreateDraft | RemoveDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do with a thread. ``because`` says why there is no new draft, if there is none.

    ``overtaken`` are drafts of ours that a newer message has overtaken; ``ceiling`` says that the
    thread has lost its draft to the daily ceiling alone and is due when the next day begins.
    """

    act: Act | None = None
    because: str | None = None
    overtaken: tuple[int, ...] = ()
    ceiling: bool = False


def plan(
    conversation: Conversation,
    triage: Triage,
    envelope: Envelope | None,
    known: Known,
    policy: Policy,
) -> Plan:
    """What to do with this thread as it is now. *envelope* is that of an answer to all."""
    overtaken = _overtaken(conversation, known)
    for draft in known.drafts:
        # One that was edited since is the owner's, whatever they asked before.
        if draft.discard_asked and draft.state is DraftState.HELD:
            return Plan(
                act=RemoveDraft(draft=draft.id),
                because="its draft is being discarded",
                overtaken=overtaken,
            )
    because = _forbidden(triage, envelope, policy) or _occupied(known)
    if because is None and triage.answer is not None and envelope is not None:
        entry = conversation.entries[triage.answer]
        asked = known.asked.get(entry.mail.identity)
        because = _answered_unread(entry.arrived_at, known) or _asked_before(asked)
        if because is None and asked is None and known.ceiling is not None:
            return Plan(because=known.ceiling, overtaken=overtaken, ceiling=True)
        if because is None:
            act = CreateDraft(answer=triage.answer, identity=entry.mail.identity, envelope=envelope)
            return Plan(act=act, overtaken=overtaken)
    return Plan(because=because, overtaken=overtaken)


def _forbidden(triage: Triage, envelope: Envelope | None, policy: Policy) -> str | None:
    if triage.category is Category.SUSPICIOUS:
        return f"suspicious: {triage.reason}"
    if triage.category not in policy.draft:
        return f"{triage.category}: {triage.reason}"
    if triage.answer is None:
        return "no message of this thread waits for an answer"
    if envelope is None or not envelope.to:
        return "there is nobody to answer"
    for address in (*envelope.to, *envelope.cc):
        pattern = _matching(address, policy.never_draft_for)
        if pattern is not None:
            return f"never_draft_for names {pattern}"
    return None


def _matching(address: Address, patterns: Sequence[str]) -> str | None:
    addr = address.addr.casefold()
    return next((one for one in patterns if fnmatchcase(addr, one.casefold())), None)


def _answered_unread(arrived_at: datetime, known: Known) -> str | None:
    if known.own_unread_at is not None and known.own_unread_at >= arrived_at:
        return "you have written in this thread since, in a mail that could not be read"
    return None


def _occupied(known: Known) -> str | None:
    if known.belongs_to is not None:
        return f"its mail belongs to a conversation that is followed in thread {known.belongs_to}"
    for draft in known.drafts:
        if draft.state is DraftState.HELD:
            return "a draft of ours waits in this thread"
        if draft.state is DraftState.EDITED:
            return "a draft that you changed waits in this thread"
    if known.owner_draft:
        return "you have an unsent draft in this thread"
    if known.open_calls:
        return "the outcome of an earlier call into this thread is not known yet"
    return None


def _asked_before(asked: Asked | None) -> str | None:
    if asked is None or (asked.state is IntentState.REJECTED and asked.passing):
        return None
    match asked.state:
        case IntentState.ACCEPTED | IntentState.DUPLICATED:
            return "this message had its draft already"
        case IntentState.REJECTED:
            return f"the draft was refused: {asked.reason or 'no reason given'}"
        case IntentState.UNKNOWN:
            return "nobody can say yet whether its draft was made"
        case IntentState.CALLING:
            return "its draft is being made"


def _overtaken(conversation: Conversation, known: Known) -> tuple[int, ...]:
    places = {entry.mail.identity: at for at, entry in enumerate(conversation.entries)}
    found = []
    for draft in known.drafts:
        if draft.state not in (DraftState.HELD, DraftState.EDITED) or draft.answers is None:
            continue
        answered = places.get(draft.answers)
        if answered is None:
            continue
        if any(not entry.own for entry in conversation.entries[answered + 1 :]):
            found.append(draft.id)
    return tuple(found)
