"""A day of the owner: from one midnight of their time zone to the next. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo


def day_of(now_ms: int, zone: tzinfo) -> str:
    """The owner's date at *now_ms* (epoch ms), as ``YYYY-MM-DD``."""
    return datetime.fromtimestamp(now_ms / 1000, zone).date().isoformat()


def day_end_ms(day: str, zone: tzinfo) -> int:
    """When the day after *day* begins, epoch ms; where clocks skip midnight, just after it."""
    begins = datetime.combine(date.fromisoformat(day) + timedelta(days=1), time(), zone)
    return int(begins.astimezone(UTC).timestamp() * 1000)
