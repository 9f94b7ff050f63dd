"""What a proof of never takes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from providers.imap.never import Facts, proof
from providers.ports import Json

END = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
FACTS = Facts(validity=7, start=12, next=12, settled=True)


def seen(after_s: float, **other: object) -> Json:
    return {**FACTS.json(), "at": END.timestamp() + after_s, **other}


def at(seconds: float) -> datetime:
    return END + timedelta(seconds=seconds)


def test_two_clean_looks_the_last_ten_minutes_after_the_end_are_a_proof() -> None:
    assert proof(FACTS, [seen(5), seen(120)], ended_at=END, now=at(600))


@pytest.mark.parametrize(
    ("why", "facts", "earlier", "now_s"),
    [
        ("one look", FACTS, [], 3600),
        ("too early", FACTS, [seen(5), seen(120)], 599),
        ("too close together", FACTS, [seen(570)], 620),
        ("other numbers then", FACTS, [seen(5, uidvalidity=6)], 3600),
        ("another start", FACTS, [seen(5, from_uid=11)], 3600),
        ("not known to be over then", FACTS, [seen(5, call_over=False)], 3600),
        ("a look without a time", FACTS, [{**FACTS.json()}], 3600),
        (
            "not known to be over now",
            Facts(validity=7, start=12, next=12, settled=False),
            [seen(5)],
            3600,
        ),
    ],
)
def test_less_is_no_proof(why: str, facts: Facts, earlier: list[Json], now_s: float) -> None:
    assert proof(facts, earlier, ended_at=END, now=at(now_s)) is None, why


def test_a_dead_callers_end_is_when_a_look_first_knew_of_it() -> None:
    assert proof(FACTS, [seen(300)], ended_at=None, now=at(899)) is None
    assert proof(FACTS, [seen(300)], ended_at=None, now=at(900))


def test_a_proof_says_what_was_seen() -> None:
    facts = Facts(validity=7, start=12, next=15, settled=True)
    said = proof(facts, [seen(5)], ended_at=END, now=at(700))
    assert said is not None
    assert "UIDs 12 to 14" in said
