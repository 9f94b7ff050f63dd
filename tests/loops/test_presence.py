"""Which hosts can serve a mailbox: what a process sees, tells, and shows."""

from __future__ import annotations

from typing import Any

from structlog.testing import capture_logs

from assistant import views
from assistant.loops.presence import Presence
from storage import mailboxes, overview, workers
from storage.reviews import Item
from storage.words import IntegrationId, ItemKind, OwnerId
from storage.workers import Lack
from tests.support.world import BOX, ROBIN, Process, World

NO_FOLDER = Lack(problem="there is no such folder", remedy="mount it")


def seen(
    world: World,
    host: str,
    *,
    role: str = "all",
    lacks: Lack | None = None,
    lease_s: float = 60.0,
) -> OwnerId:
    """A member that gives a sign of life now."""
    name = OwnerId(f"{host}:1:x")
    world.db.run(
        lambda conn: workers.seen(
            conn,
            overview.now(conn),
            name=name,
            host=host,
            role=role,
            serves={ROBIN},
            lease_ms=int(lease_s * 1000),
            lacks={} if lacks is None else {BOX: lacks},
        )
    )
    return name


def known(world: World) -> Process:
    """A process on a host that lacks something, and whose mailbox is known."""
    process = world.process()
    world.db.run(lambda conn: mailboxes.ensure(conn, BOX, ROBIN, "memory"))
    process.house.serving.lack(BOX, NO_FOLDER, world.clock.boot_s())
    return process


async def look(world: World, process: Process, role: str = "all") -> list[Item]:
    """One pass of presence; what is told then."""
    await world.drive(Presence(process.house, role=role).pass_once)
    return world.items(ItemKind.MAILBOX_ILL)


def shown(world: World) -> dict[str, Any]:
    """The mailbox as status shows it."""
    document: Any = world.read(views.status)
    (row,) = document["mailboxes"]
    return dict(row)


def states(world: World) -> dict[str, str]:
    """The state of each member as status shows it."""
    document: Any = world.read(views.status)
    return {row["host"]: row["state"] for row in document["workers"] if "host" in row}


async def test_a_mailbox_that_no_host_can_serve_is_told_with_each_reason(world: World) -> None:
    seen(world, "b", lacks=Lack(problem="the secret is missing", remedy="put it there"))
    (item,) = await look(world, known(world))
    assert item.about == "here"
    assert "on b: the secret is missing; on p1: there is no such folder" in item.summary
    assert "put it there; mount it" in item.summary


async def test_a_mailbox_that_another_host_serves_is_not_told(world: World) -> None:
    seen(world, "a")
    assert await look(world, known(world)) == []


async def test_who_only_watches_does_not_make_up_for_who_only_works(world: World) -> None:
    seen(world, "a", role="watch")
    assert len(await look(world, known(world), role="work")) == 1


async def test_who_only_works_needs_nobody_else_to_watch_for_them(world: World) -> None:
    seen(world, "a", role="work")
    assert await look(world, known(world), role="work") == []


async def test_a_host_that_is_started_again_is_waited_for_a_lease(world: World) -> None:
    name = seen(world, "a", lease_s=60)
    process = known(world)
    world.db.run(lambda conn: workers.gone(conn, overview.now(conn), name))
    assert await look(world, process) == []
    world.clock.skip(60)
    assert len(await look(world, process)) == 1


async def test_what_was_told_is_over_when_a_host_can_serve_it(world: World) -> None:
    process = known(world)
    assert len(await look(world, process)) == 1
    seen(world, "a")
    assert await look(world, process) == []


async def test_the_host_that_can_serve_it_closes_what_another_told(world: World) -> None:
    await look(world, known(world))
    assert await look(world, world.process()) == []


async def test_the_item_of_a_mailbox_that_is_configured_no_more_is_closed(world: World) -> None:
    process = known(world)
    await look(world, process)
    account = process.house.accounts.pop(BOX)
    process.house.accounts[IntegrationId("robin/other")] = account
    assert await look(world, process) == []


async def test_what_is_told_already_is_written_once(world: World) -> None:
    process = known(world)
    await look(world, process)
    before = world.db.counted.durable
    await look(world, process)
    assert world.db.counted.durable == before


async def test_status_shows_who_serves_a_mailbox_and_why_not(world: World) -> None:
    known(world)
    seen(world, "a")
    seen(world, "b", lacks=NO_FOLDER)
    row = shown(world)
    assert [(one["host"], one["serves"], one["remedy"]) for one in row["hosts"]] == [
        ("a", True, None),
        ("b", False, "mount it"),
    ]
    assert row["problem"] is None


async def test_status_shows_a_mailbox_that_nobody_can_serve_as_ill(world: World) -> None:
    known(world)
    seen(world, "b", lacks=NO_FOLDER)
    row = shown(world)
    assert (row["state"], row["remedy"]) == ("ill", "mount it")
    assert "no live host can serve it" in row["problem"]


async def test_a_member_is_silent_once_it_gave_no_sign_for_its_own_lease(world: World) -> None:
    seen(world, "short", lease_s=6)
    seen(world, "long", lease_s=600)
    world.clock.skip(5.9)
    assert states(world) == {"short": "live", "long": "live"}
    world.clock.skip(0.2)
    assert states(world) == {"short": "silent", "long": "live"}


async def test_a_member_that_ended_is_shown_as_ended_however_long_ago(world: World) -> None:
    name = seen(world, "a", lease_s=6)
    world.db.run(lambda conn: workers.gone(conn, overview.now(conn), name))
    world.clock.skip(100)
    assert states(world) == {"a": "ended"}


async def test_what_is_lacking_is_logged_once_for_each_reason(world: World) -> None:
    process = world.process()
    with capture_logs() as told:
        for _ in range(5):
            process.house.serving.lack(BOX, NO_FOLDER, world.clock.boot_s())
        process.house.serving.lack(BOX, Lack(problem="other", remedy="r"), world.clock.boot_s())
    assert [line["problem"] for line in told] == ["there is no such folder", "other"]
