"""Staged bytes: delivered once, or proved never to be."""

from __future__ import annotations

import errno
import os
import stat
from datetime import timedelta
from shutil import copytree, rmtree

import pytest

from providers.maildir import MaildirMailbox
from providers.ports import Folder, MailboxIllError, Staged, TransientError
from storage.words import Accepted, FaultPoint, Rejected, Unknown
from tests.contracts.harness import MaildirHarness
from tests.contracts.mails import INTENT, MARK, ours
from tests.maildir.acts import SCOPE, At, look, make, nothing_known, stage


def tmp_of(world: MaildirHarness) -> list[str]:
    return sorted(path.name for path in (world.root / ".Drafts" / "tmp").iterdir())


async def test_a_draft_is_flagged_as_a_draft_and_seen(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    assert world.file(draft.ref).name.endswith(":2,DS")


async def test_the_drafts_folder_is_made_at_the_first_staging_and_not_before(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    rmtree(world.root / ".Drafts")
    await box.changes(None, since=None, known=nothing_known)
    await box.snapshot(SCOPE)
    assert not (world.root / ".Drafts").exists()
    await make(box)
    made = sorted(path.name for path in (world.root / ".Drafts").iterdir())
    assert made == ["cur", "maildirfolder", "new", "tmp"]
    assert len(world.list_drafts()) == 1


async def test_a_drafts_folder_without_tmp_gets_one(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    (world.root / ".Drafts" / "tmp").rmdir()
    await make(box)
    assert len(world.list_drafts()) == 1


async def test_a_file_in_the_place_of_the_drafts_folder_is_told(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    rmtree(world.root / ".Drafts")
    (world.root / ".Drafts").write_text("in the way")
    with pytest.raises(MailboxIllError):
        await stage(box)


async def test_a_staged_file_is_private_where_the_folder_is(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    (world.root / ".Drafts").chmod(0o700)
    await stage(box)
    (name,) = tmp_of(world)
    mode = (world.root / ".Drafts" / "tmp" / name).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


async def test_what_root_writes_belongs_to_the_owner_of_the_folder(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(world.root / ".Drafts", 1234, 1235)
    os.chown(world.root / ".Drafts" / "tmp", 1234, 1235)
    draft = await make(box)
    made = world.file(draft.ref).stat()
    assert (made.st_uid, made.st_gid) == (1234, 1235)


async def test_the_claim_can_commit_everything_that_delivery_needs(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    there = (world.root / ".Drafts").stat()
    assert (staged.token["dev"], staged.token["ino"]) == (there.st_dev, there.st_ino)
    assert [staged.token["name"]] == tmp_of(world)


async def test_a_second_attempt_has_its_own_file(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    await stage(box, attempt=1)
    await stage(box, attempt=2)
    assert len(tmp_of(world)) == 2


async def test_delivery_into_a_copy_of_the_folder_is_refused(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    drafts = world.root / ".Drafts"
    drafts.rename(world.root / "aside")
    copytree(world.root / "aside", drafts)
    outcome = await box.create(staged, scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert outcome.passing
    assert world.list_drafts() == []


async def test_nothing_is_proved_in_a_replaced_folder(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    drafts = world.root / ".Drafts"
    drafts.rename(world.root / "aside")
    for sub in ("cur", "new", "tmp"):
        (drafts / sub).mkdir(parents=True)
    seen = await look(box, world, staged)
    assert (seen.proof, seen.delivered) == (None, False)


async def test_nothing_follows_from_missing_bytes_once_others_may_have_cleared_them(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    await box.unstage(staged)
    seen = await look(box, world, staged, ago=timedelta(hours=36))
    assert (seen.proof, seen.delivered) == (None, False)


async def test_bytes_that_vanished_early_were_delivered(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft_file = world.file((await make(box)).ref)
    staged = Staged(content=ours(), token=await _token_of(box, world))
    draft_file.unlink()
    seen = await look(box, world, staged, ago=timedelta(hours=35))
    assert seen.delivered


async def _token_of(box: MaildirMailbox, world: MaildirHarness) -> dict[str, object]:
    staged = await stage(box)
    await box.unstage(staged)
    return dict(staged.token)


async def test_a_network_file_system_gives_no_proof_from_absence(world: MaildirHarness) -> None:
    box = MaildirMailbox(world.root, clock=world.clock, network=True)
    staged = await stage(box)
    await box.unstage(staged)
    seen = await look(box, world, staged)
    assert (seen.proof, seen.delivered) == (None, False)


async def test_missing_bytes_on_a_network_leave_a_create_unknown(world: MaildirHarness) -> None:
    box = MaildirMailbox(world.root, clock=world.clock, network=True)
    staged = await stage(box)
    await box.unstage(staged)
    assert isinstance(await box.create(staged, scope=SCOPE), Unknown)


async def test_a_look_takes_bytes_back_before_it_searches(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    assert (await look(box, world, staged)).proof
    assert tmp_of(world) == [f"{staged.token['name']}.withdrawn"]


async def test_withdrawn_bytes_are_dropped_once_the_proof_is_committed(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    await look(box, world, staged)
    await box.unstage(staged)
    assert tmp_of(world) == []


async def test_the_effect_is_reported_before_the_answer(world: MaildirHarness) -> None:
    drafts: list[int] = []
    faults = At(FaultPoint.EFFECT_DONE, lambda: drafts.append(len(world.list_drafts())))
    await make(MaildirMailbox(world.root, clock=world.clock, faults=faults, network=False))
    assert drafts == [1]


async def test_a_fault_after_the_rename_is_never_taken_for_a_refusal(
    world: MaildirHarness,
) -> None:
    def broken() -> None:
        raise ConnectionResetError(errno.ECONNRESET, "cut")

    faults = At(FaultPoint.EFFECT_DONE, broken)
    box = MaildirMailbox(world.root, clock=world.clock, faults=faults, network=False)
    staged = await stage(box)
    with pytest.raises(ConnectionResetError):
        await box.create(staged, scope=SCOPE)
    assert len((await look(box, world, staged)).found) == 1


async def test_a_sync_that_fails_after_the_rename_leaves_it_unknown(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = await stage(box)

    def broken(fd: int) -> None:
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    assert isinstance(await box.create(staged, scope=SCOPE), Unknown)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
async def test_a_rename_that_is_refused_is_the_illness_of_the_mailbox(
    box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    staged = await stage(box)

    def refused(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "rename", refused)
    outcome = await box.create(staged, scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.illness) == (True, True)


@pytest.mark.parametrize("code", [errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EINTR])
async def test_a_rename_that_failed_otherwise_is_unknown(
    box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    staged = await stage(box)

    def failed(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "rename", failed)
    assert isinstance(await box.create(staged, scope=SCOPE), Unknown)


async def test_orphans_are_cleared_at_start_and_live_bytes_stay(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    orphan, live = await stage(box), await stage(box)
    other = world.root / ".Drafts" / "tmp" / "1767225600.M1P1.other"
    other.write_bytes(b"another program's")
    names = frozenset({str(live.token["name"])})
    assert await box.remove_orphans(names, world.clock.now()) == 1
    assert tmp_of(world) == sorted([str(live.token["name"]), other.name])
    assert isinstance(await box.create(orphan, scope=SCOPE), Rejected)


async def test_while_workers_run_only_old_orphans_are_cleared(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    await stage(box)
    now = world.clock.now()
    assert await box.remove_orphans(frozenset(), now, at_start=False) == 0
    later = now + timedelta(hours=37)
    assert await box.remove_orphans(frozenset(), later, at_start=False) == 1


async def test_withdrawn_bytes_of_a_live_intent_stay_as_its_proof(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    await look(box, world, staged)
    await box.remove_orphans(frozenset({str(staged.token["name"])}), world.clock.now())
    assert (await look(box, world, staged)).proof


async def test_a_draft_in_new_is_found_as_well(world: MaildirHarness, box: MaildirMailbox) -> None:
    draft = await make(box)
    file = world.file(draft.ref)
    file.rename(world.root / ".Drafts" / "new" / file.name.partition(":")[0])
    seen = await look(box, world)
    assert [one.mark for one in seen.found] == [MARK]


async def test_a_trashed_copy_beside_the_draft_is_no_second_effect(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    await make(box)
    world.drop(ours(), Folder.TRASH, flags="S")
    assert len((await look(box, world)).found) == 1


async def test_an_unreadable_new_draft_leaves_a_look_incomplete(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    name = f"{int(world.clock.now().timestamp())}.M1P1.host:2,D"
    (world.root / ".Drafts" / "cur" / name).symlink_to("nowhere")
    seen = await look(box, world)
    assert (seen.complete, name.partition(":")[0] in seen.detail) == (False, True)


async def test_an_unreadable_draft_from_long_before_the_claim_does_not(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    (world.root / ".Drafts" / "cur" / "1700000000.M1P1.host:2,D").symlink_to("nowhere")
    assert (await look(box, world)).complete


async def test_bytes_of_another_mailbox_are_refused(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    outcome = await box.create(Staged(content=ours(), token={"name": "../../x"}), scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert world.list_drafts() == []


async def test_what_is_delivered_is_exactly_what_was_staged(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    raw = ours().replace(b"\n", b"\r\n")
    staged = await box.stage(raw, intent=INTENT, attempt=1)
    outcome = await box.create(staged, scope=SCOPE)
    assert isinstance(outcome, Accepted)
    assert world.file(outcome.ref).read_bytes() == raw


async def test_nothing_is_left_when_the_disk_refuses_to_sync(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(fd: int) -> None:
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(TransientError):
        await stage(box)
    assert tmp_of(world) == []


async def test_a_folder_under_two_names_counts_once(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    (world.root / ".INBOX.Drafts").symlink_to(".Drafts")
    staged = await stage(box)
    await box.create(staged, scope=SCOPE)
    assert len((await look(box, world, staged)).found) == 1
    assert len((await box.snapshot(SCOPE)).drafts) == 1
