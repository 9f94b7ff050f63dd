"""Durations as people write them: ``"60s"``, ``"5m"``, ``"3d"``, ``"1h30m"``.

One spelling for configuration files and for command line options (``--since 30d``). Pure: no I/O,
no clock, no pydantic, so the command line may import it without cost.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

_UNITS: Final = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_SPELLING: Final = re.compile(
    "".join(rf"(?:(?P<{unit}>[0-9]{{1,9}}(?:\.[0-9]{{1,6}})?){unit})?" for unit in _UNITS)
)

PATTERN: Final = r"^([0-9]{1,9}(\.[0-9]{1,6})?[wdhms])+$"
"""Nearly the same spelling, for JSON Schema, whose readers know no look-ahead."""
REMEDY: Final = 'write it like "45s", "5m", "1h30m" or "3d" (w, d, h, m, s, the largest first)'


def parse_duration(text: str) -> timedelta:
    """Read *text*; zero is a duration, a sign is not.

    Raises ValueError (its message says how to write one) for anything else.
    """
    match = _SPELLING.fullmatch(text.strip())
    if match is None or not match.group(0):
        raise ValueError(f"{text[:40]!r} is no duration: {REMEDY}")
    sizes = {name: float(match[unit] or 0) for unit, name in _UNITS.items()}
    try:
        return timedelta(**sizes)
    except OverflowError:
        raise ValueError(f"{text[:40]!r} is longer than any calendar: {REMEDY}") from None


def format_duration(duration: timedelta) -> str:
    """Write *duration* so that ``parse_duration`` reads the same value again, to the microsecond.

    Raises ValueError for a negative duration.
    """
    if duration < timedelta(0):
        raise ValueError("a duration is never negative")
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n}{unit}" for n, unit in ((duration.days, "d"), (hours, "h"), (minutes, "m")) if n]
    if duration.microseconds:
        parts.append(f"{seconds}.{duration.microseconds:06}".rstrip("0") + "s")
    elif seconds or not parts:
        parts.append(f"{seconds}s")
    return "".join(parts)
