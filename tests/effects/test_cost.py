"""What a guarded action costs each store: statements and durable commits.

Counted where the driver is asked, so that nothing which the house sends stays unseen. An action is
the claim and the end of a call, with evidence, draft, item, end of work, events and release; beside
it stand the taking of its lease and the reading of its thread. Actions that are made at the same
moment share all of it. On PostgreSQL each unit of work is a commit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import sqlalchemy as sa

from storage.database import Database
from storage.migrate import upgrade
from storage.sqlite import open_sqlite
from tests.bench.guarded_action import Counted, drive, prepare
from tests.support.postgres import aside, cluster, new_database, opened

ON_SQLITE = 15
"""Statements, of one or of several: four take, one reads the thread, three claim, seven end."""
ON_POSTGRESQL = 11
"""Three take, one reads the thread, three claim, four end: what needs nothing of one another is
one statement."""


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Statements that read or write rows, and (SQLite) COMMITs of transactions that wrote some."""
    found: Counter[str] = Counter()
    writing: set[int] = set()

    def execute(conn: sa.Connection, _cursor: object, sql: str, *_: object) -> None:
        word = sql.split(None, 1)[0]
        if word in ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH"):
            found["statements"] += 1
            if word != "SELECT":
                writing.add(id(conn))

    def commit(conn: sa.Connection) -> None:
        if id(conn) in writing:
            writing.discard(id(conn))
            found["commits"] += 1

    sa.event.listen(sa.Engine, "before_cursor_execute", execute)
    sa.event.listen(sa.Engine, "commit", commit)
    try:
        yield found
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", execute)
        sa.event.remove(sa.Engine, "commit", commit)


async def _measured(store: Database, number: int) -> Counter[str]:
    await store.write(prepare(number))
    units = Counted(store)
    with counted() as found:
        await drive(units, number, in_work=number)
    found["units"] = units.writes
    return found


async def _on_sqlite(folder: Path, number: int) -> Counter[str]:
    path = folder / "cost.db"
    await anyio.to_thread.run_sync(upgrade, path)
    store = await open_sqlite(path)
    try:
        return await _measured(store, number)
    finally:
        await store.close()


def _on_postgresql(number: int) -> Counter[str]:
    with new_database(cluster()) as database:

        async def work() -> Counter[str]:
            store = await opened(database, connections=2)
            try:
                return await _measured(store, number)
            finally:
                await store.close()

        return aside(work)


async def test_an_action_alone_makes_three_commits_on_sqlite(tmp_path: Path) -> None:
    found = await _on_sqlite(tmp_path, 1)
    assert (found["statements"], found["commits"]) == (ON_SQLITE, 3)


async def test_actions_at_once_share_the_statements_and_commits_of_one_on_sqlite(
    tmp_path: Path,
) -> None:
    found = await _on_sqlite(tmp_path, 8)
    assert (found["statements"], found["commits"]) == (ON_SQLITE, 3)


def test_an_action_alone_makes_three_commits_on_postgresql() -> None:
    found = _on_postgresql(1)
    assert (found["statements"], found["units"]) == (ON_POSTGRESQL, 3)


def test_actions_at_once_share_the_statements_and_commits_of_one_on_postgresql() -> None:
    found = _on_postgresql(8)
    assert (found["statements"], found["units"]) == (ON_POSTGRESQL, 3)
