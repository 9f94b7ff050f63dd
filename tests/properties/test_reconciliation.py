"""Every look has a verdict; waiting settles nothing; only the last looks free a thread."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from assistant.core.reconciliation import (
    BETWEEN_CLEAN_MS,
    Finding,
    Schedule,
    Subject,
    Verdict,
    assess,
)
from providers.ports import DraftSight, Folder, Look
from storage.words import IntentState, Ref, Version

LOOKS_MS = (5_000, 60_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000)
SCHEDULE = Schedule(looks_ms=LOOKS_MS, lag_ms=600_000)


def sight(number: int, folder: Folder) -> DraftSight:
    return DraftSight(
        ref=Ref(f"{folder}/{number}"), version=Version("1"), folder=folder, content_hash="h"
    )


sights = st.lists(
    st.builds(sight, st.integers(0, 3), st.sampled_from(list(Folder))), max_size=3
).map(tuple)
looks = st.builds(
    Look,
    found=sights,
    candidates=sights,
    complete=st.booleans(),
    proof=st.none() | st.just("withdrawn"),
    delivered=st.booleans(),
)
subjects = st.builds(
    Subject,
    state=st.sampled_from(list(IntentState)),
    base_at=st.integers(0, 10**9),
    looks=st.integers(0, 9),
    clean_look_at=st.none() | st.integers(0, 10**9),
    looks_ended_at=st.none() | st.integers(0, 10**9),
    settled_at=st.none() | st.integers(0, 10**9),
)
ABSENT = Look(complete=True)


def unknown(clean_look_at: int | None = None) -> Subject:
    return Subject(
        state=IntentState.UNKNOWN, base_at=0, looks=0, clean_look_at=clean_look_at,
        looks_ended_at=None, settled_at=None,
    )  # fmt: skip


@given(subject=subjects, look=looks, now=st.integers(0, 2 * 10**9))
def test_every_look_has_a_verdict_and_the_same_one_each_time(
    subject: Subject, look: Look, now: int
) -> None:
    assert assess(subject, look, SCHEDULE, now) == assess(subject, look, SCHEDULE, now)


@given(subject=subjects, now=st.integers(0, 2 * 10**9))
def test_an_absence_never_settles(subject: Subject, now: int) -> None:
    assert assess(subject, ABSENT, SCHEDULE, now).finding is Finding.ABSENT


@given(subject=subjects, look=looks, now=st.integers(0, 2 * 10**9))
def test_a_further_look_always_lies_ahead(subject: Subject, look: Look, now: int) -> None:
    verdict = assess(subject, look, SCHEDULE, now)
    assert verdict.next_look_at is None or verdict.next_look_at > now


@given(subject=subjects, look=looks, now=st.integers(0, 2 * 10**9))
def test_only_complete_absences_free_a_thread(subject: Subject, look: Look, now: int) -> None:
    if assess(subject, look, SCHEDULE, now).frees:
        assert look.complete
        assert not look.found
        assert subject.state is IntentState.UNKNOWN


def run_through(start_at: int = 0) -> list[tuple[int, Verdict]]:
    """Look whenever a look is due, and see nothing each time."""
    story: list[tuple[int, Verdict]] = []
    now, clean = start_at + LOOKS_MS[0], None
    while True:
        verdict = assess(unknown(clean), ABSENT, SCHEDULE, now)
        story.append((now, verdict))
        clean = verdict.clean_look_at
        if verdict.next_look_at is None:
            return story
        now = verdict.next_look_at


def test_the_schedule_is_kept_to_the_second() -> None:
    assert [at for at, _ in run_through()] == list(LOOKS_MS)


def test_the_last_look_frees_the_thread_and_no_earlier_one_does() -> None:
    assert [verdict.frees for _, verdict in run_through()] == [False] * 6 + [True]


def test_looks_missed_while_nobody_ran_count_once() -> None:
    verdict = assess(unknown(), ABSENT, SCHEDULE, 4_000_000)
    assert verdict.looks == 5
    assert verdict.next_look_at == LOOKS_MS[5]


def test_one_late_clean_look_alone_frees_nothing() -> None:
    late = LOOKS_MS[-1] + 1
    verdict = assess(unknown(), ABSENT, SCHEDULE, late)
    assert not verdict.frees
    assert verdict.next_look_at == late + BETWEEN_CLEAN_MS


def test_a_look_that_reached_not_every_place_is_repeated_and_does_not_count() -> None:
    verdict = assess(unknown(), Look(complete=False), SCHEDULE, 5_000)
    assert verdict.finding is Finding.NOT_REACHED
    assert verdict.looks == 0
    assert not verdict.frees


def test_a_sighting_before_the_lag_window_is_followed_by_one_after_it() -> None:
    early = Look(found=(sight(1, Folder.DRAFTS),))
    assert assess(unknown(), early, SCHEDULE, 5_000).next_look_at == 600_000
    assert assess(unknown(), early, SCHEDULE, 700_000).next_look_at is None


def test_two_unsent_drafts_are_two_and_a_sent_one_settles() -> None:
    two = (sight(1, Folder.DRAFTS), sight(2, Folder.DRAFTS))
    assert assess(unknown(), Look(found=two), SCHEDULE, 5_000).finding is Finding.TWICE
    sent = (*two, sight(3, Folder.SENT))
    assert assess(unknown(), Look(found=sent), SCHEDULE, 5_000).finding is Finding.FOUND


def test_of_two_drafts_one_is_left_when_the_other_was_sent() -> None:
    left = Look(found=(sight(1, Folder.SENT), sight(2, Folder.DRAFTS)))
    twice = replace(unknown(), state=IntentState.DUPLICATED)
    assert assess(twice, left, SCHEDULE, 700_000).finding is Finding.ONE_LEFT
    assert assess(unknown(), left, SCHEDULE, 700_000).finding is Finding.FOUND
