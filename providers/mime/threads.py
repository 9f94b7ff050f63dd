"""Which thread a message belongs to, and which messages are one.

A mailbox delivers copies, answers before questions, loops, ids that are missing, broken or used
twice. The rule is small: a message joins the thread that already knows it (somebody referred to it
earlier), else that of its nearest known ancestor, else it founds one. What binds are Message-IDs
in References and In-Reply-To and, where a message has neither, Outlook's Thread-Index; a subject
alone never does.

The identity of a thread never changes once a message has it: keys are recorded for the first
thread that claims them, and a late message that bridges two threads joins one and moves nothing.
Everything is total and linear in its input. The table of keys is the store's; a crash between
choosing and recording only means that the same choice is made again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from storage.words import ThreadId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from providers.mime.message import Heads

FIRST_REFERENCES: Final = 20
"""How many of the oldest references are looked at: the root binds where the middle is lost."""
LAST_REFERENCES: Final = 80
"""How many of the newest references are looked at."""
MAX_OWN: Final = 4
"""How many ids one Message-ID header may establish."""
MAX_PARENTS_NAMED: Final = 8
"""How many ids of In-Reply-To are looked at."""
MAX_ID: Final = 997
"""Octets of the longest id that a folded header line can hold (RFC 5322 2.1.1)."""

_INDEX_PREFIX: Final = "thread-index "  # the space keeps it apart from every Message-ID
_INDEX_OCTETS: Final = 22
_BRACKETED: Final = re.compile(r"<([^<>]*)>")
_WHITE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadKeys:
    """The keys that bind one message.

    ``own`` are the keys that it establishes itself, ``parents`` those of its ancestors, nearest
    first. Both are bounded and hold no key twice; a message is not its own parent by Message-ID.
    Keys from Thread-Index carry a prefix that no Message-ID can have.
    """

    own: tuple[str, ...]
    parents: tuple[str, ...]


def message_ids(value: str) -> list[str]:
    """The ids in *value* in order, without brackets and white space, letter case kept.

    Takes what mails really hold: bare ids, prose around a bracketed one (RFC 822 4.6.2), ids that
    were folded in the middle, empty brackets (no id).
    """
    found = [_WHITE.sub("", inner) for inner in _BRACKETED.findall(value)]
    ids = [each for each in found if each]
    if ids:
        return ids
    words = (word.strip("<>,;()\"'") for word in value.split())
    return [word for word in words if "@" in word[1:-1]]


def wire_id(value: str) -> str | None:
    """The id in *value* as an answer names it, byte for byte, or None when it cannot be named.

    White space around it is dropped and missing brackets are put on: an answer refers to a bare id
    with them. Of several the first is taken. None for what no header line can carry: an empty id,
    control characters, undecodable bytes, more than 997 octets.
    """
    text = value.strip()
    if "<" not in text and ">" not in text:
        text = f"<{text}>" if "@" in text[1:-1] and len(text.split()) == 1 else ""
    found = next((each for each in _BRACKETED.finditer(text) if each[1].strip()), None)
    if found is None or not found[0].isprintable() or len(found[0].encode()) > MAX_ID:
        return None
    return found[0]


def _own_ids(message_id: str | None) -> list[str]:
    """The ids that a Message-ID header establishes; a bare word is one even without an @."""
    if message_id is None:
        return []
    words = message_id.split()
    bare = words if len(words) == 1 and words[0].strip("<>") else []
    return (message_ids(message_id) or bare)[:MAX_OWN]


def _index_key(thread_index: str | None) -> str | None:
    """The key of an Outlook conversation: the first 22 octets, to which each answer adds five.

    Source: MS-OXOMSG 2.2.1.3 (PidTagConversationIndex), carried in base64 by Thread-Index.
    """
    packed = _WHITE.sub("", thread_index or "").rstrip("=")
    try:
        index = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return _INDEX_PREFIX + index[:_INDEX_OCTETS].hex() if len(index) >= _INDEX_OCTETS else None


def thread_keys(heads: Heads) -> ThreadKeys:
    """The keys by which *heads* binds to other messages."""
    index = _index_key(heads.thread_index)
    named = [each for value in heads.in_reply_to for each in message_ids(value)]
    chain = [each for value in heads.references for each in message_ids(value)]
    if len(chain) > FIRST_REFERENCES + LAST_REFERENCES:
        chain = chain[:FIRST_REFERENCES] + chain[-LAST_REFERENCES:]
    chain.reverse()
    ancestors = named + chain if len(named) == 1 else chain + named[:MAX_PARENTS_NAMED]
    if not ancestors and index is not None:
        ancestors = [index]
    ids = _own_ids(heads.message_id)
    own = dict.fromkeys(ids if index is None else [*ids, index])
    parents = dict.fromkeys(each for each in ancestors if each not in ids)
    return ThreadKeys(own=tuple(own), parents=tuple(parents))


def choose_thread(keys: ThreadKeys, lookup: Mapping[str, ThreadId]) -> ThreadId | None:
    """The known thread that an arriving message joins, or None when it founds one.

    *lookup* holds at least those of the keys that are recorded. The own Message-ID comes first: an
    answer that came earlier has claimed it (a ghost), and so has another copy of the message.
    """
    ids = (key for key in keys.own if not key.startswith(_INDEX_PREFIX))
    for key in (*ids, *keys.parents):
        if key in lookup:
            return lookup[key]
    return None


def claimed_keys(keys: ThreadKeys) -> tuple[str, ...]:
    """The keys to record for the thread of a message; one that is recorded already stays as it is.

    Ancestors that never arrived (ghosts) are among them, so that two answers to one missing
    message meet.
    """
    return tuple(dict.fromkeys(keys.own + keys.parents))


def new_thread_id(heads: Heads) -> ThreadId:
    """The id of the thread that *heads* founds: 20 hex digits, the same whenever it is asked."""
    return ThreadId(hashlib.sha256(f"thread {heads.identity}".encode()).hexdigest()[:20])


def group_threads(heads: Sequence[Heads]) -> list[ThreadId]:
    """The thread of each message, in the same order, as if they arrived one after the other."""
    known: dict[str, ThreadId] = {}
    threads = []
    for each in heads:
        keys = thread_keys(each)
        thread = choose_thread(keys, known) or new_thread_id(each)
        for key in claimed_keys(keys):
            known.setdefault(key, thread)
        threads.append(thread)
    return threads
