"""What a look means: a pure function from an intent, a look and the time to a verdict.

Found once is accepted, twice is duplicated, a proof is rejected, everything else that is not found
is an absence and stays unknown. Waiting alone never settles anything. The schedule binds; a look
that did not reach every place is repeated and does not count; looks that were missed while nobody
ran count once.

                 found one             -> accepted  (look again after the lag window: a second one?)
    unknown  --- found two             -> duplicated
                 proof of never        -> rejected, passing
                 nothing, complete     -> unknown, one look more; the last ones free the thread
                 nothing, not complete -> unknown, the same look again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from providers.ports import DraftSight, Folder, Look
from storage.words import IntentState

RETRY_MS = 30_000
"""How soon a look that could not reach every place is repeated."""

BETWEEN_CLEAN_MS = 60_000
"""The least time between the two clean looks that end the looking."""


class Finding(StrEnum):
    """What a look established."""

    FOUND = "found"
    TWICE = "twice"
    ONE_LEFT = "one_left"
    PROVED_NEVER = "proved_never"
    REFUSED = "refused"
    ABSENT = "absent"
    NOT_REACHED = "not_reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The part of an intent that a verdict depends on; times are epoch milliseconds."""

    state: IntentState
    base_at: int
    looks: int
    clean_look_at: int | None
    looks_ended_at: int | None
    settled_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When to look, after the end of the call, and how long listings may lag. Milliseconds."""

    looks_ms: Sequence[int]
    lag_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What to make of a look.

    ``next_look_at`` None: no more looks are planned. ``frees``: the looks have ended and the
    thread is free again, while the key stays used. ``clean_look_at`` is carried for the next one.
    """

    finding: Finding
    looks: int
    next_look_at: int | None
    clean_look_at: int | None = None
    frees: bool = False


def assess(subject: Subject, look: Look, schedule: Schedule, now: int) -> Verdict:
    """Judge one look. Total: every combination gives a verdict; it changes nothing."""
    if look.delivered and subject.state is IntentState.REJECTED:
        # Asked while it was unknown: bytes that another look took back are missing as well.
        look = replace(look, delivered=False)
    unsent = [sight for sight in look.found if sight.folder is Folder.DRAFTS]
    sent = any(sight.folder is Folder.SENT for sight in look.found)
    if len(unsent) > 1 and not sent:
        return _settled(subject, schedule, Finding.TWICE, now)
    one_left = len(look.found) == 1 or (sent and len(unsent) == 1)
    if subject.state is IntentState.DUPLICATED and look.complete and one_left:
        return _settled(subject, schedule, Finding.ONE_LEFT, now)
    after_lag = subject.base_at + schedule.lag_ms
    if look.found or (look.delivered and now >= after_lag):
        return _settled(subject, schedule, Finding.FOUND, now)
    if look.delivered:
        # It happened, but a listing that lags can't say yet where it is, or that it went.
        return Verdict(
            finding=Finding.ABSENT,
            looks=subject.looks,
            next_look_at=after_lag,
            clean_look_at=subject.clean_look_at,
        )
    never = Finding.PROVED_NEVER if look.proof is not None else None
    never = Finding.REFUSED if look.refused is not None else never
    if never is not None and subject.state is IntentState.UNKNOWN:
        return Verdict(finding=never, looks=subject.looks + 1, next_look_at=None)
    if not look.complete:
        return Verdict(
            finding=Finding.NOT_REACHED,
            looks=subject.looks,
            next_look_at=now + RETRY_MS,
            clean_look_at=subject.clean_look_at,
        )
    return _absent(subject, schedule, now)


def passed(subject: Subject, schedule: Schedule, now: int) -> int:
    """How many looks of the schedule lie behind *now*; overdue ones count once, as one look."""
    return sum(1 for offset in schedule.looks_ms if subject.base_at + offset <= now)


def _settled(subject: Subject, schedule: Schedule, finding: Finding, now: int) -> Verdict:
    # A sighting before the lag window is over may be one of two: look once more after it.
    after_lag = subject.base_at + schedule.lag_ms
    again = after_lag if now < after_lag else None
    return Verdict(finding=finding, looks=subject.looks + 1, next_look_at=again)


def _absent(subject: Subject, schedule: Schedule, now: int) -> Verdict:
    done = passed(subject, schedule, now)
    upcoming = [subject.base_at + o for o in schedule.looks_ms if subject.base_at + o > now]
    if upcoming or subject.state is not IntentState.UNKNOWN:
        return Verdict(
            finding=Finding.ABSENT,
            looks=max(done, subject.looks),
            next_look_at=upcoming[0] if upcoming else None,
            clean_look_at=now,
        )
    after_lag = subject.base_at + schedule.lag_ms
    spaced = subject.clean_look_at is not None and now - subject.clean_look_at >= BETWEEN_CLEAN_MS
    if spaced and now >= after_lag:
        return Verdict(
            finding=Finding.ABSENT, looks=done, next_look_at=None, clean_look_at=now, frees=True
        )
    clean_at = now if subject.clean_look_at is None else min(subject.clean_look_at, now)
    return Verdict(
        finding=Finding.ABSENT,
        looks=done,
        next_look_at=max(clean_at + BETWEEN_CLEAN_MS, after_lag, now + 1),
        clean_look_at=clean_at,
    )


def distinct(sights: Sequence[DraftSight]) -> list[DraftSight]:
    """Sights by distinct reference, in order."""
    return list({sight.ref: sight for sight in sights}.values())
