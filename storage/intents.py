"""Intents: the durable record of one side effect, its attempts, its evidence and its legal moves.

Every function here that changes a state expects the thread's lease row to be locked by the same
transaction (``storage.leases.lock``), and moves it by one conditional UPDATE that names the attempt
and the states that TRANSITIONS allows; a move that is not legal changes nothing and says so.

What must never happen here: an UPDATE of a state without its attempt, a DELETE, a key used twice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.rows import NUMBER, TEXT, ForEach, Given, Place, grouped, rows_of_threads
from storage.standing import BESIDE, Beside
from storage.tables import intents, leases
from storage.words import (
    MAILBOX_CHANGING,
    By,
    IntegrationId,
    IntentId,
    IntentKey,
    IntentState,
    InvalidTransitionError,
    Kind,
    OwnerId,
    Ref,
    ThreadId,
    UserName,
    Version,
    sources,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

TRIES = 5
"""Calls under one key that may end in a passing rejection before a person is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One intent as stored. Times are epoch milliseconds by the database's clock."""

    id: IntentId
    key: IntentKey
    kind: Kind
    user: UserName
    integration: IntegrationId
    thread: ThreadId
    generation: int
    attempt: int
    tries_left: int
    state: IntentState
    blocks: bool
    owner: OwnerId
    fence: int
    request: bytes
    fingerprint: str
    mark: str | None
    plan: Mapping[str, object]
    token: Mapping[str, object]
    place: Mapping[str, object]
    before: Sequence[str]
    content_hash: str | None
    call_timeout_ms: int
    claimed_at: int
    ended_at: int | None
    settled_at: int | None
    settled_by: str | None
    reason: str | None
    passing: bool
    retry_at: int | None
    next_look_at: int | None
    looks: int
    clean_look_at: int | None
    looks_ended_at: int | None
    provider_ref: Ref | None
    version: Version | None
    message_id_asked: str | None
    message_id_seen: str | None


# Statements of the hot path are made once: to make one costs as much as to run it.
_BY_KEY = sa.select(intents).where(intents.c.key == sa.bindparam("k"))
_BY_ID = sa.select(intents).where(intents.c.id == sa.bindparam("k"))
_INSERT = sa.insert(intents)
_BY_AGE = (intents.c.claimed_at, intents.c.id)
_OF_THREADS = rows_of_threads(intents, *_BY_AGE)
_LOOKS_DUE = (
    sa.select(intents).where(intents.c.next_look_at <= sa.bindparam("n")).order_by(*_BY_AGE)
)
_NEXT_LOOK = sa.select(sa.func.min(intents.c.next_look_at)).where(
    intents.c.integration.in_(sa.bindparam("served", expanding=True))
)
_ORPHANS = (
    sa.select(intents)
    .join(
        leases,
        sa.and_(leases.c.integration == intents.c.integration, leases.c.thread == intents.c.thread),
    )
    .where(
        intents.c.state == str(IntentState.CALLING),
        sa.or_(
            leases.c.owner.is_(None),
            leases.c.owner != intents.c.owner,
            leases.c.fence != intents.c.fence,
            leases.c.expires_at <= sa.bindparam("n"),
        ),
    )
    .order_by(*_BY_AGE)
)


def by_key(conn: Connection, key: IntentKey) -> Intent | None:
    """The intent of this idempotency key."""
    return _one(conn, _BY_KEY, key)


def by_id(conn: Connection, intent: IntentId) -> Intent | None:
    """The intent of this id."""
    return _one(conn, _BY_ID, intent)


def of_thread(conn: Connection, integration: str, thread: str) -> list[Intent]:
    """Every intent of a thread, oldest first."""
    return of_threads(conn, [(integration, thread)])[integration, thread]


def of_threads(conn: Connection, places: Collection[Place]) -> dict[Place, list[Intent]]:
    """Every intent of each thread, oldest first."""
    found = grouped(conn, _OF_THREADS, places)
    return {place: [_intent(row) for row in rows] for place, rows in found.items()}


def of_integration(conn: Connection, integration: str, *, since_ms: int = 0) -> list[Intent]:
    """Intents of an integration (or of a user's notices) claimed since then, oldest first."""
    return _many(conn, intents.c.integration == integration, intents.c.claimed_at >= since_ms)


def everything(conn: Connection) -> list[Intent]:
    """Every intent there is, oldest first."""
    return _many(conn, sa.true())


def in_state(conn: Connection, *states: IntentState) -> list[Intent]:
    """Every intent in one of these states, oldest first."""
    return _many(conn, intents.c.state.in_([str(state) for state in states]))


def with_looks_due(conn: Connection, by_ms: int) -> list[Intent]:
    """Intents whose next look falls due by *by_ms*."""
    return [_intent(row) for row in conn.execute(_LOOKS_DUE, {"n": by_ms}).mappings()]


def next_look_at(conn: Connection, integrations: Collection[IntegrationId]) -> int | None:
    """When the next look at an intent of these mailboxes falls due (epoch ms)."""
    when = conn.scalar(_NEXT_LOOK, {"served": sorted(integrations)})
    return int(when) if when is not None else None


def orphans(conn: Connection, now_ms: int) -> list[Intent]:
    """Intents still ``calling`` whose lease is over: their caller will not tell us any more."""
    return [_intent(row) for row in conn.execute(_ORPHANS, {"n": now_ms}).mappings()]


def another_blocks(
    conn: Connection, integration: str, thread: str, but: IntentId | None
) -> IntentId | None:
    """Another mailbox-changing intent that blocks the thread, if there is one."""
    found = conn.scalar(
        sa.select(intents.c.id)
        .where(
            intents.c.integration == integration,
            intents.c.thread == thread,
            intents.c.blocks == 1,
            intents.c.kind.in_(sorted(MAILBOX_CHANGING)),
            intents.c.id != (but or ""),
        )
        .limit(1)
    )
    return None if found is None else IntentId(found)


def insert_all(conn: Connection, new: Sequence[Intent]) -> None:
    """Write new intents, ``calling``, attempt 1."""
    if new:
        conn.execute(_INSERT, [_values(intent) for intent in new])


def _values(intent: Intent) -> dict[str, object]:
    values: dict[str, object] = {
        column.name: getattr(intent, column.name) for column in intents.columns
    }
    values["blocks"] = int(intent.blocks)
    values["passing"] = int(intent.passing)
    values["plan"] = dict(intent.plan)
    values["token"] = dict(intent.token)
    values["place"] = dict(intent.place)
    values["before"] = list(intent.before)
    return values


def call_again(
    conn: Connection,
    intent: Intent,
    by: By,
    *,
    owner: OwnerId,
    fence: int,
    now_ms: int,
    token: Mapping[str, object],
    place: Mapping[str, object],
    before: Sequence[str],
    call_timeout_ms: int,
) -> bool:
    """Begin the next attempt of an intent under the same key, with the bytes that are stored."""
    again = Move(
        intent=intent,
        to=IntentState.CALLING,
        by=by,
        values={
            "attempt": intent.attempt + 1,
            "owner": owner,
            "fence": fence,
            "claimed_at": now_ms,
            "ended_at": None,
            "settled_at": None,
            "settled_by": None,
            "reason": None,
            "passing": 0,
            "retry_at": None,
            "next_look_at": None,
            "looks": 0,
            "clean_look_at": None,
            "looks_ended_at": None,
            "blocks": 1 if intent.kind in MAILBOX_CHANGING else 0,
            "token": dict(token),
            "place": dict(place),
            "before": list(before),
            "call_timeout_ms": call_timeout_ms,
        },
    )
    return bool(move_all(conn, [again]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One move of an intent at its stored attempt, with what else changes in the same statement."""

    intent: Intent
    to: IntentState
    by: By
    values: Mapping[str, object]


def moving(intent: Intent, to: IntentState, by: By, now_ms: int, **values: object) -> Move:
    """A move; where it settles the intent, with when and by what, and the thread is free."""
    if to not in (IntentState.CALLING, IntentState.UNKNOWN):
        values = {"settled_at": now_ms, "settled_by": str(by), "blocks": 0} | values
    return Move(intent=intent, to=to, by=by, values=values)


def move(
    conn: Connection,
    intent: Intent,
    to: IntentState,
    by: By,
    now_ms: int,
    **values: object,
) -> Beside | None:
    """Move an intent at its stored attempt, if that is legal; None: nothing was changed."""
    return move_all(conn, [moving(intent, to, by, now_ms, **values)]).get(intent.id)


def move_all(conn: Connection, moves: Sequence[Move]) -> dict[IntentId, Beside]:
    """Move intents, each at its stored attempt; gives those whose move was legal.

    No intent may stand in *moves* twice. Raises InvalidTransitionError when a move is legal from no
    state at all.
    """
    alike: dict[ForEach, list[dict[str, object]]] = {}
    for one in moves:
        allowed = sources(one.to, one.by)
        if not allowed:
            raise InvalidTransitionError(f"nothing becomes {one.to} by {one.by}")
        statement = _moving(tuple(sorted(one.values)), tuple(sorted(allowed)))
        row = {f"to_{name}": value for name, value in one.values.items()}
        row |= {"to_state": str(one.to), "id": one.intent.id, "of_attempt": one.intent.attempt}
        alike.setdefault(statement, []).append(row)
    moved: dict[IntentId, Beside] = {}
    for statement, rows in alike.items():
        for seen in statement.run(conn, rows).mappings():
            moved[IntentId(str(seen["id"]))] = Beside(
                other_draft=bool(seen["other_draft"]),
                told=bool(seen["told"]),
                unwell=bool(seen["unwell"]),
            )
    return moved


def update(conn: Connection, intent: Intent, **values: object) -> None:
    """Change what is not the state: looks, freedom, references. Names the attempt as well."""
    if "state" in values:
        raise InvalidTransitionError("a state moves through storage.intents.move alone")
    conn.execute(
        sa.update(intents)
        .where(intents.c.id == intent.id, intents.c.attempt == intent.attempt)
        .values(values)
    )


@cache
def _moving(names: tuple[str, ...], allowed: tuple[IntentState, ...]) -> ForEach:
    """The guarded UPDATE that sets these columns; a handful of shapes is all there are."""
    changed = (*names, "state")
    columns = {f"to_{name}": intents.c[name].type for name in changed}

    def build(given: Given, _: sa.FromClause) -> sa.Executable:
        return (
            sa.update(intents)
            .where(
                intents.c.id == given["id"],
                intents.c.attempt == given["of_attempt"],
                # Not by the index of states, in which every call that ever was has left an entry.
                sa.func.coalesce(intents.c.state, "").in_([str(state) for state in allowed]),
            )
            .values({name: given[f"to_{name}"] for name in changed})
            .returning(intents.c.id, *BESIDE)
        )

    return ForEach({"id": TEXT, "of_attempt": NUMBER, **columns}, build)


def _one(conn: Connection, query: sa.Select[tuple[object, ...]], key: str) -> Intent | None:
    row = conn.execute(query, {"k": key}).mappings().one_or_none()
    return None if row is None else _intent(row)


def _many(conn: Connection, *where: sa.ColumnElement[bool]) -> list[Intent]:
    query = sa.select(intents).where(*where).order_by(*_BY_AGE)
    return [_intent(row) for row in conn.execute(query).mappings()]


def _intent(row: RowMapping) -> Intent:
    values = dict(row)
    values["kind"] = Kind(row["kind"])
    values["state"] = IntentState(row["state"])
    values["blocks"] = bool(row["blocks"])
    values["passing"] = bool(row["passing"])
    values["request"] = bytes(row["request"])
    return Intent(**{str(name): value for name, value in values.items()})
