"""The words of the house: ids, states, legal moves, outcomes, evidence, time and fault points.

Everything else imports this module and it imports nothing of ours, so that every room means the
same by the same word. Values only: no SQL, no I/O, no policy. The table TRANSITIONS says which
moves of an intent are *legal*; which one is *wise* is decided in ``assistant.core``.

A crash here is a programming error: nothing in this module touches the world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NewType, Protocol

UserName = NewType("UserName", str)
"""The NAME of ``users/NAME.toml``."""
IntegrationId = NewType("IntegrationId", str)
"""One mailbox account of one user, ``NAME/MAILBOX``."""
ThreadId = NewType("ThreadId", str)
"""A conversation inside one integration."""
IntentKey = NewType("IntentKey", str)
"""The idempotency key of one side effect, derived from what is asked."""
IntentId = NewType("IntentId", str)
"""32 lower-case hex digits; what a mark in the mailbox names."""
OwnerId = NewType("OwnerId", str)
"""One worker process: ``host:pid:random``."""
Ref = NewType("Ref", str)
"""A provider's reference to one message or draft, opaque outside its adapter."""
Version = NewType("Version", str)
"""The exact version of a draft: changes with every edit, opaque outside its adapter."""
Identity = NewType("Identity", str)
"""What stays the same for one message whatever file, UID or folder holds it (64 hex digits)."""

WATCH_THREAD: Final = ThreadId("")
"""The pseudo-thread under which a mailbox's watcher holds its lease."""
LOOK_THREAD: Final = ThreadId("looks")
"""The pseudo-thread under which one process of a fleet looks for a mailbox's lost answers."""
NOTICE_THREAD: Final = ThreadId("notices")
"""The pseudo-thread of a user's notices; its integration is the user's bare name."""


class Kind(StrEnum):
    """The kinds of side effect that go through the guarded call."""

    CREATE_DRAFT = "create_draft"
    REMOVE_DRAFT = "remove_draft"
    NOTIFY = "notify"


MAILBOX_CHANGING: Final = frozenset({Kind.CREATE_DRAFT, Kind.REMOVE_DRAFT})
"""Kinds of which at most one may be open in a thread (PROTOCOL: what blocks a thread)."""


class IntentState(StrEnum):
    """Where an intent stands; ``calling`` from its commit until an outcome is known."""

    CALLING = "calling"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    DUPLICATED = "duplicated"


class By(StrEnum):
    """What may move an intent from one state to another."""

    CALL = "call"  # the call's own end
    SWEEP = "sweep"  # the lease is over and nobody recorded an end
    SIGHTING = "sighting"  # the effect was seen
    LATE = "late"  # the answer came after the intent was given up as unknown
    PROOF = "proof"  # proved never to have happened, nor ever to happen
    PERSON = "person"  # somebody's word
    COUNT = "count"  # the number of distinct effects seen changed
    PLAN = "plan"  # a new plan that still wants this key
    REPEAT = "repeat"  # the removal of an exact version, which may be repeated


_S = IntentState
TRANSITIONS: Final[Mapping[tuple[IntentState, IntentState], frozenset[By]]] = MappingProxyType(
    {
        (_S.CALLING, _S.ACCEPTED): frozenset({By.CALL}),
        (_S.CALLING, _S.REJECTED): frozenset({By.CALL}),
        (_S.CALLING, _S.UNKNOWN): frozenset({By.CALL, By.SWEEP}),
        (_S.UNKNOWN, _S.ACCEPTED): frozenset({By.SIGHTING, By.LATE, By.PERSON}),
        (_S.UNKNOWN, _S.REJECTED): frozenset({By.PROOF, By.LATE, By.PERSON}),
        (_S.UNKNOWN, _S.DUPLICATED): frozenset({By.COUNT}),
        (_S.ACCEPTED, _S.DUPLICATED): frozenset({By.COUNT}),
        (_S.DUPLICATED, _S.ACCEPTED): frozenset({By.COUNT}),
        (_S.REJECTED, _S.CALLING): frozenset({By.PLAN}),
        (_S.REJECTED, _S.ACCEPTED): frozenset({By.SIGHTING, By.LATE}),
        (_S.UNKNOWN, _S.CALLING): frozenset({By.REPEAT}),
    }
)
"""Every legal move of an intent and what may cause it; any other move changes nothing."""


def sources(to: IntentState, by: By) -> frozenset[IntentState]:
    """The states from which *by* may move an intent to *to*; the guarded UPDATE names them."""
    moves = TRANSITIONS.items()
    return frozenset(old for (old, new), causes in moves if new is to and by in causes)


class DraftState(StrEnum):
    """What became of a draft that we made."""

    HELD = "held"
    EDITED = "edited"
    SENT = "sent"
    DISCARDED = "discarded"
    GONE = "gone"


OPEN_DRAFTS: Final = frozenset({DraftState.HELD, DraftState.EDITED})
"""Draft states in which a draft lies unsent in the mailbox."""


class Category(StrEnum):
    """What a thread needs from its owner."""

    NEEDS_REPLY = "needs_reply"
    WAITING = "waiting"
    FYI = "fyi"
    AUTOMATED = "automated"
    SUSPICIOUS = "suspicious"


class Urgency(StrEnum):
    """How soon."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class ItemKind(StrEnum):
    """What a review item is about."""

    DRAFT_READY = "draft_ready"
    OUTCOME_UNKNOWN = "outcome_unknown"
    DUPLICATED = "duplicated"
    REJECTED = "rejected"
    DRAFT_OVERTAKEN = "draft_overtaken"
    QUARANTINED = "quarantined"
    GAP = "gap"
    RECONNECT = "reconnect"
    MAILBOX_ILL = "mailbox_ill"
    CONFIG_FAULT = "config_fault"
    CEILING = "ceiling"


class Action(StrEnum):
    """What a person may ask of a review item."""

    KEEP = "keep"
    DISCARD = "discard"
    IT_EXISTS = "it_exists"
    ADOPT = "adopt"
    NOT_OURS = "not_ours"
    NEVER_HAPPENED = "never_happened"
    RETRY = "retry"
    DISMISS = "dismiss"


ACTIONS: Final[Mapping[ItemKind, tuple[Action, ...]]] = MappingProxyType(
    {
        ItemKind.DRAFT_READY: (Action.KEEP, Action.DISCARD),
        ItemKind.OUTCOME_UNKNOWN: (
            Action.IT_EXISTS,
            Action.ADOPT,
            Action.NOT_OURS,
            Action.NEVER_HAPPENED,
            Action.DISMISS,
        ),
        ItemKind.DUPLICATED: (Action.DISMISS,),
        ItemKind.REJECTED: (Action.RETRY, Action.DISMISS),
        ItemKind.DRAFT_OVERTAKEN: (Action.DISMISS,),
        ItemKind.QUARANTINED: (Action.RETRY, Action.DISMISS),
        ItemKind.GAP: (Action.RETRY, Action.DISMISS),
        ItemKind.RECONNECT: (Action.DISMISS,),
        ItemKind.MAILBOX_ILL: (Action.DISMISS,),
        ItemKind.CONFIG_FAULT: (Action.DISMISS,),
        ItemKind.CEILING: (Action.DISMISS,),
    }
)
"""The actions that a person has on each kind of review item."""


class EvidenceKind(StrEnum):
    """What sort of fact a piece of evidence is."""

    ANSWER = "answer"
    LATE_ANSWER = "late_answer"
    SWEPT = "swept"
    SIGHTING = "sighting"
    CANDIDATE = "candidate"
    ABSENCE = "absence"
    LOOK_FAILED = "look_failed"
    PROOF = "proof"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The provider did what was asked and said so.

    ``ref`` and ``version`` name what now exists (empty where the kind makes nothing).
    """

    ref: Ref = Ref("")
    version: Version = Version("")
    message_id: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """The provider provably did nothing.

    ``passing``: may be tried again under the same key after ``retry_after_s``.
    ``illness``: the whole mailbox is ill (DNS, auth, quota, full disk); costs the thread no tries.
    ``reconnect``: an illness that only the owner's new login ends; ``reason`` says how.
    """

    reason: str
    passing: bool = False
    illness: bool = False
    reconnect: bool = False
    retry_after_s: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Nobody can say yet whether the effect happened."""

    reason: str
    detail: str = ""


Outcome = Accepted | Rejected | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One dated fact about one attempt of an intent."""

    kind: EvidenceKind
    attempt: int
    detail: Mapping[str, str | int | float | bool | Sequence[str] | None] = field(
        default_factory=dict
    )


class FaultPoint(StrEnum):
    """Named moments at which a test may fail, stop or kill the process; nothing in production.

    In the order of a change on its way. Points whose name ends in ``written`` lie inside a
    transaction that has not been committed.
    """

    NOTE_WRITTEN = "note_written"
    NOTED = "noted"
    BEFORE_LEASE = "before_lease"
    LEASED = "leased"
    READ = "read"
    PLANNED = "planned"
    SNAPSHOT_TAKEN = "snapshot_taken"
    STAGED = "staged"
    CLAIM_WRITTEN = "claim_written"
    CLAIM_COMMITTED = "claim_committed"
    CALL_ALLOWED = "call_allowed"
    EFFECT_DONE = "effect_done"
    ANSWERED = "answered"
    OUTCOME_WRITTEN = "outcome_written"
    OUTCOME_COMMITTED = "outcome_committed"
    RELEASED = "released"
    SWEEP_WRITTEN = "sweep_written"
    SWEPT = "swept"
    LOOKED = "looked"
    LOOK_WRITTEN = "look_written"
    LOOK_COMMITTED = "look_committed"
    COMMAND_WRITTEN = "command_written"
    COMMAND_COMMITTED = "command_committed"
    REMOVAL_ASIDE = "removal_aside"


class Faults(Protocol):
    """Where tests break in. ``hit`` is called on any thread and must not block for long."""

    def hit(self, point: FaultPoint) -> None:
        """Say that *point* has been reached; may raise, may never return."""


class NoFaults:
    """Production: nothing happens at a fault point."""

    def hit(self, point: FaultPoint) -> None:
        """Do nothing."""


NO_FAULTS: Final = NoFaults()


class Clock(Protocol):
    """Time as a value: the only way in which loops and adapters learn it."""

    def now(self) -> datetime:
        """The wall clock, aware, UTC. For reading and showing, never to decide a lease."""

    def boot_s(self) -> float:
        """Seconds on a clock that runs on while the machine sleeps; for local deadlines."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class InvalidTransitionError(ValueError):
    """A move that TRANSITIONS does not hold was asked for: a fault in our own code."""
