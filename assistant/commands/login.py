"""After a login: what waited for it goes on at once, instead of with the next pass.

The new login itself is kept by ``assistant.login``, before this is asked; a pass over the mailbox
finds out the same by itself, so nothing is lost where this does not run.
"""

from __future__ import annotations

from sqlalchemy import Connection

from assistant.effects import illness
from assistant.house import House
from storage import mailboxes
from storage.dbtime import database_now_ms
from storage.events import log
from storage.words import IntegrationId


async def logged_in(house: House, mailbox: str) -> dict[str, object]:
    """Close the item that asked for a login, and take the mailbox up again."""
    integration = IntegrationId(mailbox)

    def unit(conn: Connection) -> bool:
        now = database_now_ms(conn)
        asked = illness.logged_in(conn, integration, now)
        if asked:
            mailboxes.update(conn, integration, problem=None, remedy=None)
        log(conn, now, integration, "", "logged_in")
        return asked

    asked = await house.store.write(unit)
    house.work_bell.ring()
    return {"logged_in": mailbox, "was_asked": asked}
