"""Sees what this host of a fleet can serve, and tells which mailboxes no live host can.

Each process asks its own host for what its mailboxes need, says in its row what is lacking, and
reads in the rows of the others whether anybody makes up for it. While nobody does, one
``mailbox_ill`` item about ``here`` names every host with its reason; whoever sees it served again
closes it. A host that was seen within a lease counts still, so that a restart makes no item.

It decides nothing about leases and calls no provider. A crash leaves the item as it is, and the
next pass of any process puts it right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import structlog
from sqlalchemy import Connection

from assistant.core.sharing import PARTS, left_undone
from assistant.house import House
from storage import mailboxes, reviews, workers
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.reviews import Item
from storage.words import IntegrationId, ItemKind, UserName
from storage.workers import Lack, Worker

log = structlog.get_logger()

ABOUT: Final = "here"
"""What the item of a mailbox that no host can serve is about."""


class Presence:
    """The presence of one process; *role* as its row tells it."""

    def __init__(self, house: House, *, role: str) -> None:
        self._house = house
        self._role = role

    async def run(self) -> None:
        """Look around for ever."""
        while True:
            try:
                await self.pass_once()
            except StorageError as error:
                log.debug("the store does not answer", error=type(error).__name__)
            await self._house.clock.sleep(self._house.settings.renew_s)

    async def pass_once(self) -> None:
        """Ask this host once; tell what nobody can serve, and what is served again."""
        house = self._house
        if await house.see_what_is_here(list(house.accounts.values())):
            house.work_bell.ring()
            house.look_bell.ring()
        served = {name: account.user for name, account in house.accounts.items()}
        providers = {name: one.mailbox.profile.provider for name, one in house.accounts.items()}
        found = await house.store.read(lambda conn: self._found(conn, served))
        if found is None:
            return

        def tell(conn: Connection) -> None:
            now = database_now_ms(conn)
            wanted, done = self._found(conn, served) or ({}, [])
            for item in done:
                reviews.close(conn, now, "facts", item=item.id)
            for name, summary in wanted.items():
                mailboxes.ensure(conn, name, served[name], providers[name])
                reviews.open_item(
                    conn,
                    now,
                    ItemKind.MAILBOX_ILL,
                    user=served[name],
                    integration=name,
                    about=ABOUT,
                    summary=summary,
                )

        await house.store.write(tell)
        house.notice_bell.ring()

    def _found(
        self, conn: Connection, served: Mapping[IntegrationId, UserName]
    ) -> tuple[dict[IntegrationId, str], list[Item]] | None:
        """What is to be told, and the items that are over; None where all is told already."""
        told = {
            IntegrationId(item.integration): item
            for item in reviews.open_about(conn, ItemKind.MAILBOX_ILL, ABOUT)
        }
        now = database_now_ms(conn)
        users = frozenset(served.values())
        others = [one for one in workers.everyone(conn) if one.name != self._house.worker]
        live = [*(one for one in others if one.is_live(now)), self._self(users, now)]
        # Who has just ended, or fell silent, may be about to start again.
        gone = [one for one in others if not one.is_live(now) and one.was_seen(now)]
        wanted: dict[IntegrationId, str] = {}
        for name, user in served.items():
            able = [one for one in gone if one.can_serve(name, user)]
            why = unserved([*live, *able], name, user)
            if why is not None:
                wanted[name] = f"{why.problem}: {why.remedy}"
        over = [one for name, one in told.items() if one.user in users and name not in wanted]
        new = {
            name: why
            for name, why in wanted.items()
            if name not in told or told[name].summary != why
        }
        return (new, over) if new or over else None

    def _self(self, users: frozenset[UserName], now: int) -> Worker:
        """This process as it is now; its row may be older, or not there."""
        house = self._house
        return Worker(
            name=house.worker,
            host=house.host,
            role=self._role,
            serves=users,
            started_at=now,
            seen_at=now,
            lacks=house.serving.lacks,
            lease_ms=house.settings.lease_ttl_ms,
        )


def unserved(members: Sequence[Worker], integration: IntegrationId, user: UserName) -> Lack | None:
    """Why none of these members can serve a mailbox, with each host's reason; None if one can.

    Where those who watch can and those who work cannot, or the other way, none counts as able.
    """
    lacking = [one for one in members if user in one.serves and integration in one.lacks]
    able = [one.role for one in members if one.can_serve(integration, user)]
    if not left_undone([one.role for one in lacking], able):
        return None
    lacks = sorted({one.host: one.lacks[integration] for one in lacking}.items())
    reasons = "; ".join(f"on {host}: {lack.problem}" for host, lack in lacks)
    remedies = dict.fromkeys(lack.remedy for _, lack in lacks)
    return Lack(problem=f"no live host can serve it ({reasons})", remedy="; ".join(remedies))


def unattended(
    members: Sequence[Worker], integration: IntegrationId, user: UserName
) -> Lack | None:
    """What none of these members does for a mailbox, though nothing is lacking; None: all is done.

    That no process runs is no illness of the mailbox: it is shown, and no item tells of it.
    """
    missing = left_undone(PARTS, [one.role for one in members if one.can_serve(integration, user)])
    if not missing:
        return None
    does = {"watch": "watches it", "work": "works on its threads"}
    what = " or ".join(text for role, text in does.items() if role in missing)
    return Lack(
        problem=f"no live process {what}",
        remedy="start: fencepost run, on a host that has the user's file of the fleet",
    )
