"""Mutated cases: whatever is done to their bytes, reading ends in valid text and no error."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from providers.mime import reading
from providers.mime.message import Mail
from providers.mime.reading import read_heads, read_mail
from tests.fuzz.mutations import DICTIONARY, check

CASES = Path(__file__).parent.parent / "cases"
SEEDS = [path.read_bytes() for path in sorted(CASES.glob("*/*.eml")) if path.stat().st_size < 9000]

Cut = tuple[int, int, bytes]
cuts = st.lists(
    st.tuples(
        st.integers(0, 9000),
        st.integers(0, 60),
        st.one_of(st.sampled_from(DICTIONARY), st.binary(max_size=20)),
    ),
    min_size=1,
    max_size=6,
)
bounded = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def mutated(seed: bytes, edits: list[Cut]) -> bytes:
    for at, length, patch in edits:
        at %= len(seed) + 1
        seed = seed[:at] + patch + seed[at + length :]
    return seed


@bounded
@given(st.sampled_from(SEEDS), cuts)
def test_a_mutated_case_is_read_without_an_error(seed: bytes, edits: list[Cut]) -> None:
    check(mutated(seed, edits))


@bounded
@given(st.sampled_from(SEEDS), st.sampled_from(SEEDS), st.integers(0, 4000), st.integers(0, 4000))
def test_two_cases_cut_into_one_are_read_without_an_error(
    one: bytes, other: bytes, first: int, second: int
) -> None:
    check(one[:first] + other[second:])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(DICTIONARY), st.binary(max_size=8)), max_size=40))
def test_pieces_of_mail_in_any_order_are_read_without_an_error(pieces: list[bytes]) -> None:
    check(b"".join(pieces))


def test_a_fault_of_our_own_is_quarantined_and_keeps_the_identity(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    def fail(*arguments: object) -> Mail:
        raise RecursionError("too deep")

    raw = SEEDS[0]
    identity = read_mail(raw).identity
    monkeypatch.setattr(reading, "_read", fail)
    found = read_mail(raw)
    assert (found.identity, "report" in (found.unreadable or "")) == (identity, True)


def test_a_fault_while_reading_heads_still_gives_an_identity(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    def fail(*arguments: object) -> Mail:
        raise RuntimeError("broken")

    monkeypatch.setattr(reading, "_heads", fail)
    assert len(read_heads(b"From: a@example.org\n\n").identity) == 64


def test_every_seed_is_json_as_it_is() -> None:
    for seed in SEEDS:
        mail = read_mail(seed)
        json.dumps([mail.text, mail.new_text, mail.subject, mail.notes]).encode("utf-8")
