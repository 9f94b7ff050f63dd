"""The marks by which a thing that we made is recognised in a mailbox later.

A create whose answer is lost leaves one question: does the draft exist? It is answered by finding
our mark, so a mark must be recomputable from the intent alone, must not be guessable by whoever can
put mail into the mailbox, and must not reveal the secret of the installation it is made with.

A mark is believed only where its code is right *and* only in Drafts, Sent and Trash: the codes are
checked here, the places are the caller's duty. Nothing here reads, writes or knows the time; the
same intent gives the same mark for ever, so a crash at any moment loses nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Final

from providers.mime.owners import ascii_domain
from storage.words import IntentId

MARK_HEADER: Final = "X-Fencepost-Intent"
"""The header field that carries the mark of the intent that made a draft."""

_MARK: Final = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{32})", re.ASCII)
_DOMAIN: Final = re.compile(r"[A-Za-z0-9.-]+|\[[!-Z^-~]+\]", re.ASCII)


def _code(secret: bytes, purpose: str, intent: str) -> str:
    """128 bits of HMAC-SHA256 in hex; *purpose* keeps codes of one use from serving another."""
    if not secret:
        raise ValueError("the secret for marks is empty: give the installation key")
    message = f"fencepost {purpose} {intent}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:32]


def mark_of(secret: bytes, intent: IntentId) -> str:
    """The mark of *intent*: its id, a dot and a code; 65 printable ASCII characters.

    Raises ValueError when *secret* is empty.
    """
    return f"{intent}.{_code(secret, 'mark', intent)}"


def intent_of(secret: bytes, mark: str) -> IntentId | None:
    """The intent that *mark* names, or None when we did not make that mark.

    Any text may be given; white space around it is ignored. The code is compared in constant time.
    """
    found = _MARK.fullmatch(mark.strip())
    if found is None:
        return None
    intent, code = IntentId(found[1]), found[2]
    return intent if hmac.compare_digest(code, _code(secret, "mark", intent)) else None


def message_id_of(secret: bytes, intent: IntentId, domain: str) -> str:
    """The Message-ID of the draft that *intent* makes, in angle brackets (RFC 5322 3.6.4).

    *domain* is the right side: a domain in any script, or a literal in square brackets.
    Raises ValueError when it is neither.
    """
    right = ascii_domain(domain)
    if _DOMAIN.fullmatch(right) is None:
        raise ValueError(f"{domain!r} cannot stand in a Message-ID: give the domain of an address")
    return f"<{_code(secret, 'message-id', intent)}@{right}>"
