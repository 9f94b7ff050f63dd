"""Text that no database holds as it is, in what claims and records of several threads store."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from assistant.effects.wording import storable
from storage import events, evidence, leases, reviews, threads
from storage.events import Event
from storage.intents import Intent
from storage.reviews import NewItem
from storage.rows import TEXT, ForEach, as_text, at_once
from storage.words import (
    Accepted,
    Evidence,
    EvidenceKind,
    IntentId,
    IntentState,
    ItemKind,
    Outcome,
    Ref,
    Rejected,
    Unknown,
    Version,
)
from tests.effects.test_shared import ask_for, begin, claimed, recorded
from tests.support.worlds import Make

ODD = {
    "a lone surrogate": "x\ud800y",
    "a NUL": "x\0y",
    "quotes of JSON": '"}],\\u0000 $[0]',
    "braces of an array": '{NULL,"a"}\\',
    "a long one": "ä" * 300_000,
    "an emoji": "\U0001f44d\u200d",
    "nothing": "",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
async def test_whatever_a_provider_says_is_recorded_and_can_be_read(make: Make, text: str) -> None:
    world, held = await begin(make, 4)
    made = [
        one
        for one in claimed(world, [ask_for(world, each) for each in held])
        if isinstance(one, Intent)
    ]
    said: list[Outcome] = [
        Rejected(reason=text, detail=text),
        Unknown(reason=text, detail=text),
        Accepted(ref=Ref(f"r{text}"), version=Version(text), message_id=text, detail=text),
        Rejected(reason=text, passing=True, illness=True, detail=text),
    ]
    recorded(world, [(one, storable(what)) for one, what in zip(made, said, strict=True)])
    assert [one.state for one in world.intents()].count(IntentState.REJECTED) == 2
    assert world.state_counts()[IntentState.ACCEPTED] == 1
    reasons = {one.reason for one in world.intents() if one.reason is not None}
    kept = text.replace("\ud800", "\ufffd").replace("\0", "\ufffd")
    assert reasons == {kept}
    assert len(world.items(ItemKind.REJECTED)) == 1


async def test_odd_text_in_a_request_is_claimed_again_as_it_was(make: Make) -> None:
    world, held = await begin(make, 2)
    odd = [*ODD.values()]
    asked = [
        replace(ask_for(world, each), token={"all": odd}, place={"all": odd}, before=odd)
        for each in held
    ]
    made = [one for one in claimed(world, asked) if isinstance(one, Intent)]
    refused = Rejected(reason="busy", passing=True)
    recorded(world, [(one, refused) for one in made])
    world.clock.skip(60)
    again = [one for one in claimed(world, asked) if isinstance(one, Intent)]
    assert [one.attempt for one in again] == [2, 2]
    for one in world.intents():
        assert (dict(one.token), list(one.before)) == ({"all": odd}, odd)


async def test_statements_at_once_write_what_each_of_them_would(make: Make) -> None:
    db = make().db
    told = [Event(at=at, kind=f"of {at}", detail={"at": [at, None]}) for at in (3, 1, 2)]
    item = NewItem(kind=ItemKind.GAP, user="robin", opened_at=1, summary="s", detail={"é": 1})
    fact = Evidence(kind=EvidenceKind.ANSWER, attempt=1, detail={"of": ODD["quotes of JSON"]})

    def unit(conn: Connection) -> None:
        at_once(
            conn,
            [
                evidence.adding([]),
                reviews.opening([item]),
                evidence.adding([(IntentId("i"), 7, fact)]),
                events.telling([("box", "t", told)]),
                *threads.finishing([]),
            ],
        )

    db.run(unit)
    story = db.run(lambda conn: events.story(conn, "box", "t"))
    assert [(one["kind"], one["detail"]) for one in story] == [(e.kind, e.detail) for e in told]
    assert [dict(one.detail) for one in db.run(reviews.listed)] == [{"é": 1}]
    [seen] = db.run(lambda conn: evidence.of_intent(conn, IntentId("i")))
    assert (seen.at, seen.kind, dict(seen.detail)) == (7, fact.kind, dict(fact.detail))


def test_a_statement_that_locks_rows_goes_with_no_other() -> None:
    with pytest.raises(ValueError, match="by itself"):
        leases._KEEP.part("of")


async def test_nothing_at_once_is_no_statement(make: Make) -> None:
    assert make().db.run(lambda conn: at_once(conn, [evidence.adding([])])) is None


async def test_what_sqlite_would_store_unreadably_is_given_as_it_can_be_read(make: Make) -> None:
    each = ForEach({"text": TEXT}, lambda given, rows: sa.select(given["text"]).select_from(rows))
    db = make().db
    # PostgreSQL refuses a lone surrogate aloud.
    texts = [text for text in ODD.values() if db.dialect == "sqlite" or "\ud800" not in text]
    found = db.run(lambda conn: each.run(conn, [{"text": text} for text in texts]).all())
    assert [str(text) for (text,) in found] == [as_text(text) for text in texts]
