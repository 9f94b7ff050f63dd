"""Waiting for a change: a hint with a floor, and no thread left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from providers.maildir import MaildirMailbox, watching
from providers.ports import Folder
from tests.contracts.harness import MaildirHarness
from tests.contracts.mails import owners, question
from tests.maildir.acts import make


async def wakes(box: MaildirMailbox, act: Callable[[], object]) -> None:
    """Wait, act, and come back; hangs (and fails) otherwise."""
    await box.wait(0)
    await waits(box, act)


async def waits(box: MaildirMailbox, act: Callable[[], object]) -> None:
    """The same with a mailbox that is watched already."""
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.wait_all_tasks_blocked()
            act()


@pytest.mark.parametrize("folder", [Folder.INBOX, Folder.SENT, Folder.DRAFTS])
async def test_a_change_in_each_folder_ends_a_wait(
    world: MaildirHarness, box: MaildirMailbox, folder: Folder
) -> None:
    await wakes(box, lambda: world.drop(question(), folder))


async def test_a_draft_that_goes_ends_a_wait(world: MaildirHarness, box: MaildirMailbox) -> None:
    draft = world.drop(owners(), Folder.DRAFTS)
    await wakes(box, draft.unlink)


async def test_what_happened_between_two_waits_ends_the_next_one(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    await wakes(box, lambda: world.drop(question()))
    world.drop(question())
    with anyio.fail_after(20):
        await box.wait(3600)


async def test_what_happens_after_a_wait_of_no_time_ends_the_next_one(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    await box.wait(0)
    world.drop(question())
    with anyio.fail_after(20):
        await box.wait(3600)


async def test_a_folder_that_was_made_anew_ends_the_next_wait_and_is_watched(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    await wakes(box, lambda: world.drop(question()))
    old = world.root / ".Drafts"
    old.rename(world.root / "aside")
    for sub in ("cur", "new", "tmp"):
        (old / sub).mkdir(parents=True)
    world.drop(owners(), Folder.DRAFTS)
    with anyio.fail_after(20):
        await box.wait(3600)
    await waits(box, lambda: world.drop(owners(), Folder.DRAFTS))


async def test_without_a_watch_the_floor_is_left(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object) -> object:
        raise OSError(24, "too many open files")

    monkeypatch.setattr(watching, "RustNotify", none_left)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 30)
            await anyio.wait_all_tasks_blocked()
            world.clock.skip(30)


async def test_a_wait_on_a_missing_maildir_ends_with_its_time(
    tmp_path: Path, world: MaildirHarness
) -> None:
    box = MaildirMailbox(tmp_path / "nowhere", clock=world.clock, network=False)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 30)
            await anyio.wait_all_tasks_blocked()
            world.clock.skip(30)


async def test_closing_ends_a_wait(box: MaildirMailbox) -> None:
    await box.wait(0)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.wait_all_tasks_blocked()
            await box.close()


async def test_a_closed_mailbox_does_not_wait(box: MaildirMailbox) -> None:
    await box.close()
    with anyio.fail_after(20):
        await box.wait(3600)


async def test_no_watching_thread_outlives_a_cancelled_wait(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    await box.wait(0)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    stacks = {thread.ident for thread in threading.enumerate() if not thread.name.startswith("Any")}
    assert threading.main_thread().ident in stacks
    assert not box._watch._stops


async def test_our_own_draft_ends_a_wait_like_any_change(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    other = MaildirMailbox(world.root, clock=world.clock, network=False)
    await box.wait(0)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.wait, 3600)
            await anyio.wait_all_tasks_blocked()
            await make(other)
