"""Processes that make the same row at the same moment: one makes it, the others find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import anyio
import pytest
from sqlalchemy import Connection

from storage import leases, mailboxes, receipts, reviews, threads
from storage.dbtime import database_now_ms
from storage.receipts import Receipt
from storage.words import IntegrationId, ItemKind, ThreadId, UserName
from tests.support import postgres

BOX, THREAD, ROBIN = IntegrationId("robin/mail"), ThreadId("t1"), UserName("robin")


@pytest.fixture
def database() -> Iterator[str]:
    with postgres.new_database() as name:
        yield name


def open_item(conn: Connection) -> object:
    now = database_now_ms(conn)
    return reviews.open_item(conn, now, ItemKind.MAILBOX_ILL, user=ROBIN, about="x", summary="s")


def make_mailbox(conn: Connection) -> object:
    return mailboxes.ensure(conn, BOX, ROBIN, "memory").integration


def make_thread(conn: Connection) -> object:
    return threads.ensure(conn, BOX, THREAD, 1, provider_thread=None, subject="s")


def make_lease(conn: Connection) -> object:
    return leases.ensure(conn, BOX, THREAD)


def pause(conn: Connection) -> object:
    return mailboxes.pause(conn, BOX, 1)


def command(conn: Connection) -> object:
    found = receipts.find(conn, "robin", "k", "f")
    if found is not None:
        return found.operation
    operation = str(conn.exec_driver_sql("SELECT pg_current_xact_id()").scalar_one())
    receipt = Receipt(
        scope="robin", key="k", command="keep", fingerprint="f", operation=operation, result={}
    )
    receipts.write(conn, receipt, 1)
    return operation


@pytest.mark.parametrize("unit", [open_item, make_mailbox, make_thread, make_lease, pause, command])
async def test_all_who_come_at_once_get_what_the_first_made(
    unit: Callable[[Connection], object], database: str
) -> None:
    stores = [await postgres.opened(database) for _ in range(4)]
    answers: list[object] = []

    async def write(number: int) -> None:
        answers.append(await stores[number].write(unit))

    async with anyio.create_task_group() as group:
        for number in range(len(stores)):
            group.start_soon(write, number)
    assert len(answers) == len(stores)
    assert len({str(answer) for answer in answers}) == 1
    for store in stores:
        await store.close()
