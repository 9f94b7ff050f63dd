"""A mailbox above a process's share is left to others, until it has lain free for a lease."""

from __future__ import annotations

import anyio
from structlog.testing import capture_logs

from storage import leases
from storage.words import WATCH_THREAD
from tests.support.world import BOX, SETTINGS, World


def is_watched(world: World) -> bool:
    return world.read(lambda conn: leases.is_held(conn, BOX, WATCH_THREAD))


async def test_a_free_mailbox_above_the_share_is_left_to_others_for_a_lease() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        process.house.sharing.regroup(0)
        async with anyio.create_task_group() as group:
            group.start_soon(process.watcher.run)
            await world.clock.advance(SETTINGS.lease_ttl_s - 1)
            assert not is_watched(world)
            await world.clock.advance(2 * SETTINGS.renew_s)
            assert is_watched(world)
            group.cancel_scope.cancel()


async def test_a_mailbox_within_the_share_is_taken_at_once() -> None:
    with capture_logs():
        world = World()
        process = world.process()
        process.house.sharing.regroup(1)
        async with anyio.create_task_group() as group:
            group.start_soon(process.watcher.run)
            await world.clock.advance(1)
            assert is_watched(world)
            group.cancel_scope.cancel()
