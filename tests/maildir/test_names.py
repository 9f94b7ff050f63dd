"""Names in a Maildir, apart from any file."""

import os
import string
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.maildir import names
from storage.words import IntentId, Ref

BY_FILE = 500_000_000_250
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
INTENT = IntentId("ab" * 16)

file_names = st.binary(min_size=1, max_size=60).map(
    lambda raw: os.fsdecode(raw.replace(b"/", b"_").replace(b"\0", b"_"))
)


@given(file_names)
def test_a_reference_leads_back_to_its_name(uniq: str) -> None:
    ref = names.ref_of("Drafts", uniq)
    expected = None if uniq.startswith(".") else ("Drafts", uniq)
    assert names.parts_of(ref) == expected


@given(file_names)
def test_a_reference_is_plain_ascii_without_white_space(uniq: str) -> None:
    ref = names.ref_of("Sent Items", uniq)
    assert ref.isascii()
    assert not set(ref) & set(string.whitespace)
    assert ref.isprintable()


@given(st.text(max_size=40))
def test_any_text_as_a_reference_names_a_file_in_its_folder_or_nothing(text: str) -> None:
    parts = names.parts_of(Ref(text.encode("utf-8", "replace").decode()))
    assert parts is None or not any("/" in part or part.startswith(".") for part in parts)


@given(file_names, st.text("DFPRST", max_size=6))
def test_flags_are_no_part_of_the_base_name(uniq: str, flags: str) -> None:
    base = uniq.replace(":", "_")
    assert names.entry("cur", f"{base}:2,{flags}") == names.Entry(
        "cur", f"{base}:2,{flags}", base, flags
    )


@pytest.mark.parametrize(
    ("uniq", "second", "order"),
    [
        ("1772442000.M000007P9.host", 1772442000, 7_000_000),
        ("1772442000.M12P9Q3.host", 1772442000, 12_000_003),
        ("1772442000.V801I2a.host", 1772442000, BY_FILE),
        ("1772442000.P9Q3M12.host", 1772442000, 12_000_003),
        ("12.M1P1.host", 1_772_442_001, BY_FILE),
        ("9999999999.M1P1.host", 1_772_442_001, BY_FILE),
        ("no-time-at-all", 1_772_442_001, BY_FILE),
        ("99999999999999999999999999.x", 1_772_442_001, BY_FILE),
    ],
)
def test_arrival_is_the_named_second_if_it_is_plausible(uniq: str, second: int, order: int) -> None:
    at, place = names.arrival(uniq, 1_772_442_001_500_000_250, NOW)
    assert (at, place) == (datetime.fromtimestamp(second, UTC), order)


def test_a_file_that_is_older_than_its_name_arrived_when_it_says() -> None:
    at, order = names.arrival("1772442000.M12P9Q3.host", 1_700_000_000_500_000_250, NOW)
    assert (at, order) == (datetime.fromtimestamp(1_700_000_000, UTC), BY_FILE)


@given(st.integers(min_value=-(2**70), max_value=2**70), file_names)
def test_arrival_is_a_time_whatever_a_file_says(mtime_ns: int, uniq: str) -> None:
    at, _ = names.arrival(uniq, mtime_ns, NOW)
    assert at.tzinfo is UTC


def test_each_attempt_is_staged_under_its_own_name() -> None:
    made = {names.staged_name(INTENT, attempt, NOW, "0" * 8) for attempt in (1, 2)}
    assert len(made) == 2


def test_staged_names_are_known_again() -> None:
    name = names.staged_name(INTENT, 1, NOW, "0" * 8)
    assert names.is_staged(name)
    assert names.is_staged(names.withdrawn(name))


@pytest.mark.parametrize(
    "name",
    ["1772442000.M1P1.host", "x.fencepost", "1.M000000I/A1R00000000.fencepost"],
)
def test_names_of_others_are_not_taken_for_staged(name: str) -> None:
    assert not names.is_staged(name)


@pytest.mark.parametrize("intent", ["", "../x", "a/b", "a b", "x" * 80, "ü"])
def test_an_intent_that_could_leave_the_folder_is_refused(intent: str) -> None:
    with pytest.raises(ValueError, match="intent"):
        names.staged_name(IntentId(intent), 1, NOW, "0" * 8)


@given(file_names)
def test_a_name_aside_tells_whose_removal_it_was(file: str) -> None:
    name = names.aside_name(INTENT, 3, file)
    aside = names.aside_of(name)
    assert aside is not None
    assert (aside.intent, aside.attempt, aside.file, aside.going_back) == (INTENT, 3, file, False)
    back = names.aside_of(names.going_back(aside))
    assert back is not None
    assert (back.file, back.going_back) == (file, True)


def test_a_name_without_room_beside_it_is_refused() -> None:
    with pytest.raises(ValueError, match="room"):
        names.aside_name(INTENT, 1, "x" * 240)


@pytest.mark.parametrize("name", [".", "..", ".hidden", ".fencepost-", ".fencepost-x.y.z", "plain"])
def test_other_dot_names_are_not_ours(name: str) -> None:
    assert names.aside_of(name) is None
