"""Who is at work in a fleet, and whose copy of a user's file counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from storage import workers
from storage.sqlite import sync_engine
from storage.tables import metadata
from storage.words import OwnerId, UserName
from storage.workers import FORGET_MS, File

ROBIN = UserName("robin")
A, B = OwnerId("a:1:x"), OwnerId("b:1:x")
LEASE_MS = 60_000


@pytest.fixture
def conn() -> Iterator[Connection]:
    engine = sync_engine(None)
    with engine.begin() as connection:
        metadata.create_all(connection)
        yield connection
    engine.dispose()


def live(conn: Connection, name: OwnerId, now: int = 0, host: str | None = None) -> None:
    workers.seen(
        conn,
        now,
        name=name,
        host=host or name.split(":")[0],
        role="all",
        serves={ROBIN},
        lease_ms=LEASE_MS,
    )


def agree(conn: Connection, name: OwnerId, file: str, now: int = 0) -> dict[UserName, File]:
    return workers.agree(conn, now, {ROBIN: file}, name=name, host=name.split(":")[0])


def test_a_sign_of_life_keeps_the_time_of_the_first(conn: Connection) -> None:
    live(conn, A, 1_000)
    live(conn, A, 9_000)
    [one] = workers.everyone(conn)
    assert (one.started_at, one.seen_at, one.serves) == (1_000, 9_000, {ROBIN})


@pytest.mark.parametrize(("now", "is_live"), [(1_000, True), (61_000, False)])
def test_a_silent_worker_is_not_live(conn: Connection, now: int, is_live: bool) -> None:
    live(conn, A, 1_000)
    assert workers.everyone(conn)[0].is_live(now) is is_live


def test_who_said_good_bye_is_not_live(conn: Connection) -> None:
    live(conn, A, 1_000)
    workers.gone(conn, 1_001, A)
    assert not workers.everyone(conn)[0].is_live(1_002)


def test_workers_that_are_long_gone_are_forgotten(conn: Connection) -> None:
    live(conn, A, 1_000)
    live(conn, B, FORGET_MS + 2_000)
    workers.gone(conn, FORGET_MS + 2_000, B)
    assert [one.name for one in workers.everyone(conn)] == [B]


def test_a_file_that_the_fleet_does_not_know_is_taken_in(conn: Connection) -> None:
    live(conn, B)
    assert agree(conn, A, "one") == {}
    assert workers.files(conn) == {ROBIN: File(hash="one", host="a")}


def test_a_file_that_differs_from_the_fleets_is_not_worked_with(conn: Connection) -> None:
    live(conn, B)
    agree(conn, B, "one")
    assert agree(conn, A, "two") == {ROBIN: File(hash="one", host="b")}
    assert workers.files(conn)[ROBIN].hash == "one"


def test_the_only_live_host_replaces_a_file_by_itself(conn: Connection) -> None:
    live(conn, B)
    agree(conn, B, "one")
    assert agree(conn, A, "two", now=LEASE_MS) == {}
    assert workers.files(conn)[ROBIN] == File(hash="two", host="a")


def test_another_process_on_the_same_host_is_no_other_host(conn: Connection) -> None:
    live(conn, OwnerId("a:2:x"))
    agree(conn, OwnerId("a:2:x"), "one")
    assert agree(conn, A, "two") == {}


def test_adopting_replaces_the_fleets_file_whoever_lives(conn: Connection) -> None:
    live(conn, A)
    live(conn, B)
    agree(conn, B, "one")
    assert workers.adopt(conn, 0, {ROBIN: "two"}, "a") == [ROBIN]
    assert workers.adopt(conn, 0, {ROBIN: "two"}, "a") == []
    assert agree(conn, B, "one") == {ROBIN: File(hash="two", host="a")}
