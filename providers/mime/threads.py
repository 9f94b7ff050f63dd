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
import heapq
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from providers.mime.owners import address_key
from providers.mime.subjects import base_subject
from storage.words import ThreadId

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from datetime import datetime

    from providers.mime.message import Heads, Mail

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

_COMPARED: Final = 8  # messages of one id that a further one is compared with word by word
_ALIKE: Final = 0.7  # share of the shorter text's words that a copy holds, footer or not
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


class Threaded(Protocol):
    """What binds a message to others: a whole mail or its header block alone."""

    @property
    def message_id(self) -> str | None:
        """Its own id, as it stands there."""

    @property
    def in_reply_to(self) -> tuple[str, ...]:
        """What each In-Reply-To says."""

    @property
    def references(self) -> tuple[str, ...]:
        """The ancestors that References names, oldest first."""

    @property
    def thread_index(self) -> str | None:
        """Outlook's Thread-Index."""


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


def parent_ids(value: str) -> list[str]:
    """The ids that one In-Reply-To names, as they stand there; prose around them is real (RFC 822).

    What stands in brackets amid prose may be an address ("Message from Mina <mina@example.org> of
    Monday <id>"), so that there only an id counts that begins or ends the value, and a bare one
    only without prose.
    """
    text = value.strip()
    found = [each[0] for each in _BRACKETED.finditer(text)]
    if not found:
        words = text.split()
        return words if all("@" in word[1:-1] for word in words) else []
    if not _BRACKETED.sub("", text).strip(" \t\r\n,"):
        return found
    if text.startswith("<"):
        return found[:1]
    return found[-1:] if text.endswith(">") else []


def wire_ids(value: str) -> list[str]:
    """The ids in *value* as an answer names them, byte for byte.

    White space around an id is dropped; a bare one gets brackets, since that is how others refer
    to it. Left out is what no header line can carry: an empty id, control characters, undecodable
    bytes, more than 997 octets.
    """
    text = value.strip()
    found = [each[0] for each in _BRACKETED.finditer(text) if each[1].strip()]
    ids = found or [f"<{each}>" for each in message_ids(text)]
    return [each for each in ids if each.isprintable() and len(each.encode()) <= MAX_ID]


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


def _ends(chain: Sequence[str]) -> Sequence[str]:
    """The first and last of *chain*, as many as are looked at."""
    if len(chain) <= FIRST_REFERENCES + LAST_REFERENCES:
        return chain
    return [*chain[:FIRST_REFERENCES], *chain[-LAST_REFERENCES:]]


def thread_keys(heads: Threaded) -> ThreadKeys:
    """The keys by which *heads* binds to other messages."""
    index = _index_key(heads.thread_index)
    pieces = [each for value in heads.in_reply_to for each in parent_ids(value)]
    named = [each for piece in pieces for each in message_ids(piece)]
    chain = [each for value in _ends(heads.references) for each in message_ids(value)]
    chain = list(reversed(_ends(chain)))
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


@dataclass(frozen=True, slots=True)
class _Content:
    """What tells whether two messages of one id are one message."""

    authors: frozenset[str]
    date: datetime | None
    words: tuple[str, ...]
    vocabulary: frozenset[str]

    def is_copy_of(self, other: _Content) -> bool:
        """Whether both are one message: one author, and one date with much the same words.

        Where the dates differ the words must be the same, save for what a list puts below them.
        """
        if self.authors.isdisjoint(other.authors) and (self.authors or other.authors):
            return False
        if self.date != other.date:
            shorter, longer = sorted((self.words, other.words), key=len)
            return bool(shorter) and longer[: len(shorter)] == shorter
        fewer = min(len(self.vocabulary), len(other.vocabulary))
        return len(self.vocabulary & other.vocabulary) >= _ALIKE * fewer


def _content(mail: Mail) -> _Content:
    """The content of *mail*; a list may move the author from From to another header (DMARC)."""
    by_list = mail.list_id is not None or mail.list_post is not None
    moved = (*mail.reply_to, *mail.cc) if by_list else ()
    words = tuple(mail.text.split())
    return _Content(
        authors=frozenset(
            address_key(each.addr) for each in (*mail.from_, *mail.original_from, *moved)
        ),
        date=mail.date,
        words=words,
        vocabulary=frozenset(words),
    )


def _copy_key(mail: Mail) -> Hashable:
    """What all copies of *mail* have in common: its id, else when and about what it was written."""
    ids = _own_ids(mail.message_id)
    if ids:
        return ids[0]
    return mail.identity if mail.date is None else (mail.date, base_subject(mail.subject))


def same_message(a: Mail, b: Mail) -> bool:
    """Whether *a* and *b* are copies of one message: sent directly and through a list, say.

    Message-IDs are used twice by mistake and on purpose, so equal ids alone do not decide.
    """
    return _copy_key(a) == _copy_key(b) and _content(a).is_copy_of(_content(b))


def reply_order(mails: Sequence[Threaded]) -> list[int]:
    """The indexes of *mails* in their own order, but none before one that it answers.

    Arrival lies where a fetcher brings the inbox and Sent in two strokes; a reference does not: who
    names a message has seen it. Loops are left as they came. Linear in mails and references.
    """
    places: dict[str, int] = {}
    for at, mail in enumerate(mails):
        for key in _own_ids(mail.message_id):
            places.setdefault(key, at)
    waits: list[set[int]] = []
    followers: list[list[int]] = [[] for _ in mails]
    for at, mail in enumerate(mails):
        named = (
            key for value in (*mail.references, *mail.in_reply_to) for key in message_ids(value)
        )
        parents = {places[key] for key in named if places.get(key, at) != at}
        waits.append(parents)
        for parent in parents:
            followers[parent].append(at)
    ready = [at for at, parents in enumerate(waits) if not parents]
    order: list[int] = []
    while ready:
        at = heapq.heappop(ready)
        order.append(at)
        for follower in followers[at]:
            waits[follower].discard(at)
            if not waits[follower]:
                heapq.heappush(ready, follower)
    left = set(range(len(mails))) - set(order)
    return [*order, *sorted(left)]


def distinct_messages(mails: Sequence[Mail]) -> list[list[int]]:
    """The indexes of *mails* in groups that are one message each, in order of first arrival.

    What shares an id with many others is compared with the first few of them only, and beyond
    those must be equal: the time stays linear.
    """
    groups: list[list[int]] = []
    rivals: dict[Hashable, list[tuple[_Content, list[int]]]] = {}
    equals: dict[Hashable, list[int]] = {}
    for index, mail in enumerate(mails):
        key, content = _copy_key(mail), _content(mail)
        rows = rivals.setdefault(key, [])
        group = equals.get((key, content)) or next(
            (members for rival, members in rows if content.is_copy_of(rival)), None
        )
        if group is None:
            group = []
            groups.append(group)
            if len(rows) < _COMPARED:
                rows.append((content, group))
        group.append(index)
        equals.setdefault((key, content), group)
    return groups
