"""Decisions on review items, with receipts: the same key gives the same operation, for ever.

key new                      do it, write the receipt, in one transaction
key known, same fingerprint  give back the same operation, do nothing
key known, other fingerprint ConflictError
two at once                  one commits; the other finds its receipt and returns that
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from assistant.commands.deciding import Ask, RefusedError, decide, too_early
from assistant.core.reconciliation import Finding
from assistant.effects.keys import fingerprint
from assistant.house import House
from assistant.loops.reconciler import Reconciler
from providers.ports import NotHereError
from storage import intents, receipts, reviews
from storage.dbtime import database_now_ms
from storage.events import log
from storage.intents import Intent
from storage.receipts import Receipt
from storage.reviews import Item
from storage.words import Action, FaultPoint, IntegrationId, IntentId, ItemKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person asks: one action of one or several items, under a key of their choice."""

    items: tuple[int, ...]
    action: Action
    key: str
    ref: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The operation that a key stands for. ``replayed``: it had been done before."""

    operation: str
    command: str
    key: str
    replayed: bool
    result: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """The answer as the command line prints it."""
        return {
            "operation": self.operation,
            "command": self.command,
            "key": self.key,
            "replayed": self.replayed,
            "result": dict(self.result),
        }


class CommandError(Exception):
    """What was asked can't be done; the message says why and what to do."""


async def perform(house: House, decision: Decision) -> Answer:
    """Do what was asked, once for ever under its key.

    Raises CommandError, RefusedError or ``storage.receipts.ConflictError``.
    """
    replay = await house.store.read(lambda conn: _replay(conn, decision))
    if replay is not None:
        return replay
    if decision.action is Action.NEVER_HAPPENED:
        await _look_once_more(house, decision)
    try:
        answer = await house.store.write(lambda conn: _perform(conn, house, decision))
    except IntegrityError:
        # Another process committed this key first: its operation is the answer.
        winner = await house.store.write(lambda conn: _replay(conn, decision))
        if winner is None:
            raise
        return winner
    house.faults.hit(FaultPoint.COMMAND_COMMITTED)
    house.work_bell.ring()
    house.look_bell.ring()
    return answer


def _perform(conn: Connection, house: House, decision: Decision) -> Answer:
    # Looked for again inside the writing transaction: two commands may race.
    replay = _replay(conn, decision)
    if replay is not None:
        return replay
    items = _items(conn, decision)
    operation = uuid.uuid4().hex
    result: dict[str, object] = {}
    for item in items:
        ask = Ask(
            item=item,
            action=decision.action,
            ref=decision.ref,
            note=decision.note,
            operation=operation,
            lag_ms=_lag_ms(house, item),
        )
        result[str(item.id)] = _one(conn, ask, alone=len(items) == 1)
    now = database_now_ms(conn)
    receipts.write(
        conn,
        Receipt(
            scope=items[0].user,
            key=decision.key,
            command=_name(decision),
            fingerprint=_fingerprint(decision),
            operation=operation,
            result=result,
        ),
        now,
    )
    for item in items:
        log(conn, now, item.integration, item.thread, "decided", action=str(decision.action))
    house.faults.hit(FaultPoint.COMMAND_WRITTEN)
    return Answer(
        operation=operation,
        command=_name(decision),
        key=decision.key,
        replayed=False,
        result=result,
    )


def _one(conn: Connection, ask: Ask, *, alone: bool) -> Mapping[str, object]:
    """One item of a command; among several, a refusal of one does not stop the others."""
    if alone:
        return decide(conn, ask)
    try:
        with conn.begin_nested():
            return decide(conn, ask)
    except RefusedError as error:
        return {"refused": str(error)}


def _items(conn: Connection, decision: Decision) -> list[Item]:
    items = []
    for number in sorted(set(decision.items)):
        item = reviews.one(conn, number)
        if item is None:
            raise CommandError(f"there is no review item {number}; see: fencepost review list")
        items.append(item)
    if not items:
        raise CommandError("name at least one review item")
    if len({item.user for item in items}) > 1:
        raise CommandError("the items belong to different users; ask for each user by itself")
    return items


def _replay(conn: Connection, decision: Decision) -> Answer | None:
    items = _items(conn, decision)
    receipt = receipts.find(conn, items[0].user, decision.key, _fingerprint(decision))
    if receipt is None:
        return None
    return Answer(
        operation=receipt.operation,
        command=receipt.command,
        key=receipt.key,
        replayed=True,
        result=receipt.result,
    )


async def _look_once_more(house: House, decision: Decision) -> None:
    wanted = await house.store.read(lambda conn: _unknown_intents(conn, decision))
    for intent in wanted:
        account = house.accounts.get(IntegrationId(intent.integration))
        if account is None:
            raise CommandError(
                f"{intent.integration} can't be searched here; it is not configured on this host"
            )
        lag_ms = house.schedule_for(account).lag_ms
        why_not = await house.store.read(partial(_too_early, intent=intent, lag_ms=lag_ms))
        if why_not is not None:
            # A look that begins before may miss what still lands, however long it takes.
            raise RefusedError(why_not)
        try:
            finding = await Reconciler(house).look(account, intent)
        except NotHereError as error:
            raise RefusedError(
                f"{intent.integration} can't be searched on this host: {error}; or ask on a host "
                "that serves it (see: fencepost status)"
            ) from error
        if finding is Finding.NOT_REACHED:
            raise RefusedError(
                f"{intent.integration} could not be searched just now, so nobody can say that it "
                "never happened; see that the mailbox works, then ask again"
            )


def _too_early(conn: Connection, intent: Intent, lag_ms: int) -> str | None:
    return too_early(conn, intent, lag_ms, database_now_ms(conn))


def _unknown_intents(conn: Connection, decision: Decision) -> Sequence[Intent]:
    found = []
    for item in _items(conn, decision):
        if item.kind is ItemKind.OUTCOME_UNKNOWN and item.state == "open":
            intent = intents.by_id(conn, IntentId(item.about))
            if intent is not None:
                found.append(intent)
    return found


def _lag_ms(house: House, item: Item) -> int:
    account = house.accounts.get(IntegrationId(item.integration))
    schedule = house.schedule if account is None else house.schedule_for(account)
    return schedule.lag_ms


def _name(decision: Decision) -> str:
    return f"review {decision.action}"


def _fingerprint(decision: Decision) -> str:
    return fingerprint(
        items=sorted(set(decision.items)), action=str(decision.action), ref=decision.ref
    )
