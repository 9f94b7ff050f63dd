"""Only the moves of TRANSITIONS change an intent; every other one changes nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from storage import intents
from storage.intents import Intent
from storage.sqlite import sync_engine
from storage.tables import intents as table
from storage.tables import metadata
from storage.words import (
    TRANSITIONS,
    By,
    IntegrationId,
    IntentId,
    IntentKey,
    IntentState,
    InvalidTransitionError,
    Kind,
    OwnerId,
    ThreadId,
    UserName,
    sources,
)


def make(state: IntentState, attempt: int = 3) -> Intent:
    """An intent in some state."""
    return Intent(
        id=IntentId("a" * 32), key=IntentKey("k"), kind=Kind.CREATE_DRAFT, user=UserName("robin"),
        integration=IntegrationId("robin/a"), thread=ThreadId("t"), generation=0, attempt=attempt,
        tries_left=5, state=state, blocks=True, owner=OwnerId("o"), fence=1, request=b"x",
        fingerprint="f", mark="m", plan={}, token={}, place={}, before=(), content_hash="h",
        call_timeout_ms=1, claimed_at=1, ended_at=None, settled_at=None, settled_by=None,
        reason=None, passing=False, retry_at=None, next_look_at=None, looks=0, clean_look_at=None,
        looks_ended_at=None, provider_ref=None, version=None, message_id_asked=None,
        message_id_seen=None,
    )  # fmt: skip


@pytest.fixture
def engine() -> Iterator[Engine]:
    found = sync_engine(None)
    metadata.create_all(found)
    yield found
    found.dispose()


def row(conn: Connection) -> tuple[object, ...]:
    return tuple(conn.execute(sa.select(table)).one())


@pytest.mark.parametrize(
    ("state", "to", "by"), list(product(IntentState, IntentState, By)), ids=lambda one: str(one)
)
def test_a_move_happens_exactly_when_the_table_holds_it(
    engine: Engine, state: IntentState, to: IntentState, by: By
) -> None:
    legal = by in TRANSITIONS.get((state, to), frozenset())
    with engine.begin() as conn:
        intents.insert_all(conn, [make(state)])
        before = row(conn)
        if not sources(to, by):
            with pytest.raises(InvalidTransitionError):
                intents.move(conn, make(state), to, by, 5)
            assert row(conn) == before
            return
        assert (intents.move(conn, make(state), to, by, 5) is not None) is legal
        assert (row(conn) != before) is legal


@pytest.mark.parametrize("state", list(IntentState))
def test_a_move_of_another_attempt_changes_nothing(engine: Engine, state: IntentState) -> None:
    with engine.begin() as conn:
        intents.insert_all(conn, [make(state, attempt=3)])
        before = row(conn)
        stale = make(state, attempt=2)
        for (source, to), causes in TRANSITIONS.items():
            if source is state:
                assert not any(intents.move(conn, stale, to, by, 5) for by in causes)
        assert row(conn) == before


def test_a_state_never_changes_beside_the_moves(engine: Engine) -> None:
    with engine.begin() as conn:
        intents.insert_all(conn, [make(IntentState.UNKNOWN)])
        with pytest.raises(InvalidTransitionError):
            intents.update(conn, make(IntentState.UNKNOWN), state="accepted")


def test_the_table_is_that_of_the_protocol() -> None:
    named = {(str(a), str(b)): {str(by) for by in causes} for (a, b), causes in TRANSITIONS.items()}
    assert named == {
        ("calling", "accepted"): {"call"},
        ("calling", "rejected"): {"call"},
        ("calling", "unknown"): {"call", "sweep"},
        ("unknown", "accepted"): {"sighting", "late", "person"},
        ("unknown", "rejected"): {"proof", "late", "person"},
        ("unknown", "duplicated"): {"count"},
        ("accepted", "duplicated"): {"count"},
        ("duplicated", "accepted"): {"count"},
        ("rejected", "calling"): {"plan"},
        ("rejected", "accepted"): {"sighting", "late"},
        ("unknown", "calling"): {"repeat"},
    }
