"""Quiet hours and digests follow the clock on the owner's wall, also where it jumps."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.hours import Hours, first_at, last_digest, next_digest, quiet_until

PARIS = ZoneInfo("Europe/Paris")
ZONES = [ZoneInfo(name) for name in ("Europe/Paris", "America/New_York", "Australia/Lord_Howe")]
NIGHT = Hours(zone=PARIS, quiet=(time(22), time(7)))
SUMMER, WINTER = date(2026, 3, 29), date(2026, 10, 25)
"""The days on which Paris puts its clocks forward at 02:00 and back at 03:00."""


def paris(day: int, hour: int, minute: int = 0, *, month: int = 3, fold: int = 0) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=PARIS, fold=fold).astimezone(UTC)


def test_without_quiet_hours_nothing_waits() -> None:
    assert quiet_until(Hours(zone=PARIS), paris(2, 3)) is None


@pytest.mark.parametrize(
    ("now", "until"),
    [
        (paris(2, 21, 59), None),
        (paris(2, 22), paris(3, 7)),
        (paris(2, 23, 59), paris(3, 7)),
        (paris(3, 0), paris(3, 7)),
        (paris(3, 6, 59), paris(3, 7)),
        (paris(3, 7), None),
    ],
)
def test_a_night_runs_over_midnight(now: datetime, until: datetime | None) -> None:
    assert quiet_until(NIGHT, now) == until


def test_a_quiet_noon_does_not() -> None:
    noon = Hours(zone=PARIS, quiet=(time(12), time(14)))
    assert quiet_until(noon, paris(2, 13)) == paris(2, 14)
    assert quiet_until(noon, paris(2, 11, 59)) is None
    assert quiet_until(noon, paris(2, 14)) is None
    assert quiet_until(noon, paris(3, 2)) is None


def test_the_night_of_summer_time_is_an_hour_shorter() -> None:
    until = quiet_until(NIGHT, paris(28, 22))
    assert until is not None
    assert until - paris(28, 22) == timedelta(hours=8)


def test_the_night_of_winter_time_is_an_hour_longer() -> None:
    until = quiet_until(NIGHT, paris(24, 22, month=10))
    assert until is not None
    assert until - paris(24, 22, month=10) == timedelta(hours=10)


def test_quiet_hours_that_end_in_a_skipped_hour_end_where_the_clock_jumps() -> None:
    hours = Hours(zone=PARIS, quiet=(time(22), time(2, 30)))
    assert quiet_until(hours, paris(29, 1, 59)) == paris(29, 3)


def test_quiet_hours_that_end_in_a_repeated_hour_end_once() -> None:
    hours = Hours(zone=PARIS, quiet=(time(22), time(2, 30)))
    assert quiet_until(hours, paris(25, 2, 29, month=10)) == paris(25, 2, 30, month=10)
    assert quiet_until(hours, paris(25, 2, 10, month=10, fold=1)) is None


def test_a_digest_comes_at_its_time_each_day() -> None:
    hours = Hours(zone=PARIS, digest=time(8))
    assert last_digest(hours, paris(2, 7, 59)) == paris(1, 8)
    assert last_digest(hours, paris(2, 8)) == paris(2, 8)
    assert next_digest(hours, paris(2, 8)) == paris(3, 8)


def test_a_digest_in_a_repeated_hour_comes_once() -> None:
    hours = Hours(zone=PARIS, digest=time(2, 30))
    first = paris(25, 2, 30, month=10)
    assert last_digest(hours, paris(25, 2, 40, month=10, fold=1)) == first
    assert next_digest(hours, first) == paris(26, 2, 30, month=10)


def test_a_digest_in_a_skipped_hour_comes_where_the_clock_jumps() -> None:
    hours = Hours(zone=PARIS, digest=time(2, 30))
    assert next_digest(hours, paris(29, 1)) == paris(29, 3)


def test_a_digest_in_quiet_hours_waits_for_their_end() -> None:
    hours = Hours(zone=PARIS, quiet=(time(22), time(7)), digest=time(6))
    assert next_digest(hours, paris(2, 5)) == paris(2, 7)
    assert last_digest(hours, paris(2, 6, 30)) == paris(1, 7)


def test_a_day_that_a_zone_leaves_out_begins_with_the_next() -> None:
    apia = ZoneInfo("Pacific/Apia")
    assert first_at(date(2011, 12, 30), time(8), apia) == datetime(2011, 12, 30, 10, tzinfo=UTC)


_walls = st.times().map(lambda one: one.replace(second=0, microsecond=0))
_moments = st.datetimes(datetime(2025, 1, 1), datetime(2027, 1, 1)).map(  # noqa: DTZ001 -- made UTC
    lambda one: one.replace(tzinfo=UTC, second=0, microsecond=0)
)


@given(zone=st.sampled_from(ZONES), wall=_walls, day=st.dates(date(2025, 1, 1), date(2026, 12, 31)))
def test_a_time_of_day_is_the_first_minute_that_shows_it(
    zone: ZoneInfo, wall: time, day: date
) -> None:
    found = first_at(day, wall, zone)
    before = (found - timedelta(minutes=1)).astimezone(zone)
    assert (found.astimezone(zone).date(), found.astimezone(zone).time()) >= (day, wall)
    assert (before.date(), before.time()) < (day, wall)


@given(zone=st.sampled_from(ZONES), start=_walls, end=_walls, now=_moments)
def test_after_the_end_of_quiet_hours_something_may_be_sent(
    zone: ZoneInfo, start: time, end: time, now: datetime
) -> None:
    if start == end:
        return
    hours = Hours(zone=zone, quiet=(start, end))
    until = quiet_until(hours, now)
    if until is not None:
        assert timedelta(0) < until - now <= timedelta(hours=25)
        assert quiet_until(hours, until) is None


@given(zone=st.sampled_from(ZONES), wall=_walls, quiet=st.tuples(_walls, _walls), now=_moments)
def test_digests_follow_each_other_by_about_a_day_and_never_in_quiet_hours(
    zone: ZoneInfo, wall: time, quiet: tuple[time, time], now: datetime
) -> None:
    if quiet[0] == quiet[1]:
        return
    hours = Hours(zone=zone, quiet=quiet, digest=wall)
    last, following = last_digest(hours, now), next_digest(hours, now)
    assert last is not None
    assert following is not None
    assert last <= now < following
    assert following - last <= timedelta(hours=50)
    assert quiet_until(hours, last) is None
    assert quiet_until(hours, following) is None
