"""What the books of a schedule read of the store at each commit, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

CALL_MS: Final = 20_000

_COLUMNS = (
    "id, thread, kind, state, attempt, owner, fence, generation, blocks, passing, settled_by, "
    "tries_left, retry_at, claimed_at, ended_at, next_look_at, plan, place, fingerprint"
)
INTENTS = f"SELECT {_COLUMNS} FROM intents WHERE kind != 'notify'"  # noqa: S608
LEASES = "SELECT thread, owner, fence, expires_at, grace_until, orphaned, alone, takes FROM leases"
THREADS = "SELECT thread, dues, due_at, triage || '.' || triaged_revision FROM threads"


class Row(NamedTuple):
    """One intent as it is stored."""

    id: str
    thread: str
    kind: str
    state: str
    attempt: int
    owner: str
    fence: int
    generation: int
    blocks: int
    passing: int
    settled_by: str | None
    tries_left: int
    retry_at: int | None
    claimed_at: int
    ended_at: int | None
    next_look_at: int | None
    plan: str
    place: str
    fingerprint: str

    @property
    def name(self) -> str:
        return f"{self.kind} {self.id[:6]}.{self.attempt}"

    @property
    def base(self) -> int:
        """From when on its looks count."""
        return self.ended_at or self.claimed_at + CALL_MS


class Lease(NamedTuple):
    """One lease as it is stored."""

    owner: str | None
    fence: int
    expires_at: int
    grace_until: int
    orphaned: int
    alone: int
    takes: int


class Thread(NamedTuple):
    """What work on a thread leaves in its row."""

    dues: int
    due_at: int | None
    triaged: str | None


@dataclass(slots=True)
class Heard:
    """An answer that reached a process."""

    by: str
    at: int
    outcome: object
