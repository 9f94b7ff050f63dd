"""A holder never trusts its lease longer than the database does, whatever the clocks do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leases.term import Term

seconds = st.floats(min_value=0, max_value=1e6, allow_nan=False)
lengths = st.floats(min_value=0.001, max_value=1e5, allow_nan=False)


@given(started=seconds, ttl=lengths, delay=seconds)
def test_trust_ends_before_the_database_lets_go(started: float, ttl: float, delay: float) -> None:
    # The database takes the request *delay* later and counts from then.
    assert Term(started_s=started, ttl_s=ttl).trusted_until_s <= started + delay + ttl


@given(started=seconds, ttl=lengths, later=seconds)
def test_what_remains_never_grows_and_is_never_negative(
    started: float, ttl: float, later: float
) -> None:
    term = Term(started_s=started, ttl_s=ttl)
    now = term.remaining_s(started)
    assert 0 <= term.remaining_s(started + later) <= now


@given(started=seconds, ttl=lengths, at=seconds, call=seconds)
def test_an_allowed_call_ends_while_the_lease_is_trusted(
    started: float, ttl: float, at: float, call: float
) -> None:
    term = Term(started_s=started, ttl_s=ttl)
    if term.allows(started + at, call):
        assert started + at + call <= term.trusted_until_s + 1e-6


@given(started=seconds, ttl=lengths, again=seconds)
def test_a_renewal_that_was_sent_earlier_shortens_nothing(
    started: float, ttl: float, again: float
) -> None:
    term = Term(started_s=started, ttl_s=ttl)
    assert term.renewed(again).trusted_until_s >= term.trusted_until_s


@given(started=seconds, ttl=lengths)
def test_it_renews_before_it_gives_up(started: float, ttl: float) -> None:
    term = Term(started_s=started, ttl_s=ttl)
    assert term.renew_at_s <= term.trusted_until_s


@pytest.mark.parametrize("ttl", [0.0, -1.0])
def test_a_lease_without_length_is_refused(ttl: float) -> None:
    with pytest.raises(ValueError, match="positive length"):
        Term(started_s=0, ttl_s=ttl)
