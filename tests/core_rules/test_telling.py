"""What comes next for a receiver follows from what it was told, and words hold no mail."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from assistant.core.hours import Hours
from assistant.core.telling import (
    About,
    Again,
    Due,
    Tell,
    Told,
    Wait,
    is_done,
    next_step,
    words,
)
from storage.words import IntentId, ItemKind

A, B = IntentId("a" * 32), IntentId("b" * 32)
DAILY = Hours(digest=time(8))
NIGHT = Hours(quiet=(time(22), time(7)))


def at(hour: int, minute: int = 0, day: int = 2) -> int:
    return int(datetime(2026, 3, day, hour, minute, tzinfo=UTC).timestamp() * 1000)


def due(*notices: int, since: int = 0) -> list[Due]:
    return [Due(notice=one, due_at=since) for one in notices]


def told(intent: IntentId, *notices: int, again: bool = False, retry_at: int = 0) -> Told:
    return Told(intent=intent, notices=frozenset(notices), again=again, retry_at=retry_at)


def digest_at(slot: int, *notices: int, again: bool = False) -> Told:
    return Told(intent=A, notices=frozenset(notices), slot=slot, again=again)


def test_what_is_due_is_told_one_by_one() -> None:
    assert next_step(due(1, 2), [], Hours(), at(9)) == Tell(notices=(1,))
    assert next_step(due(1, 2), [told(A, 1)], Hours(), at(9)) == Tell(notices=(2,))


def test_what_was_told_is_never_told_again() -> None:
    assert next_step(due(1), [told(A, 1)], Hours(), at(9)) == Wait(until=None)


def test_a_refusal_that_passes_is_called_again_when_its_time_has_come() -> None:
    refused = [told(A, 1, again=True, retry_at=at(9, 5))]
    assert next_step(due(1), refused, Hours(), at(9, 4)) == Wait(until=at(9, 5))
    assert next_step(due(1), refused, Hours(), at(9, 5)) == Again(intent=A)


def test_one_that_waits_does_not_hold_up_the_next() -> None:
    refused = [told(A, 1, again=True, retry_at=at(10))]
    assert next_step(due(1, 2), refused, Hours(), at(9)) == Tell(notices=(2,))


def test_a_refused_notice_of_which_nothing_is_open_is_not_called_again() -> None:
    assert next_step([], [told(A, 1, again=True)], Hours(), at(9)) == Wait(until=None)


@pytest.mark.parametrize("calls", [[], [told(A, 1, again=True)]])
def test_nothing_goes_out_in_quiet_hours(calls: list[Told]) -> None:
    assert next_step(due(1), calls, NIGHT, at(23)) == Wait(until=at(7, day=3))


def test_a_digest_collects_all_that_waits() -> None:
    waiting = due(1, 2, 3, since=at(7))
    assert next_step(waiting, [], DAILY, at(8, 1)) == Tell(notices=(1, 2, 3), slot=at(8))


def test_before_its_time_a_digest_waits() -> None:
    assert next_step(due(1, since=at(9)), [], DAILY, at(12)) == Wait(until=at(8, day=3))


def test_there_is_one_digest_a_day() -> None:
    late = due(2, since=at(7, 59))
    assert next_step(late, [digest_at(at(8), 1)], DAILY, at(8, 2)) == Wait(until=at(8, day=3))


def test_a_late_digest_takes_along_what_came_since() -> None:
    waiting = [*due(1, since=at(7)), *due(2, since=at(9))]
    assert next_step(waiting, [], DAILY, at(10)) == Tell(notices=(1, 2), slot=at(8))


def test_a_refused_digest_is_called_again_as_it_was() -> None:
    calls = [digest_at(at(8), 1, 2, again=True)]
    assert next_step(due(1, 2, 3, since=at(7)), calls, DAILY, at(9)) == Again(intent=A)


def test_what_was_told_alone_is_in_no_digest() -> None:
    waiting = due(1, 2, since=at(7))
    assert next_step(waiting, [told(B, 1)], DAILY, at(8)) == Tell(notices=(2,), slot=at(8))


def test_a_digest_of_an_earlier_time_does_not_hold_up_one_after_the_file_changed() -> None:
    step = next_step(due(2, since=at(7)), [digest_at(at(6), 1)], DAILY, at(8))
    assert step == Tell(notices=(2,), slot=at(8))


def test_a_notice_is_done_when_its_call_cannot_be_made_again() -> None:
    assert is_done(1, [told(A, 1)])
    assert not is_done(1, [told(A, 1, again=True)])
    assert not is_done(1, [told(A, 2)])


def test_every_kind_of_item_has_words() -> None:
    titles = {
        words([About(item=1, kind=kind, place="robin/local")], digest=False).title
        for kind in ItemKind
    }
    assert len(titles) == len(ItemKind)


def test_a_notice_names_the_mailbox_and_the_item() -> None:
    said = words([About(item=7, kind=ItemKind.DRAFT_READY, place="robin/local")], digest=False)
    assert said.title == "A draft waits for review"
    assert said.text == "robin/local: see fencepost review show 7"


def test_text_of_mail_is_bounded_and_plain() -> None:
    about = About(
        item=7,
        kind=ItemKind.DRAFT_READY,
        place="robin/local",
        subject="Lunch\r\nBcc: x\u202e" + "s" * 500,
        draft="Dear Ada,\n\x1b[2J" + "d" * 5_000,
    )
    for digest in (False, True):
        text = words([about], digest=digest).text
        assert len(text) < (400 if digest else 1_800)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\r" not in text
        assert "Lunch Bcc: x" in text
        assert "Dear Ada," in text


def test_a_digest_counts_and_stays_short() -> None:
    many = [About(item=n, kind=ItemKind.DRAFT_READY, place="robin/local") for n in range(50)]
    said = words(many, digest=True)
    assert said.title == "50 things wait for review"
    assert "and 40 more" in said.text
    assert len(said.text) < 1_000
    assert words(many[:1], digest=True).title == "One thing waits for review"
