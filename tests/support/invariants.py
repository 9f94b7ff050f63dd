"""The promises, as facts about a world that are true after every test.

I1 one effect a key, I2 none without a committed intent, I3 fences rise, I4 one open call a thread,
I5 legal moves only, I6 receipts never change, I7 no secret and no mail text in what is shown, I8
what is unknown is visible, I10 nothing is left open. I2 to I6 are watched while the world turns
(see ``tests.support.database``); this reads the rest at the end.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict

from providers.mime.marks import intent_of
from providers.ports import Folder
from storage.intents import Intent
from storage.words import (
    DraftState,
    EvidenceKind,
    IntentId,
    IntentState,
    ItemKind,
    Kind,
)
from tests.support.mails import CANARY
from tests.support.world import SECRET, World

_TWICE = ("twice", "twice_lost")


def broken(world: World) -> list[str]:
    """Every promise that does not hold, in words."""
    found = list(world.db.watch.broken)
    found += _effects(world)
    found += _calls(world)
    found += _visible(world)
    found += _records(world)
    found += _secrets(world)
    if world.db.in_transaction:
        found.append("a transaction was left open")
    return found


def check(world: World) -> None:
    """Raise AssertionError naming every promise that does not hold."""
    assert not broken(world), "; ".join(broken(world))


def _effects(world: World) -> list[str]:
    # A provider that doubles a request by itself is not our doing.
    doubled = sum(1 for call, act in world.plan.taken if call == "create" and act in _TWICE)
    made = Counter(
        effect.intent for effect in world.journal.effects if effect.kind is Kind.CREATE_DRAFT
    )
    extra = sum(count - 1 for count in made.values())
    if extra > doubled:
        return [f"{extra + 1} effects for one key: {dict(made)}"]
    return []


def _calls(world: World) -> list[str]:
    """One call for each attempt; another attempt only after a proof that the last did nothing."""
    found: list[str] = []
    made = Counter((call.intent, call.attempt) for call in world.calls)
    found += [f"{n} calls for attempt {at} of {i[:6]}" for (i, at), n in made.items() if n > 1]
    by_id = {intent.id: intent for intent in world.intents()}
    for intent_id, attempt in made:
        intent = by_id.get(intent_id)
        if intent is None:
            found.append(f"a call for {intent_id[:6]}, which is no intent")
            continue
        again = intent.kind is Kind.CREATE_DRAFT and attempt < intent.attempt
        if again and not _was_rejected(world, intent, attempt):
            found.append(f"attempt {attempt} of {intent_id[:6]} was repeated without proof")
    return found


def _was_rejected(world: World, intent: Intent, attempt: int) -> bool:
    for fact in world.facts(intent.id):
        if fact.attempt != attempt:
            continue
        if fact.kind is EvidenceKind.PROOF or fact.detail.get("outcome") == "rejected":
            return True
    return False


def _visible(world: World) -> list[str]:
    """What is unknown is on the owner's list, unless they dismissed it."""
    found: list[str] = []
    shown = {item.about for item in world.items(ItemKind.OUTCOME_UNKNOWN)}
    doubled = {item.about for item in world.items(ItemKind.DUPLICATED, closed=True)}
    for intent in world.intents():
        if intent.kind is Kind.NOTIFY:
            continue
        if intent.state is IntentState.UNKNOWN and intent.id not in shown:
            if not _was_said(world, intent.id, "dismiss"):
                found.append(f"unknown intent {intent.id[:6]} is not shown")
            elif intent.blocks:
                found.append(f"dismissed intent {intent.id[:6]} still blocks its thread")
        if intent.state is not IntentState.UNKNOWN and intent.id in shown:
            found.append(f"settled intent {intent.id[:6]} is still shown as unknown")
        if intent.state is IntentState.DUPLICATED and intent.id not in doubled:
            found.append(f"duplicated intent {intent.id[:6]} is not shown")
        if intent.state is IntentState.UNKNOWN and intent.blocks and intent.next_look_at is None:
            found.append(f"blocking unknown intent {intent.id[:6]} is looked for no more")
    return found


def _was_said(world: World, intent: IntentId, word: str) -> bool:
    return any(
        fact.kind is EvidenceKind.PERSON and fact.detail.get("word") == word
        for fact in world.facts(intent)
    )


def _records(world: World) -> list[str]:
    """An accepted create has its draft on record, and a held one waits for review."""
    found: list[str] = []
    records = defaultdict(list)
    for draft in world.records():
        records[draft.intent].append(draft)
    items = {item.about for item in world.items(ItemKind.DRAFT_READY, closed=True)}
    open_items = {item.about for item in world.items(ItemKind.DRAFT_READY)}
    for intent in world.intents():
        made = intent.kind is Kind.CREATE_DRAFT
        if made and intent.state is IntentState.ACCEPTED and not records[intent.id]:
            found.append(f"accepted intent {intent.id[:6]} has no draft on record")
    for draft in world.records():
        if draft.state is DraftState.HELD and str(draft.id) not in items:
            found.append(f"held draft {draft.id} was never shown")
        if not draft.open and str(draft.id) in open_items:
            found.append(f"draft {draft.id} is {draft.state} and still waits for review")
    return found


def _secrets(world: World) -> list[str]:
    found: list[str] = []
    for table in ("receipts", "events", "review_items", "notices", "evidence"):
        text = json.dumps(world.db.ask(f"SELECT * FROM {table}"), default=str)  # noqa: S608
        found += [
            f"{table} holds what it must not"
            for secret in (SECRET.decode(), CANARY)
            if secret in text
        ]
    return found


def two_of_ours(world: World) -> list[tuple[str, str]]:
    """Threads in which more than one draft of ours lies unsent, and how many."""
    threads: Counter[str] = Counter()
    by_id = {intent.id: intent for intent in world.intents()}
    for lying in world.hands.lying(Folder.DRAFTS):
        intent = by_id.get(intent_of(SECRET, lying.mark or "") or IntentId(""))
        if intent is not None:
            threads[intent.thread] += 1
    return [
        (thread, f"{count} drafts of ours lie in {thread}")
        for thread, count in threads.items()
        if count > 1
    ]
