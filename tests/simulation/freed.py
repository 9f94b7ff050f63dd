"""When a thread may be free again in which a call is unknown: section 5."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from providers.ports import Look
from storage.words import Kind
from tests.simulation.rows import Row

if TYPE_CHECKING:
    from tests.simulation.books import Books

_LAST_LOOK_MS: Final = 86_400_000
_APART_MS: Final = 59_000


def freed(books: Books, raw: sqlite3.Connection, new: Row) -> None:
    """Nothing frees a thread but a word, an answer by hand, and looks that have ended."""
    if new.kind != Kind.CREATE_DRAFT:
        return
    said = raw.execute(
        "SELECT 1 FROM evidence WHERE intent = ? AND kind = 'person'", (new.id,)
    ).fetchone()
    replied = raw.execute(
        "SELECT 1 FROM messages WHERE thread = ? AND folder = 'sent' AND arrived_at >= ?",
        (new.thread, new.claimed_at - 1000),
    ).fetchone()
    clean = [at for at, look in books.looks[new.id, new.attempt] if _is_clean(look)]
    ends = [at for at in clean if at >= new.base + _LAST_LOOK_MS]
    ended = any(end - start >= _APART_MS for end in ends for start in clean)
    if said is None and replied is None and not ended:
        books.wrong(f"{new.name} is unknown and blocks no more, for no reason")


def _is_clean(look: Look) -> bool:
    """Whether it reached every place and found nothing there."""
    return look.complete and not (look.found or look.delivered or look.proof or look.refused)
