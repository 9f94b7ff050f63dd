"""Answers of slow pure functions, kept for the next schedule that asks the same.

Schedules use the same few mails again and again, and what the rules say of them, and what their
content is, depends on nothing else; and what is held against the intents at the end reads them all
several times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from unittest.mock import patch
from weakref import WeakKeyDictionary

from assistant.core import rules
from assistant.core.conversation import Conversation, Triage
from assistant.loops import judging
from providers.memory import messages
from providers.mime.compose import content_hash
from storage.intents import Intent
from tests.support.world import World

_MOST = 4096
_JUDGED: dict[object, tuple[Conversation, Triage]] = {}
_judge = rules.judge
_read_intents = World.intents
_KNOWN: WeakKeyDictionary[World, tuple[int, list[Intent]]] = WeakKeyDictionary()
_content_hash = lru_cache(maxsize=_MOST)(content_hash)


def _judged(conversation: Conversation) -> Triage:
    # Mails are long and cost time to compare; read from the same bytes they are the same object,
    # and the conversation that is kept with the answer keeps them alive.
    key = (
        conversation.subject,
        conversation.owner,
        tuple((id(one.mail), one.own, one.arrived_at) for one in conversation.entries),
    )
    known = _JUDGED.get(key)
    if known is None:
        if len(_JUDGED) >= _MOST:
            _JUDGED.clear()
        known = _JUDGED[key] = (conversation, _judge(conversation))
    return known[1]


def _intents(world: World) -> list[Intent]:
    known = _KNOWN.get(world)
    if known is None or known[0] != world.db.written:
        known = _KNOWN[world] = (world.db.written, _read_intents(world))
    return list(known[1])


@contextmanager
def remembered() -> Iterator[None]:
    """While it lasts nothing is judged or hashed twice, nor read twice of an unchanged store."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(judging, "judge", _judged))
        stack.enter_context(patch.object(messages, "content_hash", _content_hash))
        stack.enter_context(patch.object(World, "intents", _intents))
        yield
