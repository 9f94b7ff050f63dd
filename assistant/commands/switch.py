"""The kill switch: pause and resume, persisted, and read again before each call."""

from __future__ import annotations

from sqlalchemy import Connection

from assistant.commands.review import CommandError
from assistant.house import House
from storage import mailboxes
from storage.dbtime import database_now_ms
from storage.events import log


async def pause(house: House, mailbox: str | None) -> dict[str, object]:
    """Stop every call into one mailbox, or into all; what is in flight ends and is recorded."""
    name = await _known(house, mailbox)

    def unit(conn: Connection) -> None:
        now = database_now_ms(conn)
        mailboxes.pause(conn, name, now)
        log(conn, now, name, "", "paused")

    await house.store.write(unit)
    return {"paused": name}


async def resume(house: House, mailbox: str | None) -> dict[str, object]:
    """Lift a pause; what waited is worked on again. ``still_paused`` have pauses of their own."""
    name = await _known(house, mailbox)

    def unit(conn: Connection) -> bool:
        was = mailboxes.resume(conn, name)
        log(conn, database_now_ms(conn), name, "", "resumed")
        return was

    was = await house.store.write(unit)
    house.work_bell.ring()
    if name != mailboxes.ALL and await house.store.read(
        lambda conn: mailboxes.is_paused(conn, mailboxes.ALL)
    ):
        raise CommandError(
            f"every mailbox is still paused, {name} too; lift that with: fencepost resume"
        )
    still = [] if name != mailboxes.ALL else await house.store.read(_paused)
    return {"resumed": name, "was_paused": was, "still_paused": still}


def _paused(conn: Connection) -> list[str]:
    """The mailboxes that have a pause of their own."""
    names = [row.integration for row in mailboxes.everything(conn)]
    return [name for name in names if mailboxes.is_paused(conn, name)]


async def _known(house: House, mailbox: str | None) -> str:
    if mailbox is None:
        return mailboxes.ALL
    known = {row.integration for row in await house.store.read(mailboxes.everything)}
    known |= house.accounts.keys()
    if mailbox not in known:
        names = ", ".join(sorted(known)) or "none"
        raise CommandError(f"there is no mailbox {mailbox}; there are: {names}")
    return mailbox
