"""When an owner may be told: their quiet hours and the time of their digest. Pure.

Both are times of the owner's day, by the clock on their wall, and are turned into moments first:
nothing is then compared that a change to or from summer time could turn around. A time of day that
a day does not have begins where the clock skips it; one that a day has twice is the first of the
two, so that a digest comes once and quiet hours are one span.

Quiet hours hold for everything, whatever its urgency. A digest that falls into them waits for their
end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

_DAY = timedelta(days=1)
_EXACT = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """How an owner's day is divided; ``quiet`` is start and end, over midnight if need be."""

    zone: tzinfo = UTC
    quiet: tuple[time, time] | None = None
    digest: time | None = None


def first_at(day: date, wall: time, zone: tzinfo) -> datetime:
    """The first moment (UTC) at which the clock of *zone* shows *wall* or later on *day*."""
    shown = datetime.combine(day, wall, zone)
    first = shown.astimezone(UTC)
    other = shown.replace(fold=1).astimezone(UTC)
    if first <= other:
        return first
    # The clock skips this time: look for the moment at which it does.
    early, late = other, first
    offset = late.astimezone(zone).utcoffset()
    while late - early > _EXACT:
        middle = early + (late - early) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            late = middle
        else:
            early = middle
    return late.replace(microsecond=0)


def quiet_until(hours: Hours, now: datetime) -> datetime | None:
    """The end of the quiet hours that *now* lies in; None when something may be sent."""
    if hours.quiet is None:
        return None
    start, end = hours.quiet
    over = _DAY if end <= start else timedelta(0)
    for day in _days(hours, now):
        ends_at = first_at(day + over, end, hours.zone)
        if first_at(day, start, hours.zone) <= now < ends_at:
            return ends_at
    return None


def last_digest(hours: Hours, now: datetime) -> datetime | None:
    """The latest moment for a digest that is not after *now*; None where no digest is wanted."""
    return max((one for one in _digests(hours, now) if one <= now), default=None)


def next_digest(hours: Hours, now: datetime) -> datetime | None:
    """The first moment for a digest after *now*; None where no digest is wanted."""
    return min((one for one in _digests(hours, now) if one > now), default=None)


def _digests(hours: Hours, now: datetime) -> Iterator[datetime]:
    if hours.digest is None:
        return
    for day in _days(hours, now):
        moment = first_at(day, hours.digest, hours.zone)
        yield quiet_until(hours, moment) or moment


def _days(hours: Hours, now: datetime) -> list[date]:
    """The owner's days around *now*: enough for a span that began two days ago."""
    today = now.astimezone(hours.zone).date()
    return [today + n * _DAY for n in range(-2, 3)]
