"""Changes are picked up while running."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest
from watchfiles import Change

from config import watch as module
from config.loaded import Loaded
from config.watch import announced, concerns, watch
from tests.config.folder import Folder


async def each(*acts: object) -> AsyncGenerator[object, None]:
    """Do one thing after another, with a signal after each."""
    for act in acts:
        if callable(act):
            act()
        yield None


async def seen(first: Loaded, *acts: object) -> list[Loaded]:
    async with aclosing(watch(first, each(*acts))) as changes:
        return [loaded async for loaded in changes]


def users(history: list[Loaded]) -> list[list[str]]:
    return [list(loaded.users) for loaded in history]


async def test_users_come_and_go(folder: Folder) -> None:
    first = folder.load()

    history = await seen(
        first,
        lambda: folder.good_user("anna", "A"),
        lambda: folder.good_user("zoe", "Z"),
        lambda: (folder.path / "users" / "anna.toml").unlink(),
    )

    assert users(history) == [["anna"], ["anna", "zoe"], ["zoe"]]


async def test_a_half_written_file_keeps_the_user_and_tells_once(folder: Folder) -> None:
    path = folder.good_user()
    first = folder.load()
    whole = path.read_bytes()

    history = await seen(
        first,
        lambda: path.write_bytes(whole[:30]),
        lambda: path.write_bytes(b""),
        lambda: None,
        lambda: path.write_bytes(whole),
    )

    assert users(history) == [["robin"]] * 3
    assert [len(loaded.faults) for loaded in history] == [1, 1, 0]
    assert history[0].users == first.users


async def test_what_changes_nothing_yields_nothing(folder: Folder) -> None:
    path = folder.good_user()
    first = folder.load()

    assert await seen(first, lambda: os.utime(path), lambda: None) == []


async def test_an_atomic_replacement_is_seen_by_the_file_system(folder: Folder) -> None:
    folder.good_user()
    first = folder.load()

    with anyio.fail_after(20):
        async with aclosing(watch(first)) as changes:
            aside = folder.good_user(".robin.new", "Other")
            aside.replace(folder.path / "users" / "robin.toml")
            loaded = await anext(changes)

    assert loaded.users != first.users
    assert loaded.faults == ()


async def test_a_folder_that_can_not_be_watched_is_read_by_the_clock(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "FLOOR_S", 0.01)

    async with aclosing(announced(folder.path / "nothing")) as causes:
        await anext(causes)
        await anext(causes)

    assert "can't watch" in caplog.text


async def test_the_first_reading_comes_at_once_for_what_changed_before(folder: Folder) -> None:
    first = folder.load()
    folder.good_user()

    with anyio.fail_after(20):
        async with aclosing(watch(first)) as changes:
            assert set((await anext(changes)).users) == {"robin"}


async def test_watching_ends_when_cancelled(folder: Folder) -> None:
    first = folder.load()

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:

            async def run() -> None:
                async with aclosing(watch(first)) as changes:
                    async for _ in changes:
                        pass

            tasks.start_soon(run)
            await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/c/fencepost.toml", True),
        ("/c/users", True),
        ("/c/users/robin.toml", True),
        ("/c/users/.robin.toml.swp", False),
        ("/c/users/.robin.toml", False),
        ("/c/users/robin.toml~", False),
        ("/c/users/deep/robin.toml", False),
        ("/c/other.toml", False),
        ("/c/installation.key", False),
    ],
)
def test_only_the_final_name_of_a_configuration_file_concerns_us(path: str, answer: bool) -> None:
    assert concerns(Change.added, path, Path("/c")) is answer
