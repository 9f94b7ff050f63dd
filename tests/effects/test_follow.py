"""A worker whose lease is another's changes nothing by an old direct get (matrix row 37)."""

from __future__ import annotations

from sqlalchemy import Connection

from assistant.effects.tracking import follow
from providers.ports import DraftNow, Whereabouts
from storage import drafts, leases
from storage.drafts import Draft, NewDraft
from storage.leases import Held
from storage.sqlite import sync_engine
from storage.tables import metadata
from storage.words import (
    DraftState,
    IntegrationId,
    IntentId,
    OwnerId,
    Ref,
    ThreadId,
    Version,
)

MAILBOX, THREAD = IntegrationId("robin/a"), ThreadId("t")


def begin(conn: Connection) -> tuple[Held, Draft]:
    held = leases.acquire(conn, MAILBOX, THREAD, OwnerId("first"), 60_000)
    assert held is not None
    new = NewDraft(
        integration=MAILBOX, thread=THREAD, intent=IntentId("a" * 32), ref=Ref("d"),
        version=Version("1"), content_hash="h", state=DraftState.HELD, answers=None, shown={},
        made_at=1,
    )  # fmt: skip
    made = drafts.record(conn, new)
    draft = drafts.one(conn, made)
    assert draft is not None
    return held, draft


def test_a_stale_direct_get_changes_no_draft() -> None:
    engine = sync_engine(None)
    metadata.create_all(engine)
    with engine.begin() as conn:
        held, draft = begin(conn)
        leases.release(conn, held)
        assert leases.acquire(conn, MAILBOX, THREAD, OwnerId("second"), 60_000) is not None
        follow(conn, draft, DraftNow(where=Whereabouts.SENT), 2_000, held)
        assert drafts.one(conn, draft.id) == draft
    engine.dispose()


def test_the_holder_records_what_became_of_it() -> None:
    engine = sync_engine(None)
    metadata.create_all(engine)
    with engine.begin() as conn:
        held, draft = begin(conn)
        followed, _ = follow(conn, draft, DraftNow(where=Whereabouts.SENT), 2_000, held)
        assert followed.state is DraftState.SENT
    engine.dispose()
