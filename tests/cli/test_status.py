"""``status``: which mailboxes rest, why and until when, and which members of a fleet are gone."""

from __future__ import annotations

import json
import sqlite3
import time

import pytest

from tests.cli.conftest import Place

HOUR_S = 3_600


def change(place: Place, sql: str, *values: object) -> None:
    conn = sqlite3.connect(place.data_dir / "fencepost.db")
    try:
        with conn:
            conn.execute(sql, values)
    finally:
        conn.close()


def ms(after_s: float) -> int:
    return int((time.time() + after_s) * 1000)


def mailbox(place: Place) -> dict[str, object]:
    document = place.json("status")
    assert isinstance(document, dict)
    row: dict[str, object] = document["mailboxes"][0]
    return row


@pytest.fixture
def resting(place: Place) -> Place:
    """A mailbox after three calls whose process died."""
    place.run("once")
    change(
        place,
        "UPDATE mailboxes SET unknowns_in_a_row = 3, look_needed = 1, calls_paused_until = ?",
        ms(60),
    )
    return place


def test_a_mailbox_that_rests_says_why_and_until_when(resting: Place) -> None:
    said = resting.run("status")
    assert "robin/local: rests until 20" in said
    assert "and until a look into it has succeeded: of 3 calls in a row nobody knows" in said


def test_a_rest_that_began_with_a_refusal_gives_that_as_its_reason(resting: Place) -> None:
    change(resting, "UPDATE mailboxes SET look_needed = 0")
    change(
        resting,
        "INSERT INTO review_items (kind, user, integration, thread, about, subject, summary, state,"
        " opened_at, hidden, detail) VALUES ('mailbox_ill', 'robin', 'robin/local', '', 'write',"
        " '', 'drafts can''t be written: the quota is used up', 'open', ?, 0, '{}')",
        ms(0),
    )
    said = " ".join(resting.run("status").split())
    assert "the quota is used up" in said
    assert "nobody knows" not in said


def test_json_says_why_a_mailbox_rests_and_until_when(resting: Place) -> None:
    row = mailbox(resting)
    rests = row["rests"]
    assert isinstance(rests, dict)
    assert rests["until"] == row["calls_rest_until"]
    assert 0 < rests["more_s"] <= 60
    assert rests["look_needed"] is True
    assert "nobody knows the outcome" in rests["why"]


def test_a_rest_whose_time_is_over_waits_for_a_look(resting: Place) -> None:
    change(resting, "UPDATE mailboxes SET calls_paused_until = ?", ms(-1))
    assert "robin/local: rests until a look into it has succeeded: " in resting.run("status")


def test_a_refused_mailbox_rests_for_the_reason_that_its_item_gives(place: Place) -> None:
    place.run("once")
    change(place, "UPDATE mailboxes SET calls_paused_until = ?", ms(60))
    change(
        place,
        "INSERT INTO review_items (kind, user, integration, thread, about, summary, detail, state, "
        "opened_at, subject, hidden) VALUES ('mailbox_ill', 'robin', 'robin/local', '', 'write', "
        "'drafts can''t be written: over quota', '{}', 'open', ?, '', 0)",
        ms(0),
    )
    assert "drafts can't be written: over quota" in place.run("status")


def test_a_mailbox_that_works_rests_not(place: Place) -> None:
    place.run("once")
    assert mailbox(place)["rests"] is None
    assert "rests" not in place.run("status")


def member(place: Place, name: str, heard_s_ago: float) -> None:
    """A member of a fleet that was killed, as its row says it."""
    seen = ms(-heard_s_ago)
    change(
        place,
        "INSERT INTO workers (name, host, role, serves, started_at, seen_at, draining, lacks, "
        "lease_ms) VALUES (?, 'one', 'all', '[]', ?, ?, 0, '{}', 6000)",
        name, seen, seen,
    )  # fmt: skip


def members(place: Place, *words: str) -> list[str]:
    document = json.loads(place.run("status", "--json", *words))
    return [row["worker"] for row in document["workers"]]


@pytest.fixture
def fleet(place: Place) -> Place:
    """One member died a minute ago, one before that."""
    place.run("once")
    member(place, "one:1:a", 60)
    member(place, "one:2:b", HOUR_S + 60)
    return place


def test_a_dead_member_is_gone_and_says_when_it_was_last_heard(fleet: Place) -> None:
    said = fleet.run("status")
    assert "at work: nobody\n" in said
    assert "gone: one:1:a (all, silent, last heard 20" in said


def test_a_member_that_was_not_heard_for_an_hour_is_not_listed(fleet: Place) -> None:
    assert "one:2:b" not in fleet.run("status")
    assert members(fleet) == ["one:1:a"]


def test_all_lists_every_member_that_is_known_of(fleet: Place) -> None:
    assert "gone: one:2:b (all, silent, last heard 20" in fleet.run("status", "--all")
    assert members(fleet, "--all") == ["one:1:a", "one:2:b"]


def test_once_and_explain_give_the_same_reason(resting: Place) -> None:
    resting.deliver(1)
    document = resting.json("once")
    assert isinstance(document, dict)
    [problem] = document["mailboxes"][0]["problems"]
    assert "and until a look into it has succeeded: of 3 calls in a row nobody knows" in problem
    threads = resting.json("threads")
    assert isinstance(threads, list)
    said = resting.run("explain", "robin/local", str(threads[0]["thread"]))
    assert "no call is made into the mailbox: it rests for" in said


def test_leases_of_a_process_that_died_are_nobodys_work(place: Place) -> None:
    place.run("once")
    change(place, "UPDATE leases SET owner = 'host-a:1:x', expires_at = ?", ms(60))
    said = place.run("status")
    assert "at work: nobody" in said
    assert "gone: host-a:1:x (1 lease)" in said
    assert mailbox(place)["state"] == "idle"
