"""What a watcher tells of its mailbox's health, and of the units that its provider counts.

Units of work for ``assistant.loops.watcher``, run while its lease is held. A login that is gone is
an item of its own kind, which closes once a pass has worked again; everything else that stops a
mailbox is ``mailbox_ill``. Units are told at most once a minute and never fail a pass; a crash
loses those of the last minute, which only a person would see.
"""

from __future__ import annotations

from functools import partial

import structlog
from sqlalchemy import Connection

from assistant.effects import illness
from assistant.house import Account, House
from storage import mailboxes, reviews, units
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.words import ItemKind

log = structlog.get_logger()

UNITS_EVERY_S = 60.0
"""How often what a quota was spent on is written down."""


def ill(conn: Connection, account: Account, problem: str, remedy: str, *, reconnect: bool) -> None:
    """The mailbox can't be read: its threads rest, and an item says why."""
    now = database_now_ms(conn)
    mailboxes.update(conn, account.integration, problem=problem, remedy=remedy)
    summary = f"{problem}: {remedy}"
    if reconnect:
        illness.ask_to_log_in(conn, account.integration, account.user, now, summary)
        return
    reviews.open_item(
        conn,
        now,
        ItemKind.MAILBOX_ILL,
        user=account.user,
        integration=account.integration,
        about="read",
        summary=summary,
    )


def was_ill(conn: Connection, account: Account) -> bool:
    """Whether anything is told of the mailbox that a good pass ends."""
    row = mailboxes.load(conn, account.integration)
    return row is not None and (
        row.problem is not None or illness.wants_login(conn, account.integration)
    )


def well(conn: Connection, account: Account) -> None:
    """A pass has worked: what was told is over."""
    now = database_now_ms(conn)
    illness.logged_in(conn, account.integration, now)
    mailboxes.update(conn, account.integration, problem=None, remedy=None)
    reviews.close(
        conn,
        now,
        "facts",
        kind=ItemKind.MAILBOX_ILL,
        integration=account.integration,
        about="read",
    )


class Units:
    """Writes down, now and then, what the meter of one mailbox has counted."""

    def __init__(self, house: House, account: Account) -> None:
        self._house = house
        self._account = account
        self._told = 0
        self._due_s = 0.0

    async def tell(self) -> None:
        """Add what was spent since the last time; nothing where there is no meter."""
        meter, now_s = self._account.meter, self._house.clock.boot_s()
        if meter is None or now_s < self._due_s or meter.total == self._told:
            return
        total = meter.total
        unit = partial(
            _add, self._account.integration, meter.day, total - self._told, meter.last_minute
        )
        try:
            await self._house.store.write(unit)
        except StorageError as error:
            log.debug("spent units could not be told", error=type(error).__name__)
            return
        self._told, self._due_s = total, now_s + UNITS_EVERY_S


def _add(integration: str, day: str, spent: int, last_minute: int, conn: Connection) -> None:
    units.add(conn, integration, day, spent, last_minute, database_now_ms(conn))
