"""Durations are read and written alike."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.durations import PATTERN, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60s", 60), ("5m", 300), ("3d", 259_200), ("1h30m", 5_400), ("0s", 0), ("0.5s", 0.5),
     (" 2w ", 1_209_600)],
)  # fmt: skip
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "s", "-5s", "5 s", "5S", "1m1h", "5s5s", "1e3s", "٥s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write it like"):
        parse_duration(text)


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=999_999)))
def test_what_is_written_is_read_again(duration: timedelta) -> None:
    text = format_duration(duration)

    assert parse_duration(text) == duration
    assert re.fullmatch(PATTERN, text)
