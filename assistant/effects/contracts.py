"""What each kind of side effect promises, declared as data.

``fencepost workflows`` prints this table, the docs show it, and a test holds that no kind lacks a
contract. Nothing here is code that runs; it is what the code must keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from storage.words import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One kind's contract, in words for a person and for whoever writes the next adapter."""

    kind: Kind
    key: str
    commit_point: str
    replay: str
    uncertainty: str
    recovery: str
    blocks_thread: bool


CONTRACTS: Final[Mapping[Kind, Contract]] = MappingProxyType(
    {
        Kind.CREATE_DRAFT: Contract(
            kind=Kind.CREATE_DRAFT,
            key="mailbox, thread, identity of the message answered, generation of the thread",
            commit_point="the intent with the exact bytes, in the transaction that verifies and "
            "renews the lease; bytes staged before it are shown by no mail program",
            replay="never called again unless the earlier attempt is proved to have had no effect "
            "(then the same bytes, one attempt higher) or a person asked again (then a new key)",
            uncertainty="a lost answer, an answer that is on neither allow-list, a cancellation or "
            "a process that died: unknown",
            recovery="looks by mark, Message-ID and content in every place of the mailbox; found "
            "once is accepted, twice is duplicated, not found stays unknown until a proof or a "
            "person's word",
            blocks_thread=True,
        ),
        Kind.REMOVE_DRAFT: Contract(
            kind=Kind.REMOVE_DRAFT,
            key="mailbox, thread, draft, exact version",
            commit_point="the intent that names the exact version, in the transaction that "
            "verifies and renews the lease",
            replay="may be repeated under the same key while unknown, because it names a version "
            "that an edited or sent draft no longer has",
            uncertainty="a lost answer: the version may or may not be gone",
            recovery="a direct get decides: gone with no successor is accepted, a successor or a "
            "sent mail is rejected and the draft is the owner's",
            blocks_thread=True,
        ),
        Kind.NOTIFY: Contract(
            kind=Kind.NOTIFY,
            key="user, review item or moment of the digest, kind of notice, address of the "
            "receiver",
            commit_point="the intent with the exact request, in the transaction that verifies and "
            "renews the lease of the receiver",
            replay="at most once by itself; tried again only after a refusal that is passing",
            uncertainty="a lost answer or a 5xx: the owner may have been told",
            recovery="none by itself: the unknown notice shows on its review item, which waits in "
            "the queue either way",
            blocks_thread=False,
        ),
    }
)
