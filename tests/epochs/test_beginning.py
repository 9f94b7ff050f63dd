"""A process that begins its epoch on a database which is not the one written last."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from assistant.epoch import Epoch
from assistant.minded import MindedStore
from storage import fences, leases, mailboxes, threads
from storage.database import Database
from storage.epochs import FENCE_MARGIN, AlarmKind, renew
from storage.words import IntegrationId, ThreadId, UserName
from tests.epochs.steps import alarm_of, moved, set_back
from tests.support.clock import FakeClock

BOX, THREAD = IntegrationId("robin/mail"), ThreadId("t1")


def a_thread(conn: Connection) -> None:
    mailboxes.ensure(conn, BOX, UserName("robin"), "memory")
    threads.ensure(conn, BOX, THREAD, 1, provider_thread=None, subject="s")
    leases.ensure(conn, BOX, THREAD)


def reconciles(conn: Connection) -> bool:
    """Whether the thread is looked up before anything is created in it."""
    return bool(conn.scalar(sa.text("SELECT reconcile_first FROM threads")))


def epoch(store: Database, data_dir: Path) -> Epoch:
    clock = FakeClock()
    return Epoch(store=MindedStore(store, clock), data_dir=data_dir, clock=clock)


async def test_a_start_on_a_database_set_back_looks_everything_up_first(
    store: Database, tmp_path: Path
) -> None:
    await store.write(a_thread)
    own = await moved(store, tmp_path, await renew(store, tmp_path))
    await set_back(store, own)
    assert await alarm_of(store, tmp_path) is AlarmKind.EPOCH_ABSENT
    await epoch(store, tmp_path).begin()
    assert await store.read(reconciles)
    assert await store.read(fences.highest) >= FENCE_MARGIN
    assert await alarm_of(store, tmp_path) is None


async def test_a_start_on_the_database_written_last_looks_nothing_up(
    store: Database, tmp_path: Path
) -> None:
    before = epoch(store, tmp_path)
    await before.begin()
    await store.write(a_thread)
    await before.beat()
    await before.end()
    await epoch(store, tmp_path).begin()
    assert not await store.read(reconciles)
