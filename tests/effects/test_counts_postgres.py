"""What a guarded action costs on PostgreSQL, by the server's own count.

Budgets are counts, for seconds depend on who else is at work. The leases of all actions are taken
before the counting, in one transaction, as a worker with free hands takes them; then each action is
made by itself, so that no two share a commit or a sync.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assistant.timing import SystemClock
from leases.keeper import Keeper
from storage import leases
from storage.postgres import open_postgres
from storage.together import Together
from storage.words import OwnerId
from tests.bench.guarded_action import MAILBOX, TTL_MS, act, prepare
from tests.support.pgcount import Counts, counting_cluster, counts, reset
from tests.support.postgres import Cluster, aside

ACTIONS = 20
MOST_STATEMENTS = 7
"""With which an action claims and records; beside them one reads its thread."""
MOST_DURABLE_COMMITS = 3


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    cluster = counting_cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="module")
def cost(server: Cluster) -> Counts:
    database = server.new_database()

    async def fill() -> None:
        store = await open_postgres(server.place(database))
        await store.write(prepare(1 + ACTIONS))
        await store.close()

    async def work() -> None:
        store = await open_postgres(server.place(database))
        clock = SystemClock()
        together = Together(store)
        keeper = Keeper(store, clock, ttl_s=TTL_MS / 1000)
        taken = await store.write(
            lambda conn: leases.take_due(
                conn,
                OwnerId("bench:1"),
                ttl_ms=TTL_MS,
                limit=1 + ACTIONS,
                allowed={MAILBOX},
                alone=False,
            )
        )
        first, *held_all = taken.held
        assert len(held_all) == ACTIONS
        # The driver asks once on each connection what the types of the server are.
        await act(together, clock, keeper, first)
        reset(server)
        for held in held_all:
            await act(together, clock, keeper, held)
        await store.close()

    aside(fill)
    aside(work)
    return counts(server, database)


def test_an_action_makes_no_more_durable_commits_than_its_budget(cost: Counts) -> None:
    assert 1 <= cost.wal_syncs / ACTIONS <= MOST_DURABLE_COMMITS


def test_an_action_sends_no_more_statements_than_its_budget(cost: Counts) -> None:
    assert cost.statements / ACTIONS <= MOST_STATEMENTS + 1, cost.by_text


def test_nothing_is_rolled_back_on_the_way(cost: Counts) -> None:
    assert cost.rollbacks == 0
