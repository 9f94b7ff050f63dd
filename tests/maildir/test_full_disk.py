"""A real disk that is full: nothing is half written, nothing is lost, and it says what to do."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from providers.maildir import MaildirMailbox
from providers.ports import DraftRef, Folder, MailboxIllError
from storage.words import Accepted
from tests.contracts.harness import MaildirHarness, fill_up, mount_tmpfs
from tests.contracts.mails import INTENT, QUESTION, mail, ours, question
from tests.maildir.acts import REMOVAL, SCOPE, look, make, nothing_known, stage

BIG = ours(body="long " * 20_000)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB."""
    path = tmp_path / "disk"
    path.mkdir()
    mount_tmpfs(path, "size=256k")
    yield path
    subprocess.run(["umount", str(path)], check=True)


@pytest.fixture
def world(disk: Path) -> Iterator[MaildirHarness]:
    """A Maildir on that disk."""
    made = MaildirHarness(disk)
    yield made
    made.tear_down()


async def test_staging_on_a_full_disk_says_so_and_leaves_nothing(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    fill_up(disk / "filler")
    with pytest.raises(MailboxIllError, match="space"):
        await stage(box)
    assert list((world.root / ".Drafts" / "tmp").iterdir()) == []


async def test_a_draft_that_fits_in_part_leaves_nothing(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    fill_up(disk / "filler", leave=16 * 1024)
    with pytest.raises(MailboxIllError, match="space"):
        await box.stage(BIG, intent=INTENT, attempt=1)
    assert list((world.root / ".Drafts" / "tmp").iterdir()) == []


async def test_the_drafts_folder_cannot_be_made_on_a_full_disk(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    for sub in ("cur", "new", "tmp"):
        (world.root / ".Drafts" / sub).rmdir()
    (world.root / ".Drafts" / "maildirfolder").unlink(missing_ok=True)
    (world.root / ".Drafts").rmdir()
    fill_up(disk / "filler")
    with pytest.raises(MailboxIllError, match="space"):
        await stage(box)
    (disk / "filler").unlink()
    await make(box)
    assert world.list_drafts() == [ours()]


async def test_staged_bytes_are_delivered_on_a_full_disk(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    staged = await stage(box)
    fill_up(disk / "filler")
    assert isinstance(await box.create(staged, scope=SCOPE), Accepted)
    assert world.list_drafts() == [ours()]


async def test_staged_bytes_are_taken_back_on_a_full_disk(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    staged = await stage(box)
    fill_up(disk / "filler")
    assert (await look(box, world, staged)).proof


async def test_a_removal_on_a_full_disk_removes_or_leaves_the_draft(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    draft: DraftRef = await make(box)
    fill_up(disk / "filler")
    outcome = await box.remove(draft, intent=REMOVAL, attempt=1)
    assert (world.list_drafts() == []) == isinstance(outcome, Accepted)
    assert not list((world.root / ".Drafts" / "cur").glob(".*"))


async def test_reading_goes_on_when_the_disk_is_full(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    world.drop(question())
    world.drop(mail("<sent@example.com>"), Folder.SENT)
    fill_up(disk / "filler")
    changes = await box.changes(None, since=None, known=nothing_known)
    assert {one.heads.message_id for one in changes.seen} == {QUESTION, "<sent@example.com>"}


async def test_after_space_is_freed_the_same_draft_is_made_once(
    world: MaildirHarness, box: MaildirMailbox, disk: Path
) -> None:
    fill_up(disk / "filler")
    with pytest.raises(MailboxIllError):
        await stage(box)
    (disk / "filler").unlink()
    await make(box)
    assert world.list_drafts() == [ours()]
