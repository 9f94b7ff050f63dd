"""Words from one process of a fleet to the others: "there is work", and nothing else.

A signal is sent with the commit of the transaction that has something to tell, and may be lost: it
only spares others the wait until they look by themselves. SQLite has one writing process, which
rings its own bells; there this does nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlalchemy import Connection

CHANNEL: Final = "fencepost"


class Signal(StrEnum):
    """What there is to do."""

    WORK = "work"
    LOOK = "look"
    NOTICE = "notice"


def send(conn: Connection, *what: Signal) -> None:
    """Have the other processes told once this transaction is committed."""
    if conn.dialect.name != "postgresql":
        return
    for one in what:
        conn.exec_driver_sql(f"NOTIFY {CHANNEL}, '{one}'")
