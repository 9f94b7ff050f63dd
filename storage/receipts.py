"""Receipts: what a person asked for, bound to a key they chose, so that no replay repeats it.

The receipt is written in the transaction that does what was asked. Same key and same fingerprint:
the same operation comes back. Same key, other fingerprint: a conflict. Receipts are never removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.tables import receipts

if TYPE_CHECKING:
    from sqlalchemy import Connection


class ConflictError(Exception):
    """The key was used before, for something else."""

    def __init__(self, key: str, command: str) -> None:
        super().__init__(
            f"the key {key!r} was used before for another command ({command}); choose a new key"
        )
        self.key = key
        self.command = command


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was asked under a key, and the operation and result that it got."""

    scope: str
    key: str
    command: str
    fingerprint: str
    operation: str
    result: Mapping[str, object]


def find(conn: Connection, scope: str, key: str, fingerprint: str) -> Receipt | None:
    """The receipt of this key, if it was used. Raises ConflictError on another fingerprint."""
    row = conn.execute(
        sa.select(receipts).where(receipts.c.scope == scope, receipts.c.key == key)
    ).one_or_none()
    if row is None:
        return None
    if row.fingerprint != fingerprint:
        raise ConflictError(key, row.command)
    return Receipt(
        scope=row.scope,
        key=row.key,
        command=row.command,
        fingerprint=row.fingerprint,
        operation=row.operation,
        result=dict(row.result),
    )


def write(conn: Connection, receipt: Receipt, now_ms: int) -> None:
    """Bind a key to its operation; a second writer of the same key fails on the primary key."""
    conn.execute(
        sa.insert(receipts),
        {
            "scope": receipt.scope,
            "key": receipt.key,
            "command": receipt.command,
            "fingerprint": receipt.fingerprint,
            "operation": receipt.operation,
            "result": dict(receipt.result),
            "at": now_ms,
        },
    )
